// The litmus language as a whole: text to tree (parser.h), names and kinds (check.h), tree to Program
// (lower.h), and the `run` and `expect` lines.
#include "program/litmus/litmus.h"

#include "base/check.h"
#include "program/litmus/ast.h"
#include "program/litmus/check.h"
#include "program/litmus/lower.h"
#include "program/litmus/parser.h"

namespace racecast::program {

Result<LitmusFile> parse_litmus(std::string_view text, std::string_view file_name) {
  RC_TRY(ast::File tree, Parser(text, file_name).file());
  LitmusFile file;
  const auto shared_tree = std::make_shared<const ast::File>(std::move(tree));
  file.tree = shared_tree;
  RC_TRY(const DeclaredNames symbols, check_litmus(*shared_tree, file_name));
  RC_TRY(Program program, lower_litmus(*shared_tree, symbols, text, file_name));
  const StringId file_id = program.intern(file_name);
  for (const ast::Item& item : shared_tree->items) {
    if (const auto* run = std::get_if<ast::Run>(&item)) {
      RC_TRY(std::vector<ScheduleEntry> entries, resolve_schedule(symbols, run->entries, file_name));
      file.run.insert(file.run.end(), entries.begin(), entries.end());
    } else if (const auto* expect = std::get_if<ast::Expect>(&item)) {
      Expectation& expectation = file.expectations.emplace_back();
      expectation.analysis = expect->analysis;
      expectation.position = {file_id, expect->at.line, expect->at.column};
      for (const auto& [first, second] : expect->pairs) expectation.pairs.emplace_back(first.text, second.text);
      for (const ast::Word& label : expect->labels) expectation.labels.push_back(label.text);
    }
  }
  file.program = std::make_shared<const Program>(std::move(program));
  return file;
}

Result<std::vector<ScheduleEntry>> parse_schedule(const LitmusFile& file, std::string_view text) {
  constexpr std::string_view kName = "schedule";
  RC_TRY(const std::vector<ast::RunEntry> entries, Parser(text, kName).schedule());
  const Result<DeclaredNames> symbols = check_litmus(*file.tree, kName);
  CHECK(symbols.has_value(), "a tree that was accepted before");
  return resolve_schedule(*symbols, entries, kName);
}

}  // namespace racecast::program
