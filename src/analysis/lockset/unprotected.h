// The filter behind wcp, cp, syncp and hybrid: granules with a conflicting pair that no common lock excludes and that
// the order without locks leaves unordered. No race of any of these analyses lies elsewhere: two accesses under a
// common lock are ordered, or one would have to wait for the other.
//
// Per granule it keeps, for each thread and set of locks held, the time of the latest read and write. A superset is
// allowed (bytes of a granule are not told apart), a miss is not. While a lock is common to all accesses so far,
// nothing need be compared.
#pragma once

#include <vector>

#include "analysis/analysis.h"
#include "model/contexts.h"
#include "model/memory/shadow.h"
#include "model/order/lanes.h"
#include "model/order/sync_clocks.h"

namespace racecast::analysis {

class Unprotected final : public SinglePass {
 public:
  // Looks only at memory of the shard, as FastTrack.
  Unprotected(const PassContext& context, unsigned shard, unsigned shards);

  void events(std::span<const trace::Event> batch, std::uint64_t first) override;
  Result<Output> finish(const Input&) override { return Output(); }

  const model::GranuleSet& granules() const { return granules_; }

 private:
  // Times of the latest accesses; 0: none.
  struct Entry {
    ThreadId thread{};
    model::LocksetId lockset = 0;
    model::Time read = 0, write = 0, atomic_read = 0, atomic_write = 0;
  };
  struct Cell {
    Entry first;             // the entry used last
    std::uint32_t more = 0;  // into more_: the others
    model::LocksetId common = 0;
    bool used = false, several_threads = false, found = false;
  };

  void access(const trace::Event& e);
  void free(const trace::Event& e);
  void access(Cell& cell, std::uint64_t granule, const trace::Event& e);
  bool conflicts(const Entry& other, const trace::Event& e, model::LocksetId held);

  model::Lanes lanes_;  // the threads of all that follows are lanes
  model::SyncClocks clocks_;
  model::Contexts contexts_;
  const unsigned shard_, shards_;
  model::Shadow<Cell> cells_;
  std::vector<std::vector<Entry>> more_{1};
  model::GranuleSet granules_;
};

}  // namespace racecast::analysis
