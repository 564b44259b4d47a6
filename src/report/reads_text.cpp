// Reads that can see another write, as text: a paragraph for each read, a line for each write that it could see.
#include <fmt/format.h>

#include "base/printable.h"
#include "report/report.h"

namespace racecast::report {

namespace {

std::string place(const finding::Access& access, const Context& context) {
  return fmt::format("{} at {}", name_of_thread(context.definitions, access.thread),
                     name_of_location(context.definitions, access.location));
}

// Are they about one place that reads?
bool same_read(const finding::Finding& a, const finding::Finding& b, const Context& context) {
  const auto place_of = [&](const finding::Finding& f) {
    return finding::place_of(context.definitions, f.second.location, f.second.address);
  };
  return a.seen->at_end == b.seen->at_end && place_of(a) == place_of(b);
}

std::string head(const finding::Finding& finding, const Context& context) {
  const std::string variable = variable_of(finding, context);
  const std::string before = finding.seen->recorded
                                 ? fmt::format("written by {}", place(*finding.seen->recorded, context))
                                 : "as it was before any write";
  if (finding.seen->at_end) return fmt::format("at the end {} is {}; it could also be\n", variable, before);
  std::string text = fmt::format("{} reads {}, {}", place(finding.second, context), variable, before);
  if (finding.seen->decides) text += "; something is decided by it";
  text += "; it could also read\n";
  if (const std::string line = source_text(context, finding.second.location); !line.empty())
    text += fmt::format("    | {}\n", line);
  return text;
}

std::string other(const finding::Finding& finding, const Context& context) {
  if (finding.seen->from_start) return fmt::format("what was there before ({})", printable(finding.reason));
  std::string text = fmt::format("{}{} ({})", finding.seen->at_end ? "written by " : "", place(finding.first, context),
                                 printable(finding.reason));
  if (const std::string line = source_text(context, finding.first.location); !line.empty()) text += " | " + line;
  return text;
}

}  // namespace

std::string reads_text(const std::vector<finding::Finding>& findings, const Context& context) {
  std::string text;
  const finding::Finding* previous = nullptr;
  std::size_t reads = 0, ends = 0;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const finding::Finding& finding = findings[i];
    if (!finding.seen) continue;
    if (previous == nullptr || !same_read(*previous, finding, context)) {
      text += (previous == nullptr ? "" : "\n") + head(finding, context);
      ++(finding.seen->at_end ? ends : reads);
    }
    text += fmt::format("   {}. {}\n", i + 1, other(finding, context));
    previous = &finding;
  }
  const char* const unless = context.complete ? "" : "; not everything was looked at";
  if (reads == 0)
    text += fmt::format("{}{}{}\n", text.empty() ? "" : "\n",
                        context.complete ? "no read of this trace can see another write"
                                         : "no read was found that can see another write",
                        unless);
  if (reads == 0 && context.complete)
    text +=
        "(in every interleaving of the recorded events that obeys their synchronisation; that says nothing about other "
        "inputs, or about code that was not executed)\n";
  if (reads + ends == 0) return text;
  if (reads != 0)
    text += fmt::format("\n{} place{} read{} what another write could have stored{}", reads, reads == 1 ? "" : "s",
                        reads == 1 ? "s" : "", unless);
  else
    text += "what memory holds at the end could be another write's";
  return text + "; `racecast explain nondeterministic-read` says what that means\n";
}

}  // namespace racecast::report
