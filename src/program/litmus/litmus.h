// The litmus language, text form of the program model: a figure of a paper in ten lines. Grammar: docs/litmus.md.
//
// parse_litmus() reads a file into its syntax tree and lowers that to a Program; print_litmus() writes the tree back,
// so that parsing what it printed gives an equal tree.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "program/program.h"

namespace racecast::program {

namespace ast {
struct File;  // program/litmus/ast.h
}

// One entry of a `run` line: a label, a thread's name, or THREAD*N for N steps of it. Resolved against the program when
// the file is parsed.
struct ScheduleEntry {
  std::string name;
  bool is_label = false;  // else a thread
  ThreadId thread{};      // the thread to run; for a label, the one thread that reaches it
  std::optional<std::uint64_t> steps = std::nullopt;
  bool operator==(const ScheduleEntry&) const = default;
};

struct Expectation {
  std::string analysis;
  std::vector<std::pair<std::string, std::string>> pairs;  // as written
  std::vector<std::string> labels;
  Position position;
};

struct LitmusFile {
  std::shared_ptr<const ast::File> tree;
  std::shared_ptr<const Program> program;
  std::vector<ScheduleEntry> run;
  std::vector<Expectation> expectations;
};

// Errors are bad_input: "FILE:LINE:COLUMN: found X, expected Y" (or what else is wrong and what to do).
Result<LitmusFile> parse_litmus(std::string_view text, std::string_view file_name);

// The same for the entries of a `run` line given on the command line ("1 2 T1").
Result<std::vector<ScheduleEntry>> parse_schedule(const LitmusFile& file, std::string_view text);

std::string print_litmus(const ast::File& tree);

}  // namespace racecast::program
