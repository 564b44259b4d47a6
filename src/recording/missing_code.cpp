#include "recording/missing_code.h"

#include <algorithm>
#include <utility>

namespace racecast::recording {
namespace {

using trace::Event;
using trace::EventKind;
using trace::Range;

// As the runtime's scans (runtime/missing/scan.cpp).
constexpr std::size_t kMaxObjects = 4096;
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 20;
// Of what a copy reads, so much is looked through for pointers.
constexpr std::uint64_t kMaxCopied = 4096;

bool looks_like_pointer(std::uint64_t word) {
  return word >= 4096 && word >> 47 == 0;
}

}  // namespace

MissingCode::MissingCode(Vocabulary& vocabulary, const Lives& lives, Values& values)
    : vocabulary_(vocabulary), lives_(lives), values_(values) {
  for (const trace::Symbol& symbol : vocabulary.definitions().symbols)
    if (symbol.size != 0) globals_.push_back({symbol.address, symbol.size});
  std::ranges::sort(globals_);
}

// ---- sections

bool MissingCode::runs(const Place& place) const {
  const Thread& thread = threads_[place.thread];
  return !thread.asleep && place.section + 1 == thread.open.size() && thread.open[place.section].calls == 0;
}

template <typename Function>
void MissingCode::for_open(Function&& function) {
  for (std::size_t t = 0; t < threads_.size(); ++t)
    for (std::size_t s = 0; s < threads_[t].open.size(); ++s) function(Place{t, s});
}

void MissingCode::forget(const Section& section) {
  if (section.everything) return values_.forget_all();
  for (const Range& range : section.reach.all()) values_.forget(range.address, range.size);
}

void MissingCode::watch(const Ranges& ranges, int by) {
  for (const Range& range : ranges.all())
    for (std::uint64_t page = range.address >> 12; page <= (range.address + range.size - 1) >> 12; ++page)
      watched_[page_of(page << 12)] += static_cast<std::uint32_t>(by);
}

bool MissingCode::may_write(const Event& e) const {
  if (open_ == 0) return false;
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    const std::vector<Section>& open = threads_[t].open;
    if (open.empty() || open.back().calls != 0) continue;
    if (open.back().everything || open.back().reach.touches(e.address, e.size)) return true;
  }
  return false;
}

void MissingCode::begin(const Event& e) {
  std::vector<Section>& open = thread(e.thread).open;
  Section& section = open.emplace_back();
  const trace::ReachSet& reach = vocabulary_.definitions().reach[e.address];
  section.reach = Ranges(reach.ranges);
  section.everything = section.told_everything = reach.everything;
  section.name = e.aux;
  thread(e.thread).asleep = false;
  ++open_;
  watch(section.reach, 1);
  forget(section);
  if (open_ > 1) unite({index(e.thread), open.size() - 1});  // most calls are alone
}

void MissingCode::end(Thread& of) {
  if (of.open.empty()) return;
  Section& section = of.open.back();
  forget(section);
  watch(section.reach, -1);
  allocated_ -= section.allocated.size();
  of.open.pop_back();
  --open_;
}

// ---- growing

// Whoever is open at the same time and reaches something of this section: each can hand all it reaches to the other.
// What has called this one (in its own thread) can be given something, and waits meanwhile.
void MissingCode::unite(const Place& place) {
  grown_.push_back(place);
  while (!grown_.empty()) {
    const Place one = grown_.back();
    grown_.pop_back();
    for_open([&](const Place& other) {
      if (other.thread == one.thread && other.section == one.section) return;
      const bool all = at(one).everything || at(other).everything;
      const bool something =
          (at(one).everything || !at(one).reach.empty()) && (at(other).everything || !at(other).reach.empty());
      if (!something || (!all && !at(one).reach.meets(at(other).reach))) return;
      absorb(one);
      absorb(other);
      const bool inside = other.thread == one.thread && other.section > one.section;
      const bool outside = other.thread == one.thread && other.section < one.section;
      if (!inside) grow(other, at(one).reach, at(one).everything);
      if (!outside) grow(one, at(other).reach, at(other).everything);
    });
  }
}

// What it has allocated, others may come to know now.
void MissingCode::absorb(const Place& place) {
  Section& section = at(place);
  if (section.allocated.empty()) return;
  std::vector<Range> objects;
  objects.reserve(section.allocated.size());
  for (const auto& [address, size] : section.allocated) objects.push_back({address, size});
  allocated_ -= objects.size();
  section.allocated.clear();
  grow(place, Ranges(std::move(objects)), false);
}

void MissingCode::grow(const Place& place, const Ranges& by, bool everything) {
  Section& section = at(place);
  if (section.everything) return;
  Ranges fresh = section.reach.missing(by);
  if (fresh.empty() && !everything) return;
  everything = everything || section.reach.count() + fresh.count() > kMaxObjects ||
               section.reach.bytes() + fresh.bytes() > kMaxBytes;
  section.everything = everything;
  watch(fresh, 1);
  section.reach.add(fresh);
  section.pending.add(fresh);
  grown_.push_back(place);
  untold_.push_back(place);
}

void MissingCode::unite_grown() {
  for (const std::vector<Place> todo = std::exchange(grown_, {}); const Place& place : todo) unite(place);
}

// ---- what recorded code hands over

Range MissingCode::object_at(std::uint64_t address) const {
  if (const Range object = lives_.object_at(address); object.size != 0) return object;
  const auto next = std::ranges::upper_bound(globals_, address, {}, &Range::address);
  if (next == globals_.begin() || address - std::prev(next)->address >= std::prev(next)->size) return {};
  return *std::prev(next);
}

// The object that the pointer leads to and all that it is known to point to; what is in `without` was followed before.
Ranges MissingCode::known_from(std::uint64_t pointer, const Ranges& without) const {
  std::vector<Range> found;
  HashSet<std::uint64_t> seen;
  std::uint64_t bytes = 0;
  const auto follow = [&](std::uint64_t word) {
    if (!looks_like_pointer(word)) return;
    const Range object = object_at(word);
    if (object.size == 0 || without.touches(object.address, object.size) || !seen.insert(object.address).second) return;
    bytes += object.size;
    found.push_back(object);
  };
  follow(pointer);
  for (std::size_t i = 0; i < found.size() && i <= kMaxObjects && bytes <= kMaxBytes; ++i)
    for (std::uint64_t at = (found[i].address + 7) & ~std::uint64_t{7}, end = found[i].address + found[i].size;
         at + 8 <= end; at += 8)
      if (const std::optional<std::uint64_t> word = values_.word(at)) follow(*word);
  return Ranges(std::move(found));
}

void MissingCode::stored(ThreadId by, std::uint64_t address, std::uint64_t pointer) {
  if (!looks_like_pointer(pointer)) return;
  const bool in_callback = !thread(by).open.empty();
  if (!in_callback && !is_watched(address)) return;
  const bool unknown = in_callback && object_at(address).size == 0;
  std::vector<std::pair<Place, Ranges>> fresh;
  for_open([&](const Place& place) {
    const Section& section = at(place);
    const bool caller = unknown && place.thread == index(by) && place.section + 1 == thread(by).open.size();
    if (section.everything || (!caller && !section.reach.touches(address, 8))) return;
    fresh.emplace_back(place, known_from(pointer, section.reach));
  });
  for (const auto& [place, ranges] : fresh) grow(place, ranges, false);
  unite_grown();
}

void MissingCode::give(ThreadId id, std::uint64_t set, std::vector<Event>& more) {
  if (thread(id).open.empty()) return;
  const trace::ReachSet& reach = vocabulary_.definitions().reach[set];
  grow({index(id), thread(id).open.size() - 1}, Ranges(reach.ranges), reach.everything);
  unite_grown();
  tell_all(more);
}

void MissingCode::stored(const Event& e) {
  if (e.has(trace::kHasValue)) {
    if (e.size == 8) stored(e.thread, e.address, trace::stored_value(e));
    return;
  }
  // A copy: what it stores is what is known of its source.
  const std::optional<Event> source = std::exchange(thread(e.thread).copied, std::nullopt);
  if (!source || source->location != e.location || source->size != e.size || e.address % 8 != source->address % 8)
    return;
  const std::uint64_t first = (8 - e.address % 8) % 8;
  for (std::uint64_t i = first; i + 8 <= std::min<std::uint64_t>(e.size, kMaxCopied); i += 8)
    if (const std::optional<std::uint64_t> word = values_.word(source->address + i))
      stored(e.thread, e.address + i, *word);
}

// ---- telling

void MissingCode::tell_all(std::vector<Event>& more) {
  if (untold_.empty()) return;
  for (const std::vector<Place> todo = std::exchange(untold_, {}); const Place& place : todo) tell(place, more);
}

void MissingCode::tell(const Place& place, std::vector<Event>& more) {
  if (!runs(place)) return;  // when it goes on
  Section& section = at(place);
  const bool everything = section.everything && !section.told_everything;
  if (section.pending.empty() && !everything) return;
  Event e;
  e.thread = static_cast<ThreadId>(place.thread);
  e.location = vocabulary_.nowhere();
  Ranges part = std::exchange(section.pending, {});
  for (const Range& range : part.all()) values_.forget(range.address, range.size);
  if (everything) values_.forget_all();
  while (!section.grown.empty() && (everything || section.grown.back().count() <= part.count())) {
    e.kind = EventKind::MissingEnd;
    more.push_back(e);
    part.add(section.grown.back());
    section.grown.pop_back();
  }
  part.keep(section.reach);  // what was freed is no more
  if (part.empty() && !everything && !section.told_everything) return;
  std::vector<Range> ranges(part.all().begin(), part.all().end());
  e.kind = EventKind::MissingBegin;
  e.address = vocabulary_.reach(ranges, everything || section.told_everything);
  e.aux = section.name;
  more.push_back(e);
  section.grown.push_back(std::move(part));
  section.told_everything = section.told_everything || everything;
}

void MissingCode::before(const Event& e, std::vector<Event>& more) {
  if (open_ == 0 || thread(e.thread).open.empty()) return;
  const Place innermost{index(e.thread), thread(e.thread).open.size() - 1};
  // What it calls may be told of all that it has allocated, or was handed by others who have.
  if (e.kind == EventKind::Call && allocated_ != 0 && runs(innermost)) {
    absorb(innermost);
    unite(innermost);
    tell_all(more);
  }
  if (e.kind != EventKind::MissingEnd) return;
  Event end;
  end.kind = EventKind::MissingEnd;
  end.thread = e.thread;
  end.location = vocabulary_.nowhere();
  more.insert(more.end(), at(innermost).grown.size(), end);
}

void MissingCode::wrote(const Event& e, std::vector<Event>& more) {
  if (open_ == 0 && e.kind != EventKind::MissingBegin) return;
  Thread& own = thread(e.thread);
  Section* const innermost = own.open.empty() ? nullptr : &own.open.back();
  const auto goes_on = [&] {
    if (innermost != nullptr) tell({index(e.thread), own.open.size() - 1}, more);
  };
  switch (e.kind) {
    case EventKind::MissingBegin: begin(e); break;
    case EventKind::MissingEnd: end(own); break;
    case EventKind::Call:
      if (innermost == nullptr) break;
      if (innermost->calls == 0) forget(*innermost);
      ++innermost->calls;
      break;
    case EventKind::Return:
      if (innermost == nullptr || innermost->calls == 0) break;
      --innermost->calls;
      if (innermost->calls == 0) goes_on();
      break;
    case EventKind::Wait: own.asleep = innermost != nullptr; break;
    case EventKind::Wake:
      own.asleep = false;
      goes_on();
      break;
    case EventKind::ThreadEnd:
      while (!own.open.empty()) end(own);
      break;
    case EventKind::Alloc:
      if (innermost != nullptr && innermost->calls == 0)
        allocated_ += innermost->allocated.insert_or_assign(e.address, e.size).second ? 1 : 0;
      break;
    case EventKind::Free:
      for_open([&](const Place& place) {
        allocated_ -= at(place).allocated.erase(e.address);
        watch(at(place).reach.remove(e.address, e.size), -1);
      });
      break;
    case EventKind::Read:
      if (!e.has(trace::kHasValue)) own.copied = e;
      break;
    default:
      if (trace::writes(e)) stored(e);
      break;
  }
  tell_all(more);
}

}  // namespace racecast::recording
