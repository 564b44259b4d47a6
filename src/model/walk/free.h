// What a thread may do next where nothing was recorded: in an unexecuted branch (detours.h). Private to src/model.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "trace/event.h"

namespace racecast::model {

class BranchSides;

// Why a thread goes no further in an unexecuted branch, or a branch is not looked at (docs/path.md).
enum class SideStop : std::uint8_t {
  None,
  Loop,       // a loop whose number of rounds is not fixed, or one round more than recorded
  Recursion,  // a function that calls itself
  Base,       // an address whose base is not certain
  Index,      // an address whose index is not certain
  Callee,     // a call of a function that is not certain
  Opaque,     // an instruction or function without a model
  Missing,    // code that was not recorded, or memory that it can reach
  Fault,      // it would fault, or make a mistake
  Size,       // it is too long, or there are too many ways through it
  Free,       // the recorded side frees an object, which would live on
};
inline constexpr std::size_t kSideStops = 11;
std::string_view text_of(SideStop stop);

// What whoever explores knows about the rest of the world.
struct FreeRules {
  BranchSides* sides = nullptr;
  // Flags that were recorded with operations on a lock.
  const std::map<std::uint64_t, trace::Flags>* lock_flags = nullptr;
  // Known objects: size by address.
  const std::map<std::uint64_t, std::uint64_t>* objects = nullptr;
  // The address of a new object that is made there; nullopt: that is not known.
  std::function<std::optional<std::uint64_t>(InstrId site, std::uint64_t size)> make_object;
};

struct FreeNext {
  enum class Kind : std::uint8_t {
    Goes,     // on with one of `choices`, each some events
    Joins,    // is where it was to come to
    Leaves,   // the activation that is watched; `choices` has the Return event, if it is to have one
    Stopped,  // `why`
  };
  Kind kind = Kind::Stopped;
  SideStop why = SideStop::None;
  std::vector<std::vector<trace::Event>> choices;
};

}  // namespace racecast::model
