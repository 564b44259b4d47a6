// Reads that can see another write, as text: a paragraph for each read, a line for each write that it could see.
#include <fmt/format.h>

#include "base/printable.h"
#include "report/render.h"

namespace racecast::report {

namespace {

std::string place(const Access& access) {
  return fmt::format("{} at {}", printable(access.thread), printable(access.place.name));
}

std::string head(const Finding& finding) {
  const std::string variable = printable(finding.memory.name);
  const std::string before = finding.seen->recorded ? fmt::format("written by {}", place(*finding.seen->recorded))
                                                    : "as it was before any write";
  if (finding.seen->at_end) return fmt::format("at the end {} is {}; it could also be\n", variable, before);
  std::string text = fmt::format("{} reads {}, {}", place(finding.pair.second), variable, before);
  if (finding.seen->decides) text += "; something is decided by it";
  text += "; it could also read\n";
  if (const std::string& line = finding.pair.second.place.excerpt; !line.empty())
    text += fmt::format("    | {}\n", printable_lines(line));
  return text;
}

std::string other(const Finding& finding) {
  const std::string reason = printable(finding.pair.reason);
  if (finding.seen->from_start) return fmt::format("what was there before ({})", reason);
  std::string text =
      fmt::format("{}{} ({})", finding.seen->at_end ? "written by " : "", place(finding.pair.first), reason);
  if (const std::string& line = finding.pair.first.place.excerpt; !line.empty()) text += " | " + printable_lines(line);
  return text;
}

}  // namespace

std::string reads_text(const Part& part) {
  std::string text;
  std::size_t reads = 0, ends = 0;
  for (std::size_t i = 0; i < part.findings.size(); ++i) {
    const Finding& finding = part.findings[i];
    if (!finding.seen) continue;
    if (!finding.same_read) {
      text += (text.empty() ? "" : "\n") + head(finding);
      ++(finding.seen->at_end ? ends : reads);
    }
    text += fmt::format("   {}. {}\n", i + 1, other(finding));
  }
  const char* const unless = part.complete ? "" : "; not everything was looked at";
  if (reads == 0)
    text += fmt::format(
        "{}{}{}\n", text.empty() ? "" : "\n",
        part.complete ? "no read of this trace can see another write" : "no read was found that can see another write",
        unless);
  if (reads == 0 && part.complete)
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
