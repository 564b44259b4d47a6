// The order that missing code keeps (docs/semantics.md, section 4), as clocks. Per byte, an own point of a section
// comes after all own points of sections that reach the byte and after all events on it; an event on the byte comes
// after the former. (A *section event* here is an own point.)
//
// Bytes that are in the same reach sets have the same section events, so these are kept per class of bytes: the classes
// are the coarsest partition of memory such that each reach set is a union of them. It is refined when a set is met for
// the first time, which walks the set once; a set then is a list of classes. Events on bytes are kept per byte, and
// only until the next section event that reaches the byte: that one comes after them, so whoever comes after it does,
// too. A class lists the bytes where there are such.
//
// Cost: a section event, one join per class of its reach, plus one for each granule that was accessed since the last
// one; any other event, one or two joins per granule that it is on; each distinct reach set, once, a look at its
// granules. Before, every section event joined two clocks per granule of its reach: bench/micro/missing_bench.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/memory/granules.h"
#include "model/memory/shadow.h"
#include "model/order/vector_clock.h"
#include "trace/trace.h"

namespace racecast::model {

class MissingOrder {
 public:
  // `definitions` must outlive it; they may grow.
  explicit MissingOrder(const trace::Definitions& definitions) : definitions_(definitions), classes_(1) {}

  // Joins into `clock` what came before the event and is tied to it: directly, or (events on bytes) through a section
  // event that is joined. `own`: the reach sets of the sections that it is an own point of (open_sections.h).
  void before(const trace::Event& event, std::span<const std::uint32_t> own, VectorClock& clock);
  // Publishes the event's clock (with its own time) for those that come after it. Every event that was given to
  // before() must be given to after() next.
  void after(const trace::Event& event, std::span<const std::uint32_t> own, const VectorClock& clock);

  // How many classes there are, those of bytes that no section reached so far not counted. For tests and figures.
  std::size_t classes() const { return classes_.size() - 1; }

 private:
  using ClassId = std::uint32_t;  // 0: bytes that no section has reached so far
  // Bytes of a granule with one history.
  struct Cell {
    ByteMask mask = 0;
    bool pending = false;  // `events` is not empty: no section event has come after them
    ClassId in_class = 0;
    VectorClock events;
  };
  using Cells = std::vector<Cell>;
  struct Class {
    std::uint64_t bytes = 0;
    VectorClock sections;
    std::vector<std::uint32_t> sets;  // the reach sets that it is part of
    std::vector<Cells*> pending;      // where its pending cells may be
  };
  struct Set {
    bool known = false;
    std::vector<ClassId> classes;
  };

  std::span<const ClassId> classes_of(std::uint64_t set);
  void refine(std::uint64_t set);
  ClassId split(ClassId from, std::uint64_t bytes);
  template <typename Function>
  void cells(const trace::Range& range, Function&& function);

  const trace::Definitions& definitions_;
  Shadow<Cells> granules_;
  std::vector<Class> classes_;
  std::vector<Set> sets_;   // by number of the reach set
  VectorClock everything_;  // section events that reach everything
  VectorClock sections_;    // all section events that reach something
  VectorClock large_;       // events on more than kManyBytes
  VectorClock all_;         // all section events and all events on some byte
};

// Events on more bytes (allocations, as a rule) are not followed byte by byte: they keep their order with every section
// that reaches anything. That is more order than semantics.md asks for, so it costs findings at most, and only around
// large objects.
inline constexpr std::uint64_t kManyBytes = 65'536;

// The bytes that an event is on: of its access, or of its synchronisation objects (one byte each).
struct TouchedBytes {
  trace::Range ranges[2];
  int count = 0;
};
TouchedBytes touched_bytes(const trace::Event& event);

}  // namespace racecast::model
