// The memory order of an atomic instruction, in the words of the model and of events.
#pragma once

#include <llvm/Support/AtomicOrdering.h>

#include "base/memory_order.h"

namespace racecast::frontend {

inline MemoryOrder order_of(llvm::AtomicOrdering order) {
  switch (order) {
    case llvm::AtomicOrdering::NotAtomic: return MemoryOrder::None;
    case llvm::AtomicOrdering::Unordered:
    case llvm::AtomicOrdering::Monotonic: return MemoryOrder::Relaxed;
    case llvm::AtomicOrdering::Acquire: return MemoryOrder::Acquire;
    case llvm::AtomicOrdering::Release: return MemoryOrder::Release;
    case llvm::AtomicOrdering::AcquireRelease: return MemoryOrder::AcqRel;
    case llvm::AtomicOrdering::SequentiallyConsistent: return MemoryOrder::SeqCst;
  }
  return MemoryOrder::SeqCst;
}

}  // namespace racecast::frontend
