#include "recording/held_before.h"

#include <algorithm>

namespace racecast::recording {

using trace::Event;
using trace::EventKind;

void HeldBefore::look_at(const Record& record, std::uint32_t thread) {
  if (record.shape != nullptr || record.tag != abi::Tag::Sync) return;
  const Numbers n = numbers_of(record);
  const auto kind = static_cast<EventKind>(n.at[1]);
  std::uint64_t lock = n.at[3];
  switch (kind) {
    case EventKind::Lock:
    case EventKind::RdLock:
    case EventKind::WrLock:
      if ((n.at[2] & trace::kFailed) != 0) return;
      break;
    case EventKind::Unlock:
    case EventKind::RwUnlock: break;
    case EventKind::Wait:
    case EventKind::Wake: lock = n.at[4]; break;
    default: return;
  }
  const First now{n.at[0], kind, thread};
  const auto [known, is_new] = first_.try_emplace(lock, now);
  if (!is_new && now.stamp < known->second.stamp) known.value() = now;
}

std::vector<Event> HeldBefore::locks(LocationId location) const {
  std::vector<Event> events;
  for (const auto& [lock, first] : first_) {
    const bool gives_back =
        first.kind == EventKind::Unlock || first.kind == EventKind::RwUnlock || first.kind == EventKind::Wait;
    if (first.thread != 0 || !gives_back) continue;
    Event e;
    e.kind = first.kind == EventKind::RwUnlock ? EventKind::WrLock : EventKind::Lock;
    e.location = location;
    e.address = lock;
    events.push_back(e);
  }
  std::ranges::sort(events, {}, &Event::address);
  return events;
}

}  // namespace racecast::recording
