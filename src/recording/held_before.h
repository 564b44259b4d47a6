// Locks that the first thread held when recording began: it forked while it had them, or it had them when its process
// loaded the first library with hooks. It is seen to give them back, but was not seen to take them; without that what
// it did until then would look unprotected, and what comes after it unordered.
//
// A lock was held if the very first thing that is recorded of it is that thread 0 gives it back. (Any other thread
// begins with none. If others were there before, somebody took it unseen at some later time: the fitter's business.)
// Which of the two a reader-writer lock was held for is not known: for writing, which orders more.
// LIMIT: a recursive one counts as held once.
#pragma once

#include <cstdint>
#include <vector>

#include "base/hash.h"
#include "recording/stream.h"
#include "trace/event.h"

namespace racecast::recording {

class HeldBefore {
 public:
  // Every record of every stream, in any order.
  void look_at(const Record& record, std::uint32_t thread);
  // What thread 0 does right after its beginning, by address; at `location`.
  std::vector<trace::Event> locks(LocationId location) const;

 private:
  struct First {
    std::uint64_t stamp = 0;
    trace::EventKind kind{};
    std::uint32_t thread = 0;
  };
  HashMap<std::uint64_t, First> first_;  // by lock
};

}  // namespace racecast::recording
