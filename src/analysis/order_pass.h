// The pass of hb, shb, hybrid and wcp: clocks of an order, and a history of the accesses that matter. What is made of
// the pairs is each analysis' own (finish).
#pragma once

#include <utility>

#include "analysis/race_history.h"

namespace racecast::analysis {

template <typename Clocks>
class OrderPass : public SinglePass {
 public:
  // `clocks...`: what Clocks is made of.
  template <typename... Arguments>
  OrderPass(const PassContext& context, RaceHistory::Options options, Arguments&&... clocks)
      : definitions_(context.definitions),
        clocks_(std::forward<Arguments>(clocks)...),
        history_(context, options, lanes_) {}

  void events(std::span<const trace::Event> batch, std::uint64_t first) override {
    for (const trace::Event& recorded : batch) {
      const trace::Event e = lanes_.rename(recorded);
      clocks_.enter(e);
      if (trace::is_access(e.kind)) {
        history_.access(e, first, clocks_);
      } else {
        if (trace::is_checked_free(e)) history_.free(e, first, clocks_);
        history_.other(e);
      }
      clocks_.leave(e);
      ++first;
    }
  }

 protected:
  const trace::Definitions& definitions_;
  model::Lanes lanes_;
  Clocks clocks_;
  RaceHistory history_;
};

}  // namespace racecast::analysis
