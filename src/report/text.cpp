#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "report/render.h"

namespace racecast::report {

namespace {

struct Paint {
  bool on;
  std::string operator()(std::string_view code, std::string_view text) const {
    return on ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
  }
};

// A file name as a shell takes it.
std::string shell_word(const std::string& name) {
  const bool plain =
      !name.empty() && name[0] != '-' &&
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+=:@%,-") ==
          std::string::npos;
  if (plain) return name;
  // What cannot be printed has a way to be said in $'...' only, where backslashes count.
  const bool hidden = printable(name) != name;
  std::string quoted = name.starts_with('-') ? "./" : "";
  for (const char c : name) {
    if (hidden && (c == '\'' || c == '\\')) quoted += '\\';
    quoted += c == '\'' && !hidden ? "'\\''" : std::string(1, c);
  }
  return fmt::format("{}'{}'", hidden ? "$" : "", printable(quoted));
}

std::string joined(const std::vector<std::string>& names, std::string_view separator) {
  return printable(fmt::format("{}", fmt::join(names, separator)));
}

std::string kind_of_access(const Access& access) {
  return fmt::format("{}{}", access.atomic ? "atomic " : "", access.writes ? "write" : "read");
}

std::string locks_of(const Access& access) {
  std::string text;
  for (const Lock& lock : access.locks)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", printable(lock.name), lock.shared ? " (shared)" : "");
  return text.empty() ? "no lock held" : "holding " + text;
}

// " in f" for a place in a real program, the innermost function where calls were inlined. In a litmus program the
// function is the thread, which is named already.
std::string function_of(const Place& place) {
  if (place.function.empty() || place.file.ends_with(".litmus")) return {};
  return " in " + printable(place.inlined.empty() ? place.function : place.inlined.front().function);
}

// Does it stand for frames that are not told?
bool is_cut(const Frame& frame) {
  return frame.function == "..." && frame.file.empty();
}

// The calls that the compiler inlined there, one line each.
std::string inlined_at(const Place& place, std::string_view indent) {
  std::string text;
  for (std::size_t i = 1; i < place.inlined.size(); ++i) {
    const Frame& frame = place.inlined[i];
    const bool cut = i + 1 < place.inlined.size() && is_cut(place.inlined[i + 1]);
    text += fmt::format("{}    called in {} ({}:{}:{}){}, inlined\n", indent, printable(frame.function),
                        printable(frame.file), frame.line, frame.column, cut ? ", ..." : "");
    if (cut) ++i;
  }
  return text;
}

// Who called, but for the function that the thread began with.
std::string stack_of(const std::vector<Caller>& callers, std::string_view indent) {
  std::string text;
  for (std::size_t i = 0; i < callers.size(); ++i) {
    const Place& place = callers[i].place;
    if (callers[i].known) {
      text += fmt::format("{}    called at {}{}\n", indent, printable(place.name), function_of(place));
      text += inlined_at(place, indent);
    } else if (i + 1 < callers.size()) {
      // Of the caller the name is known if it was called from elsewhere, too.
      text += callers[i + 1].known
                  ? fmt::format("{}    called through a pointer, or by code that was not recorded\n", indent)
                  : fmt::format("{}    called in {}\n", indent, printable(callers[i + 1].place.function));
    }
  }
  return text;
}

std::string side(const Access& access, std::string_view indent) {
  std::string text =
      fmt::format("{}{:<12} by {} at {}{}, {}\n", indent, kind_of_access(access), printable(access.thread),
                  printable(access.place.name), function_of(access.place), locks_of(access));
  if (!access.place.excerpt.empty()) text += fmt::format("{}    | {}\n", indent, printable_lines(access.place.excerpt));
  text += inlined_at(access.place, indent);
  text += stack_of(access.callers, indent);
  return text;
}

std::string turn_text(const Turn& turn) {
  std::string text = fmt::format("{} turns at {}", printable(turn.thread), printable(turn.place.name));
  if (!turn.place.excerpt.empty()) text += " | " + printable_lines(turn.place.excerpt);
  return text;
}

// The first few: in a loop that spins there may be many.
std::string ended_text(const std::vector<Ended>& all, const std::string& indent) {
  constexpr std::size_t kMost = 4;
  std::string text;
  for (std::size_t k = 0; k < std::min(all.size(), kMost); ++k) {
    const Ended& one = all[k];
    text += fmt::format("{}     {} {} at {}", indent, printable(one.thread), one.failed ? "fails" : "succeeds",
                        printable(one.place.name));
    if (!one.place.excerpt.empty()) text += " | " + printable_lines(one.place.excerpt);
    text += '\n';
  }
  if (all.size() > kMost) text += fmt::format("{}     and {} more\n", indent, all.size() - kMost);
  return text;
}

std::string paragraph(const Part& part, std::size_t i, unsigned runs, bool colour, std::string_view indent) {
  const Finding& finding = part.findings[i];
  const Paint paint{colour};
  std::string text =
      fmt::format("{}{}\n", indent,
                  paint("1;31", fmt::format("{}. {} on {} ({}; {})", i + 1, finding::row_of(finding.kind).title,
                                            printable(finding.variable), finding::text_of(finding.grade),
                                            joined(finding.analyses, ", "))));
  const std::string inner = std::string(indent) + "   ";
  text += side(finding.first, inner);
  text += side(finding.second, inner);
  text += fmt::format("{}why: {}\n", inner, printable(finding.reason));
  for (const Turn& turn : finding.turns) text += fmt::format("{}     {}\n", inner, turn_text(turn));
  if (finding.schedule) text += ended_text(finding.schedule->ended, inner);
  if (finding.seen_in) text += fmt::format("{}seen in {} of {} runs\n", inner, *finding.seen_in, runs);
  if (finding.schedule) {
    const bool command = !finding.schedule->option.empty() && part.input.ends_with(".litmus");
    text += fmt::format("{}checked: a schedule of {} events brings both next to each other{}\n", inner,
                        finding.schedule->length, command ? "; to see it:" : "");
    if (command)
      text += fmt::format("{}  racecast run {} --schedule \"{}\"\n", inner, shell_word(part.input),
                          printable(finding.schedule->option));
  }
  text += "\n";
  for (const std::size_t k : finding.dependents) text += paragraph(part, k, runs, colour, inner);
  return text;
}

std::string closing_line(std::size_t findings, std::size_t dependent, const Part& part) {
  if (findings == 0) {
    std::string text = "no race found";
    if (part.candidate_count != 0)
      text += fmt::format(" for certain; {} candidate{} left", part.candidate_count,
                          part.candidate_count == 1 ? " is" : "s are");
    return text + (part.complete ? "\n" : "; not everything was looked at\n");
  }
  const std::size_t races = findings - dependent;
  std::string text = fmt::format("{} race{}", races, races == 1 ? "" : "s");
  if (dependent != 0) text += fmt::format(", and {} that hang{} on one of them", dependent, dependent == 1 ? "s" : "");
  return text + fmt::format("; `racecast explain {}` says what that means and how to repair it\n",
                            dependent != 0 ? "dependent-race" : "data-race");
}

}  // namespace

std::string text(const Part& part, unsigned runs, bool colour) {
  std::string text;
  std::size_t dependent = 0, races = 0;
  for (std::size_t i = 0; i < part.findings.size(); ++i) {
    if (part.findings[i].seen) continue;
    if (part.findings[i].depends_on)
      ++dependent;
    else
      text += paragraph(part, i, runs, colour, "");
    ++races;
  }
  if (part.races) text += closing_line(races, dependent, part);
  return text + (part.reads ? reads_text(part) : "");
}

std::string candidates(const std::vector<Finding>& candidates) {
  std::string text;
  for (const Finding& candidate : candidates) {
    text +=
        fmt::format("candidate on {} ({})\n", printable(candidate.second.variable), joined(candidate.analyses, ", "));
    text += side(candidate.first, "   ") + side(candidate.second, "   ");
    text += fmt::format("   why: {}\n\n", printable(candidate.reason));
  }
  return text +
         fmt::format("{} candidate{}: not findings; they may be ordered in a way that the analysis does not see\n",
                     candidates.size(), candidates.size() == 1 ? "" : "s");
}

std::string lines(const std::vector<Finding>& findings) {
  const auto side_of = [](const Access& access, const char* otherwise) {
    return access.happens ? fmt::format("{}@{}", kind_of_access(access), printable(access.place.name))
                          : std::string(otherwise);
  };
  std::vector<std::string> sorted;
  sorted.reserve(findings.size());
  for (const Finding& finding : findings)
    sorted.push_back(fmt::format("{} {} {} {} {} {} {:016x}", finding::row_of(finding.kind).text,
                                 finding::text_of(finding.grade), printable(finding.second.variable),
                                 side_of(finding.first, "start"), side_of(finding.second, "end"),
                                 joined(finding.analyses, ","), finding.fingerprint));
  std::sort(sorted.begin(), sorted.end());
  std::string text;
  for (const std::string& line : sorted) text += line + "\n";
  return text;
}

}  // namespace racecast::report
