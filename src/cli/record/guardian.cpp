#include "cli/record/guardian.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "abi/abi.h"

namespace racecast::cli {

namespace fs = std::filesystem;

namespace {

constexpr char kGoodbye = 'q';
constexpr int kRounds = 200;           // of looking for processes that came meanwhile
constexpr useconds_t kPause = 10'000;  // between them
constexpr std::size_t kMaxEnvironment = std::size_t{16} << 20;

std::string environment_of(const std::string& process) {
  std::string text;
  const int file = open(("/proc/" + process + "/environ").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  char part[4096];
  for (ssize_t got; text.size() < kMaxEnvironment && (got = read(file, part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(got));
  close(file);
  return text;
}

// Whether it records into `folder` or a folder inside.
bool records_into(std::string_view environment, const std::string& folder) {
  const std::string entry = std::string(abi::kEnvFolder) + "=" + folder;
  for (std::size_t at = environment.find(entry); at != std::string_view::npos; at = environment.find(entry, at + 1)) {
    const std::size_t end = at + entry.size();
    const bool begins = at == 0 || environment[at - 1] == '\0';
    if (begins && (end == environment.size() || environment[end] == '\0' || environment[end] == '/')) return true;
  }
  return false;
}

// How many there were.
int kill_those_of(const std::string& folder) {
  int found = 0;
  std::error_code error;
  for (fs::directory_iterator entry("/proc", error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename();
    const long process = std::strtol(name.c_str(), nullptr, 10);
    if (process <= 1 || process == getpid() || !records_into(environment_of(name), folder)) continue;
    if (kill(static_cast<pid_t>(process), SIGKILL) == 0) ++found;
  }
  return found;
}

// Nothing of racecast's stays open here: whoever reads what racecast writes must see its end.
void let_go_of_files(int keep) {
  // Out of the way first: if racecast was started without standard input, `keep` may have its number.
  const int moved = fcntl(keep, F_DUPFD, 3);
  if (moved < 0) _exit(1);
  const int nothing = open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; ++fd) dup2(nothing, fd);
  dup2(moved, 3);
  close_range(4, ~0U, 0);
}

[[noreturn]] void watch(int pipe, const std::string& folder, bool remove) {
  prctl(PR_SET_NAME, "rc-guardian");  // who kills racecast by its name does not mean us
  setsid();                           // nor who types Ctrl-C
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  if (chdir("/") != 0) _exit(1);
  let_go_of_files(pipe);
  char word = 0;
  ssize_t got = 0;
  do got = read(3, &word, 1);
  while (got < 0 && errno == EINTR);
  if (got != 0) _exit(0);
  for (int round = 0; round < kRounds && kill_those_of(folder) != 0; ++round) usleep(kPause);
  std::error_code ignored;
  if (remove) fs::remove_all(folder, ignored);
  _exit(0);
}

}  // namespace

Guardian::Guardian(const std::string& folder, bool remove) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  process_ = fork();
  if (process_ == 0) {
    close(ends[1]);
    watch(ends[0], folder, remove);
  }
  close(ends[0]);
  pipe_ = ends[1];
  if (process_ > 0) return;
  close(pipe_);
  pipe_ = -1;
}

Guardian::~Guardian() {
  if (process_ <= 0) return;
  // If it was killed, the pipe has no reader.
  struct sigaction ignore{}, before{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &before);
  [[maybe_unused]] const ssize_t written = write(pipe_, &kGoodbye, 1);
  close(pipe_);
  sigaction(SIGPIPE, &before, nullptr);
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace racecast::cli
