#include "cli/source_lines.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <system_error>

#include "cli/command_line.h"

namespace racecast::cli {

namespace {

namespace fs = std::filesystem;

constexpr off_t kMaxSource = off_t{16} << 20;
constexpr int kMaxFolders = 32;  // of a file that was elsewhere, looked for below --source-root

bool is_below(const fs::path& file, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

// Nothing of what is no regular file, or too large. It was one a moment ago; should it have become a FIFO or a link
// since, opening it does not hang and does not follow.
std::string content_of(const fs::path& file) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return {};
  struct stat status{};
  std::string content;
  if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= kMaxSource) {
    content.resize(static_cast<std::size_t>(status.st_size));
    std::size_t size = 0;
    for (ssize_t got = 1; size < content.size() && got > 0; size += static_cast<std::size_t>(std::max<ssize_t>(got, 0)))
      got = ::read(descriptor, content.data() + size, content.size() - size);
    content.resize(size);
  }
  close(descriptor);
  return content;
}

}  // namespace

SourceLines::SourceLines(const std::optional<std::string>& root, bool anywhere) : anywhere_(anywhere) {
  std::error_code error;
  if (root) root_ = fs::canonical(*root, error);
  if (error) root_.reset();
  if (root_) roots_.push_back(*root_);
  const fs::path here = fs::current_path(error);
  if (error) return;
  roots_.push_back(here);
  folder_ = here;
}

std::optional<std::string> SourceLines::read_if_allowed(const fs::path& file) const {
  std::error_code error;
  const fs::path found = fs::canonical(file, error);
  const auto holds = [&](const fs::path& folder) { return is_below(found, folder); };
  if (error || !fs::is_regular_file(found, error)) return std::nullopt;
  if (!anywhere_ && std::ranges::none_of(roots_, holds)) return std::nullopt;
  return content_of(found);
}

std::string SourceLines::read(const std::string& file) const {
  for (const fs::path& root : roots_)  // an absolute name stays what it is
    if (auto content = read_if_allowed(root / file)) return *content;
  if (!root_ || !file.starts_with('/')) return {};
  // The most of its folders that there are below the root.
  std::optional<std::string> found;
  std::size_t start = file.size();
  for (int folders = 0; folders < kMaxFolders && start != 0; ++folders) {
    start = file.rfind('/', start - 1);
    if (auto content = read_if_allowed(*root_ / file.substr(start + 1))) found = std::move(content);
  }
  return found.value_or("");
}

std::string SourceLines::operator()(const std::string& file, std::uint32_t line) {
  auto [it, fresh] = files_.try_emplace(file);
  if (fresh) it->second = read(file);
  std::string_view text = it->second;
  for (; line > 1; --line) {
    const std::size_t end = text.find('\n');
    if (end == text.npos) return {};
    text.remove_prefix(end + 1);
  }
  return std::string(text.substr(0, text.find('\n')));
}

void add_source_root(Command& command, std::optional<std::string>& root) {
  command
      .add_option("--source-root", root,
                  "show source lines of files below this folder, too; else only of those below the working folder")
      ->type_name("DIR")
      ->check([](const std::string& folder) {
        std::error_code ignored;
        return std::filesystem::is_directory(folder, ignored) ? std::string() : "there is no folder " + folder;
      });
}

}  // namespace racecast::cli
