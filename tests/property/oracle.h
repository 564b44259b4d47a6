// The oracle: every rule of docs/semantics.md, sections 1 to 6, in the most obvious form. It decides what is a correct
// reordering by applying the rules one event at a time, and what is a race by trying all reorderings.
//
// SLOW ON PURPOSE, AND FOR TESTS ONLY: exponential in the trace. It shares no code with src/model, src/analysis and
// src/witness; it is what they are measured against. To add an analysis, give the search another question (a `visit`)
// or fewer reorderings (`allowed`): the search itself knows nothing of races.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "property/oracle_facts.h"
#include "trace/trace.h"

namespace racecast::oracle {

using Rules = std::set<std::string_view>;  // names of rules, as docs/semantics.md writes them
using Pair = std::pair<EventNo, EventNo>;  // in recorded order

// A correct reordering, and the state after it. A value: copying it copies the state. `facts` must outlive it.
class Execution {
 public:
  explicit Execution(const Facts& facts);

  const std::vector<int>& events() const { return events_; }  // the reordering
  bool has(int e) const { return facts_->position[e] < done_[facts_->thread_of(e)]; }
  // The next event of a thread, or -1 where the prefix is the whole thread.
  int next_of(int thread) const;

  // The rules that appending `e` would break; empty: it may be appended.
  Rules broken_by(int e) const;
  // The same for an access that is only to be next, not to be performed: rules about what it reads itself do not count.
  Rules broken_by_next(int e) const;
  // Appends an event that breaks no rule.
  void append(int e);

  // Does the read (or the read of a rmw) `e` deviate, if it comes now? And what does it return, where that is known?
  bool deviates(int e) const;
  std::optional<std::uint64_t> returns(int e) const;

  // Would the read `e` get each of its bytes from its recorded writer, if it came now? True for what does not read.
  bool reads_from_recorded_writers(int e) const;
  // The other threads that hold the lock that `e` would have to wait for: a lock, rdlock, wrlock or wake that is no try
  // and that nothing else keeps from going on. Empty: it waits for no lock.
  std::set<int> waits_for(int e) const;

  // Two executions with the same key have the same future: what can be appended from here on, and with what effect.
  std::string key() const;

 private:
  struct Content {
    int writer = kInitial;
    bool unknown = false;  // stored after a read that deviated, or by an append that found something else
    bool operator==(const Content&) const = default;
  };
  struct Mutex {
    int holder = kNobody;
    int depth = 0;
  };
  struct RwLock {
    int writer = kNobody;
    std::vector<int> readers;  // one entry per hold
  };

  void life_rules(int e, Rules& broken) const;
  void lock_rules(int e, Rules& broken) const;
  void sync_rules(int e, Rules& broken) const;
  void value_rules(int e, bool performed, Rules& broken) const;
  Rules check(int e, bool performed) const;
  bool deviated_before(int thread) const { return deviated_[thread]; }
  bool holds_recorded_content(int cell, int e) const;
  bool running_section_reaches(int cell) const;
  bool is_notified(int wake) const;  // or needs no notify
  bool wakes_are_notified(int condition, int wake) const;
  std::optional<std::uint64_t> known_content(int cell) const;

  const Facts* facts_;
  std::vector<int> events_;
  std::vector<int> done_;                  // per thread: how many of its events are in the reordering
  std::vector<char> deviated_;             // per thread: one of its reads deviated
  std::vector<Content> contents_;          // per cell
  std::vector<Mutex> mutexes_;             // per object, as are the rest
  std::vector<int> slept_depth_;           // per thread: how deep it held the mutex that it gave back to wait
  std::vector<RwLock> rwlocks_;            //
  std::vector<std::int64_t> counts_;       // semaphores
  std::vector<std::vector<int>> arrived_;  // barriers: the threads of all arrivals, in order
  std::vector<std::vector<int>> told_;     // conditions: all their waits, notifies and wakes, in order
};

// The first step of a sequence of events that breaks a rule, and all the rules it breaks.
struct Breach {
  std::size_t step = 0;
  Rules rules;
};
std::optional<Breach> breach(const Facts& facts, std::span<const EventNo> schedule);
// Is this sequence a correct reordering? The name of a broken rule if not.
std::optional<std::string> broken_rule(const trace::Trace& trace, std::span<const EventNo> schedule);

struct Limits {
  std::uint64_t max_states = 200'000;
  // Visit one of all executions with the same key() (and do events that concern nobody else at once). Off: every
  // reordering is visited; the same answer, for comparison.
  bool memoise = true;
};

// Calls `visit` with every correct reordering (up to key()). Returns whether all were visited.
struct Search {
  std::uint64_t states = 0;
  bool complete = true;  // false: Limits::max_states was hit
};
using Visit = std::function<void(const Execution&)>;
Search for_all_reorderings(const Facts& facts, const Limits& limits, const Visit& visit);
// The same, of those reorderings only of which every event was allowed when it was appended. What is allowed may depend
// on which events are there and on what cells hold, and must not be taken back by events that concern nobody else.
using Allowed = std::function<bool(const Execution&, int e)>;
Search for_all_reorderings(const Facts& facts, const Limits& limits, const Visit& visit, const Allowed& allowed);

// Section 5: every race, with a reordering after which both accesses are next.
struct Races {
  std::map<Pair, std::vector<EventNo>> witnesses;
  Search search;
  std::set<Pair> pairs() const;
};
Races races(const trace::Trace& trace, const Limits& limits = {});

// A reordering into a deadlock: some threads, each of which is about to take a lock that another of them holds.
struct Deadlock {
  std::optional<std::vector<EventNo>> witness;
  Search search;
};
Deadlock deadlock(const trace::Trace& trace, const Limits& limits = {});

// Section 6: the pairs of accesses that each analysis reports. `hb`, `shb`, `hybrid`, `wcp`, `cp`: conflicting pairs
// that an order leaves unordered; `cp` as if the trace were one window.
std::set<Pair> hb_pairs(const trace::Trace& trace);
std::set<Pair> shb_pairs(const trace::Trace& trace);
std::set<Pair> hybrid_pairs(const trace::Trace& trace);
std::set<Pair> wcp_pairs(const trace::Trace& trace);
std::set<Pair> cp_pairs(const trace::Trace& trace);
std::set<Pair> fasttrack_pairs(const trace::Trace& trace);
std::set<Pair> lockset_pairs(const trace::Trace& trace);
// Sync-preserving races, by trying all reorderings that preserve synchronisation; each with one of them.
Races syncp_races(const trace::Trace& trace, const Limits& limits = {});

// By the name of an analysis above; nothing where a search (syncp) hit its bound. The name must be one of these.
std::optional<std::set<Pair>> pairs_of(std::string_view analysis, const trace::Trace& trace, const Limits& limits = {});
// The second event of each pair.
std::set<EventNo> racy_events(const std::set<Pair>& pairs);

}  // namespace racecast::oracle
