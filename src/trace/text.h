// The text form of a trace: one event a line, for people and for small test files. Grammar: docs/trace_format.md.
//
//   racecast-trace 1
//   T1 write x 3 @4          thread, kind, operands, @location
//   T2 read x ? @7           ?: the value is not known
//
// Names that were not defined before are defined where they first occur, so that a test needs no definitions at all.
// What is printed has every definition first, and printing what was parsed from it gives the same text. The program
// that a binary trace may carry is not part of the text form.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "trace/trace.h"

namespace racecast::trace {

inline constexpr std::string_view kTextHeader = "racecast-trace 1";

// Where symbols that a text does not define get their addresses: 64-byte steps from here, above all defined ones.
inline constexpr std::uint64_t kTextSymbols = 0x10000;

// Errors are bad_input: "FILE:LINE:COLUMN: found X, expected Y".
Result<Trace> parse_text(std::string_view text, std::string_view file_name);

std::string print_text(const Trace& trace);

// Prints a source as it comes: definitions before the events that came with them. `out` is called with pieces of the
// text.
Status print_text(EventSource& source, const std::function<Status(std::string_view)>& out);

// One event as its line of text, without the end of the line. Builds its tables of names when it is made and whenever
// the definitions, which must outlive it, have grown.
class EventPrinter {
 public:
  explicit EventPrinter(const Definitions& definitions);
  EventPrinter(EventPrinter&&) noexcept;
  EventPrinter& operator=(EventPrinter&&) noexcept;
  ~EventPrinter();
  void print(const Event& event, std::string& out);
  // The lines of the definitions that were added since the last call.
  void print_new_definitions(std::string& out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace racecast::trace
