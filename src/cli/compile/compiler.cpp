#include "cli/compile/compiler.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <string_view>

extern char** environ;

namespace racecast::cli {

namespace {

constexpr std::string_view kBeforeNumber = "clang version ";
constexpr std::string_view kNumber = "19.";
constexpr std::size_t kMaxAnswer = 4096;

std::string first_line_from(int file) {
  std::string text;
  char buffer[512];
  ssize_t count = 0;
  while (text.size() < kMaxAnswer && (count = ::read(file, buffer, sizeof(buffer))) > 0)
    text.append(buffer, static_cast<std::size_t>(count));
  return text.substr(0, text.find('\n'));
}

// What it prints for --version, its first line; nullopt: it could not be run.
std::optional<std::string> version_of(const std::string& compiler) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string name = compiler, option = "--version";
  char* argv[] = {name.data(), option.data(), nullptr};
  pid_t child = 0;
  const bool started = ::posix_spawnp(&child, name.c_str(), &actions, nullptr, argv, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::optional<std::string> line;
  if (started) line = first_line_from(ends[0]);
  ::close(ends[0]);
  if (started) ::waitpid(child, nullptr, 0);
  return line;
}

}  // namespace

bool is_our_clang(const std::string& first_line) {
  const std::size_t at = first_line.find(kBeforeNumber);
  return at != std::string::npos && first_line.compare(at + kBeforeNumber.size(), kNumber.size(), kNumber) == 0;
}

Status check_compiler(const std::string& compiler, const char* variable) {
  const std::optional<std::string> line = version_of(compiler);
  if (!line || is_our_clang(*line)) return {};
  return bad_input(fmt::format(
      "{} names {}, which is not clang 19 (it says it is \"{}\"): racecast's plugin works in clang 19 only; "
      "leave {} unset, or let it name a clang 19",
      variable, compiler, *line, variable));
}

}  // namespace racecast::cli
