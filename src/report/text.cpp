#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "program/program.h"
#include "report/report.h"

namespace racecast::report {

namespace {

// What separates the calls of trace::Location::inlined.
constexpr std::string_view kCalledFrom = ", called from ";

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

std::string kind_of_access(const finding::Access& access) {
  return fmt::format("{}{}", access.atomic ? "atomic " : "", access.writes ? "write" : "read");
}

std::string locks_of(const trace::Definitions& definitions, const finding::Access& access) {
  std::string text;
  for (const finding::HeldLock& lock : access.locks)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", name_of_address(definitions, lock.address),
                        lock.shared ? " (shared)" : "");
  return text.empty() ? "no lock held" : "holding " + text;
}

// " in f" for a place in a real program, the innermost function where calls were inlined (trace.h). In a litmus program
// the function is the thread, which is named already.
std::string function_of(const trace::Definitions& definitions, LocationId location) {
  if (index(location) >= definitions.locations.size()) return {};
  const trace::Location& l = definitions.locations[index(location)];
  if (l.function.empty() || l.file.ends_with(".litmus")) return {};
  return " in " + printable(l.inlined.empty() ? l.function : l.inlined.substr(0, l.inlined.find(kCalledFrom)));
}

// The calls that the compiler inlined there, one line each.
std::string inlined_at(const trace::Definitions& definitions, LocationId location, std::string_view indent) {
  if (index(location) >= definitions.locations.size()) return {};
  const std::string_view chain = definitions.locations[index(location)].inlined;
  std::string text;
  for (std::size_t at = chain.find(kCalledFrom); at != chain.npos;) {
    at += kCalledFrom.size();
    const std::size_t next = chain.find(kCalledFrom, at);
    text += fmt::format("{}    called in {}, inlined\n", indent, printable(chain.substr(at, next - at)));
    at = next;
  }
  return text;
}

// Who called, but for the function that the thread began with.
std::string stack_of(const trace::Definitions& definitions, const std::vector<LocationId>& sites,
                     std::string_view indent) {
  std::string text;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    if (is_call_site(definitions, sites[i])) {
      text += fmt::format("{}    called at {}{}\n", indent, name_of_location(definitions, sites[i]),
                          function_of(definitions, sites[i]));
      text += inlined_at(definitions, sites[i], indent);
    } else if (i + 1 < sites.size()) {
      // Of the caller the name is known if it was called from elsewhere, too.
      text += is_call_site(definitions, sites[i + 1])
                  ? fmt::format("{}    called through a pointer, or by code that was not recorded\n", indent)
                  : fmt::format("{}    called in {}\n", indent,
                                printable(definitions.locations[index(sites[i + 1])].function));
    }
  }
  return text;
}

std::string side(const finding::Access& access, const Context& context, std::string_view indent) {
  const trace::Definitions& definitions = context.definitions;
  std::string text =
      fmt::format("{}{:<12} by {} at {}{}, {}\n", indent, kind_of_access(access),
                  name_of_thread(definitions, access.thread), name_of_location(definitions, access.location),
                  function_of(definitions, access.location), locks_of(definitions, access));
  if (const std::string line = source_text(context, access.location); !line.empty())
    text += fmt::format("{}    | {}\n", indent, line);
  text += inlined_at(definitions, access.location, indent);
  text += stack_of(definitions, access.call_sites, indent);
  return text;
}

std::string quoted(const std::string& line) {
  return line.empty() ? line : fmt::format(" | {}", line);
}

std::string paragraph(const std::vector<finding::Finding>& findings, std::size_t i, const Context& context,
                      std::string_view indent) {
  const finding::Finding& finding = findings[i];
  const Paint paint{context.colour};
  std::string analyses;
  for (const std::string& name : finding.analyses) analyses += (analyses.empty() ? "" : ", ") + name;
  std::string text =
      fmt::format("{}{}\n", indent,
                  paint("1;31", fmt::format("{}. {} on {} ({}; {})", i + 1, finding::row_of(finding.kind).title,
                                            variable_of(finding, context), finding::text_of(finding.grade), analyses)));
  const std::string inner = std::string(indent) + "   ";
  text += side(finding.first, context, inner);
  text += side(finding.second, context, inner);
  text += fmt::format("{}why: {}\n", inner, printable(finding.reason));
  for (const finding::Turn& turn : finding.turns)
    text +=
        fmt::format("{}     {} turns at {}{}\n", inner, name_of_thread(context.definitions, turn.thread),
                    name_of_location(context.definitions, turn.location), quoted(source_text(context, turn.location)));
  if (const auto seen = context.seen_in.find(finding.fingerprint); context.runs > 1 && seen != context.seen_in.end())
    text += fmt::format("{}seen in {} of {} runs\n", inner, seen->second, context.runs);
  if (finding.schedule) {
    const std::string option = schedule_option(finding, context);
    const bool command = !option.empty() && context.input.ends_with(".litmus");
    text += fmt::format("{}checked: a schedule of {} events brings both next to each other{}\n", inner,
                        finding::length_of(*finding.schedule), command ? "; to see it:" : "");
    if (command)
      text += fmt::format("{}  racecast run {} --schedule \"{}\"\n", inner, shell_word(context.input), option);
  }
  text += "\n";
  for (std::size_t k = 0; k < findings.size(); ++k)
    if (findings[k].depends_on == i) text += paragraph(findings, k, context, inner);
  return text;
}

std::string closing_line(std::size_t findings, std::size_t dependent, const Context& context) {
  if (findings == 0) {
    std::string text = "no race found";
    if (context.candidates != 0)
      text += fmt::format(" for certain; {} candidate{} left", context.candidates,
                          context.candidates == 1 ? " is" : "s are");
    return text + (context.complete ? "\n" : "; not everything was looked at\n");
  }
  const std::size_t races = findings - dependent;
  std::string text = fmt::format("{} race{}", races, races == 1 ? "" : "s");
  if (dependent != 0) text += fmt::format(", and {} that hang{} on one of them", dependent, dependent == 1 ? "s" : "");
  return text + fmt::format("; `racecast explain {}` says what that means and how to repair it\n",
                            dependent != 0 ? "dependent-race" : "data-race");
}

}  // namespace

std::string source_text(const Context& context, LocationId location) {
  const trace::Definitions& definitions = context.definitions;
  if (definitions.program == nullptr || index(location) >= definitions.locations.size()) return {};
  std::string_view text = definitions.program->source;
  const trace::Location& place = definitions.locations[index(location)];
  std::uint32_t line = place.line;
  if (line == 0) return {};
  std::string own;
  if (text.empty()) {
    if (context.source_line) own = context.source_line(place.file, line);
    text = own;
  } else {
    while (--line > 0) {
      const std::size_t end = text.find('\n');
      if (end == std::string_view::npos) return {};
      text.remove_prefix(end + 1);
    }
  }
  text = text.substr(0, text.find('\n'));
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return printable_lines(text.substr(first, text.find_last_not_of(" \t\r") + 1 - first));
}

std::string variable_of(const finding::Finding& finding, const Context& context) {
  const auto object = context.objects.find({finding.second.address, finding.second.event});
  return object != context.objects.end() ? object->second
                                         : name_of_address(context.definitions, finding.second.address);
}

std::string text(const std::vector<finding::Finding>& findings, const Context& context) {
  std::string text;
  std::size_t dependent = 0, races = 0;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (findings[i].seen) continue;
    if (findings[i].depends_on)
      ++dependent;
    else
      text += paragraph(findings, i, context, "");
    ++races;
  }
  if (context.races) text += closing_line(races, dependent, context);
  return text + (context.reads ? reads_text(findings, context) : "");
}

std::string candidates(const std::vector<finding::Finding>& candidates, const Context& context) {
  std::string text;
  for (const finding::Finding& candidate : candidates) {
    std::string analyses;
    for (const std::string& name : candidate.analyses) analyses += (analyses.empty() ? "" : ", ") + name;
    text +=
        fmt::format("candidate on {} ({})\n", name_of_address(context.definitions, candidate.second.address), analyses);
    text += side(candidate.first, context, "   ") + side(candidate.second, context, "   ");
    text += fmt::format("   why: {}\n\n", printable(candidate.reason));
  }
  return text +
         fmt::format("{} candidate{}: not findings; they may be ordered in a way that the analysis does not see\n",
                     candidates.size(), candidates.size() == 1 ? "" : "s");
}

std::string lines(const std::vector<finding::Finding>& findings, const Context& context) {
  std::vector<std::string> sorted;
  for (const finding::Finding& finding : findings) {
    std::string analyses;
    for (const std::string& name : finding.analyses) analyses += (analyses.empty() ? "" : ",") + name;
    const auto side_of = [&](const finding::Access& access, bool is_access, const char* otherwise) {
      return is_access
                 ? fmt::format("{}@{}", kind_of_access(access), name_of_location(context.definitions, access.location))
                 : std::string(otherwise);
    };
    sorted.push_back(fmt::format(
        "{} {} {} {} {} {} {:016x}", finding::row_of(finding.kind).text, finding::text_of(finding.grade),
        name_of_address(context.definitions, finding.second.address),
        side_of(finding.first, !finding.seen || !finding.seen->from_start, "start"),
        side_of(finding.second, !finding.seen || !finding.seen->at_end, "end"), analyses, finding.fingerprint));
  }
  std::sort(sorted.begin(), sorted.end());
  std::string text;
  for (const std::string& line : sorted) text += line + "\n";
  return text;
}

}  // namespace racecast::report
