// What every analysis returns. A Finding is data: both accesses, why we believe it, and how to see it again; report/
// renders it without adding anything.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/ids.h"
#include "finding/schedule.h"
#include "trace/trace.h"

namespace racecast::finding {

enum class Kind : std::uint8_t {
#define KIND(name, text, title) name,
#include "finding/kinds.def"
#undef KIND
};
struct KindRow {
  std::string_view text;
  std::string_view title;
};
inline constexpr KindRow kKinds[] = {
#define KIND(name, text, title) {text, title},
#include "finding/kinds.def"
#undef KIND
};
constexpr const KindRow& row_of(Kind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

// Never mixed; docs/semantics.md, section 5.
enum class Grade : std::uint8_t { Observed, Predicted, Possible, ProvedAbsent };
std::string_view text_of(Grade grade);

struct HeldLock {
  std::uint64_t address = 0;
  bool shared = false;  // a reader's hold of a reader-writer lock
  bool operator==(const HeldLock&) const = default;
};

// One side of a race.
struct Access {
  EventNo event{};
  ThreadId thread{};
  LocationId location{};
  bool writes = false;  // or frees
  bool atomic = false;
  bool frees = false;  // the end of an object, whose bytes are all meant
  std::uint64_t address = 0;
  std::uint32_t size = 0;
  std::vector<HeldLock> locks;         // in the order they were taken, in the schedule if there is one
  std::vector<LocationId> call_sites;  // innermost first; empty where the trace has no calls
};

// A branch that goes another way than recorded.
struct Turn {
  ThreadId thread{};
  LocationId location{};
  std::uint64_t recorded = 0, now = 0;  // numbers of targets
  bool operator==(const Turn&) const = default;
};

// Of a read that can see another write (`nondet`): `first` of the finding is that write, `second` the read.
struct SeenWrite {
  std::optional<Access> recorded;  // what the read saw in the recorded run; absent: what was there before
  bool from_start = false;         // `first` is no access: the read sees what was there before any write
  bool at_end = false;             // `second` is no access: what memory holds at the end of the run counts as read
  bool decides = false;            // what was read flows into a branch, or into code without a model
};

// Calls of two functions that were not recorded, and are taken not to synchronise with each other.
struct Assumed {
  struct Call {
    std::string function;
    ThreadId thread{};
  };
  Call first, second;  // in recorded order
};

struct Finding {
  Kind kind = Kind::DataRace;
  Grade grade = Grade::Observed;
  std::vector<std::string> analyses;  // which found it, cheapest first
  Access first, second;               // in recorded order
  std::string reason;                 // one sentence
  std::optional<Witness> schedule;    // judged: ends where both accesses are next; of a read that can see another
                                      // write, where the read is next and `first` the last write
  std::optional<SeenWrite> seen;      // of Kind::NondeterministicRead only
  // Where the schedule takes unexecuted branches: those that turn, in the order of `events`, which are the events that
  // all numbers of this finding refer to. Null: those of the trace.
  std::vector<Turn> turns;
  std::shared_ptr<const std::vector<trace::Event>> events;
  std::optional<Assumed> assumes;         // what it hangs on (analysis/unseen/assumptions.h), if that was asked for
  std::optional<std::size_t> depends_on;  // index of the race that this one hangs on
  std::uint64_t fingerprint = 0;          // the same race in another run of the same source has the same one
};

// What stands for one place of the source, when findings are told apart: its location or, where the trace knows nothing
// of that, the address that is accessed.
// To access an object and to free it are two things, also at one location (realloc).
inline std::uint64_t place_of(const trace::Definitions& definitions, LocationId location, std::uint64_t address,
                              bool frees = false) {
  const std::uint64_t what = frees ? std::uint64_t{1} << 62 : 0;
  if (index(location) < definitions.locations.size() && !is_nowhere(definitions.locations[index(location)]))
    return index(location) | what;
  return address | (std::uint64_t{1} << 63) | what;
}
inline std::uint64_t place_of(const trace::Definitions& definitions, const trace::Event& e) {
  return place_of(definitions, e.location, e.address, e.kind == trace::EventKind::Free);
}
inline std::uint64_t place_of(const trace::Definitions& definitions, const Access& access) {
  return place_of(definitions, access.location, access.address, access.frees);
}

// Of both sides, in order.
using Places = std::pair<std::uint64_t, std::uint64_t>;
struct PlacesHash {
  std::size_t operator()(const Places& places) const { return MixHash()(MixHash()(places.first) + places.second); }
};
Places places_of(const Finding& finding, const trace::Definitions& definitions);

// The same for the same kind at the same two places of the source, in either order.
std::uint64_t fingerprint_of(const Finding& finding, const trace::Definitions& definitions);

// Merges findings of several analyses: one per pair of source locations, in the order of first appearance, with the
// names of all analyses that found it, the strongest grade (observed before predicted) and the schedule where one has
// it.
std::vector<Finding> merge(std::vector<Finding> findings, const trace::Definitions& definitions);

}  // namespace racecast::finding
