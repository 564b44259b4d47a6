// Names for what findings refer to by number, in one trace. With memory_names.h the only part of report/ that looks
// into the definitions of a trace.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/hash.h"
#include "program/program.h"
#include "report/address_names.h"
#include "report/report.h"
#include "report/second_look.h"
#include "trace/trace.h"

namespace racecast::report {

// A line of a source file, empty if it is not there; for programs that do not bring their source. May be empty.
using SourceLine = std::function<std::string(const std::string& file, std::uint32_t line)>;

class Names {
 public:
  // `definitions` must outlive it and not grow. Files below `folder` are named as seen from there.
  Names(const trace::Definitions& definitions, SourceLine source_line, std::string folder = {});

  std::string thread(ThreadId thread) const { return name_of_thread(definitions_, thread); }
  // "x", "a[1]", "opts.level", or the address.
  const AddressNames& addresses() const { return addresses_; }
  std::string address(std::uint64_t address, std::uint64_t size = 1) const { return addresses_.at(address, size).name; }
  // A function or a marker.
  std::string string(std::uint64_t id) const;
  // Without its excerpt.
  Place place(LocationId location) const;
  Place place_with_excerpt(LocationId location) const;
  // Of something that happened at `location`, called from `call_sites`. Where all of it is a library's, the place
  // itself.
  UserPlace user_place(LocationId location, const std::vector<LocationId>& call_sites) const;
  std::vector<Caller> callers(const std::vector<LocationId>& call_sites) const;
  Occasion occasion(const SeenOccasion& seen) const;
  // Was a function called at this place of a stack (finding::Access::call_sites)? Else nobody knows where from, and the
  // place is that function's first instruction. In the trace of a litmus program all are calls.
  bool is_call_site(LocationId place) const { return !entries_.contains(index(place)); }

  // The instruction there; null: none is known.
  const program::Instruction* instruction(LocationId location) const;
  const program::Program* program() const { return definitions_.program.get(); }

 private:
  std::string excerpt(const std::string& file, std::uint32_t line) const;
  std::vector<Frame> frames_at(LocationId location) const;
  Frame frame(std::string function, const std::string& file, std::uint32_t line, std::uint32_t column) const;

  const trace::Definitions& definitions_;
  SourceLine source_line_;
  std::string folder_;
  AddressNames addresses_;
  std::optional<program::InstructionIndex> instructions_;
  HashSet<std::uint64_t> entries_;  // first instructions of the functions of a compiled program
};

}  // namespace racecast::report
