// What is told of a window to people: not every challenge, but each pair of places of which one reads what the other
// wrote, in some interleaving, and did not read it in the recorded run. One pair of events with a schedule, which the
// judge has accepted, stands for each.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/nondet/challenges.h"
#include "finding/finding.h"
#include "trace/trace.h"
#include "witness/judge.h"

namespace racecast::analysis::nondet {

// Of a read (or the end of the run) and another write (or what was there before).
struct SeenPlaces {
  std::uint64_t read = 0, write = 0;  // finding::place_of; of what is no event, the address
  bool at_end = false, from_start = false;
  auto operator<=>(const SeenPlaces&) const = default;
};

struct SeenPair {
  // Numbers of the window; of those up to `fixed` nothing is known but that they came before.
  std::optional<EventNo> read, write, recorded;
  std::uint64_t address = 0, size = 0;
  finding::Interleaving plan;
};

struct ListingOptions {
  std::uint64_t fixed = 0;       // events of the window that are its state at the start
  std::uint64_t first = 0;       // reads with smaller numbers are another window's
  bool at_end = true;            // also what memory holds at the end
  bool every_challenge = false;  // decide also those that can show no new pair of places
  Limits limits;
  std::set<SeenPlaces> known;                               // listed already, by earlier windows
  std::function<void(const Couple&, const Decided&)> each;  // may be empty
  std::function<void(std::uint64_t events)> progress;       // may be empty
};

class Listing {
 public:
  // `window` must outlive it.
  Listing(const trace::Trace& window, ListingOptions options);

  void run();

  const predict::Window& window() const { return window_; }
  const Tally& tally() const { return tally_; }
  std::map<SeenPlaces, SeenPair>& pairs() { return pairs_; }
  const std::map<SeenPlaces, SeenPair>& pairs() const { return pairs_; }
  const std::vector<std::string>& rejected() const { return rejected_; }
  // Reads that can see another write, of which it is not known which.
  std::uint64_t untold() const { return untold_; }
  // Pairs of places that are not listed and of which it is not known that they cannot be: a search ended at its bounds,
  // or they were tried too often.
  std::uint64_t given_up() const;

 private:
  std::uint64_t place_of(PointNo point) const;
  SeenPlaces places_of(const Couple& couple, PointNo challenger) const;
  bool is_listed(const SeenPlaces& places) const { return pairs_.contains(places) || options_.known.contains(places); }
  bool all_listed(const Couple& couple) const;
  bool overwritten(const Couple& couple, PointNo challenger) const;
  void tell(const Couple& couple, const std::vector<PointNo>& feasible);
  Outcome take(const Couple& couple, PointNo challenger, const SeenPlaces& places);

  const trace::Trace& trace_;
  const ListingOptions options_;
  const predict::Window window_;
  const predict::MustOrder must_;
  Challenges challenges_;
  std::unique_ptr<witness::Judge> judge_;
  Tally tally_;
  std::map<SeenPlaces, SeenPair> pairs_;
  struct Tries {
    std::uint32_t count = 0;
    bool unknown = false;  // one of them ended at its bounds
  };
  std::map<SeenPlaces, Tries> failed_;                     // tries to show a pair of places
  std::vector<std::vector<std::uint64_t>> writer_places_;  // by cell
  std::vector<std::string> rejected_;
  std::uint64_t untold_ = 0;
};

}  // namespace racecast::analysis::nondet
