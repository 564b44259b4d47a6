// The schedule of a finding as an interleaving: a row an event, a column a thread. What a thread does in one go and
// nobody else sees is folded; so is all but the end of a long schedule.
#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "report/render.h"

namespace racecast::report {

namespace {

using trace::EventKind;
using trace::Group;

// Events of a quiet run that are shown on both sides of a fold.
constexpr std::size_t kAroundFold = 2;

std::string with_commas(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

// Columns, not bytes: names may hold any UTF-8.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}
std::string padded(std::string text, std::size_t width) {
  const std::size_t own = width_of(text);
  if (own < width) text.append(width - own, ' ');
  return text;
}

// Does nobody else see it, and is it as recorded?
bool quiet(const WitnessStep& step) {
  const Group group = trace::row_of(step.kind).group;
  return !step.differs && (group == Group::Control || group == Group::Note || step.kind == EventKind::Read ||
                           step.kind == EventKind::Write);
}

std::string known(const std::optional<std::uint64_t>& value) {
  return value ? std::to_string(*value) : "?";
}

std::string value_text(const WitnessValue& value) {
  if (!value.now) return known(value.recorded);
  if (value.made_up) return known(*value.now);
  return fmt::format("{} (recorded {})", known(*value.now), known(value.recorded));
}

std::string outcome_text(const WitnessStep& step) {
  if (step.ends_otherwise) return step.failed ? " failed (recorded: succeeded)" : " succeeded (recorded: failed)";
  return step.failed ? " failed" : "";
}

// What it reads and stores, where that is said.
std::string access_text(const WitnessStep& step) {
  if (step.state)
    return fmt::format("{} {}", step.kind == EventKind::AtomicRmw && !step.failed ? "append to" : "read",
                       printable(step.object));
  std::string text = fmt::format("{} {}", trace::row_of(step.kind).text, printable(step.object));
  if (!step.reads && !step.stores) return text;
  if (step.reads) text += " = " + value_text(*step.reads);
  if (step.stores) text += (step.reads ? " → " : " = ") + value_text(*step.stores);
  return text + outcome_text(step);
}

std::string step_text(const WitnessStep& step) {
  if (trace::is_access(step.kind)) return access_text(step);
  std::string text(trace::row_of(step.kind).text);
  const std::string object = printable(step.object);
  switch (step.kind) {
    case EventKind::Fork:
    case EventKind::Join:
    case EventKind::Call:
    case EventKind::Marker:
    case EventKind::MissingBegin: return text + " " + object;
    case EventKind::Alloc:
    case EventKind::Free: return text + fmt::format(" {} ({} bytes)", object, step.size);
    case EventKind::Branch:
      return text + (step.recorded_target ? fmt::format(" {} (recorded {})", step.target, *step.recorded_target)
                                          : fmt::format(" {}", step.target));
    case EventKind::Wait:
    case EventKind::Wake: text += fmt::format(" {} with {}", object, printable(step.with)); break;
    default:
      if (!object.empty()) text += " " + object;
      break;
  }
  return text + outcome_text(step);
}

class Interleaved {
 public:
  Interleaved(const Witness& witness, bool full) : witness_(witness), full_(full) {
    width_ = witness.threads.size() <= 2 ? 40 : 28;
    for (const Place& place : witness.places) {
      std::string name = printable(place.name);
      if (const std::size_t slash = name.rfind('/'); slash != std::string::npos) name.erase(0, slash + 1);
      places_.push_back(std::move(name));
    }
    for (const WitnessStep& step : witness.steps) widen(step);
    for (const WitnessStep& step : witness.next) widen(step);
  }

  std::string text() {
    std::string heads;
    for (const std::string& thread : witness_.threads) heads += padded(printable(thread), width_);
    while (!heads.empty() && heads.back() == ' ') heads.pop_back();
    text_ += padded("", place_width_) + heads + "\n";
    if (witness_.before != 0)
      text_ += fmt::format("… {} events{}\n", with_commas(witness_.before),
                           witness_.before_as_recorded ? ", as recorded" : " before");
    const std::vector<WitnessStep>& steps = witness_.steps;
    for (std::size_t i = 0; i < steps.size();) {
      std::size_t end = i;
      while (end < steps.size() && steps[end].thread == steps[i].thread) ++end;
      if (i != 0) rule();
      stretch(i, end);
      i = end;
    }
    if (!witness_.next.empty()) text_ += witness_.seen ? "next is:\n" : "both are next:\n";
    for (const WitnessStep& step : witness_.next) row(step);
    if (witness_.seen) text_ += seen_text(*witness_.seen);
    return std::move(text_);
  }

 private:
  void widen(const WitnessStep& step) {
    place_width_ = std::max(place_width_, std::min<std::size_t>(width_of(places_[step.place]) + 2, 40));
  }

  std::string seen_text(const WitnessSeen& seen) const {
    const std::string from = seen.from_start
                                 ? "was there before any write"
                                 : fmt::format("{} wrote at {}", printable(seen.writer), places_[seen.place]);
    return seen.at_end ? fmt::format("at the end {} holds what {}\n", printable(seen.variable), from)
                       : fmt::format("it reads what {}\n", from);
  }

  void stretch(std::size_t begin, std::size_t end) {
    const std::vector<WitnessStep>& steps = witness_.steps;
    for (std::size_t i = begin; i < end;) {
      std::size_t run = i;
      while (run < end && quiet(steps[run])) ++run;
      const bool fold = !full_ && run - i > 2 * kAroundFold + 2;
      for (std::size_t k = i; k < run; ++k) {
        if (fold && k == i + kAroundFold) {
          text_ += cell(steps[k], fmt::format("… {} events", with_commas(run - i - 2 * kAroundFold)), "") + "\n";
          k = run - kAroundFold;
        }
        row(steps[k]);
      }
      if (run < end) row(steps[run++]);
      i = run;
    }
  }

  std::string cell(const WitnessStep& step, const std::string& text, const std::string& at) const {
    return padded(at, place_width_) + std::string(step.thread * width_, ' ') + text;
  }
  void row(const WitnessStep& step) {
    std::string line = cell(step, step_text(step), places_[step.place]);
    if (const std::string& source = witness_.places[step.place].excerpt; !source.empty())
      line = padded(line, place_width_ + witness_.threads.size() * width_) + " | " + printable_lines(source);
    text_ += line + "\n";
  }
  // Where another thread goes on.
  void rule() {
    std::string line;
    for (std::size_t i = 0; i < place_width_ + witness_.threads.size() * width_; ++i) line += "╌";
    text_ += line + "\n";
  }

  const Witness& witness_;
  const bool full_;
  std::vector<std::string> places_;  // short, by number
  std::size_t width_ = 0, place_width_ = 8;
  std::string text_;
};

}  // namespace

std::string text(const Witness& witness, bool full) {
  return Interleaved(witness, full).text();
}

}  // namespace racecast::report
