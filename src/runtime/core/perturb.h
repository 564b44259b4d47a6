// RACECAST_SEED: now and then a thread yields or sleeps for a moment where it synchronises, so that repeated runs see
// different orders. Called by interceptors before they lock and after they unlock, and by atomics, more rarely.
#pragma once

#include "runtime/core/process.h"

namespace racecast::runtime {

void perturb_now(unsigned one_in);

// At a synchronisation operation, with nothing of the runtime held.
inline void perturb() {
  if (process.seed != 0) [[unlikely]]
    perturb_now(8);
}
// At an atomic operation.
inline void perturb_atomic() {
  if (process.seed != 0) [[unlikely]]
    perturb_now(64);
}

}  // namespace racecast::runtime
