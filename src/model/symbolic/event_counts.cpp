#include "model/symbolic/event_counts.h"

#include <vector>

#include "model/symbolic/deciding_reads.h"

namespace racecast::model {

void EventCounter::saw(ThreadId thread) {
  if (threads_.insert(static_cast<std::uint32_t>(index(thread))).second) ++counts_.threads;
}

void EventCounter::add(std::span<const trace::Event> events) {
  for (const trace::Event& e : events) {
    saw(e.thread);
    switch (trace::row_of(e.kind).group) {
      case trace::Group::Access:
        counts_.reads += trace::reads(e) ? 1 : 0;
        counts_.writes += trace::writes(e) ? 1 : 0;
        break;
      case trace::Group::Life:
        if (e.kind == trace::EventKind::Fork) saw(e.child());
        ++counts_.synchronising;
        break;
      case trace::Group::Lock:
      case trace::Group::Sync: ++counts_.synchronising; break;
      default: counts_.branches += e.kind == trace::EventKind::Branch ? 1 : 0; break;
    }
  }
  counts_.events += events.size();
}

std::uint64_t count_base_reads(const SymbolicTrace& symbols) {
  const std::vector<bool> feeds = nodes_that_feed(symbols, {ConditionKind::Address});
  std::uint64_t reads = 0;
  for (std::size_t n = kFirstNode; n < feeds.size(); ++n)
    if (feeds[n] && symbols.nodes()[n].kind == NodeKind::Read) ++reads;
  return reads;
}

}  // namespace racecast::model
