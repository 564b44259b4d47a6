// Decides the pairs of places of one window, each by its pairs of accesses in turn until one is a race, on several
// threads at once. A race counts only if the judge accepts its schedule.
//
// Every pair of places is decided by itself and budgets are counted in steps, so the answer does not depend on the
// number of threads, nor on the order: those whose accesses are closest to each other come first, so that a limit of
// time or memory, where it is reached, leaves out what promises least.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/maximal/decide.h"
#include "analysis/window/candidates.h"
#include "base/limits.h"
#include "base/result.h"
#include "finding/finding.h"
#include "trace/trace.h"

namespace racecast::analysis::predict {

// Of all pairs of accesses of a pair of places together; the default Budget is for one of them.
inline constexpr std::uint64_t kStepsOfPlaces = 50'000'000;
// The same where values are relaxed, where a step costs more: for one pair of accesses, and for all of two places.
inline constexpr std::uint64_t kRelaxedSteps = 2'000'000;
inline constexpr std::uint64_t kRelaxedStepsOfPlaces = 6'000'000;
// Of these, the pairs have in a first round no more than so many, each and together: among many pairs at two places, of
// which some are hard, there may be one that is a race at once.
inline constexpr std::uint64_t kFirstRelaxedSteps = 100'000;
inline constexpr std::uint64_t kFirstRelaxedStepsOfPlaces = 3'000'000;

// What became of one pair of places.
struct Settled {
  finding::Places places;
  Verdict verdict = Verdict::NoRace;
  AccessPair pair;                 // Race: the two accesses; Unknown: the first pair that was not settled
  finding::Interleaving schedule;  // Race: the schedule; it begins with the fixed events, or more (`recorded`)
  bool in_full = true;             // NoRace, Unknown: all pairs of accesses were tried
  std::string rejected;            // Race: what the judge says against the schedule; empty: nothing

  std::array<std::uint64_t, kTiers> settled_by{};  // pairs of accesses
  std::uint64_t unknown = 0;                       // pairs of accesses that no tier settled
  std::uint64_t steps = 0;                         // spent on them
  std::vector<std::uint32_t> cones, attempts;      // of each pair of accesses that tier 1 did not settle
  bool operator==(const Settled&) const = default;
};

struct SettleOptions {
  std::uint64_t fixed = 0;  // events of the window that are its state at the start
  bool from_start = true;   // the window begins where the trace does: a program can be run along it
  // Of the window; not null: values are relaxed.
  const model::SymbolicTrace* symbols = nullptr;
  // Of a variant (model/detour/variant.h), by thread: from where on it is not on its recorded path.
  std::vector<EventNo> diverged;
  // first_look: of the trace that the window is a variant of.
  const model::SymbolicTrace* recorded = nullptr;
  // Of a variant: the last branch of each thread that turns. A pair that must come before one of them does not need it,
  // so it is decided with the variant that is without.
  std::vector<EventNo> turns;
  bool has_candidates = false;  // first_look() said so
  // Relaxed: every pair of places is decided without relaxing first, within the budget of `maximal`, so that nothing is
  // lost.
  bool falls_back = false;
  unsigned jobs = 1;
  Limits limits;  // where they are reached, the rest is unknown, and counted (Candidates::Counts::left)
  const PlacesSet* leave_out = nullptr;                            // of no interest; may be null
  const HashSet<std::uint64_t>* one_of = nullptr;                  // only pairs with one of these places; null: all
  std::function<void(std::size_t done, std::size_t of)> progress;  // called by the calling thread; may be empty
  Budget budget;
};

struct SettledWindow {
  std::vector<Settled> places;  // in the order of Candidates
  Candidates::Counts counts;
  PlacesSet left_out;  // of `leave_out`, what there is here
};
// An error is an exception of a library on one of the threads: memory ran out.
Result<SettledWindow> settle(const trace::Trace& window, const SettleOptions& options);

// Of a variant, what can be told cheaply.
struct FirstLook {
  bool has_candidates = false;  // pairs of places that locks, forks and joins alone do not settle; if not, settle()
                                // finds no race
  PlacesSet left_out;           // as in SettledWindow
};
FirstLook first_look(const trace::Trace& window, const SettleOptions& options);

}  // namespace racecast::analysis::predict
