#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "report/render.h"
#include "report/short_names.h"

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
  if (access.frees) return access.ends_frame ? "end of frame" : "free";
  return fmt::format("{}{}", access.atomic ? "atomic " : "", access.writes ? "write" : "read");
}

// How much is told.
struct Detail {
  bool verbose;
  std::string name(const std::string& function) const { return printable(verbose ? function : shortened(function)); }
  // What users did not write: libraries, and what the compiler made to initialise globals.
  bool hides(const Frame& frame) const {
    return !verbose && (frame.library || frame.function.starts_with("_GLOBAL__"));
  }
};

std::string locks_of(const Access& access) {
  std::string text;
  for (const Lock& lock : access.locks)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", printable(lock.name), lock.shared ? " (shared)" : "");
  return text.empty() ? "no lock held" : "holding " + text;
}

// Does it stand for frames that are not told?
bool is_cut(const Frame& frame) {
  return frame.function == "..." && frame.file.empty();
}

// " in f" for a place in a real program. In a litmus program the function is the thread, which is named already.
std::string in_function(const Frame& frame, Detail detail) {
  if (frame.function.empty() || frame.file.ends_with(".litmus")) return {};
  return " in " + detail.name(frame.function);
}

// The place itself where nothing was inlined.
Frame frame_of(const Place& place) {
  if (!place.inlined.empty()) return place.inlined.front();
  return {place.name, place.function, place.file, place.line, place.column, place.library};
}

// What is shown of a stack, a line each, without indentation. Frames of libraries are left out, and with them how those
// were called, unless all is wanted.
class StackLines {
 public:
  explicit StackLines(Detail detail) : detail_(detail) {}

  // The calls that the compiler inlined there.
  void add_inlined(const Place& place) {
    for (std::size_t i = 1; i < place.inlined.size(); ++i) {
      const Frame& frame = place.inlined[i];
      const bool cut = i + 1 < place.inlined.size() && is_cut(place.inlined[i + 1]);
      add(frame, fmt::format("called in {} ({}){}, inlined", detail_.name(frame.function), printable(frame.name),
                             cut ? ", ..." : ""));
      if (cut) ++i;
    }
  }
  // Who called, but for the function that the thread began with.
  void add(const std::vector<Caller>& callers) {
    for (std::size_t i = 0; i < callers.size(); ++i) {
      const Place& place = callers[i].place;
      if (callers[i].known) {
        const Frame frame = frame_of(place);
        const std::string at = frame.name == frame.function ? "" : " at " + printable(frame.name);
        add(frame, fmt::format("called{}{}", at, in_function(frame, detail_)));
        add_inlined(place);
      } else if (i + 1 < callers.size()) {
        // Of the caller the name is known if it was called from elsewhere, too.
        const Place& caller = callers[i + 1].place;
        if (callers[i + 1].known)
          pending_ = "called through a pointer, or by code that was not recorded";
        else
          add({caller.name, caller.function, caller.file, 0, 0, caller.library},
              "called in " + detail_.name(caller.function));
      }
    }
  }
  // Up to a frame of the user's own, which was told.
  void skip_to(const Frame& frame) { skip_to_ = &frame; }
  std::string text(std::string_view indent) const {
    std::string text;
    for (const std::string& line : lines_) text += fmt::format("{}    {}\n", indent, line);
    return text;
  }

 private:
  void add(const Frame& frame, std::string line) {
    if (detail_.hides(frame)) {
      pending_.clear();
      return;
    }
    if (skip_to_ != nullptr && frame.name == skip_to_->name && frame.function == skip_to_->function) {
      skip_to_ = nullptr;
      return;
    }
    if (!pending_.empty()) lines_.push_back(std::move(pending_));
    pending_.clear();
    lines_.push_back(std::move(line));
  }

  const Detail detail_;
  const Frame* skip_to_ = nullptr;
  std::string pending_;  // told only if there is a caller to be told
  std::vector<std::string> lines_;
};

// Where it happened: the user's own line, or the very place. " at a.c:3:5 in f".
std::string place_text(const Place& place, const UserPlace& user, bool inside, Detail detail) {
  const bool own = user.inside.empty();
  const Frame frame = own || detail.verbose ? frame_of(place) : user.frame;
  // A place without a file has a name of its own.
  std::string text = in_function(frame, detail);
  const std::string& name = frame.file.empty() ? place.name : frame.name;
  if (name != frame.function) text = " at " + printable(name) + text;
  if (inside && !own && !detail.verbose) text += ", inside " + printable(bare_function(user.inside));
  return text;
}

std::string stack_text(const Place& place, const UserPlace& user, const std::vector<Caller>& callers, Detail detail,
                       std::string_view indent) {
  StackLines lines(detail);
  if (!detail.verbose && !user.inside.empty()) lines.skip_to(user.frame);
  lines.add_inlined(place);
  lines.add(callers);
  return lines.text(indent);
}

std::string side(const Access& access, Detail detail, std::string_view indent) {
  const std::string kind =
      access.both ? (access.atomic ? "atomic read, write" : "read, write") : kind_of_access(access);
  std::string text = fmt::format("{}{:<12} by {}{}, {}\n", indent, kind, printable(access.thread),
                                 place_text(access.place, access.user, true, detail), locks_of(access));
  const std::string& excerpt = detail.verbose ? access.place.excerpt : access.user.excerpt;
  if (!excerpt.empty()) text += fmt::format("{}    | {}\n", indent, printable_lines(excerpt));
  return text + stack_text(access.place, access.user, access.callers, detail, indent);
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

// `inside`: also what of a library did it.
std::string occasion_text(const std::string& what, const Occasion& occasion, bool inside, Detail detail,
                          std::string_view indent) {
  return fmt::format("{}{} by {}{}\n", indent, what, printable(occasion.thread),
                     place_text(occasion.place, occasion.user, inside, detail)) +
         stack_text(occasion.place, occasion.user, occasion.callers, detail, indent);
}

std::string memory_text(const Memory& memory, Detail detail, std::string_view indent) {
  if (!memory.allocated) return {};
  const std::string what = memory.type.empty() ? "" : fmt::format(" ({})", detail.name(memory.type));
  return occasion_text(fmt::format("memory: byte {} of {}{}, allocated", memory.offset, memory.bytes, what),
                       *memory.allocated, true, detail, indent);
}

// Threads that were created at one place are told together.
std::string creations_text(const std::vector<Creation>& creations, Detail detail, std::string_view indent) {
  const auto told = [&](const std::string& who, const char* were, const Creation& creation) {
    return occasion_text(fmt::format("{} {} created", who, were), creation.created, false, detail, indent);
  };
  std::string text;
  for (const Creation& creation : creations) text += told(printable(creation.thread), "was", creation);
  if (creations.size() != 2 || told("", "", creations[0]) != told("", "", creations[1])) return text;
  return told(printable(creations[0].thread) + " and " + printable(creations[1].thread), "were", creations[0]);
}

// One line for a pair whose cause was told.
std::string also_text(const Pair& pair, Detail detail) {
  const auto access = [&](const Access& a) {
    return fmt::format("{} by {}{}", kind_of_access(a), printable(a.thread), place_text(a.place, a.user, true, detail));
  };
  return fmt::format("{}, {} ({}; {})", access(pair.first), access(pair.second), finding::text_of(pair.grade),
                     joined(pair.analyses, ", "));
}

std::string count_of(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// How many findings hang on it, and on those.
std::size_t all_dependents(const Part& part, const Finding& finding) {
  std::size_t count = finding.dependents.size();
  for (const std::size_t k : finding.dependents) count += all_dependents(part, part.findings[k]);
  return count;
}

// What is not listed.
std::string folded_text(const Part& part, const Finding& finding) {
  std::string text;
  if (!finding.also.empty())
    text = count_of(finding.also.size(), "more pair of accesses has", "more pairs of accesses have") + " this cause";
  if (const std::size_t count = all_dependents(part, finding); count != 0)
    text += (text.empty() ? "" : "; ") + count_of(count, "more race hangs", "more races hang") + " on it";
  return text.empty() ? text : text + " (see --verbose)";
}

// Functions that are not recorded, and what they are taken not to do.
std::string assumed_text(const Assumed& assumed, Detail detail) {
  return fmt::format(
      "assumes: {} (called by {}) and {} (called by {}), which were not recorded, do not synchronise with each other: "
      "nothing is seen that both reach",
      detail.name(assumed.first_function), printable(assumed.first_thread), detail.name(assumed.second_function),
      printable(assumed.second_thread));
}

std::string paragraph(const Part& part, std::size_t i, const TextOptions& options, std::string_view indent) {
  const Finding& finding = part.findings[i];
  const Pair& pair = finding.pair;
  const Paint paint{options.colour};
  const Detail detail{options.verbose};
  std::string text =
      fmt::format("{}{}\n", indent,
                  paint("1;31", fmt::format("{}. {} on {} ({}; {})", i + 1, finding::row_of(finding.kind).title,
                                            detail.name(finding.memory.name), finding::text_of(finding.grade),
                                            joined(finding.analyses, ", "))));
  const std::string inner = std::string(indent) + "   ";
  text += side(pair.first, detail, inner);
  text += side(pair.second, detail, inner);
  text += memory_text(finding.memory, detail, inner);
  text += creations_text(finding.creations, detail, inner);
  text += fmt::format("{}why: {}\n", inner, printable(pair.reason));
  for (const Turn& turn : pair.turns) text += fmt::format("{}     {}\n", inner, turn_text(turn));
  if (pair.schedule) text += ended_text(pair.schedule->ended, inner);
  if (finding.seen_in) text += fmt::format("{}seen in {} of {} runs\n", inner, *finding.seen_in, options.runs);
  if (pair.schedule) {
    const bool command = !pair.schedule->option.empty() && part.input.ends_with(".litmus");
    text += fmt::format("{}checked: a schedule of {} events brings both next to each other{}\n", inner,
                        pair.schedule->length, command ? "; to see it:" : "");
    if (command)
      text += fmt::format("{}  racecast run {} --schedule \"{}\"\n", inner, shell_word(part.input),
                          printable(pair.schedule->option));
  }
  if (pair.assumes) text += fmt::format("{}{}\n", inner, assumed_text(*pair.assumes, detail));
  if (!options.verbose) {
    const std::string folded = folded_text(part, finding);
    return text + (folded.empty() ? "" : fmt::format("{}{}\n", inner, folded)) + "\n";
  }
  for (const Pair& also : finding.also) text += fmt::format("{}also: {}\n", inner, also_text(also, detail));
  text += "\n";
  for (const std::size_t k : finding.dependents) text += paragraph(part, k, options, inner);
  return text;
}

// How many findings there are.
struct Tally {
  std::size_t races = 0, freed = 0, dependent = 0;
};

std::string closing_line(const Tally& tally, const Part& part) {
  const auto& [races, freed, dependent] = tally;
  if (races + freed + dependent == 0) {
    std::string text = "no race found";
    if (!part.gaps.empty()) text += " in what was recorded";
    if (part.candidate_count != 0)
      text += fmt::format(" for certain; {} candidate{} left", part.candidate_count,
                          part.candidate_count == 1 ? " is" : "s are");
    for (const std::string& gap : part.gaps) text += "; " + printable(gap);
    return text + (part.complete || !part.gaps.empty() ? "\n" : "; not everything was looked at\n");
  }
  std::string text = freed != 0 && races == 0 ? "" : count_of(races, "race", "races");
  if (freed != 0)
    text +=
        (text.empty() ? "" : " and ") + count_of(freed, "use after free", "uses after free") + " by another schedule";
  if (dependent != 0) text += fmt::format(", and {} that hang{} on one of them", dependent, dependent == 1 ? "s" : "");
  return text + fmt::format("; `racecast explain {}` says what that means and how to repair it\n",
                            dependent != 0 ? "dependent-race"
                            : races != 0   ? "data-race"
                                           : "use-after-free");
}

// Functions that are named; more of them would be noise.
constexpr std::size_t kMostFunctions = 5;

}  // namespace

std::string hidden_line(const Hidden& hidden, bool verbose) {
  if (hidden.pairs == 0)
    return hidden.all ? "" : "code that was not recorded may hide races: not everything was looked at for that\n";
  const std::size_t shown = verbose ? hidden.functions.size() : std::min(hidden.functions.size(), kMostFunctions);
  std::string text = "not recorded, and may hide races: ";
  std::uint64_t said = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [name, pairs] = hidden.functions[i];
    const std::string unit = i != 0 ? "" : pairs == 1 ? " pair of places" : " pairs of places";
    text += fmt::format("{}{} ({}{})", i == 0 ? "" : ", ", printable(name), pairs, unit);
    said += pairs;
  }
  if (said < hidden.pairs)
    text += fmt::format("{}{} ({}{})", shown == 0 ? "" : ", ", shown == 0 ? "code" : "others", hidden.pairs - said,
                        shown == 0 ? " pairs of places" : "");
  return text + (hidden.all ? "\n" : "; perhaps more\n");
}

std::string text(const Part& part, const TextOptions& options) {
  std::string text;
  Tally tally;
  for (std::size_t i = 0; i < part.findings.size(); ++i) {
    if (part.findings[i].seen) continue;
    if (part.findings[i].depends_on) {
      ++tally.dependent;
      continue;
    }
    ++(part.findings[i].kind == finding::Kind::UseAfterFree ? tally.freed : tally.races);
    text += paragraph(part, i, options, "");
  }
  if (part.races) text += closing_line(tally, part) + hidden_line(part.hidden, options.verbose);
  return text + (part.reads ? reads_text(part) : "");
}

std::string candidates(const std::vector<Finding>& candidates, bool verbose) {
  std::string text;
  const Detail detail{verbose};
  for (const Finding& candidate : candidates) {
    text += fmt::format("candidate on {} ({})\n", detail.name(candidate.memory.name), joined(candidate.analyses, ", "));
    text += side(candidate.pair.first, detail, "   ") + side(candidate.pair.second, detail, "   ");
    text += fmt::format("   why: {}\n", printable(candidate.pair.reason));
    if (verbose)
      for (const Pair& also : candidate.also) text += fmt::format("   also: {}\n", also_text(also, detail));
    else if (!candidate.also.empty())
      text += fmt::format("   {} this cause (see --verbose)\n",
                          count_of(candidate.also.size(), "more pair of accesses has", "more pairs of accesses have"));
    text += "\n";
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
  for (const Finding& finding : findings) {
    const std::string more = finding.also.empty() ? "" : fmt::format(" +{}", finding.also.size());
    sorted.push_back(fmt::format("{} {} {} {} {} {} {:016x}{}", finding::row_of(finding.kind).text,
                                 finding::text_of(finding.grade), printable(finding.memory.name),
                                 side_of(finding.pair.first, "start"), side_of(finding.pair.second, "end"),
                                 joined(finding.analyses, ","), finding.fingerprint, more));
  }
  std::sort(sorted.begin(), sorted.end());
  std::string text;
  for (const std::string& line : sorted) text += line + "\n";
  return text;
}

}  // namespace racecast::report
