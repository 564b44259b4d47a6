// The judge of schedules that keep the recorded order: of every thread a prefix (finding::Prefix), as `shb` and `syncp`
// give them. The full judge (judge.h) holds the trace in memory and executes one schedule at a time; this one streams
// the trace once for 128 schedules, and shares no code with the analyses that made them: no clock, no order of model/.
//
// The idea: in recorded order, what an event finds depends only on which earlier events are kept, so "is it kept?" for
// 128 schedules is two words, and every rule of docs/semantics.md becomes "the schedules that keep e are among those
// that keep what e needs". A few rules are stricter than they need be, so that no counter per schedule is kept:
// - every kept read reads each byte from its recorded writer, a state read after all earlier appends (so all rules
//   about values hold at once);
// - a `wake` needs the notify that woke it in the recorded run, the longest sleeper being woken first;
// - a `down` needs every earlier post, a failed one every earlier post and down;
// - an `arrive` needs all arrivals of earlier rounds, a `leave` all of its round.
// What it accepts, the full judge accepts; what the definitions of `shb` and `syncp` promise, it accepts. Both are laws
// of the tests.
//
// Cost: one look-up per granule and access, a few words per synchronisation; memory for live names and written
// granules. In missing code, every event walks what its sections reach. 128 claims make a pass; a pass ends with the
// last event that one of its claims needs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "finding/schedule.h"
#include "trace/trace.h"
#include "witness/judge.h"

namespace racecast::witness {

// After `prefix`, the accesses a and b are both next, and conflict (docs/semantics.md, section 5).
struct PrefixClaim {
  finding::Prefix prefix;
  EventNo a{}, b{};
};

// One judgement per claim, in their order; a rule has the name that the full judge gives it. `open` opens the trace
// from its start, as often as needed; the trace must be valid (trace/validator.h). `progress` may be empty; it is told
// how many events of the pass at hand are done. Errors are those of `open` and of the source.
Result<std::vector<Judgement>> judge_prefixes(const std::function<Result<std::unique_ptr<trace::EventSource>>()>& open,
                                              std::span<const PrefixClaim> claims,
                                              const std::function<void(std::uint64_t events)>& progress = {});

}  // namespace racecast::witness
