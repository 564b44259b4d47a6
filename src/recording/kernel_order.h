// What the runtime recorded of the kernel's order (runtime/kernel/ordering.h), on its way into the trace: acquires and
// releases of places, and the news that other processes have company with us. And what it recorded of state outside of
// memory (runtime/missing/state_effects.cpp), which goes the same way.
//
// A release of a place that nobody acquires orders nothing, nor does an acquire of what nobody releases: neither is
// written, so that no analysis keeps an order that is none. (Every line that is printed to a pipe is such a release.)
//
// So with state: a read of what nobody changes is always faithful, and what is appended where nobody looks orders
// nothing. Most calls of a program are such (the locale is never set, what was printed is never asked for). Missing
// code that reaches an object may do either.
//
// Company: when a process is started, it has what we have. Something that was given before, to a place that was our own
// until then, may be taken there and come back from outside. So what was released at such places since the last time is
// acquired by who starts it, and released to the outside.
#pragma once

#include <cstdint>
#include <vector>

#include "base/hash.h"
#include "recording/stream.h"
#include "trace/event.h"

namespace racecast::recording {

class KernelOrder {
 public:
  // First every record of every stream, in any order.
  void look_at(const Record& record);

  // Then, of an event that is to be written: whether it orders anything. What is released is kept in mind.
  bool is_needed(const trace::Event& e);
  // What stands for a Company record; `at` is its thread and place.
  void add_company(const trace::Event& at, std::vector<trace::Event>& out);

  // Whether some of the order is only possible (trace/annotations.h: is_uncertain).
  bool has_uncertain() const { return uncertain_; }

 private:
  bool outside_matters() const;
  void look_at_reach(const Record& record);

  HashSet<std::uint64_t> acquired_, released_;  // places, anywhere in the recording
  HashSet<std::uint64_t> read_, changed_;       // state, anywhere in the recording
  HashSet<std::uint64_t> open_;                 // released since the last company
  bool company_ = false, shared_ = false;
  bool uncertain_ = false;
};

}  // namespace racecast::recording
