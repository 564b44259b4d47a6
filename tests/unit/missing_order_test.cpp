// The order of missing code against its definition (docs/semantics.md, section 4), taken literally: every pair of
// events, every byte. Here the traces are long and have many reach sets that overlap in all ways, which is what splits
// classes of bytes again and again; the random traces of tests/property are short.
#include "model/order/missing_order.h"
#include "model/order/open_sections.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace racecast::model {
namespace {

using trace::Event;
using trace::EventKind;

constexpr std::uint64_t kMemory = 0x1000;
constexpr std::uint64_t kBytes = 96;

// Events as the definition sees them.
struct Seen {
  ThreadId thread;
  std::vector<std::uint64_t> sections;  // reach sets of those that it is an own point of
  std::set<std::uint64_t> on;
  VectorClock clock;
};

class Definition {
 public:
  explicit Definition(const trace::Definitions& definitions) : definitions_(definitions) {}

  // The clock of the next event: program order and missing-order.
  const VectorClock& add(const Event& e) {
    Seen seen;
    seen.thread = e.thread;
    auto& open = open_[index(e.thread)];
    if (e.kind == EventKind::MissingBegin) open.push_back(e.address);
    if (e.kind == EventKind::Return && !open.empty() && open.back() == kCall) open.pop_back();
    while (e.kind == EventKind::MissingEnd && open.back() == kCall) open.pop_back();
    for (const std::uint64_t one : open) {
      if (one == kCall)
        seen.sections.clear();
      else
        seen.sections.push_back(one);
    }
    if (e.kind == EventKind::MissingEnd) open.pop_back();
    if (e.kind == EventKind::Call && !open.empty()) open.push_back(kCall);
    const TouchedBytes touched = touched_bytes(e);
    for (int i = 0; i < touched.count; ++i)
      for (std::uint64_t byte = 0; byte < touched.ranges[i].size; ++byte)
        seen.on.insert(touched.ranges[i].address + byte);
    std::uint32_t time = 1;
    for (const Seen& earlier : all_) {
      if (earlier.thread == seen.thread) ++time;
      if (earlier.thread == seen.thread || tied(earlier, seen)) seen.clock.join(earlier.clock);
    }
    seen.clock.set(e.thread, time);
    all_.push_back(std::move(seen));
    return all_.back().clock;
  }

 private:
  bool reaches(std::uint64_t set, std::uint64_t byte) const {
    const trace::ReachSet& reach = definitions_.reach[set];
    if (reach.everything) return true;
    for (const trace::Range& range : reach.ranges)
      if (byte - range.address < range.size) return true;
    return false;
  }
  bool meet(std::uint64_t a, std::uint64_t b) const {
    const auto empty = [&](std::uint64_t set) {
      return !definitions_.reach[set].everything && definitions_.reach[set].ranges.empty();
    };
    if (definitions_.reach[a].everything) return !empty(b);
    for (const trace::Range& range : definitions_.reach[a].ranges)
      for (std::uint64_t byte = range.address; byte < range.address + range.size; ++byte)
        if (reaches(b, byte)) return true;
    return false;
  }
  bool is_on(const Seen& event, const Seen& section) const {
    for (const std::uint64_t set : section.sections)
      for (const std::uint64_t byte : event.on)
        if (reaches(set, byte)) return true;
    return false;
  }
  bool tied(const Seen& a, const Seen& b) const {
    for (const std::uint64_t s : a.sections)
      for (const std::uint64_t t : b.sections)
        if (meet(s, t)) return true;
    return is_on(a, b) || is_on(b, a);
  }

  const trace::Definitions& definitions_;
  std::vector<Seen> all_;
  static constexpr std::uint64_t kCall = ~std::uint64_t{0};
  std::vector<std::uint64_t> open_[8];  // reach sets, and calls in them
};

// MissingOrder, fed as SyncClocks feeds it.
class Clocks {
 public:
  explicit Clocks(const trace::Definitions& definitions) : order(definitions) {}

  const VectorClock& add(const Event& e) {
    VectorClock& clock = clocks_[index(e.thread)];
    const std::span<const std::uint32_t> own = sections_.add(e, static_cast<std::uint32_t>(e.address));
    order.before(e, own, clock);
    clock.set(e.thread, clock[e.thread] + 1);
    order.after(e, own, clock);
    return clock;
  }

  MissingOrder order;

 private:
  VectorClock clocks_[8];
  OpenSections<std::uint32_t> sections_;
};

trace::ReachSet random_set(std::mt19937& random) {
  trace::ReachSet set;
  if (random() % 40 == 0) {
    set.everything = true;
    return set;
  }
  std::uint64_t at = kMemory + random() % (kBytes / 2);
  for (auto ranges = random() % 4; ranges > 0 && at < kMemory + kBytes; --ranges) {
    const std::uint64_t size = 1 + random() % 20;
    set.ranges.push_back({at, size});
    at += size + 1 + random() % 30;
  }
  return set;
}

Event random_access(std::mt19937& random) {
  Event e;
  switch (random() % 12) {
    case 8:
    case 9: e.kind = EventKind::Call; break;
    case 10:
    case 11: e.kind = EventKind::Return; break;
    case 0: e.kind = EventKind::Wait; break;
    case 1: e.kind = EventKind::Lock; break;
    case 2: e.kind = EventKind::Alloc; break;
    case 3: e.kind = EventKind::Branch; break;
    case 4: e.kind = EventKind::AtomicRmw; break;
    case 5: e.kind = EventKind::Write; break;
    default: e.kind = EventKind::Read; break;
  }
  const trace::KindRow& row = trace::row_of(e.kind);
  if ((row.fields & trace::A) != 0) e.address = kMemory + random() % kBytes;
  if ((row.fields & trace::S) != 0) e.size = e.kind == EventKind::Alloc ? 1 + random() % 40 : 1 + random() % 12;
  if (e.kind == EventKind::Wait) e.aux = kMemory + random() % kBytes;
  return e;
}

std::string text(const VectorClock& clock) {
  std::string text;
  for (std::uint32_t t = 0; t < 8; ++t) text += std::to_string(clock[ThreadId{t}]) + " ";
  return text;
}

TEST(MissingOrder, IsTheDefinition) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    trace::Definitions definitions;
    Definition definition(definitions);
    Clocks clocks(definitions);
    const std::uint32_t threads = 2 + static_cast<std::uint32_t>(random() % 6);
    const unsigned busy = 1 + static_cast<unsigned>(random() % 6);  // how often missing code is called
    std::vector<unsigned> depth(threads, 0);
    for (int i = 0; i < 150; ++i) {
      Event e;
      const auto thread = static_cast<std::uint32_t>(random() % threads);
      if (random() % 8 < busy && depth[thread] < 3) {
        e.kind = EventKind::MissingBegin;
        // Definitions grow while a trace is read.
        if (definitions.reach.empty() || random() % 3 == 0) definitions.reach.push_back(random_set(random));
        e.address = random() % definitions.reach.size();
        ++depth[thread];
      } else if (depth[thread] > 0 && random() % 2 == 0) {
        e.kind = EventKind::MissingEnd;
        --depth[thread];
      } else {
        e = random_access(random);
      }
      e.thread = ThreadId{thread};
      ASSERT_EQ(text(clocks.add(e)), text(definition.add(e))) << "seed " << seed << ", event " << i;
    }
  }
}

// Adds a section over this set.
void call(Clocks& clocks, std::uint32_t thread, std::uint64_t set) {
  Event e;
  e.thread = ThreadId{thread};
  e.kind = EventKind::MissingBegin;
  e.address = set;
  clocks.add(e);
  e.kind = EventKind::MissingEnd;
  e.address = 0;
  clocks.add(e);
}

TEST(MissingOrder, BytesThatAreAlwaysReachedTogetherAreOneClass) {
  trace::Definitions definitions;
  trace::ReachSet many, half, rest, other;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    many.ranges.push_back({0x1000 + 64 * i, 48});
    (i % 2 == 0 ? half : rest).ranges.push_back({0x1000 + 64 * i, 48});
  }
  other.ranges.push_back({0x900000, 4096});
  definitions.reach = {many, half, other, rest};
  Clocks clocks(definitions);
  call(clocks, 0, 0);
  EXPECT_EQ(clocks.order.classes(), 1u);
  call(clocks, 1, 0);
  EXPECT_EQ(clocks.order.classes(), 1u);
  call(clocks, 1, 2);
  EXPECT_EQ(clocks.order.classes(), 2u);
  call(clocks, 0, 1);
  EXPECT_EQ(clocks.order.classes(), 3u);  // many without half; half; other
  call(clocks, 1, 0);
  call(clocks, 1, 1);
  call(clocks, 2, 3);  // what the split left is a whole class
  EXPECT_EQ(clocks.order.classes(), 3u);
}

TEST(MissingOrder, UnrelatedSectionsAreNotOrdered) {
  trace::Definitions definitions;
  definitions.reach = {
      {false, {{0x1000, 3}}}, {false, {{0x1003, 5}}}, {false, {}}};  // neighbours in a granule; nothing
  Clocks clocks(definitions);
  call(clocks, 0, 0);
  call(clocks, 1, 1);
  call(clocks, 2, 2);
  Event e;
  e.kind = EventKind::Read;
  e.thread = ThreadId{1};
  e.address = 0x1003;
  e.size = 5;
  EXPECT_EQ(text(clocks.add(e)), "0 3 0 0 0 0 0 0 ");
  e.address = 0x1002;
  EXPECT_EQ(text(clocks.add(e)), "2 4 0 0 0 0 0 0 ");
}

// More order than the definition, on purpose (kManyBytes).
TEST(MissingOrder, LargeObjectsKeepTheirOrderWithEverySection) {
  trace::Definitions definitions;
  definitions.reach = {{false, {{0x1000, 8}}}};
  Clocks clocks(definitions);
  Event e;
  e.kind = EventKind::Alloc;
  e.thread = ThreadId{1};
  e.address = 0x900000;
  e.size = kManyBytes + 1;
  clocks.add(e);
  call(clocks, 0, 0);
  e.kind = EventKind::Free;
  e.thread = ThreadId{2};
  EXPECT_EQ(text(clocks.add(e)), "2 1 1 0 0 0 0 0 ");
}

}  // namespace
}  // namespace racecast::model
