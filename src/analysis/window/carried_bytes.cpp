// The state of a run as bytes, and back. What is read is checked for everything that the code of the state takes for
// granted, so that hostile bytes end in an error and not in memory that is not there.
#include <algorithm>

#include "analysis/window/carried.h"
#include "analysis/window/event_bytes.h"
#include "trace/definitions_codec.h"

namespace racecast::analysis::predict {

using trace::Event;
using trace::EventKind;

namespace {

constexpr std::uint32_t kStateForm = 0x31535243;            // "CRS1"
constexpr std::uint32_t kStartsForm = 0x31535352;           // "RSS1"
constexpr std::uint64_t kMostDepth = 1u << 20;              // of a recursive mutex
constexpr std::int64_t kMostCount = std::int64_t{1} << 61;  // counts are added and negated

std::int64_t get_count(ByteReader& reader) {
  const std::int64_t count = unzigzag(reader.varint());
  if (count > kMostCount || count < -kMostCount) reader.fail();
  return count;
}

void put_key(ByteWriter& writer, const SemaphoreKey& key) {
  writer.varint(key.first);
  writer.varint(key.second);
}
SemaphoreKey get_key(ByteReader& reader) {
  const std::uint64_t address = reader.varint();
  return {address, reader.varint()};
}

template <typename T, typename Put>
void put_optional(ByteWriter& writer, const std::optional<T>& value, const Put& put) {
  writer.u8(value ? 1 : 0);
  if (value) put(*value);
}

template <typename T, typename Get>
std::optional<T> get_optional(ByteReader& reader, const Get& get) {
  if (reader.varint_below(2) == 0) return std::nullopt;
  return get();
}

}  // namespace

void LiveObjects::write(ByteWriter& writer) const {
  writer.varint(objects_.size());
  for (const auto& [address, object] : objects_) {
    writer.varint(object.number);
    put_event(writer, object.alloc);
  }
}

LiveObjects LiveObjects::read(ByteReader& reader, const trace::IdBounds& bounds) {
  LiveObjects all;
  for (std::size_t n = reader.count(1 + kLeastEventBytes); n > 0 && reader.ok(); --n) {
    const std::uint64_t number = reader.varint();
    const Event alloc = get_event(reader, bounds);
    const auto last = all.objects_.empty() ? nullptr : &*all.objects_.rbegin();
    const bool in_order =
        last == nullptr || (alloc.address > last->first && alloc.address - last->first >= last->second.size);
    if (alloc.kind != EventKind::Alloc || !in_order ||
        (alloc.size != 0 && alloc.address + (alloc.size - 1) < alloc.address))
      reader.fail();
    all.add(alloc, number);
  }
  return all;
}

std::vector<std::uint8_t> SemaphoreStarts::bytes() const {
  ByteWriter writer;
  writer.u32(kStartsForm);
  writer.varint(next_);
  objects_.write(writer);
  writer.varint(counts_.size());
  for (const auto& [key, counts] : counts_) {
    put_key(writer, key);
    writer.varint(zigzag(counts.balance));
    writer.varint(zigzag(counts.start));
  }
  return std::move(writer.bytes());
}

Result<SemaphoreStarts> SemaphoreStarts::from_bytes(std::span<const std::uint8_t> bytes,
                                                    const trace::Definitions& definitions) {
  ByteReader reader(bytes);
  if (reader.u32() != kStartsForm) reader.fail();
  SemaphoreStarts starts;
  starts.next_ = reader.varint();
  starts.objects_ = LiveObjects::read(reader, trace::bounds_of(definitions));
  for (std::size_t n = reader.count(4); n > 0 && reader.ok(); --n) {
    Counts& counts = starts.counts_[get_key(reader)];
    counts.balance = get_count(reader);
    counts.start = get_count(reader);
  }
  if (!reader.ok() || reader.left() != 0) return bad_input("the counts of semaphores are malformed");
  return starts;
}

struct CarriedState::Codec {
  // ---- writing

  static void put(ByteWriter& writer, const Stored& stored) {
    writer.varint(stored.number);
    writer.u8(stored.by_missing ? 1 : 0);
    put_event(writer, stored.event);
  }
  static void put(ByteWriter& writer, const std::vector<Stored>& all) {
    writer.varint(all.size());
    for (const Stored& stored : all) put(writer, stored);
  }
  static void put(ByteWriter& writer, const Thread& thread) {
    writer.varint(thread.held.size());
    for (const Held& held : thread.held) {
      writer.varint(held.lock);
      put(writer, held.acquires);
    }
    put_optional(writer, thread.sleep, [&](const Sleep& sleep) {
      put(writer, sleep.wait);
      writer.varint(sleep.depth);
      put_optional(writer, sleep.notified, [&](const Stored& notify) { put(writer, notify); });
    });
    put(writer, thread.inside);
  }
  static void put_sync(ByteWriter& writer, const CarriedState& state) {
    writer.varint(state.sleepers_.size());
    for (const auto& [condition, threads] : state.sleepers_) {
      writer.varint(condition);
      writer.varint(threads.size());
      for (const ThreadId thread : threads) writer.varint(index(thread));
    }
    writer.varint(state.barriers_.size());
    for (const auto& [address, rounds] : state.barriers_) {
      writer.varint(address);
      writer.varint(rounds.size());
      for (const Round& round : rounds) {
        writer.varint(round.parties);
        writer.varint(round.arrivals.size());
        for (const Arrival& arrival : round.arrivals) {
          put(writer, arrival.event);
          writer.u8(arrival.left ? 1 : 0);
        }
      }
    }
    writer.varint(state.guards_.size());
    for (const auto& [address, guard] : state.guards_) {
      writer.varint(address);
      put(writer, guard.enter);
      put_optional(writer, guard.done, [&](const Stored& done) { put(writer, done); });
    }
    writer.varint(state.balances_.size());
    for (const auto& [key, balance] : state.balances_) {
      put_key(writer, key);
      writer.varint(zigzag(balance));
    }
  }
  // Only what a byte refers to is written, in the order of addresses: the same state gives the same bytes, whatever
  // else is remembered.
  static void put_memory(ByteWriter& writer, const CarriedState& state) {
    std::vector<std::uint64_t> granules;
    for (const auto& [granule, bytes] : state.bytes_)
      if (std::ranges::any_of(bytes.from, [](StoreNo from) { return from != 0; })) granules.push_back(granule);
    std::ranges::sort(granules);
    HashMap<StoreNo, StoreNo> place;
    std::vector<StoreNo> used;
    for (const std::uint64_t granule : granules)
      for (const StoreNo from : state.bytes_.at(granule).from)
        if (from != 0 && place.try_emplace(from, static_cast<StoreNo>(used.size() + 1)).second) used.push_back(from);
    writer.varint(used.size());
    for (const StoreNo from : used) put(writer, state.store_[from]);
    writer.varint(granules.size());
    for (const std::uint64_t granule : granules) {
      writer.varint(granule);
      for (const StoreNo from : state.bytes_.at(granule).from) writer.varint(from == 0 ? 0 : place.at(from));
    }
  }

  // ---- reading

  Stored stored() {
    Stored stored;
    stored.number = reader.varint();
    stored.by_missing = reader.varint_below(2) != 0;
    stored.event = get_event(reader, bounds);
    if (stored.number >= state.next_) reader.fail();
    return stored;
  }
  Stored stored(EventKind kind) {
    Stored result = stored();
    if (result.event.kind != kind) reader.fail();
    return result;
  }
  std::size_t stored_count() { return reader.count(2 + kLeastEventBytes); }

  Thread thread(ThreadId id) {
    Thread thread;
    for (std::size_t n = reader.count(2); n > 0 && reader.ok(); --n) {
      Held& held = thread.held.emplace_back();
      held.lock = reader.varint();
      const std::size_t acquires = stored_count();
      if (acquires == 0) reader.fail();  // a lock that is held was taken
      for (std::size_t i = 0; i < acquires && reader.ok(); ++i) held.acquires.push_back(stored());
    }
    thread.sleep = get_optional<Sleep>(reader, [&] {
      Sleep sleep;
      sleep.wait = stored(EventKind::Wait);
      sleep.depth = static_cast<std::uint32_t>(reader.varint_below(kMostDepth));
      sleep.notified = get_optional<Stored>(reader, [&] { return stored(); });
      if (sleep.wait.event.thread != id || sleep.depth == 0) reader.fail();
      return sleep;
    });
    for (std::size_t n = stored_count(); n > 0 && reader.ok(); --n) {
      thread.inside.push_back(stored());
      const EventKind kind = thread.inside.back().event.kind;
      // A call counts in missing code only.
      if (kind != EventKind::MissingBegin && (kind != EventKind::Call || thread.inside.size() == 1)) reader.fail();
    }
    return thread;
  }
  void read_sync() {
    HashSet<std::uint64_t> asleep;
    for (std::size_t n = reader.count(2); n > 0 && reader.ok(); --n) {
      const std::uint64_t condition = reader.varint();
      std::vector<ThreadId>& sleepers = state.sleepers_[condition];
      for (std::size_t i = reader.count(); i > 0 && reader.ok(); --i) {
        const std::uint64_t t = reader.varint_below(state.threads_.size());
        // Who sleeps has begun to, there and nowhere else, and nobody has notified it.
        if (!reader.ok() || !state.threads_[t].sleep || state.threads_[t].sleep->notified ||
            state.threads_[t].sleep->wait.event.address != condition || !asleep.insert(t).second)
          return reader.fail();
        sleepers.push_back(static_cast<ThreadId>(t));
      }
    }
    for (std::size_t n = reader.count(2); n > 0 && reader.ok(); --n) {
      std::vector<Round>& rounds = state.barriers_[reader.varint()];
      for (std::size_t r = reader.count(2); r > 0 && reader.ok(); --r) {
        Round& round = rounds.emplace_back();
        round.parties = reader.varint();
        for (std::size_t i = reader.count(3 + kLeastEventBytes); i > 0 && reader.ok(); --i) {
          Stored arrival = stored(EventKind::BarrierArrive);
          round.arrivals.push_back({arrival, reader.varint_below(2) != 0});
        }
      }
    }
    for (std::size_t n = reader.count(4 + kLeastEventBytes); n > 0 && reader.ok(); --n) {
      Guard& guard = state.guards_[reader.varint()];
      guard.enter = stored(EventKind::OnceEnter);
      guard.done = get_optional<Stored>(reader, [&] { return stored(EventKind::OnceDone); });
    }
    for (std::size_t n = reader.count(3); n > 0 && reader.ok(); --n) {
      const SemaphoreKey key = get_key(reader);
      state.balances_[key] = get_count(reader);
    }
  }
  void read_memory() {
    for (std::size_t n = stored_count(); n > 0 && reader.ok(); --n) state.store_.push_back(stored());
    state.used_ = state.store_.size();
    for (std::size_t n = reader.count(9); n > 0 && reader.ok(); --n) {
      Bytes& bytes = state.bytes_[reader.varint_below(std::uint64_t{1} << 61)];
      for (StoreNo& from : bytes.from) from = static_cast<StoreNo>(reader.varint_below(state.store_.size()));
    }
  }

  ByteReader reader;
  const trace::IdBounds bounds;
  CarriedState& state;
};

std::vector<std::uint8_t> CarriedState::bytes() const {
  ByteWriter writer;
  writer.u32(kStateForm);
  writer.varint(next_);
  objects_.write(writer);
  put_optional(writer, everything_, [&](const Stored& stored) { Codec::put(writer, stored); });
  writer.varint(threads_.size());
  for (const Thread& thread : threads_) Codec::put(writer, thread);
  Codec::put_sync(writer, *this);
  Codec::put_memory(writer, *this);
  return std::move(writer.bytes());
}

Result<CarriedState> CarriedState::from_bytes(std::span<const std::uint8_t> bytes,
                                              const trace::Definitions& definitions, const SemaphoreStarts& starts) {
  CarriedState state(definitions, starts);
  Codec codec{ByteReader(bytes), trace::bounds_of(definitions), state};
  ByteReader& reader = codec.reader;
  if (reader.u32() != kStateForm) reader.fail();
  state.next_ = reader.varint();
  state.objects_ = LiveObjects::read(reader, codec.bounds);
  state.everything_ = get_optional<Stored>(reader, [&] { return codec.stored(); });
  const std::size_t threads = reader.count(3);
  if (threads > definitions.threads.size()) reader.fail();
  for (std::size_t t = 0; t < threads && reader.ok(); ++t)
    state.threads_.push_back(codec.thread(ThreadId{static_cast<std::uint32_t>(t)}));
  codec.read_sync();
  codec.read_memory();
  if (!reader.ok() || reader.left() != 0) return bad_input("the state at the start of a window is malformed");
  return state;
}

}  // namespace racecast::analysis::predict
