// racecast: parses the command line, runs one command, prints its error if there is one, and picks the exit code.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "base/printable.h"
#include "cli/command.h"
#include "cli/command_line.h"

namespace {

constexpr const char* kFooter =
    "Example: racecast run examples/first_race.litmus\n"
    "         racecast c++ -O1 bank.cpp -o bank -pthread; racecast run -- ./bank\n"
    "Exit codes: 0 nothing found, 1 findings, 2 bad usage or input, 3 internal error;\n"
    "            with --fail-incomplete, 4 nothing found but not everything was seen;\n"
    "            of run -- PROGRAM: 66 findings (67 for 4), else those of the program.";

int exit_code(const racecast::cli::Outcome& outcome) {
  if (outcome) return *outcome;
  // It may quote what stands in a file.
  std::fputs(fmt::format("racecast: {}\n", racecast::printable_lines(outcome.error().message)).c_str(), stderr);
  return outcome.error().kind == racecast::ErrorKind::BadInput ? racecast::cli::kBadInput : racecast::cli::kInternal;
}

// Of `racecast run OPTIONS -- PROGRAM ARGS...` the program's words, which are cut off.
std::vector<std::string> program_words(int& argc, char** argv) {
  std::vector<std::string> words;
  const std::string_view command = argc > 1 ? argv[1] : "";
  char** const end = argv + argc;
  char** const dashes = std::find_if(argv, end, [](const char* word) { return std::string_view(word) == "--"; });
  if ((command != "run" && command != "record") || dashes == end || dashes + 1 == end) return words;
  words.assign(dashes + 1, end);
  argc = static_cast<int>(dashes - argv);
  return words;
}

int run(int argc, char** argv) {
  using namespace racecast::cli;
  if (const auto compiled = compile_if_asked(argc, argv)) return exit_code(*compiled);
  Command app{"racecast predicts concurrency bugs: from one run of a program, what other schedules can do.",
              "racecast"};
  app.set_version_flag("--version", "racecast " RACECAST_VERSION);
  app.require_subcommand();
  app.footer(kFooter);
  Outcome outcome = kNothingFound;
  const std::vector<std::string> program = program_words(argc, argv);
  add_run(app, outcome, program);
  add_record(app, outcome, program);
  add_analyze(app, outcome);
  add_stats(app, outcome);
  add_dump(app, outcome);
  add_import(app, outcome);
  add_export(app, outcome);
  add_explain(app, outcome);
  add_flags(app, outcome);
  add_compile(app);
  if (argc > 1 && argv[1][0] != '-' && !app.has_subcommand(argv[1])) {
    std::fputs(fmt::format("racecast: there is no command {}; `racecast --help` lists them\n", argv[1]).c_str(),
               stderr);
    return kBadInput;
  }
  if (const auto refused = app.parse(argc, argv)) return *refused == 0 ? kNothingFound : kBadInput;
  const int code = exit_code(outcome);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::fputs("racecast: standard output cannot be written\n", stderr);
    return kBadInput;
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  // Windows and variants of a trace are made and thrown away by the dozen: their pages are kept for the next, not given
  // back and cleared again (bench/results/2026-11-small-programs.md).
  mallopt(M_MMAP_THRESHOLD, 256 << 20);
  mallopt(M_TRIM_THRESHOLD, 512 << 20);
  // Nothing of ours throws; a library may, if memory runs out.
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fputs("racecast: internal error: ", stderr);
    std::fputs(error.what(), stderr);
    std::fputs("\n", stderr);
    return racecast::cli::kInternal;
  }
}
