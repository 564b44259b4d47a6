// Ids are types of their own, so that a thread can never be passed for a lock. index() is the number inside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace racecast {

enum class ThreadId : std::uint32_t {};    // dense, in order of appearance; 0 is main
enum class LocationId : std::uint32_t {};  // a place in the source, as the trace's location table lists it
enum class InstrId : std::uint32_t {};     // an instruction of the program model; stable for the same source
enum class EventNo : std::uint64_t {};     // position of an event in its trace, from 0

template <typename Id>
  requires std::is_enum_v<Id>
constexpr std::size_t index(Id id) {
  return static_cast<std::size_t>(id);
}

inline constexpr std::uint32_t kNone32 = 0xffffffffu;

}  // namespace racecast
