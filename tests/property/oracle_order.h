// What the oracle builds orders from: a relation over the events of a trace as a table, the edges of docs/semantics.md,
// section 6, and the scopes of locks. Shared by the oracle's own files only.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "property/oracle.h"

namespace racecast::oracle {

// A relation over the events of a trace: a table of bits, a row per event on the left.
class Relation {
 public:
  explicit Relation(int size) : words_((size + 63) / 64), bits_(static_cast<std::size_t>(size) * words_, 0) {}
  bool operator()(int a, int b) const { return ((bits_[at(a) + b / 64] >> (b % 64)) & 1) != 0; }
  void add(int a, int b) { bits_[at(a) + b / 64] |= std::uint64_t{1} << (b % 64); }
  void add(const Relation& other) {
    for (std::size_t i = 0; i < bits_.size(); ++i) bits_[i] |= other.bits_[i];
  }
  // Adds (a, c) for all c with other(b, c).
  void add_row(int a, const Relation& other, int b) {
    for (std::size_t i = 0; i < words_; ++i) bits_[at(a) + i] |= other.bits_[other.at(b) + i];
  }
  bool operator==(const Relation&) const = default;

 private:
  std::size_t at(int a) const { return static_cast<std::size_t>(a) * words_; }
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

// The edges of hb; of must, if locks are left out. Every edge goes forward in the trace.
class Order {
 public:
  enum class Locks { Count, Ignored };
  Order(const Facts& facts, Locks locks);

  // The edges that make hb into shb. Those from recorded writers are kept apart: a read's own one does not count for
  // its own races.
  void add_execution_edges();

  // The events that have an edge to e, and (with execution edges) the recorded writers of e.
  const std::vector<int>& into(int e) const { return into_[e]; }
  const std::vector<int>& read_from(int e) const { return read_from_[e]; }

  // Without the edges from recorded writers: the transitive closure.
  Relation closure() const;
  // The conflicting pairs that are left unordered.
  std::set<Pair> unordered() const;

 private:
  const trace::Event& event(int e) const { return facts_.event(e); }
  void edge(int from, int to) { into_[to].push_back(from); }
  template <typename Use>
  void for_pairs(const Use& use);
  void program_order_and_threads();
  int gave_mutex(int e) const;
  int took_mutex(int e) const;
  bool gives_back_writing(int e) const;
  void locks();
  void conditions();
  void semaphores_barriers_once();
  int round_of(int e) const;
  void synchronises_with();
  bool wrote_itself(int writer, int cell) const;
  void failed_tries();

  const Facts& facts_;
  std::vector<std::vector<int>> into_;       // per event: the ends of its edges
  std::vector<std::vector<int>> read_from_;  // shb, per event: the recorded writers
};

// A lock held by one thread, altogether: a recursive lock has one scope however often it is taken.
struct Scope {
  int lock = 0;  // index into Facts::objects
  int thread = 0;
  bool shared = false;
  int begin = 0;
  int end = -1;             // what gave it back; -1: nothing did
  std::vector<int> events;  // those of its thread from begin to end, both included
};
// In the order in which they begin.
std::vector<Scope> scopes_of(const Facts& facts);
inline bool exclude_each_other(const Scope& s, const Scope& t) {
  return s.lock == t.lock && !(s.shared && t.shared);
}

// What orders the pairs that `analysis` (hb, wcp, cp) does not report: hb; ≺ or must.
Relation order_of(std::string_view analysis, const Facts& facts);

// Do two accesses have a location in common, and does one of them write it? (Not two appends.)
bool share_and_write(const Facts& facts, int a, int b);

}  // namespace racecast::oracle
