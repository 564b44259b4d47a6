// What of the state (carried.cpp) a piece of the trace needs, as events in recorded order.
#include <algorithm>
#include <set>

#include "analysis/window/carried.h"
#include "model/memory/granules.h"
#include "trace/state.h"

namespace racecast::analysis::predict {

using trace::Event;
using trace::EventKind;

struct CarriedState::Chosen {
  // By number in the trace; `part` tells events apart that stand for one.
  struct Item {
    std::uint64_t number = 0;
    std::uint64_t part = 0;
    Event event;
  };
  std::vector<Item> items;
  void add(const Stored& stored, std::uint64_t part = 0) { items.push_back({stored.number, part, stored.event}); }
};

// For each byte that the piece reads or appends to, who gave it what it holds.
void CarriedState::choose_memory(std::span<const Event> piece, Chosen& chosen) const {
  HashMap<std::uint64_t, model::ByteMask> read;
  for (const Event& e : piece)
    if (trace::finds(e))
      model::for_each_granule(e.address, e.size,
                              [&](std::uint64_t granule, model::ByteMask mask) { read[granule] |= mask; });
  HashSet<StoreNo> taken;
  // Missing code wrote this byte, nobody knows what.
  const auto write_unknown = [&](const Stored& by, std::uint64_t address) {
    if (!chosen.items.empty()) {
      Chosen::Item& last = chosen.items.back();
      if (last.number == by.number && last.event.kind == EventKind::Write && last.part == last.event.address &&
          last.event.address + last.event.size == address && address % 8 != 0) {
        ++last.event.size;
        return;
      }
    }
    Event write;
    write.kind = EventKind::Write;
    write.thread = by.event.thread;
    write.location = by.event.location;
    write.address = address;
    write.size = 1;
    if (trace::is_state(address)) write = trace::append(write, address - trace::kState);
    chosen.items.push_back({by.number, address, write});
  };
  for (const auto& [granule, mask] : read) {
    const auto known = bytes_.find(granule);
    for (unsigned i = 0; i < 8; ++i) {
      if ((mask >> i & 1) == 0) continue;
      const std::uint64_t address = (granule << 3) + i;
      const StoreNo from = known == bytes_.end() ? 0 : known->second.from[i];
      if (everything_ && overwritten(from, objects_.at(address))) {
        write_unknown(*everything_, address);
      } else if (from != 0 && store_[from].by_missing) {
        write_unknown(store_[from], address);
      } else if (from != 0 && taken.insert(from).second) {
        Stored stored = store_[from];
        Event& e = stored.event;
        e.clear(trace::kComputed | trace::kCas);
        if (e.kind == EventKind::AtomicRmw && trace::writes(e) && !trace::is_append(e)) {
          e.kind = EventKind::AtomicWrite;
          e.value = e.aux;
          e.aux = 0;
          e.order = e.order == MemoryOrder::None ? MemoryOrder::None : MemoryOrder::SeqCst;
        } else if (e.kind == EventKind::AtomicRmw && !trace::is_append(e)) {
          e.kind = EventKind::AtomicRead;
          e.clear(trace::kFailed);
          e.aux = 0;
          e.order = e.order == MemoryOrder::None ? MemoryOrder::None : MemoryOrder::SeqCst;
        }
        chosen.add(stored, ~std::uint64_t{0});  // after what its section wrote
      }
    }
  }
}

void CarriedState::choose_threads(Chosen& chosen) const {
  for (const Thread& thread : threads_) {
    for (const Held& held : thread.held)
      for (std::size_t i = 0; i < held.acquires.size(); ++i) chosen.add(held.acquires[i], i);
    for (const Stored& crossing : thread.inside) chosen.add(crossing);
    if (!thread.sleep) continue;
    const Sleep& sleep = *thread.sleep;
    Event lock;
    lock.kind = EventKind::Lock;
    lock.flags = sleep.depth > 1 ? trace::kRecursive : 0;
    lock.thread = sleep.wait.event.thread;
    lock.location = sleep.wait.event.location;
    lock.address = sleep.wait.event.aux;
    // After what it wrote, if it is missing code that waits: who sleeps, writes nothing.
    constexpr std::uint64_t kLast = std::uint64_t{1} << 63;
    for (std::uint32_t i = 0; i < sleep.depth; ++i) chosen.items.push_back({sleep.wait.number, kLast + i, lock});
    chosen.add(sleep.wait, kLast + sleep.depth);
  }
  // A notifyall is for many.
  HashSet<std::uint64_t> notifies;
  for (const Thread& thread : threads_)
    if (thread.sleep && thread.sleep->notified && notifies.insert(thread.sleep->notified->number).second)
      chosen.add(*thread.sleep->notified);
}

void CarriedState::choose_sync(std::span<const Event> piece, Chosen& chosen) const {
  HashSet<std::uint64_t> seen;
  for (const Event& e : piece) {
    if (e.kind == EventKind::BarrierArrive || e.kind == EventKind::BarrierLeave) {
      const auto barrier = barriers_.find(e.address);
      if (barrier == barriers_.end() || !seen.insert(e.address).second) continue;
      for (const Round& round : barrier->second)
        for (const Arrival& arrival : round.arrivals) chosen.add(arrival.event);
    } else if (e.kind == EventKind::OnceEnter || e.kind == EventKind::OnceDone || e.kind == EventKind::OnceSeen) {
      const auto guard = guards_.find(e.address);
      if (guard == guards_.end() || !seen.insert(e.address).second) continue;
      chosen.add(guard->second.enter);
      if (guard->second.done) chosen.add(*guard->second.done);
    }
  }
}

// The allocs of all objects that the piece or a carried event is about.
void CarriedState::choose_objects(std::span<const Event> piece, Chosen& chosen) const {
  std::set<std::uint64_t> numbers;
  const std::size_t count = chosen.items.size();
  const auto touch = [&](const Event& e) {
    if ((trace::row_of(e.kind).fields & trace::A) == 0 || e.kind == EventKind::MissingBegin) return;
    const std::uint64_t addresses[] = {e.address,
                                       e.kind == EventKind::Wait || e.kind == EventKind::Wake ? e.aux : e.address};
    for (const std::uint64_t address : addresses) {
      const LiveObjects::Object* const object =
          e.kind == EventKind::Free ? objects_.beginning_at(address) : objects_.at(address);
      if (object != nullptr && numbers.insert(object->number).second)
        chosen.items.push_back({object->number, 0, object->alloc});
    }
  };
  std::for_each(piece.begin(), piece.end(), touch);
  for (std::size_t i = 0; i < count; ++i) {
    const Event event = chosen.items[i].event;  // touch() moves the items
    touch(event);
  }
}

std::vector<Event> CarriedState::carry(std::span<const Event> piece) {
  forget_unused();
  Chosen chosen;
  choose_memory(piece, chosen);
  choose_threads(chosen);
  choose_sync(piece, chosen);
  choose_objects(piece, chosen);
  std::sort(chosen.items.begin(), chosen.items.end(), [](const Chosen::Item& x, const Chosen::Item& y) {
    return std::pair(x.number, x.part) < std::pair(y.number, y.part);
  });
  std::vector<Event> events;
  HashSet<std::uint32_t> ran;
  for (const Chosen::Item& item : chosen.items) {
    events.push_back(item.event);
    ran.insert(static_cast<std::uint32_t>(index(item.event.thread)));
  }
  // Who is joined must have run, or have been forked.
  for (const Event& e : piece) {
    if (e.kind == EventKind::Join && ran.insert(static_cast<std::uint32_t>(index(e.child()))).second) {
      Event begin;
      begin.kind = EventKind::ThreadBegin;
      begin.thread = e.child();
      events.push_back(begin);
    }
    ran.insert(static_cast<std::uint32_t>(index(e.thread)));
    if (e.kind == EventKind::Fork) ran.insert(static_cast<std::uint32_t>(index(e.child())));
  }
  return events;
}

}  // namespace racecast::analysis::predict
