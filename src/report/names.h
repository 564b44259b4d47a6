// Names for what findings refer to by number, in one trace. This is the only part of report/ that looks into the
// definitions of a trace.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/hash.h"
#include "program/program.h"
#include "report/address_names.h"
#include "report/report.h"
#include "trace/trace.h"

namespace racecast::report {

// A line of a source file, empty if it is not there; for programs that do not bring their source. May be empty.
using SourceLine = std::function<std::string(const std::string& file, std::uint32_t line)>;

class Names {
 public:
  // `definitions` must outlive it and not grow.
  Names(const trace::Definitions& definitions, SourceLine source_line);

  std::string thread(ThreadId thread) const { return name_of_thread(definitions_, thread); }
  // "x", "a[1]", or the address.
  std::string address(std::uint64_t address) { return addresses_(address); }
  // A function or a marker.
  std::string string(std::uint64_t id) const;
  // Without its excerpt.
  Place place(LocationId location) const;
  Place place_with_excerpt(LocationId location) const;
  // Was a function called at this place of a stack (finding::Access::call_sites)? Else nobody knows where from, and the
  // place is that function's first instruction. In the trace of a litmus program all are calls.
  bool is_call_site(LocationId place) const { return !entries_.contains(index(place)); }

 private:
  std::string excerpt(LocationId location) const;

  const trace::Definitions& definitions_;
  SourceLine source_line_;
  AddressNames addresses_;
  std::optional<program::InstructionIndex> instructions_;  // of a compiled program
  HashSet<std::uint64_t> entries_;                         // first instructions of the functions of a compiled program
};

}  // namespace racecast::report
