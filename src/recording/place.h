// Places plain accesses so that reads see what they read (merge.h tells how), and keeps what memory holds.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "recording/lane.h"
#include "recording/output.h"
#include "recording/shared_memory.h"
#include "recording/values.h"
#include "recording/vocabulary.h"
#include "trace/trace.h"

namespace racecast::recording {

class Placer {
 public:
  // All must outlive it; `lanes` by number.
  Placer(std::vector<std::unique_ptr<Lane>>& lanes, Vocabulary& vocabulary, Values& values, Output& output)
      : lanes_(lanes), vocabulary_(vocabulary), output_(output), values_(values), shared_(vocabulary) {}

  // Adds the plain events of a lane up to its next stamp (and, before them, those of other lanes that they need).
  void run(Lane& lane);
  // The same, up to the first read that memory contradicts.
  void run_while_consistent(Lane& lane);
  // Adds an event of this lane that has a stamp. Where missing code is under way elsewhere, then the first half of what
  // the lane does up to its next stamp, too: accesses to memory that missing code reaches are ordered with what it does
  // by where they are placed, and of two callbacks that overlapped in time, none should come after the other for all of
  // its accesses being placed at its end (or at its beginning).
  void add(Lane& lane, const trace::Event& e);
  SharedMemory& shared() { return shared_; }

  std::uint64_t inconsistent() const { return inconsistent_; }
  // Whether another process was taken to have written or synchronised something.
  bool has_outside_memory() const { return outside_memory_ || shared_.has_uncertain(); }

 private:
  bool agrees(const trace::Event& e) const;
  bool is_explained(const trace::Event& e) const;
  bool is_allowed(const Lane& lane);
  void run_half(Lane& lane);
  void step(Lane& lane, int depth);
  void prepare(Lane& lane, const trace::Event& e, int depth);
  template <typename Wanted>
  bool let_others(Lane& lane, int depth, const Wanted& wanted, const trace::Event* read, std::size_t ahead);
  void look_further(Lane& lane);
  void finish_object(Lane& lane, std::uint64_t address, int depth);
  void take_turns(Lane& lane, const trace::Event& e, int depth);
  std::uint64_t max_effort() const;
  bool is_exhausted() const;
  void apply(const trace::Event& e);
  void add_unseen_write(const trace::Event& read);
  void write(const Lane& lane, trace::Event e);
  void add_all(std::span<const trace::Event> events, bool handler);

  std::vector<std::unique_ptr<Lane>>& lanes_;
  Vocabulary& vocabulary_;
  Output& output_;
  Values& values_;
  SharedMemory shared_;
  std::vector<trace::Event> before_, after_;  // what surrounds the event at hand
  std::uint64_t inconsistent_ = 0;
  bool outside_memory_ = false;
  std::uint64_t effort_ = 0;  // pending events that were looked at
};

}  // namespace racecast::recording
