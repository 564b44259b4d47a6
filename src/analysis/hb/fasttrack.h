// FastTrack (Flanagan and Freund, PLDI 2009): the first hb race of every byte, with epochs. Also the filter that tells
// the exact analyses where to look.
//
// A granule's cell is one epoch for its last write and one for its last read, as long as all accesses cover the same
// bytes, are not atomic, and no two reads are concurrent; that is 24 bytes and a few comparisons, for nearly all memory
// of a program. Else it has lists: per group of bytes a last write, and per thread the last read, atomic read and
// atomic write. A write after everything makes it an epoch again. Once a byte has had its race, it is not looked at.
#pragma once

#include <memory>
#include <vector>

#include "analysis/describe.h"
#include "model/memory/shadow.h"
#include "model/order/lanes.h"
#include "model/order/sync_clocks.h"

namespace racecast::analysis {

class FastTrack final : public SinglePass {
 public:
  // Looks only at memory of the shard: pages whose number is `shard` modulo `shards`.
  FastTrack(const PassContext& context, unsigned shard, unsigned shards);

  void events(std::span<const trace::Event> batch, std::uint64_t first) override;
  Result<Output> finish(const Input& input) override;

  const model::GranuleSet& racy() const { return racy_; }

 private:
  using Last = EventAt;
  enum class State : std::uint8_t { Epochs, Lists, Raced };
  struct Cell {
    Last write, read;
    std::uint32_t lists = 0;  // into lists_; kept for the next time
    model::ByteMask mask = 0;
    State state = State::Epochs;
  };
  struct Bytes {
    model::ByteMask mask = 0;
    bool raced = false;
    Last write;
    std::vector<Last> reads, atomic_reads, atomic_writes;  // by thread
  };
  bool read_list(const Cell& cell, model::ByteMask mask, const trace::Event& e);
  bool access_epochs(const trace::Event& e);
  void access(const trace::Event& e);
  void access_lists(Cell& cell, std::uint64_t granule, model::ByteMask mask, const trace::Event& e, const Last& now);
  void access_bytes(Bytes& bytes, std::uint64_t granule, const trace::Event& e, const Last& now);
  void make_lists(Cell& cell);
  [[gnu::always_inline]] bool races(const Last& earlier, ThreadId thread) {
    return earlier.time != 0 && earlier.thread != thread && !clocks_.before(earlier.thread, earlier.time, thread);
  }
  void free(const trace::Event& e);
  void forget(const trace::Event& e);

  model::Lanes lanes_;  // the threads of all that follows are lanes
  model::SyncClocks clocks_;
  const unsigned shard_, shards_;
  model::Shadow<Cell> cells_;
  std::vector<std::vector<Bytes>> lists_{1};
  model::GranuleSet racy_;
  std::vector<RaceAt> races_;
};

}  // namespace racecast::analysis
