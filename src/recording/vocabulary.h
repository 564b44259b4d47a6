// The definitions of the trace that is being written: what the linked program gives at once (a location per
// instruction, a symbol per global), and what is found on the way (names of functions and markers, sets of reachable
// memory, threads), each defined once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "recording/code.h"
#include "recording/raw_folder.h"
#include "trace/trace.h"

namespace racecast::recording {

class Vocabulary {
 public:
  // Fills `definitions`; all must outlive it. `code` is linked.
  Vocabulary(const RawFolder& folder, const Code& code, trace::Definitions& definitions);

  // Makes sure that this thread and all below are defined; false: there are not so many.
  bool define_thread(std::uint64_t thread);
  // Whether this thread has a stream: one that could not be created has none.
  bool has_begun(std::uint64_t thread) const { return thread < begun_.size() && begun_[thread]; }
  // Numbers of strings.
  std::uint64_t text(const std::string& text);
  std::uint64_t function_name(std::uint32_t function);  // of the linked program
  // Of the function at this address; where no table has it, of that which was called by name; else "0x...".
  std::uint64_t name_of_callee(std::uint64_t address, std::optional<std::uint32_t> called = std::nullopt);
  // Number of the reach set of these ranges, in any order; they are sorted in place. What exceeds the bounds of a trace
  // is everything.
  std::uint64_t reach(std::vector<trace::Range>& ranges, bool everything);
  const trace::Definitions& definitions() const { return definitions_; }
  // Of events that belong to no instruction.
  LocationId nowhere() const { return nowhere_; }

 private:
  void define_locations();
  void define_symbols();

  const RawFolder& folder_;
  const program::Program& program_;
  trace::Definitions& definitions_;
  LocationId nowhere_{};
  std::vector<bool> begun_;  // by thread
  std::unordered_map<std::string, std::uint64_t> texts_;
  std::vector<std::uint64_t> function_names_;                    // by FunctionId
  HashMap<std::uint64_t, std::uint64_t> callees_;                // by address
  std::unordered_multimap<std::uint64_t, std::uint64_t> reach_;  // by hash
};

// "f(int)" for "_Z1fi"; what is no mangled name stays as it is.
std::string demangled(const std::string& name);

}  // namespace racecast::recording
