#include "analysis/hb/shb_prefix.h"

#include <algorithm>
#include <map>

#include "model/memory/byte_map.h"
#include "model/order/lanes.h"
#include "model/order/sync_clocks.h"

namespace racecast::analysis {

Result<ShbPrefix> shb_prefix(const Input& input, const std::vector<EventNo>& wanted, bool has_missing) {
  ShbPrefix result;
  result.before.resize(wanted.size());
  result.at.resize(wanted.size());
  std::multimap<EventNo, std::size_t> places;
  for (std::size_t i = 0; i < wanted.size(); ++i) places.emplace(wanted[i], i);
  const std::uint64_t end = places.empty() ? 0 : index(places.rbegin()->first) + 1;

  RC_TRY(auto source, input.open());
  model::Lanes lanes;
  model::SyncClocks clocks(model::Order::Shb, source->definitions(), has_missing);
  struct Written {
    LocationId location{};
    model::Stamp stamp;
  };
  model::ByteMap<Written> writers;
  std::uint64_t count = 0;
  while (count < end) {
    RC_TRY(const auto batch, source->next());
    if (batch.empty()) break;
    for (const trace::Event& recorded : batch) {
      if (count == end) break;
      const trace::Event e = lanes.rename(recorded);
      const EventNo number{count++};
      clocks.enter(e);
      for (auto [at, last] = places.equal_range(number); at != last; ++at) {
        model::VectorClock& before = result.before[at->second];
        before = clocks.clock(e.thread);
        before.set(e.thread, clocks.now(e.thread) - 1);
        result.at[at->second] = {e.thread, clocks.now(e.thread)};
      }
      if (trace::reads(e)) {
        writers.for_each(e.address, e.size, [&](model::ByteMask, const Written& w) {
          if (w.stamp.thread != e.thread && !clocks.before(w.stamp.thread, w.stamp.time, e.thread) &&
              result.hinges.size() < kMaxHinges)
            result.hinges.push_back({w.location, e.location, w.stamp, e.thread, clocks.now(e.thread)});
        });
      }
      clocks.leave(e);
      if (trace::writes(e)) writers.assign(e.address, e.size, {e.location, clocks.stamp(e.thread)});
      if (e.kind == trace::EventKind::Alloc || e.kind == trace::EventKind::Free) writers.erase(e.address, e.size);
    }
  }
  return result;
}

}  // namespace racecast::analysis
