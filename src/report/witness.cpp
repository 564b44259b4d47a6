// The schedule of a finding as an interleaving: a row an event, a column a thread. What a thread does in one go and
// nobody else sees is folded; so is all but the end of a long schedule.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/hash.h"
#include "base/printable.h"
#include "report/address_names.h"
#include "report/report.h"

namespace racecast::report {

namespace {

using trace::Event;
using trace::EventKind;
using trace::Group;

// Unless everything is wanted: stretches that are shown of the end, and events of a quiet run that are shown on both
// sides of a fold.
constexpr std::size_t kStretches = 200;
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

class Interleaved {
 public:
  Interleaved(const finding::Finding& finding, const Context& context, bool full)
      : finding_(finding), context_(context), full_(full), names_(context.definitions) {
    schedule_ = written_out(finding, context);
    for (const finding::Turn& turn : finding.turns) turned_[{turn.thread, turn.location}] = turn;
    if (const auto* interleaving = std::get_if<finding::Interleaving>(&*finding.schedule)) {
      for (const finding::ScheduleStep& step : interleaving->others) deviating_.insert(index(step.event));
      for (const finding::ScheduleStep& step : interleaving->stored) stored_[index(step.event)] = step.value;
      computed_ = interleaving->computed;
      recorded_ = interleaving->recorded;
    }
    std::size_t stretches = 0;
    first_ = full ? 0 : recorded_;
    for (std::size_t i = schedule_.size(); i > first_; --i) {
      const bool new_stretch = i == schedule_.size() || thread_of(i) != thread_of(i - 1);
      if (!full && new_stretch && ++stretches > kStretches) {
        first_ = i;
        break;
      }
    }
    if (!finding.seen || !finding.seen->at_end) next_.push_back(finding.second.event);
    if (!finding.seen) next_.insert(next_.begin(), finding.first.event);
    std::set<ThreadId> threads;
    for (const EventNo no : next_) threads.insert(event_at(no).thread);
    for (std::size_t i = first_; i < schedule_.size(); ++i) threads.insert(thread_of(i));
    threads_.assign(threads.begin(), threads.end());
    width_ = threads_.size() <= 2 ? 40 : 28;
    for (std::size_t i = first_; i < schedule_.size(); ++i) widen(event(i));
    for (const EventNo no : next_) widen(event_at(no));
  }

  std::string text() {
    std::string heads;
    for (const ThreadId thread : threads_) heads += padded(name_of_thread(context_.definitions, thread), width_);
    while (!heads.empty() && heads.back() == ' ') heads.pop_back();
    text_ += padded("", place_width_) + heads + "\n";
    // Threads that deviated before what is shown.
    for (std::size_t i = 0; i < first_; ++i) note_deviation(i);
    if (first_ != 0)
      text_ += fmt::format("… {} events{}\n", with_commas(first_), first_ <= recorded_ ? ", as recorded" : " before");
    for (std::size_t i = first_; i < schedule_.size();) {
      std::size_t end = i;
      while (end < schedule_.size() && thread_of(end) == thread_of(i)) ++end;
      if (i != first_) rule();
      stretch(i, end);
      i = end;
    }
    if (!next_.empty()) text_ += finding_.seen ? "next is:\n" : "both are next:\n";
    for (const EventNo no : next_) row(event_at(no), access_text(event_at(no), std::nullopt, std::nullopt, true));
    if (finding_.seen) text_ += seen_text();
    return std::move(text_);
  }

 private:
  const Event& event_at(EventNo no) const { return (*events_of(finding_, context_))[index(no)]; }
  const Event& event(std::size_t step) const { return event_at(schedule_[step].event); }
  ThreadId thread_of(std::size_t step) const { return event(step).thread; }
  std::string place(const Event& e) const {
    std::string name = name_of_location(context_.definitions, e.location);
    if (const std::size_t slash = name.rfind('/'); slash != std::string::npos) name.erase(0, slash + 1);
    return name;
  }
  void widen(const Event& e) {
    place_width_ = std::max(place_width_, std::min<std::size_t>(width_of(place(e)) + 2, 40));
  }

  std::string seen_text() const {
    const std::string name = name_of_address(context_.definitions, finding_.second.address);
    const std::string from =
        finding_.seen->from_start
            ? "was there before any write"
            : fmt::format("{} wrote at {}", name_of_thread(context_.definitions, finding_.first.thread),
                          place(event_at(finding_.first.event)));
    return finding_.seen->at_end ? fmt::format("at the end {} holds what {}\n", name, from)
                                 : fmt::format("it reads what {}\n", from);
  }

  bool deviates(std::size_t step) const { return deviating_.contains(index(schedule_[step].event)); }
  void note_deviation(std::size_t step) {
    if (deviates(step)) deviated_.insert(static_cast<std::uint32_t>(index(thread_of(step))));
  }

  // Does somebody else see it, or is it otherwise than recorded?
  bool quiet(std::size_t step) const {
    const Event& e = event(step);
    const Group group = trace::row_of(e.kind).group;
    return !deviates(step) && !stored_.contains(index(schedule_[step].event)) &&
           (group == Group::Control || group == Group::Note || e.kind == EventKind::Read || e.kind == EventKind::Write);
  }

  void stretch(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end;) {
      std::size_t run = i;
      while (run < end && quiet(run)) ++run;
      const bool fold = !full_ && run - i > 2 * kAroundFold + 2;
      for (std::size_t k = i; k < run; ++k) {
        if (fold && k == i + kAroundFold) {
          text_ += cell(event(k).thread, fmt::format("… {} events", with_commas(run - i - 2 * kAroundFold)), "") + "\n";
          k = run - kAroundFold;
        }
        step(k);
      }
      if (run < end) step(run++);
      i = run;
    }
  }

  void step(std::size_t i) {
    note_deviation(i);
    const Event& e = event(i);
    row(e, trace::is_access(e.kind) ? access_text(e, deviates(i) ? Other(schedule_[i].value) : std::nullopt,
                                                  stored_by(schedule_[i].event), false)
                                    : other_text(e));
  }

  // Another value than recorded, which may not be known; nullopt: none.
  using Other = std::optional<std::optional<std::uint64_t>>;
  static std::string other_value(const Other& other, const std::string& recorded) {
    return other ? fmt::format("{} (recorded {})", *other ? std::to_string(**other) : "?", recorded) : recorded;
  }
  Other stored_by(EventNo no) const {
    if (computed_) {
      const auto it = stored_.find(index(no));
      return it == stored_.end() ? Other() : Other(it->second);
    }
    const Event& e = event_at(no);
    const bool unknown = trace::writes(e) && deviated_.contains(static_cast<std::uint32_t>(index(e.thread)));
    return unknown ? Other(std::optional<std::uint64_t>()) : Other();
  }

  // What it reads and stores, where that is another value.
  std::string access_text(const Event& e, const Other& read, const Other& stored, bool racing) {
    const std::string name = names_(e.address);
    std::string text = fmt::format("{} {}", trace::row_of(e.kind).text, name);
    if (racing) return text;  // what it reads or writes is free
    // Of an unexecuted branch nothing was recorded.
    const bool made_up = e.has(trace::kByValue) && read;
    const std::string recorded = e.has(trace::kHasValue) ? std::to_string(e.value) : "?";
    if (trace::reads(e)) {
      text += " = ";
      text += made_up ? (*read ? std::to_string(**read) : "?") : other_value(read, recorded);
    }
    if (trace::writes(e)) {
      const std::string value = e.has(trace::kHasValue) ? std::to_string(trace::stored_value(e)) : "?";
      text += trace::reads(e) ? " → " : " = ";
      text += other_value(stored, value);
    }
    if (e.has(trace::kFailed)) text += " failed";
    return text;
  }

  std::string other_text(const Event& e) {
    std::string text(trace::row_of(e.kind).text);
    const auto string = [&](std::uint64_t i) {
      return i < context_.definitions.strings.size() ? printable(context_.definitions.strings[i]) : std::string();
    };
    switch (e.kind) {
      case EventKind::Fork:
      case EventKind::Join: return text + " " + name_of_thread(context_.definitions, e.child());
      case EventKind::Wait:
      case EventKind::Wake: text += fmt::format(" {} with {}", names_(e.address), names_(e.aux)); break;
      case EventKind::Alloc:
      case EventKind::Free: return text + fmt::format(" {} ({} bytes)", names_(e.address), e.size);
      case EventKind::Branch: return text + branch_text(e);
      case EventKind::Call:
      case EventKind::Marker:
      case EventKind::MissingBegin: return text + " " + string(e.aux);
      default:
        if ((trace::row_of(e.kind).fields & trace::A) != 0) text += " " + names_(e.address);
        break;
    }
    if (e.has(trace::kFailed)) text += " failed";
    return text;
  }

  std::string branch_text(const Event& e) const {
    const auto turn = turned_.find({e.thread, e.location});
    const bool turns = turn != turned_.end() && turn->second.now == e.value;
    return turns ? fmt::format(" {} (recorded {})", e.value, turn->second.recorded) : fmt::format(" {}", e.value);
  }

  std::string cell(ThreadId thread, const std::string& text, const std::string& at) const {
    const auto column =
        static_cast<std::size_t>(std::find(threads_.begin(), threads_.end(), thread) - threads_.begin());
    return padded(at, place_width_) + std::string(column * width_, ' ') + text;
  }
  void row(const Event& e, const std::string& text) {
    std::string line = cell(e.thread, text, place(e));
    if (const std::string source = source_text(context_, e.location); !source.empty())
      line = padded(line, place_width_ + threads_.size() * width_) + " | " + source;
    text_ += line + "\n";
  }
  // Where another thread goes on.
  void rule() {
    std::string line;
    for (std::size_t i = 0; i < place_width_ + threads_.size() * width_; ++i) line += "╌";
    text_ += line + "\n";
  }

  const finding::Finding& finding_;
  const Context& context_;
  const bool full_;
  AddressNames names_;
  finding::Schedule schedule_;
  std::vector<EventNo> next_;  // after it
  std::map<std::pair<ThreadId, LocationId>, finding::Turn> turned_;
  HashSet<std::uint64_t> deviating_;
  HashSet<std::uint32_t> deviated_;  // threads
  bool computed_ = false;
  HashMap<std::uint64_t, std::optional<std::uint64_t>> stored_;  // by event
  std::size_t recorded_ = 0, first_ = 0;
  std::vector<ThreadId> threads_;
  std::size_t width_ = 0, place_width_ = 8;
  std::string text_;
};

}  // namespace

std::string witness(const finding::Finding& finding, const Context& context, bool full) {
  if (!can_write_out(finding, context)) return {};
  return Interleaved(finding, context, full).text();
}

}  // namespace racecast::report
