// See verify.h. One pass: the validator and the walker are fed the same batches.
#include "cli/commands/verify.h"

#include <fmt/format.h>

#include <optional>

#include "base/printable.h"
#include "base/progress.h"
#include "model/walk/verify.h"
#include "program/program.h"
#include "trace/validator.h"

namespace racecast::cli {

namespace {

using model::Mismatch;
using model::MismatchKind;
using model::WalkReport;

constexpr std::size_t kShown = 20;

std::string place(const trace::Definitions& definitions, std::uint64_t instruction) {
  if (instruction >= definitions.locations.size()) return "nowhere";
  const auto id = static_cast<LocationId>(instruction);
  const std::string function = printable(definitions.locations[instruction].function);
  return fmt::format("{}{}{} [{}]", trace::name_of_location(definitions, id), function.empty() ? "" : " in ", function,
                     instruction);
}

std::string line_of(const trace::Definitions& definitions, const Mismatch& m) {
  const std::string what =
      fmt::format("  event {}, {}, {}: ", index(m.event), trace::name_of_thread(definitions, m.thread),
                  place(definitions, index(m.instruction)));
  switch (m.kind) {
    case MismatchKind::Address:
      return what + fmt::format("address: the model computes {}, recorded is {}",
                                trace::name_of_address(definitions, m.expected),
                                trace::name_of_address(definitions, m.recorded));
    case MismatchKind::Branch:
      return what + fmt::format("branch: the model goes to target {}, recorded is {}", m.expected, m.recorded);
    case MismatchKind::Fault:
      return what +
             (m.expected != 0 ? "the model faults here, the run went on" : "the run faulted here, the model does not");
    case MismatchKind::Event:
      return what + fmt::format("the event ({}) is none of this instruction ({})",
                                trace::row_of(static_cast<trace::EventKind>(m.recorded)).text,
                                program::text_of(static_cast<program::Op>(m.expected)));
    case MismatchKind::Resync:
      return what + fmt::format("lost: the model cannot get here from {}", place(definitions, m.expected));
    case MismatchKind::Size:
    case MismatchKind::Value:
    case MismatchKind::Result: break;
  }
  return what + fmt::format("{}: the model computes {:#x}, recorded is {:#x}", text_of(m.kind), m.expected, m.recorded);
}

std::string paths_text(const trace::Definitions& definitions, const WalkReport& report) {
  const model::WalkCounts& c = report.counts;
  std::string text = fmt::format(
      "paths: the model executed {} instructions in {} activations ({} of them called by code without a model)\n",
      c.instructions, c.activations, c.callbacks);
  if (c.second_returns != 0)
    text += fmt::format("  {} second returns of setjmp, fork or their kind\n", c.second_returns);
  if (c.outside != 0) text += fmt::format("  {} events outside of any function of the model\n", c.outside);
  const auto row = [&](std::string_view name, std::uint64_t compared, std::uint64_t unknown, std::uint64_t wrong) {
    text += fmt::format("  {:<10} {:>12} compared, {:>10} not known to the model, {:>6} wrong\n", name, compared,
                        unknown, wrong);
  };
  row("addresses", c.addresses, c.unknown_addresses, report.of(MismatchKind::Address));
  row("values", c.values, c.unknown_values, report.of(MismatchKind::Value));
  row("branches", c.branches, c.unknown_branches, report.of(MismatchKind::Branch) + report.of(MismatchKind::Fault));
  row("results", c.results, c.unknown_results, report.of(MismatchKind::Result));
  if (report.of(MismatchKind::Size) != 0) text += fmt::format("  {} sizes are wrong\n", report.of(MismatchKind::Size));
  if (report.of(MismatchKind::Event) != 0)
    text += fmt::format("  {} events are none of their instruction\n", report.of(MismatchKind::Event));
  if (report.resyncs() != 0) text += fmt::format("  control was lost {} times\n", report.resyncs());
  for (const Mismatch& m : report.first) text += line_of(definitions, m) + "\n";
  if (report.total() > report.first.size())
    text += fmt::format("  ... and {} more\n", report.total() - report.first.size());
  if (report.total() == 0) text += "  everything that the model knows agrees\n";
  return text;
}

}  // namespace

Outcome verify_trace(trace::EventSource& source, const std::string& name) {
  model::WalkChecker checker(kShown);
  std::optional<trace::Validator> validator;
  std::optional<model::Walker> walker;
  Status legal;
  std::uint64_t events = 0;
  {
    Progress progress("verifying", "events");
    for (;;) {
      RC_TRY(const auto batch, source.next());
      if (!validator) {
        validator.emplace(source.definitions());
        if (source.definitions().program != nullptr) {
          RC_TRY(model::Walker made, model::Walker::make(source.definitions(), checker));
          walker.emplace(std::move(made));
        }
      }
      if (batch.empty()) break;
      if (legal) legal = validator->add(batch);
      if (walker) RC_TRY_STATUS(walker->add(batch));
      events += batch.size();
      progress.update(events);
    }
  }
  std::string text = legal ? fmt::format("order: legal ({} events)\n", events)
                           : fmt::format("order: illegal: {}\n", legal.error().message);
  // A program that was killed before its first event has not said what its model is, either.
  if (!walker && events == 0) {
    print(text +
          "paths: nothing to verify\n"
          "verify: order=legal events=0 compared=0 unknown=0 mismatches=0 resyncs=0 outside=0\n");
    return kNothingFound;
  }
  if (!walker) {
    print(text + "paths: not verified, the trace came without a program\n");
    return bad_input(fmt::format("{}: the trace came without a program: its paths cannot be verified", name));
  }
  const WalkReport report = checker.report(walker->counts());
  const model::WalkCounts& c = report.counts;
  text += paths_text(source.definitions(), report);
  text += fmt::format("verify: order={} events={} compared={} unknown={} mismatches={} resyncs={} outside={}\n",
                      legal ? "legal" : "illegal", events, c.addresses + c.values + c.branches + c.results,
                      c.unknown_addresses + c.unknown_values + c.unknown_branches + c.unknown_results,
                      report.total() - report.resyncs(), report.resyncs(), c.outside);
  print(text);
  return legal && report.total() == 0 ? kNothingFound : kFindings;
}

}  // namespace racecast::cli
