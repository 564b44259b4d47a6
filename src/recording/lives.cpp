#include "recording/lives.h"

#include <iterator>

namespace racecast::recording {

void Lives::alloc(const trace::Event& alloc, std::vector<trace::Event>& frees) {
  auto next = objects_.lower_bound(alloc.address + alloc.size);
  while (next != objects_.begin()) {
    const auto last = std::prev(next);
    if (last->first + last->second <= alloc.address) break;
    trace::Event e;
    e.kind = trace::EventKind::Free;
    e.thread = alloc.thread;
    e.location = alloc.location;
    e.address = last->first;
    e.size = last->second;
    frees.push_back(e);
    next = objects_.erase(last);
  }
  objects_.emplace_hint(next, alloc.address, alloc.size);
}

bool Lives::free(trace::Event& free) {
  const auto object = objects_.find(free.address);
  if (object == objects_.end()) return false;
  free.size = object->second;
  objects_.erase(object);
  return true;
}

}  // namespace racecast::recording
