// What a report tells of memory, locks and threads beyond their numbers: which object an address was in when something
// happened, who allocated it and where, what it is, and where threads were created. A second look at the trace, for
// what is reported only: analyses do not pay for it.
//
// Memory that a library allocated belongs to what the user knows: the node of a map to the map. Its owner is where its
// address was first stored that the user can name: a global, a local variable, an object that the user allocated; or
// the owner of the library's object that it was stored in. That is how containers work; of memory whose address is
// never stored there (or not as a plain value) the owner is not known.
//
// What an object is, is told by its allocation (`new T`) and by accesses to it (program::Instruction::accessed).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "base/ids.h"
#include "finding/finding.h"
#include "program/program.h"

namespace racecast::report {

// Something at a place of the source, and the calls around it.
struct SeenOccasion {
  ThreadId thread{};
  LocationId location{};
  std::vector<LocationId> call_sites;  // innermost first
};

// A struct that something was accessed as, and where it begins in its object.
struct SeenAs {
  program::StructId type{};
  std::uint64_t start = 0;
  auto operator<=>(const SeenAs&) const = default;
};

// An object: from its alloc to its free.
struct Object {
  std::uint64_t address = 0, size = 0;
  SeenOccasion allocated;
  enum class Kind : std::uint8_t {
    Heap,
    Stack,  // a local variable
    Early,  // its thread had it before it began to run: thread-local memory, and what libc allocated
  } kind = Kind::Heap;
  bool library = false;                      // a library allocated it
  std::optional<std::uint64_t> owner;        // of a library's: an address in what it belongs to,
  std::optional<std::size_t> owner_in;       // and the object that this is in; nullopt: a global, or it is not known
  std::optional<program::StructId> made_as;  // what begins at its first byte, as its allocation says,
  bool array = false;                        // one after the other
  std::vector<SeenAs> seen_as;               // in the order of first sight; few
};

// An address, when an event happens. Without an event: at any time, if all objects that were ever there were made at
// one place; the last of them.
using Moment = std::pair<std::uint64_t, std::optional<EventNo>>;

struct SecondLook {
  std::vector<Object> objects;
  std::map<Moment, std::size_t> at;          // which object; absent: none that was seen to be allocated
  std::map<ThreadId, SeenOccasion> created;  // threads that were forked, and by whom

  const Object* object_at(const Moment& moment) const {
    const auto found = at.find(moment);
    return found == at.end() ? nullptr : &objects[found->second];
  }
};

// The memory and the locks of these findings, and all threads. Reads the trace, if there is something to look for.
Result<SecondLook> look_again(const analysis::Input& input, const std::vector<finding::Finding>& findings,
                              const trace::Definitions& definitions);
// The same for some moments.
Result<SecondLook> look_again(const analysis::Input& input, const std::set<Moment>& wanted,
                              const trace::Definitions& definitions);

// The moment of an access of a finding, and of what it has at another address.
Moment moment_of(const finding::Finding& finding, const finding::Access& access, std::uint64_t address);
// The first byte that both sides of a finding touch, and how many bytes.
struct Bytes {
  std::uint64_t address = 0, size = 0;
};
Bytes common_bytes(const finding::Finding& finding);

}  // namespace racecast::report
