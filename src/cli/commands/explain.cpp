// racecast explain KIND: the page of a kind of finding, from docs/kinds/, which is built into the binary.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/commands/kind_pages.h"
#include "finding/finding.h"

namespace racecast::cli {

void add_explain(Command& app, Outcome& outcome) {
  auto kind = std::make_shared<std::string>();
  Command* command = app.add_subcommand("explain", "say what a kind of finding means and how to repair it");
  command->add_option("KIND", *kind, "the kind; without it, all kinds are listed");
  command->footer("Example: racecast explain data-race");
  command->callback([kind, &outcome] {
    std::string known;
    for (const finding::KindRow& row : finding::kKinds) {
      if (kind->empty()) print(fmt::format("{:<16} {}\n", row.text, row.title));
      known += fmt::format("{}{}", known.empty() ? "" : ", ", row.text);
    }
    if (kind->empty()) {
      outcome = kNothingFound;
      return;
    }
    const std::string_view page = kind_page(*kind);
    if (page.empty()) {
      outcome = bad_input(fmt::format("there is no kind {}; the kinds are: {}", *kind, known));
      return;
    }
    print(std::string(page));
    outcome = kNothingFound;
  });
}

}  // namespace racecast::cli
