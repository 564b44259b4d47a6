// What senders of signals, those who wait for one, and handlers have in common.
#pragma once

#include <cstdint>

#include "abi/abi.h"

namespace racecast::runtime {

// What orders who sends a signal and who gets it. 0: any signal.
constexpr std::uint64_t place_of_signal(int number) {
  return abi::place(abi::PlaceKind::Signal, static_cast<std::uint32_t>(number));
}

// This thread got a signal: it is after who sent it. `code`: si_code; `own`: this process sent it (posix/signal.cpp).
void acquire_signal(int number, int code, bool own);

// From now on a signal that nobody sent may be about any descriptor.
void note_descriptor_signals();

}  // namespace racecast::runtime
