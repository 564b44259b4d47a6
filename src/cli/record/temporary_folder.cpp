#include "cli/record/temporary_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include "cli/command.h"

namespace racecast::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPrefix = "racecast.";
constexpr std::size_t kRandom = 6;  // of mkdtemp

// When the process started, in the kernel's ticks since it booted. Nullopt: there is no such process.
std::optional<std::uint64_t> start_of(const std::string& process) {
  std::ifstream file("/proc/" + process + "/stat");
  std::string text;
  std::getline(file, text, '\0');
  // The 22nd word; the second is the name in parentheses, which may be anything.
  std::size_t at = text.rfind(')');
  for (int word = 2; word < 22 && at != std::string::npos; ++word) at = text.find(' ', at + 1);
  if (at == std::string::npos) return std::nullopt;
  std::uint64_t start = 0;
  const auto read = std::from_chars(text.data() + at + 1, text.data() + text.size(), start);
  return read.ec == std::errc() ? std::optional(start) : std::nullopt;
}

// The maker of a folder of ours, from its name.
struct Maker {
  std::string process;
  std::uint64_t start = 0;
};
std::optional<Maker> maker_of(const std::string& name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  std::uint64_t process = 0;
  Maker maker;
  const char* const end = name.data() + name.size();
  const auto first = std::from_chars(name.data() + kPrefix.size(), end, process);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, maker.start);
  if (second.ec != std::errc() || static_cast<std::size_t>(end - second.ptr) != kRandom + 1 || *second.ptr != '.')
    return std::nullopt;
  maker.process = std::to_string(process);
  return maker;
}

// The folder, locked; -1: somebody else has it, or it cannot be locked here.
int lock_folder(const std::string& path) {
  const int folder = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return -1;
  if (flock(folder, LOCK_EX | LOCK_NB) == 0) return folder;
  close(folder);
  return -1;
}

bool is_own_folder(const std::string& path) {
  struct stat about{};
  return lstat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == geteuid();
}

void remove_left_behind(const std::string& place) {
  if (!start_of("self")) return;  // without /proc nobody is known to be dead
  std::error_code error;
  for (fs::directory_iterator entry(place, error), end; !error && entry != end; entry.increment(error)) {
    const std::string path = entry->path();
    const std::optional<Maker> maker = maker_of(entry->path().filename().string());
    if (!maker || !is_own_folder(path) || start_of(maker->process) == maker->start) continue;
    const int lock = lock_folder(path);
    if (lock < 0) continue;
    std::error_code ignored;
    fs::remove_all(path, ignored);
    close(lock);
  }
}

}  // namespace

std::vector<std::string> temporary_places() {
  std::vector<std::string> places;
  const char* chosen = std::getenv("TMPDIR");
  if (chosen != nullptr && *chosen != '\0') places.emplace_back(chosen);
  places.insert(places.end(), {"/var/tmp", "/tmp", "."});
  return places;
}

Result<TemporaryFolder> make_temporary_folder_in(const std::string& place, bool kept) {
  remove_left_behind(place);
  const std::string maker = kept ? "kept" : fmt::format("{}.{}", getpid(), start_of("self").value_or(0));
  const std::string pattern = fmt::format("{}/{}{}.XXXXXX", place, kPrefix, maker);
  std::string path;
  TemporaryFolder folder;
  // Who looks from another container may take the folder for one that was left, as long as it is not locked.
  constexpr int kTries = 10;
  for (int i = 0; i < kTries; ++i) {
    path = pattern;
    if (mkdtemp(path.data()) == nullptr) return bad_input(std::strerror(errno));
    folder.lock = lock_folder(path);
    if (is_own_folder(path)) break;
    if (folder.lock >= 0) close(folder.lock);
    folder.lock = -1;
  }
  std::error_code error;
  folder.path = fs::canonical(path, error);
  if (error) return bad_input(error.message());
  return folder;
}

Result<TemporaryFolder> make_temporary_folder() {
  std::string failed;
  for (const std::string& place : temporary_places()) {
    Result<TemporaryFolder> folder = make_temporary_folder_in(place);
    if (folder && !failed.empty())
      note(fmt::format("the recording goes to {}, for no folder can be made in {}", folder->path, failed));
    if (folder) return folder;
    failed += fmt::format("{}{} ({})", failed.empty() ? "" : ", ", place, folder.error().message);
  }
  return bad_input(fmt::format("no folder for the recording can be made in {}", failed));
}

}  // namespace racecast::cli
