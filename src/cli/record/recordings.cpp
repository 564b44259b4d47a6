#include "cli/record/recordings.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "abi/abi.h"
#include "base/progress.h"
#include "cli/command.h"
#include "recording/merge.h"
#include "recording/raw_folder.h"

namespace racecast::cli {

namespace fs = std::filesystem;

namespace {

// For the signal handler: the folders to remove when racecast is interrupted; the second one may be empty.
char g_remove[2][4096];
constexpr std::array kDeadly = {SIGINT, SIGTERM, SIGHUP};

// A handler may fork and exec, but not walk a folder.
void remove_and_die(int signal) {
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/rm", "rm", "-rf", "--", g_remove[0], *g_remove[1] != '\0' ? g_remove[1] : nullptr,
          static_cast<char*>(nullptr));
    _exit(1);
  }
  int status = 0;
  if (child > 0) waitpid(child, &status, 0);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void remove_when_interrupted(const std::string& path) {
  if (path.size() >= sizeof g_remove[0]) return;
  std::memcpy(g_remove[0], path.c_str(), path.size() + 1);
  *g_remove[1] = '\0';
  for (const int signal : kDeadly)
    if (std::signal(signal, remove_and_die) == SIG_IGN) std::signal(signal, SIG_IGN);
}

void remove_no_more() {
  for (const int signal : kDeadly)
    if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
}

void also_remove_when_interrupted(const std::string& path) {
  if (path.size() < sizeof g_remove[1]) std::memcpy(g_remove[1], path.c_str(), path.size() + 1);
}

std::unexpected<Error> cannot_make(const std::string& path, int error) {
  return bad_input(fmt::format("the folder {} cannot be made: {}", path, std::strerror(error)));
}

// The program that a process folder is of, from the first record of its meta file; empty if that cannot be read.
std::string command_of(const std::string& folder) {
  std::FILE* file = std::fopen((folder + "/meta").c_str(), "rb");
  if (file == nullptr) return {};
  abi::MetaHeader header{};
  std::string payload;
  constexpr std::size_t kBeforeName = 3 * sizeof(std::uint32_t) + sizeof(std::uint64_t);
  if (std::fread(&header, sizeof header, 1, file) == 1 &&
      header.kind == static_cast<std::uint32_t>(abi::MetaKind::Process) && header.bytes >= kBeforeName &&
      header.bytes < kBeforeName + 4096) {
    payload.resize(header.bytes);
    if (std::fread(payload.data(), payload.size(), 1, file) != 1) payload.clear();
  }
  std::fclose(file);
  return payload.size() > kBeforeName ? payload.substr(kBeforeName) : std::string();
}

// "12345" of ".../12345.0".
std::string pid_of(const std::string& folder) {
  const std::string name = fs::path(folder).filename();
  return name.substr(0, name.find('.'));
}

std::uint64_t bytes_in(const std::string& folder) {
  std::uint64_t bytes = 0;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::uintmax_t size = entry.file_size(ignored);
    if (!ignored) bytes += size;
  }
  return bytes;
}

bool still_runs(const std::string& pid) {
  const long number = std::strtol(pid.c_str(), nullptr, 10);
  return number > 0 && kill(static_cast<pid_t>(number), 0) == 0;
}

}  // namespace

RecordingFolder::RecordingFolder(std::string path, bool temporary, int lock)
    : path_(std::move(path)),
      temporary_(temporary),
      lock_(lock),
      guardian_(std::make_unique<Guardian>(path_, temporary)) {
  if (temporary_) remove_when_interrupted(path_);
}

RecordingFolder::RecordingFolder(RecordingFolder&& other) noexcept
    : path_(std::move(other.path_)),
      elsewhere_(std::move(other.elsewhere_)),
      temporary_(std::exchange(other.temporary_, false)),
      lock_(std::exchange(other.lock_, -1)),
      elsewhere_lock_(std::exchange(other.elsewhere_lock_, -1)),
      guardian_(std::move(other.guardian_)) {}

RecordingFolder::~RecordingFolder() {
  std::error_code ignored;
  if (!elsewhere_.empty() && !temporary_) fs::remove(elsewhere_, ignored);  // if it is empty
  if (temporary_) {
    fs::remove_all(path_, ignored);
    if (!elsewhere_.empty()) fs::remove_all(elsewhere_, ignored);
    remove_no_more();
  }
  for (const int lock : {lock_, elsewhere_lock_})
    if (lock >= 0) close(lock);
}

Result<RecordingFolder> RecordingFolder::make(const std::optional<std::string>& out, bool keep) {
  std::error_code error;
  if (out) {
    fs::create_directories(*out, error);
    if (error) return cannot_make(*out, error.value());
    if (!fs::is_empty(*out, error) || error)
      return bad_input(fmt::format("the folder {} is not empty; recordings go into a folder of their own", *out));
    const fs::path path = fs::canonical(*out, error);
    if (error) return cannot_make(*out, error.value());
    return RecordingFolder(path, false);
  }
  if (keep) {
    for (int n = 1; n < 1'000'000; ++n) {
      const std::string name = fmt::format("racecast.out.{}", n);
      if (fs::create_directory(name, error)) return RecordingFolder(fs::canonical(name, error), false);
      if (error) return cannot_make(name, error.value());
    }
    return bad_input("there are a million folders racecast.out.N here");
  }
  RC_TRY(const TemporaryFolder folder, make_temporary_folder());
  return RecordingFolder(folder.path, true, folder.lock);
}

Result<std::string> RecordingFolder::inside(const std::string& name) const {
  std::error_code error;
  std::string path = fs::path(path_) / name;
  fs::create_directory(path, error);
  if (error) return cannot_make(path, error.value());
  return path;
}

std::optional<std::string> RecordingFolder::elsewhere(std::uint64_t bytes) {
  if (!elsewhere_.empty()) return elsewhere_;
  struct stat here{}, there{};
  if (stat(path_.c_str(), &here) != 0) return std::nullopt;
  for (const std::string& place : temporary_places()) {
    std::error_code error;
    if (stat(place.c_str(), &there) != 0 || there.st_dev == here.st_dev) continue;
    if (fs::space(place, error).available < bytes || error) continue;
    const Result<TemporaryFolder> folder = make_temporary_folder_in(place, !temporary_);
    if (!folder) continue;
    elsewhere_ = folder->path;
    elsewhere_lock_ = folder->lock;
    if (temporary_) also_remove_when_interrupted(elsewhere_);
    return elsewhere_;
  }
  return std::nullopt;
}

Result<std::uint64_t> merge_process(const std::string& process_folder, const std::string& path, bool say_gaps) {
  Progress progress("merging", "events");
  RC_TRY(const recording::MergeResult result, recording::merge_recording(process_folder, path, &progress));
  if (say_gaps) {
    for (const std::string& text : result.gaps) note("the trace is not complete: " + text);
  }
  for (const std::string& text : result.notes) note(text);
  return result.events;
}

namespace {

// Beside what the process wrote, or elsewhere if that cannot be (the disk is full); `path` is then changed.
Result<std::uint64_t> merge_somewhere(RecordingFolder& recordings, const std::string& process, std::string& path,
                                      bool say_gaps) {
  Result<std::uint64_t> events = merge_process(process, path, say_gaps);
  if (events || events.error().kind != ErrorKind::BadInput) return events;
  std::error_code ignored;
  fs::remove(path, ignored);
  const std::optional<std::string> folder = recordings.elsewhere(bytes_in(process));
  if (!folder) return events;
  // Runs may have processes of the same number.
  std::string name = fs::path(process).lexically_relative(recordings.path()).string() + ".rct";
  std::ranges::replace(name, '/', '.');
  const std::string other = *folder + "/" + name;
  Result<std::uint64_t> again = merge_process(process, other, say_gaps);
  if (!again && again.error().kind == ErrorKind::BadInput) {
    fs::remove(other, ignored);
    return events;
  }
  if (again) note(fmt::format("{}; the trace went to {}", events.error().message, other));
  path = other;
  return again;
}

}  // namespace

Result<RecordedProcesses> merge_processes(RecordingFolder& recordings, const std::string& folder, bool keep_raw,
                                          bool say_gaps) {
  RC_TRY(const std::vector<std::string> raw, recording::process_folders(folder));
  RecordedProcesses processes;
  std::error_code ignored;
  // A process that could not even say that it is there.
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (!entry.is_directory(ignored) || std::ranges::find(raw, entry.path().string()) != raw.end()) continue;
    processes.unreadable.push_back(
        fmt::format("process ({}): wrote nothing that can be read (is the disk full?)", pid_of(entry.path().string())));
    if (!keep_raw) fs::remove_all(entry.path(), ignored);
  }
  for (const std::string& process : raw) {
    const std::string pid = pid_of(process);
    const std::string command = fs::path(command_of(process)).filename();
    RecordedProcess merged;
    merged.name = fmt::format("{} ({})", command.empty() ? "process" : command, pid);
    merged.path = process + ".rct";
    merged.still_runs = still_runs(pid);
    if (merged.still_runs) note(fmt::format("{} still runs; what it recorded so far is looked at", merged.name));
    const Result<std::uint64_t> events = merge_somewhere(recordings, process, merged.path, say_gaps);
    if (!events && events.error().kind == ErrorKind::Internal) return std::unexpected(events.error());
    // Of what could not be merged, `racecast import` may still make a trace.
    if (!keep_raw && events) fs::remove_all(process, ignored);
    // One process that left nothing readable must not hide the others.
    if (!events) {
      processes.unreadable.push_back(fmt::format("{}: {}", merged.name, events.error().message));
      if (!recordings.temporary()) note(fmt::format("what {} recorded is left in {}", merged.name, process));
    }
    merged.events = events.value_or(0);
    if (merged.events == 0)
      fs::remove(merged.path, ignored);
    else
      processes.merged.push_back(std::move(merged));
  }
  return processes;
}

}  // namespace racecast::cli
