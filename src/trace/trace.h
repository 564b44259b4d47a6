// What one run did: the definitions that events refer to (threads, symbols, locations, reachable sets, the program) and
// the events themselves, in one total order that is a legal order of the run.
//
// Two ways to have events: a Trace in memory, and an EventSource that hands them out in batches, for traces that need
// not fit into memory. Definitions of a source grow while it is read; an event's definitions are always there before
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "trace/event.h"

namespace racecast::program {
struct Program;
}

namespace racecast::trace {

// A named range of memory: a global variable, a lock; elements of `element` bytes (0: no array).
struct Symbol {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint32_t element = 0;
  std::string name;
  bool operator==(const Symbol&) const = default;
};

// A place in the source. `label` is what the user calls it: a litmus label, the number of a foreign trace's location.
// Every field may be empty.
struct Location {
  std::string file{};
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string function{};
  std::string label{};
  bool operator==(const Location&) const = default;
};

// Is nothing known about it?
inline bool is_nowhere(const Location& location) {
  return location.line == 0 && location.label.empty() && location.file.empty() && location.function.empty();
}

struct Range {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  bool operator==(const Range&) const = default;
  auto operator<=>(const Range&) const = default;
};
// Memory that a piece of missing code could reach: sorted, disjoint. kEverything: no bound is known.
struct ReachSet {
  bool everything = false;
  std::vector<Range> ranges;
  bool operator==(const ReachSet&) const = default;
};

struct Definitions {
  std::vector<std::string> threads;  // names, by ThreadId
  std::vector<Symbol> symbols;       // in order of definition
  std::vector<Location> locations;   // by LocationId; where a program is there, LocationId = InstrId
  std::vector<ReachSet> reach;       // by Event::address of MissingBegin
  std::vector<std::string> strings;  // names of functions and markers, by Event::aux
  bool branches = false;             // branches are recorded: without, every read must be taken to decide one
  std::shared_ptr<const program::Program> program;  // the model of the code, if it came with the trace
};

// Are threads given values when they are forked, and do they give one back when they are joined? Those of real programs
// are and do; threads of litmus files, and of traces without a program, have nothing of the kind.
bool threads_pass_values(const Definitions& definitions);

struct Trace {
  Definitions definitions;
  std::vector<Event> events;
};

class EventSource {
 public:
  virtual ~EventSource() = default;
  // The next events, in order; empty at the end. The span lives until the next call.
  virtual Result<std::span<const Event>> next() = 0;
  virtual const Definitions& definitions() const = 0;
  // Is there missing code among all its events? nullopt: that is not known without reading them.
  virtual std::optional<bool> has_missing_code() const { return std::nullopt; }
};

class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual Status add(const Event& event) = 0;
};

// A trace in memory as a source. `trace` must outlive it.
class MemorySource : public EventSource {
 public:
  explicit MemorySource(const Trace& trace) : trace_(trace) {}
  Result<std::span<const Event>> next() override;
  const Definitions& definitions() const override { return trace_.definitions; }

 private:
  const Trace& trace_;
  bool done_ = false;
};

// Reads a source to its end. `max_events` bounds memory; more is a bad_input error that says so.
Result<Trace> read_all(EventSource& source, std::uint64_t max_events = std::uint64_t{1} << 31);

// "x", "a[1]", "a+4" for an address inside a symbol, "0x..." for any other (of state outside of memory, "state 0x...").
// Linear in the number of symbols.
std::string name_of_address(const Definitions& definitions, std::uint64_t address);
// "T2" or "#7" where the thread has no name.
std::string name_of_thread(const Definitions& definitions, ThreadId thread);
// "recipe_fig1.litmus:8:6", or the label of a location without a file.
std::string name_of_location(const Definitions& definitions, LocationId location);

}  // namespace racecast::trace
