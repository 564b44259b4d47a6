// A report is data: everything that is to be shown, with names instead of numbers. resolve.h makes it from findings and
// the definitions of their traces; render.h makes text and JSON of it, without looking anything up. Texts are as the
// trace has them: who prints them escapes them (base/printable.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "finding/finding.h"
#include "trace/event.h"

namespace racecast::report {

// A place in a function.
struct Frame {
  std::string name;  // as people call the place: "a.c:3:5"
  std::string function;
  std::string file;
  std::uint32_t line = 0, column = 0;
  bool library = false;  // program/library_file.h
};

// A place of the source. Every member but `name` may be empty.
struct Place {
  std::string name;  // as people call it: "a.c:3:5", a label, "an unknown place"
  std::string file;  // absolute, where the compiler said where it worked
  std::uint32_t line = 0, column = 0;
  std::string function;
  std::string label;
  bool library = false;
  // Where calls were inlined: what one sees in the source, innermost first. The first is the place itself, the last is
  // in the function that holds the code. Of very many the middle is one frame "..." without a file.
  std::vector<Frame> inlined;
  std::string excerpt;  // its line of the source, without indentation
};

// The innermost place that is no library's: where the user's own code is.
struct UserPlace {
  Frame frame;
  std::string excerpt;
  std::string inside;  // what of a library was called there; empty: it is the place itself
};

struct Lock {
  std::string name;     // "m", "Cache::mutex_ of the object allocated at cache.cpp:10:12"
  bool shared = false;  // a reader's hold of a reader-writer lock
};

// Who called. Where nobody knows (through a pointer, by code that was not recorded), the place is in the function that
// was called, and only its name counts.
struct Caller {
  Place place;
  bool known = true;
};

// What a thread did once: an allocation, the creation of another thread.
struct Occasion {
  std::string thread;
  Place place;
  UserPlace user;
  std::vector<Caller> callers;  // innermost first
};

// One side of a finding.
struct Access {
  // False: it is what was there before any write, or what memory holds at the end; then only the variable counts.
  bool happens = true;
  bool writes = false, atomic = false;
  bool frees = false, ends_frame = false;  // it is the end of the object's life; with the frame that it is in
  bool both = false;  // other pairs of the finding have a read here where this one has a write, or the other way round
  std::string thread;
  std::uint64_t event = 0;
  std::string variable;  // or an address
  std::uint64_t address = 0;
  std::uint32_t size = 0;
  Place place;
  UserPlace user;
  std::vector<Lock> locks;      // in the order they were taken
  std::vector<Caller> callers;  // innermost first
};

// The memory that a finding is about.
struct Memory {
  std::string
      name;  // "opts.output.level", "Cache::size_", "byte 8 of 64 allocated at a.c:3:5", a container, an address
  // Of an object on the heap: which of its bytes, and who made it. What it is, where that is known.
  std::uint64_t offset = 0, bytes = 0;
  std::string type;
  std::optional<Occasion> allocated;
};

// Of a read that can see another write (finding::SeenWrite).
struct SeenWrite {
  std::optional<Access> recorded;  // absent: what was there before
  bool from_start = false, at_end = false, decides = false;
};

// A branch that goes another way than recorded.
struct Turn {
  std::string thread;
  Place place;
  std::uint64_t recorded = 0, now = 0;  // numbers of targets
};

// A try or a compare-and-swap that ends otherwise than recorded.
struct Ended {
  std::string thread;
  Place place;
  std::uint64_t event = 0;
  bool failed = false;  // in the schedule
};

// So many events of a thread.
struct Share {
  std::string thread;
  std::uint64_t events = 0;
};

// A schedule that was judged: it ends where both accesses are next, or where the read is.
struct Schedule {
  std::uint64_t length = 0;
  // One of the two: of every thread its first so many events, in recorded order; or the first so many events of the
  // trace, then stretches of one thread each.
  std::optional<std::vector<Share>> kept;
  std::uint64_t recorded_events = 0;
  std::vector<Share> stretches;
  std::vector<Ended> ended;
  std::optional<finding::Schedule> steps;  // all of it, if it is short enough and was asked for
  std::string option;                      // as `racecast run --schedule` takes it; empty: it cannot be said so
};

// Two calls of code that was not recorded, which are taken not to synchronise with each other (docs/missing_code.md).
struct Assumed {
  std::string first_function, first_thread;
  std::string second_function, second_thread;
};

// Two accesses, as an analysis found them.
struct Pair {
  finding::Grade grade{};
  std::vector<std::string> analyses;
  std::uint64_t fingerprint = 0;
  Access first, second;
  std::string reason;  // one sentence
  std::vector<Turn> turns;
  std::optional<Schedule> schedule;
  std::optional<Assumed> assumes;  // what it hangs on; of the pair that stands for a finding
};

// The creation of a thread that takes part.
struct Creation {
  std::string thread;
  Occasion created;
};

// A finding is the pairs of one cause (finding/group.h).
struct Finding {
  finding::Kind kind{};
  finding::Grade grade{};             // the strongest of its pairs
  std::vector<std::string> analyses;  // of all pairs
  std::uint64_t fingerprint = 0;
  Memory memory;
  Pair pair;                        // the most convincing one
  std::vector<Pair> also;           // the others
  std::vector<Creation> creations;  // of the threads of `pair`
  std::optional<SeenWrite> seen;
  std::optional<std::size_t> depends_on;  // index into the same list
  std::vector<std::size_t> dependents;    // those that depend on it
  bool same_read = false;                 // as the finding with a SeenWrite before it: they are one paragraph
  std::optional<unsigned> seen_in;        // of several runs, in how many
};

// What one analysis answered, in numbers.
struct AnalysisSummary {
  std::string name;
  std::uint64_t racy_events = 0, racy_locations = 0, pairs = 0;
  bool complete = true;
  std::string limit;                                           // what was not looked at
  std::vector<std::pair<std::string, std::uint64_t>> figures;  // what it did
};

// Order that is only possible, which may hide races (docs/recording.md).
struct UncertainOrder {
  std::uint64_t pairs = 0;                                        // of places that nothing else orders
  std::vector<std::pair<std::string, std::uint64_t>> everything;  // functions taken to order everything, how often
};

// Pairs of places that only code which was not recorded keeps apart (docs/missing_code.md).
struct Hidden {
  std::uint64_t pairs = 0;
  bool all = true;                                               // false: there may be more
  std::vector<std::pair<std::string, std::uint64_t>> functions;  // which of them does it, and for how many; most first
};

// What was found in one trace.
struct Part {
  std::string input;     // the file that was analysed
  bool races = true;     // what was looked for: races,
  bool reads = false;    // and reads that can see another write
  bool complete = true;  // false: an analysis reached a limit, or the trace has gaps
  std::size_t candidate_count = 0;
  std::vector<Finding> findings;
  std::vector<Finding> candidates;  // not findings; only if they were asked for
  std::vector<AnalysisSummary> analyses;
  UncertainOrder uncertain;
  Hidden hidden;
  std::vector<std::string> gaps;  // what happened and is not in the trace, or of which there is no trace
};

struct Report {
  unsigned runs = 1;  // how often the program was recorded
  std::vector<Part> parts;
  bool complete = true;                      // all was seen that could have changed the answer
  std::vector<std::string> not_looked_at{};  // processes and runs of which there is no trace, and why
};

// What an event of a schedule reads or stores.
struct WitnessValue {
  std::optional<std::uint64_t> recorded;            // absent: not known
  std::optional<std::optional<std::uint64_t>> now;  // in this schedule, where it is another; that may not be known
  bool made_up = false;                             // the event was never recorded: `now` is all there is
};

// One event of a schedule.
struct WitnessStep {
  std::size_t thread = 0, place = 0;  // indices into Witness
  trace::EventKind kind{};
  std::string object;  // what it is about: memory, a lock, a thread, a function; may be empty
  std::string with;    // of a wait or wake: the lock
  std::uint32_t size = 0;
  bool failed = false, ends_otherwise = false;  // in the schedule; that is not as recorded
  bool state = false;                           // it reads state outside of memory, or appends to it: it has no values
  std::optional<WitnessValue> reads, stores;
  bool differs = false;                          // it is known to read or store another value than recorded
  std::uint64_t target = 0;                      // of a branch: its number,
  std::optional<std::uint64_t> recorded_target;  // and what that was, where it turns
};

// Of a read that can see another write: what it sees in the schedule.
struct WitnessSeen {
  std::string variable;
  bool at_end = false;      // what memory holds at the end counts as read
  bool from_start = false;  // what was there before any write; else
  std::string writer;       // what this thread wrote
  std::size_t place = 0;    // here
};

// The schedule of a finding, event by event.
struct Witness {
  std::vector<std::string> threads;  // those that take part in what is shown
  std::vector<Place> places;
  std::uint64_t before = 0;  // how many events come first that are not among the steps
  bool before_as_recorded = false;
  std::vector<WitnessStep> steps;
  std::vector<WitnessStep> next;  // after them: the two accesses, or the read; without values
  std::optional<WitnessSeen> seen;
};

}  // namespace racecast::report
