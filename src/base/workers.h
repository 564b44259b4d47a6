// Work on several threads. Nothing of ours throws, but a library does where memory runs out, and an exception that
// leaves a thread ends the process without a word: here it becomes an error that is said, with all threads joined.
#pragma once

#include <atomic>
#include <functional>

#include "base/result.h"

namespace racecast {

// To be called while an exception is caught: what it says, as an internal error.
Error error_of_exception();

// Calls work(worker, failed) on up to `count` threads at once; worker 0 is the calling one. Where the system gives
// fewer threads, fewer are used: work must be handed out, not divided beforehand. `failed` becomes true where an
// exception ended one of them; the others should stop then. Returns when all have.
Status on_threads(unsigned count, const std::function<void(unsigned worker, const std::atomic<bool>& failed)>& work);

}  // namespace racecast
