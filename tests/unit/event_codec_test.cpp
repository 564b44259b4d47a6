// The payload of EVNT chunks: what goes in comes out, and no bytes whatever do harm.
#include "trace/event_codec.h"

#include <gtest/gtest.h>

#include "random_trace.h"

namespace racecast::trace {
namespace {

using test::Random;

constexpr IdBounds kBounds{300, 5000, 3, 4};

std::vector<std::uint8_t> encode(const std::vector<Event>& events, const IdBounds& bounds = kBounds) {
  EventEncoder encoder;
  for (const Event& e : events) EXPECT_TRUE(encoder.add(e, bounds)) << broken_event(e, bounds);
  return {encoder.bytes().begin(), encoder.bytes().end()};
}

bool decode(std::vector<std::uint8_t> bytes, std::vector<Event>& out, const IdBounds& bounds = kBounds,
            std::uint8_t padding = 0) {
  const std::size_t size = bytes.size();
  bytes.resize(size + kDecodePadding, padding);
  const bool good = decode_events(bytes.data(), size, bounds, out);
  // Both ways of decoding must agree on everything.
  std::vector<Event> portable(out.size());
  EXPECT_EQ(decode_events_portable(bytes.data(), size, bounds, portable), good);
  if (good) EXPECT_EQ(portable, out);
  return good;
}

std::vector<Event> decoded(const std::vector<std::uint8_t>& bytes, std::size_t count,
                           const IdBounds& bounds = kBounds) {
  std::vector<Event> out(count);
  EXPECT_TRUE(decode(bytes, out, bounds));
  return out;
}

TEST(EventCodec, EachKindAloneComesBack) {
  Random random(1);
  for (std::size_t kind = 1; kind < kEventKinds; ++kind) {
    for (int i = 0; i < 200; ++i) {
      const Event e = test::random_event(random, kBounds, static_cast<EventKind>(kind));
      EXPECT_EQ(decoded(encode({e}), 1)[0], e) << kKindTable[kind].text;
    }
  }
}

TEST(EventCodec, RandomSequencesComeBack) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    std::vector<Event> events;
    for (std::uint64_t n = test::below(random, 300); n > 0; --n) events.push_back(test::random_event(random, kBounds));
    const auto bytes = encode(events);
    EXPECT_EQ(decoded(bytes, events.size()), events) << "seed " << seed;
    // What lies behind the end must not matter.
    std::vector<Event> again(events.size());
    EXPECT_TRUE(decode(bytes, again, kBounds, 0xff));
    EXPECT_EQ(again, events);
  }
}

TEST(EventCodec, SmallAndLargeNumbersInEveryField) {
  std::vector<Event> events;
  for (unsigned bit = 0; bit < 64; ++bit) {
    for (const std::uint64_t n : {std::uint64_t{1} << bit, (std::uint64_t{1} << bit) - 1, ~(std::uint64_t{1} << bit)}) {
      Event e{
          EventKind::AtomicRmw, MemoryOrder::AcqRel, kHasValue, {}, {}, static_cast<std::uint32_t>(n), n, ~n, n ^ 5};
      events.push_back(e);
      events.push_back({EventKind::Read, MemoryOrder::None, kHasValue, {}, {}, 8, n, n, 0});
      events.push_back({EventKind::Branch, MemoryOrder::None, 0, {}, {}, 0, 0, n, 0});
      events.push_back({EventKind::Wait, MemoryOrder::None, 0, {}, {}, 0, n, 0, n});
    }
  }
  EXPECT_EQ(decoded(encode(events), events.size()), events);
}

TEST(EventCodec, LocationsAtTheEndsOfTheirRange) {
  const IdBounds bounds{1, std::uint64_t{1} << 32, 0, 0};
  std::vector<Event> events;
  for (const std::uint32_t l : {0u, 0xffffffffu, 0u, 0x80000000u, 0x7fffffffu, 0xffffffffu}) {
    events.push_back({EventKind::Read, MemoryOrder::None, 0, {}, static_cast<LocationId>(l), 8, 16, 0, 0});
  }
  EXPECT_EQ(decoded(encode(events, bounds), events.size(), bounds), events);
}

TEST(EventCodec, PlainEventsTakeFourBytes) {
  std::vector<Event> events(100, Event{EventKind::Read, MemoryOrder::None, 0, {}, LocationId{5}, 8, 0x1000, 0, 0});
  for (std::size_t i = 0; i < events.size(); ++i) events[i].address += 8 * (i % 64);
  EXPECT_LE(encode(events).size(), 4 * events.size());
}

TEST(EventCodec, EveryTruncationAndEveryExtraByteIsRefused) {
  Random random(7);
  std::vector<Event> events;
  for (int i = 0; i < 60; ++i) events.push_back(test::random_event(random, kBounds));
  const auto bytes = encode(events);
  std::vector<Event> out(events.size());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    for (const std::uint8_t padding : std::initializer_list<std::uint8_t>{0x00, 0x80, 0xff, 0x05}) {
      EXPECT_FALSE(decode({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}, out, kBounds, padding))
          << size;
    }
  }
  auto longer = bytes;
  longer.push_back(0);
  EXPECT_FALSE(decode(longer, out));
  std::vector<Event> one_less(events.size() - 1), one_more(events.size() + 1);
  EXPECT_FALSE(decode(bytes, one_less));
  EXPECT_FALSE(decode(bytes, one_more));
}

TEST(EventCodec, MalformedBytesAreRefused) {
  const auto kind = [](EventKind k) { return static_cast<std::uint8_t>(k); };
  const std::uint8_t read = kind(EventKind::Read), extended = read | 0x80;
  const std::pair<const char*, std::vector<std::uint8_t>> table[] = {
      {"a kind that does not exist", {0x7f, 0}},
      {"an extended kind that does not exist", {0xff, 1, 0, 0}},
      {"two changes of thread", {0, 1, 0, 1, read, 0, 0}},
      {"a change of thread without an event", {0, 1}},
      {"thread 300 of 300", {0, 0xac, 0x02, read, 0, 0}},
      {"thread 2^40", {0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, read, 0, 0}},
      {"location 5000 of 5000", {read, 0x90, 0x4e, 0}},
      {"location -1", {read, 0x01, 0}},
      {"an extension of nothing", {extended, 0, 0, 0}},
      {"an extension of something unknown", {extended, 8, 0, 0}},
      {"an unknown flag", {extended, 1, 0x80, 0x01, 0, 0}},
      {"a flag beyond 16 bits", {extended, 1, 0x81, 0x80, 0x04, 0, 0}},
      {"an order for a plain read", {extended, 2, 1, 0, 0}},
      {"an order that does not exist", {std::uint8_t(kind(EventKind::Fence) | 0x80), 2, 6, 0}},
      {"flags for a kind without", {std::uint8_t(kind(EventKind::Fence) | 0x80), 1, 1, 0}},
      {"a value for a lock", {std::uint8_t(kind(EventKind::Lock) | 0x80), 1, kHasValue, 0, 0}},
      {"a size for a lock", {std::uint8_t(kind(EventKind::Lock) | 0x80), 4, 4, 0, 0}},
      {"a size beyond 32 bits", {extended, 4, 0x80, 0x80, 0x80, 0x80, 0x10, 0, 0}},
      {"a varint of 11 bytes", {read, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}},
      {"a varint beyond 64 bits", {read, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02}},
      {"a fork of thread 300", {kind(EventKind::Fork), 0, 0xd8, 0x04}},
      {"a call of string 4 of 4", {kind(EventKind::Call), 0, 8}},
      {"a marker with string -1", {kind(EventKind::Marker), 0, 1}},
      {"reach set 3 of 3", {kind(EventKind::MissingBegin), 0, 6, 0}},
      {"string 4 of missing code", {kind(EventKind::MissingBegin), 0, 0, 8}},
  };
  for (const auto& [what, bytes] : table) {
    std::vector<Event> out(1);
    EXPECT_FALSE(decode(bytes, out)) << what;
  }
  // And a good twin, so that the table is not refused for some other reason.
  std::vector<Event> out(1);
  EXPECT_TRUE(decode({0, 1, extended, 5, kHasValue, 4, 2, 16, 6}, out));
  EXPECT_EQ(out[0], (Event{EventKind::Read, MemoryOrder::None, kHasValue, ThreadId{1}, LocationId{1}, 4, 8, 3, 0}));
}

TEST(EventCodec, NothingIsDefinedNothingIsDecoded) {
  std::vector<Event> out(1), none;
  EXPECT_FALSE(decode({static_cast<std::uint8_t>(EventKind::Read), 0, 0}, out, IdBounds{0, 1, 1, 1}));
  EXPECT_FALSE(decode({static_cast<std::uint8_t>(EventKind::Read), 0, 0}, out, IdBounds{1, 0, 1, 1}));
  EXPECT_TRUE(decode({}, none, IdBounds{}));
}

TEST(EventCodec, RandomBytesDoNoHarm) {
  Random random(3);
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::uint8_t> bytes(test::below(random, 80));
    for (std::uint8_t& byte : bytes) {
      byte = static_cast<std::uint8_t>(test::below(random, 3) == 0 ? random() : test::below(random, kEventKinds));
    }
    std::vector<Event> out(test::below(random, 20));
    if (!decode(bytes, out)) continue;
    for (const Event& e : out) EXPECT_EQ(broken_event(e, kBounds), "");
  }
}

TEST(EventCodec, BrokenEventsAreRefusedWithAReason) {
  const Event read{EventKind::Read, MemoryOrder::None, kHasValue, {}, {}, 8, 16, 1, 0};
  EXPECT_EQ(broken_event(read, kBounds), "");
  const auto changed = [&](auto change) {
    Event e = read;
    change(e);
    return e;
  };
  const std::pair<const char*, Event> table[] = {
      {"does not exist", changed([](Event& e) { e.kind = EventKind::None; })},
      {"does not exist", changed([](Event& e) { e.kind = static_cast<EventKind>(kEventKinds); })},
      {"flags 0x80", changed([](Event& e) { e.flags = 0x80; })},
      {"flags 0x8001", changed([](Event& e) { e.flags = 0x8001; })},
      {"no order", changed([](Event& e) { e.order = MemoryOrder::SeqCst; })},
      {"no value", changed([](Event& e) { e.flags = 0; })},
      {"no aux", changed([](Event& e) { e.aux = 1; })},
      {"thread 300", changed([](Event& e) { e.thread = ThreadId{300}; })},
      {"location 5000", changed([](Event& e) { e.location = LocationId{5000}; })},
      {"no address", Event{EventKind::Return, MemoryOrder::None, 0, {}, {}, 0, 1, 0, 0}},
      {"no size", Event{EventKind::Return, MemoryOrder::None, 0, {}, {}, 1, 0, 0, 0}},
      {"flags 0x1", Event{EventKind::Lock, MemoryOrder::None, kHasValue, {}, {}, 0, 1, 0, 0}},
      {"no aux", Event{EventKind::AtomicRmw, MemoryOrder::SeqCst, 0, {}, {}, 8, 1, 0, 1}},
      {"order 6", Event{EventKind::Fence, static_cast<MemoryOrder>(6), 0, {}, {}, 0, 0, 0, 0}},
      {"refers to 300", Event{EventKind::Fork, MemoryOrder::None, 0, {}, {}, 0, 0, 0, 300}},
      {"refers to 4", Event{EventKind::Call, MemoryOrder::None, 0, {}, {}, 0, 0, 0, 4}},
      {"reach set 3", Event{EventKind::MissingBegin, MemoryOrder::None, 0, {}, {}, 0, 3, 0, 0}},
  };
  for (const auto& [reason, event] : table) {
    EXPECT_NE(broken_event(event, kBounds).find(reason), std::string::npos)
        << reason << " / " << broken_event(event, kBounds);
    EventEncoder encoder;
    EXPECT_FALSE(encoder.add(event, kBounds)) << reason;
    EXPECT_EQ(encoder.count(), 0u);
  }
}

TEST(EventCodec, AnEncoderIsFullAtTheEndOfAChunk) {
  EventEncoder encoder;
  // The longest events there are.
  const Event a{EventKind::AtomicRmw,
                MemoryOrder::AcqRel,
                0x7f,
                ThreadId{299},
                LocationId{4999},
                0xffffffff,
                1,
                std::uint64_t{1} << 63,
                3};
  const Event b{EventKind::AtomicRmw,   MemoryOrder::SeqCst,    0x7d, ThreadId{298}, LocationId{0}, 0xfffffffe,
                std::uint64_t{1} << 63, std::uint64_t{1} << 62, 0};
  for (std::uint32_t i = 0; i < kMaxEventsPerChunk; ++i) ASSERT_TRUE(encoder.add(i % 2 == 0 ? a : b, kBounds));
  EXPECT_TRUE(encoder.full());
  EXPECT_FALSE(encoder.add(a, kBounds));
  EXPECT_LE(encoder.bytes().size(), kMaxEventsRaw);
  encoder.clear();
  EXPECT_TRUE(encoder.add(a, kBounds));
  EXPECT_EQ(encoder.count(), 1u);
}

}  // namespace
}  // namespace racecast::trace
