// A checked litmus tree into a Program. How statements become instructions: docs/litmus.md, "Lowering".
#pragma once

#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "program/litmus/ast.h"
#include "program/litmus/check.h"
#include "program/program.h"

namespace racecast::program {

// More instructions than this are refused: nested loops over many locals need phis at every level, so a small hostile
// file could ask for a very large program.
inline constexpr std::size_t kMaxLitmusInstructions = 2'000'000;

// Program::intern with a table.
class Interner {
 public:
  explicit Interner(Program& program) : program_(program) { ids_.emplace("", kNoString); }
  StringId operator()(std::string_view text);

 private:
  Program& program_;
  std::unordered_map<std::string, StringId> ids_;
};

// `symbols` are those of `file`. The only error left is a program that is too large.
Result<Program> lower_litmus(const ast::File& file, const DeclaredNames& symbols, std::string_view text,
                             std::string_view file_name);

// lower_body.cpp: fills in the blocks of `out`, a function of `program`. False: more than `budget` instructions;
// then `out` is not whole.
bool lower_body(const ast::Body& body, const DeclaredNames& symbols, const Program& program, Interner& intern,
                std::string_view file_name, std::size_t budget, Function& out);

}  // namespace racecast::program
