// Who holds a lock that can be tried, and why: for whoever explains how a try ended (lemmas_outcomes.cpp).
//
// Whether a thread holds a lock when something happens follows from two things: which of its own operations on the lock
// were performed before, and how its own tries among them ended. So "the lock was free" needs no more to be said than
// where each of its users stood.
#pragma once

#include <vector>

#include "analysis/search/attempt.h"
#include "analysis/window/window.h"

namespace racecast::analysis::predict {

class Holds {
 public:
  Holds(const Window& window, const Attempt& attempt) : window_(window), attempt_(attempt) {}

  // A thread and a lock, when `point` was performed (or would be, now).
  struct Situation {
    PointNo last = kStart, next = kNone;  // its operations on the lock around `point`
    PointNo acquire = kStart;             // with which it holds it; kStart: it does not
    bool shared = false;                  // for reading
    std::vector<PointNo> tries;           // with free outcomes, whose outcomes make it so
  };
  Situation of(std::uint32_t thread, std::uint32_t object, PointNo point) const;

  // Where a thread that held nothing before `acquire` holds nothing again; kNone: nowhere.
  PointNo end_of(PointNo acquire, std::uint32_t object) const;

 private:
  const Window& window_;
  const Attempt& attempt_;
};

}  // namespace racecast::analysis::predict
