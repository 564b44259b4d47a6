// The laws that the project's parts must obey, each a function from a trace (or a litmus text) to a complaint; an empty
// string: the law holds. Tests feed them all small traces, random traces and random litmus programs; a shrinker can
// call them again and again.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "program/litmus/litmus.h"
#include "property/oracle.h"
#include "property/random_litmus.h"
#include "trace/trace.h"

namespace racecast::property {

// How much work the tests do: RACECAST_PROPERTY_SCALE times `count`, at least 1. The default scale is 1.
int scaled(int count);

// Every hb race whose second access is the earliest of all is a race (any of them: before it, every read saw a write
// that happens before it). Says nothing where first_race_is_certain (laws_orders.h) does not.
std::string earliest_hb_race_is_a_race(const trace::Trace& trace, const oracle::Races& races);

// The judge accepts the oracle's witness of every race, with the values that its reads return.
std::string judge_accepts_witnesses(const trace::Trace& trace, const oracle::Races& races);

// Every correct reordering, longer by any event of the trace: the judge agrees with the oracle. Also on which pairs are
// next. For traces of a few events.
std::string judge_agrees_everywhere(const trace::Trace& trace, std::uint64_t* judged = nullptr);

// Random correct reorderings, and mutated ones: events swapped, dropped, doubled, moved, cut out, values changed.
std::string judge_agrees_on_random_schedules(const trace::Trace& trace, Random& random, int rounds);

// Text -> binary -> text is the identity, and so is text -> trace -> text.
std::string trace_forms_agree(const trace::Trace& trace, const std::string& scratch_file);

// print -> parse gives the same tree, and decode(encode(program)) the same program.
std::string program_forms_agree(const program::LitmusFile& file);

// What is a race of the recorded trace is a race of the program (where exploration is complete).
std::string races_are_real(const program::LitmusFile& file, const trace::Trace& trace, const oracle::Races& races);

// A pair of source locations, in whichever order they came; and many of them, for messages.
using LocationPair = std::pair<LocationId, LocationId>;
LocationPair in_order(LocationId a, LocationId b);
std::string describe(const trace::Trace& trace, const std::set<LocationPair>& pairs);

// The whole trace, for messages.
std::string describe(const trace::Trace& trace);

}  // namespace racecast::property
