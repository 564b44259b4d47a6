// racecast cc ARGS..., racecast c++ ARGS...: clang-19 with the plugin and the runtime; also under the names racecast-cc
// and racecast-c++. It is not parsed by CLI11, since every word belongs to clang; what is added is decided by
// compile_args.h. The process becomes clang, so that exit codes, signals and standard streams are its own.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/compile/compile_args.h"
#include "cli/compile/compiler.h"

namespace racecast::cli {

namespace {

Outcome become_clang(bool cxx, const std::vector<std::string>& user) {
  const char* variable = cxx ? "RACECAST_CXX" : "RACECAST_CC";
  const char* chosen = std::getenv(variable);
  const bool is_default = chosen == nullptr || *chosen == '\0';
  const std::string compiler = !is_default ? chosen : cxx ? "clang++-19" : "clang-19";
  RC_TRY(const Installation installation, find_installation());
  RC_TRY(const CompileArgs decided, compile_args(user, installation));
  if (decided.adds && !is_default) RC_TRY_STATUS(check_compiler(compiler, variable));
  for (const std::string& line : decided.warnings) std::fputs(fmt::format("racecast: {}\n", line).c_str(), stderr);
  std::vector<char*> argv;
  argv.push_back(const_cast<char*>(compiler.c_str()));
  for (const std::string& word : decided.args) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execvp(compiler.c_str(), argv.data());
  if (errno != ENOENT) return bad_input(fmt::format("{} cannot be run: {}", compiler, std::strerror(errno)));
  return bad_input(fmt::format("{} is not installed: it is in the Debian package clang-19, or {} names another",
                               compiler, variable));
}

}  // namespace

std::optional<Outcome> compile_if_asked(int argc, char** argv) {
  const std::string_view path = argc > 0 ? argv[0] : "";
  const std::string_view name = path.substr(path.rfind('/') + 1);
  int first = 1;
  bool cxx = name == "racecast-c++";
  if (name != "racecast-cc" && name != "racecast-c++") {
    if (argc < 2 || (std::string_view(argv[1]) != "cc" && std::string_view(argv[1]) != "c++")) return std::nullopt;
    cxx = std::string_view(argv[1]) == "c++";
    first = 2;
  }
  return become_clang(cxx, std::vector<std::string>(argv + first, argv + argc));
}

void add_compile(Command& app) {
  app.add_subcommand("cc",
                     "compile or link C with clang-19, so that the program can be recorded; takes its arguments, "
                     "and --racecast-hooks=record|call, --racecast-tsan-feature=on|off");
  app.add_subcommand("c++", "the same for C++");
}

}  // namespace racecast::cli
