// The order that missing code keeps (docs/semantics.md, section 4), as clocks: per byte, the join of all section events
// that reach it and the join of all events on it. An event of a section comes after both, an event on a byte after the
// first.
//
// Cost: one join per reached granule and section event. LIMIT: reach sets are walked per event, not interned into
// classes; the predictor's issue asks for that.
#pragma once

#include <vector>

#include "base/hash.h"
#include "model/granules.h"
#include "model/vector_clock.h"
#include "trace/trace.h"

namespace racecast::model {

class MissingOrder {
 public:
  explicit MissingOrder(const trace::Definitions& definitions) : definitions_(definitions) {}

  // Joins into `clock` everything that the event is tied to and that came before it.
  void before(const trace::Event& event, VectorClock& clock);
  // Publishes the event's clock (with its own time) for those that come after it.
  void after(const trace::Event& event, const VectorClock& clock);

 private:
  struct Cell {
    ByteMask mask = 0;
    VectorClock sections, events;
  };
  std::vector<std::uint64_t>& open(ThreadId thread) {
    if (index(thread) >= open_.size()) open_.resize(index(thread) + 1);
    return open_[index(thread)];
  }
  template <typename Function>
  void cells(std::uint64_t address, std::uint64_t size, Function&& function);

  const trace::Definitions& definitions_;
  std::vector<std::vector<std::uint64_t>> open_;  // per thread, reach sets of its open sections
  HashMap<std::uint64_t, std::vector<Cell>> granules_;
  VectorClock everything_;  // section events that reach everything
  VectorClock all_;         // all section events and all events on some byte
};

// The bytes that an event is on: of its access, or of its synchronisation objects (one byte each).
struct TouchedBytes {
  trace::Range ranges[2];
  int count = 0;
};
TouchedBytes touched_bytes(const trace::Event& event);

}  // namespace racecast::model
