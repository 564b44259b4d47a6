// What the oracle needs to know about a trace before it looks at any reordering: which locations an access covers, who
// wrote what a read returned, which objects synchronisation speaks of, which events are tied by missing code.
//
// Written from docs/semantics.md, sections 1, 3 and 4, and from nothing else; shares no code with src/model. A location
// of the semantics is a byte of one life. Bytes that no event ever tells apart behave alike, so they are one `cell`
// here: addresses are cut at every boundary that any event mentions. Quadratic in the trace; for tests only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "trace/trace.h"

namespace racecast::oracle {

inline constexpr int kInitial = -1;  // as a writer: the content before the run
inline constexpr int kNobody = -1;

// Some bytes of one life that every event treats alike.
struct Cell {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  int alloc = -1;  // events that start and end its life; -1: none
  int free = -1;
  std::optional<std::uint64_t> initial;  // the content before the run, where it is known
  // State outside of memory: from 2^57 on, and below 2^58.
  bool is_state() const { return address >> 57 == 1; }
};

// One cell that an access covers, with the access's value cut to it.
struct Piece {
  int cell = 0;
  std::optional<std::uint64_t> read, written;  // recorded values; absent: not recorded (or the event does not do that)
  int recorded_writer = kInitial;              // of a read, and of an append
};

// A call into missing code: events [begin, end] of one thread (end: its last event, if the call did not return).
struct Section {
  int begin = 0, end = 0;
  bool returned = false;
  std::vector<int> cells;  // what it reaches: addresses, whatever their life
};

struct Facts {
  explicit Facts(const trace::Trace& trace);

  const trace::Trace& trace;
  std::vector<std::vector<int>> of_thread;     // events of each thread, in order
  std::vector<int> position;                   // of each event among those of its thread
  std::vector<Cell> cells;                     //
  std::vector<std::vector<Piece>> pieces;      // per event: what an access covers; empty for other events
  std::vector<std::vector<int>> ended;         // per event: the cells whose life a free ends
  std::vector<int> forked_by;                  // per thread: its fork, or -1
  std::vector<Section> sections;               //
  std::vector<std::vector<int>> own_point_of;  // per event: the sections that it is an own point of
  std::vector<std::vector<int>> reached;    // per event: the cells that its sections reach and that live at that time
  std::vector<std::vector<int>> tied;       // per event: the earlier events that it is tied to (missing-order)
  std::vector<std::uint64_t> objects;       // addresses of synchronisation objects
  std::vector<int> object, mutex;           // per event: index of its object (Wait, Wake: the condition; and its mutex)
  std::vector<std::int64_t> start_count;    // per object that is a semaphore: units at the start
  std::vector<std::optional<int>> parties;  // per object that is a barrier, where the trace says it
  std::vector<std::vector<int>> last_needs;  // per thread and cell: position of its last event that looks at the
                                             // cell's content (a read, an append, or missing code that reaches it),
                                             // or -1

  const trace::Event& event(int e) const { return trace.events[e]; }
  int thread_of(int e) const { return static_cast<int>(index(event(e).thread)); }
  int size() const { return static_cast<int>(trace.events.size()); }
  bool conflict(int a, int b) const;  // section 1, lives respected
  // Does it access the cell, or free it?
  bool covers(int e, int cell) const;

 private:
  void find_threads();
  void cut_cells();
  void find_sections();
  void walk_contents();
  void find_ties();
  void find_objects();
};

}  // namespace racecast::oracle
