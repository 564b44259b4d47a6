// Options of `nondet` alone.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/ids.h"

namespace racecast::analysis {

// One of its challenges, by numbers of events.
struct Triple {
  enum class Outcome : std::uint8_t { Infeasible, Without, Between, Unknown };
  std::optional<EventNo> read;        // absent: the end of the run
  std::optional<EventNo> writer;      // absent: what was there before
  std::optional<EventNo> challenger;  // likewise
  std::uint64_t address = 0;          // of the bytes that it is about
  Outcome outcome = Outcome::Unknown;
};

struct NondetOptions {
  // Decide and count every challenge, also where a read's place is known to see every other write; and call this (may
  // be empty) with each.
  bool every_challenge = false;
  std::function<void(const Triple&)> on_triple;
};

}  // namespace racecast::analysis
