// Which pairs of accesses of a window could race, as far as tier 1 can tell, sorted by what the user sees: the pair of
// places. A pair of places is a race if one of its pairs of accesses is, so those that are most likely to show it come
// first and the rest is a fall-back.
//
// Accesses of one thread at one place, to the same bytes of one life, with the same locks held, are a *site*. Of a
// stretch of a thread in which it does nothing that anybody else could need (no synchronisation, nothing that may write
// to shared memory, nothing that is tied to missing code) only the first access of a site is kept: if a later one can
// be next, so can the first, by leaving out what comes after it. Two sites of different threads whose bytes conflict
// and whose locks do not exclude each other make a *bundle*; for one access of the one, those of the other that
// must-order leaves unordered are an interval, found by bisection. The bundles of a pair of places with the same
// threads and locks are a class.
//
// Of a class, all pairs are tried if they are at most kAllOfClass; otherwise kSomeOfClass of them, chosen evenly, each
// with its nearest partners. A pair of places has at most kMaxTries tries. What is left out, is counted.
//
// Bounds. Memory: one entry per access to shared memory, one per bundle (of a pair of places at most kMaxBundles, the
// rest is counted). Time: O(n log n) for n accesses, times the number of sites that one granule in one life has, at
// most kMaxSites (what is beyond is counted); a pair of places costs at most kMaxTries · log kMaxTries on top. Only
// memory is looked at that two threads touch and one of them writes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/hash.h"
#include "base/ids.h"
#include "finding/finding.h"
#include "model/contexts.h"
#include "model/order/execution.h"
#include "model/symbolic/symbolic_trace.h"

namespace racecast::analysis::predict {

inline constexpr std::uint64_t kAllOfClass = 2048;
inline constexpr std::uint64_t kSomeOfClass = 128;
inline constexpr std::uint64_t kMaxTries = 8192;
inline constexpr std::uint64_t kMaxBundles = 1u << 16;
inline constexpr std::uint64_t kMaxSites = 1u << 12;

struct AccessPair {
  EventNo first{}, second{};  // in recorded order
  bool operator==(const AccessPair&) const = default;
};

using PlacesSet = tsl::robin_set<finding::Places, finding::PlacesHash>;

class Candidates {
 public:
  struct Options {
    std::uint64_t fixed = 0;  // the first so many events take part in no pair
    // Tier 1, order (Predictor::may_be_concurrent). For a fixed access of one thread, what it says no to must be a
    // first part of another thread's events and a last one.
    std::function<bool(EventNo, EventNo)> may_be_concurrent;
    // Pairs of places that are of no interest; may be null. Which of them there are is told by left_out().
    const PlacesSet* leave_out = nullptr;
    const HashSet<std::uint64_t>* one_of = nullptr;  // only pairs with one of these places; null: all
    // Where outcomes are free; null: they are as recorded. The events are those of `symbols`, or have in `numbers` the
    // numbers of those that they are (kUndecided: none).
    const model::SymbolicTrace* symbols = nullptr;
    const std::vector<EventNo>* numbers = nullptr;
  };
  // `execution` must outlive it.
  Candidates(const model::Execution& execution, Options options);

  // What tier 1 left over: pairs of places, in the order of their first bundle.
  std::size_t size() const { return pairs_.size(); }
  const finding::Places& places(std::size_t i) const { return pairs_[i].places; }
  // Of its pairs of accesses, one of those that are closest to each other in the trace.
  const AccessPair& closest(std::size_t i) const { return pairs_[i].closest; }

  struct Tries {
    std::vector<AccessPair> pairs;  // all different; those to be tried first come first
    bool all = true;                // false: there are more
  };
  // Thread-safe.
  Tries tries(std::size_t i) const;

  // Numbers of pairs of accesses (of those that stand for others, one), but for the last two.
  struct Counts {
    std::uint64_t conflicting = 0;  // without those of places that are left out
    std::uint64_t locked = 0;       // of them: a common lock excludes them
    std::uint64_t ordered = 0;      // of them: must-order does
    std::uint64_t cut = 0;          // granules with more than kMaxSites sites, of which the last were not looked at
    std::uint64_t left = 0;         // pairs of places that were not settled because a limit was reached (settle.h)
    bool operator==(const Counts&) const = default;
  };
  const Counts& counts() const { return counts_; }
  // Of Options::leave_out, those that have conflicting accesses here.
  const PlacesSet& left_out() const { return left_out_; }

 private:
  struct Site {
    ThreadId thread{};
    std::uint64_t place = 0;
    model::LocksetId lockset = 0;
    std::uint32_t life = 0;
    std::uint64_t address = 0;
    std::uint32_t size = 0;
    bool writes = false, atomic = false, frees = false;
    bool operator==(const Site&) const = default;
  };
  // Sites that share a granule of one life, in order of appearance.
  struct Meeting {
    std::uint64_t granule = 0;
    std::vector<std::uint32_t> sites;
  };
  struct Bundle {
    std::uint32_t a = 0, b = 0;  // sites
    std::uint64_t pairs = 0;
  };
  struct PairOfPlaces {
    finding::Places places;
    std::vector<Bundle> bundles;
    AccessPair closest;
    bool cut = false;  // there were more than kMaxBundles
  };
  struct Class {
    std::vector<const Bundle*> bundles;
    std::uint64_t pairs = 0;
  };

  struct SiteFinder;
  void find_sites(model::Contexts& contexts);
  void sort_by_site(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& kept);
  void find_bundles(model::Contexts& contexts);
  std::span<const std::uint32_t> events_of(std::uint32_t site) const {
    return std::span(events_).subspan(begin_[site], begin_[site + 1] - begin_[site]);
  }
  static bool conflict(const Site& a, const Site& b);
  template <typename Function>
  void for_intervals(std::uint32_t a, std::uint32_t b, Function&& function) const;
  std::vector<Class> classes_of(const PairOfPlaces& pair) const;
  void all_of(const Class& c, std::vector<AccessPair>& pairs) const;
  void some_of(const Class& c, std::vector<AccessPair>& pairs) const;

  const model::Execution& execution_;
  Options options_;
  std::vector<Site> sites_;
  std::vector<std::uint64_t> begin_;   // by site, into events_
  std::vector<std::uint32_t> events_;  // by site, in order
  std::vector<Meeting> meeting_;
  std::vector<PairOfPlaces> pairs_;
  Counts counts_;
  PlacesSet left_out_;
};

}  // namespace racecast::analysis::predict
