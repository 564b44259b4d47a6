#include "cli/record/run_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace racecast::cli {

namespace {

// A signal handler can only see this.
volatile pid_t g_program = 0;
volatile std::sig_atomic_t g_interrupted = 0;

// The terminal sends its signals (si_code SI_KERNEL) to the program, too; what somebody sent to racecast goes on.
void pass_on(int signal, siginfo_t* from, void*) {
  const int saved = errno;
  if (signal != SIGUSR1 && signal != SIGUSR2) g_interrupted = 1;
  if (from->si_code != SI_KERNEL && g_program > 0) kill(g_program, signal);
  errno = saved;
}

// While it lives, racecast survives what is meant for the program.
class SignalsForProgram {
 public:
  explicit SignalsForProgram(pid_t program) {
    g_program = program;
    g_interrupted = 0;
    struct sigaction action{};
    action.sa_sigaction = pass_on;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      sigaction(kSignals[i], nullptr, &before_[i]);
      // What is ignored (nohup) stays ignored.
      if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
    }
  }
  ~SignalsForProgram() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
    g_program = 0;
  }
  SignalsForProgram(const SignalsForProgram&) = delete;
  SignalsForProgram& operator=(const SignalsForProgram&) = delete;

 private:
  static constexpr std::array kSignals = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
  std::array<struct sigaction, kSignals.size()> before_{};
};

// The program is killed when racecast is (guardian.h sees to what the program started). The kernel sends the signal
// only for a death that comes after the call, hence the look at the parent.
void end_with(pid_t racecast) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != racecast) _exit(127);
}

[[noreturn]] void become(const std::vector<std::string>& words,
                         const std::vector<std::pair<std::string, std::string>>& environment, int failure_pipe) {
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  const int why = errno;
  [[maybe_unused]] const ssize_t written = write(failure_pipe, &why, sizeof why);
  _exit(127);
}

}  // namespace

Result<ProgramEnd> run_program(const std::vector<std::string>& words,
                               const std::vector<std::pair<std::string, std::string>>& environment,
                               const std::function<void()>& started) {
  std::fflush(nullptr);
  int failure[2];  // closed by a successful exec; else it brings errno
  if (pipe2(failure, O_CLOEXEC) != 0) return bad_input(fmt::format("no pipe: {}", std::strerror(errno)));
  // What is sent before the program is known to the handler waits.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  const pid_t racecast = getpid();
  const pid_t program = fork();
  if (program == 0) {
    end_with(racecast);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    become(words, environment, failure[1]);
  }
  const SignalsForProgram signals(program);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (program < 0) return bad_input(fmt::format("{} cannot be started: {}", words[0], std::strerror(errno)));
  close(failure[1]);
  int why = 0;
  ssize_t got = 0;
  do got = read(failure[0], &why, sizeof why);
  while (got < 0 && errno == EINTR);
  close(failure[0]);
  if (got == 0) started();
  int status = 0;
  while (waitpid(program, &status, 0) < 0)
    if (errno != EINTR) return bad_input(fmt::format("{} cannot be waited for: {}", words[0], std::strerror(errno)));
  if (got == sizeof why) return bad_input(fmt::format("{} cannot be run: {}", words[0], std::strerror(why)));
  const bool interrupted = g_interrupted != 0;
  if (WIFSIGNALED(status)) return ProgramEnd{128 + WTERMSIG(status), WTERMSIG(status), interrupted};
  return ProgramEnd{WEXITSTATUS(status), 0, interrupted};
}

}  // namespace racecast::cli
