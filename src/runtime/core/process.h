// Recording of a process: where its folder is, when it starts and why it stops.
//
// It starts in the runtime's constructor, or before it when an object file's constructor registers its module earlier.
// Where the runtime was preloaded into a program that may have no hooks (LD_PRELOAD, which `racecast run` sets for a
// Python or a shell), it starts with the first module: a process without any leaves nothing. A runtime that came by
// dlopen, behind libc, intercepts nothing: it says so, and nothing is recorded.
// Without RACECAST_DIR nothing is recorded: every thread keeps the sink. A child of fork has a folder of its own and
// begins again with its only thread as thread 0; a program that is exec'd finds the environment and counts on. It stops
// once (size limit, disk full, ids that clash): one line on stderr, one Stopped record in meta. Every thread is
// then cut off from its files at its next synchronisation or full buffer, so what was recorded of each thread is a
// beginning of what it did.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "abi/abi.h"

namespace racecast::runtime {

struct Process {
  std::atomic<std::uint32_t> phase{0};  // 0: not started; 1: starting; 2: recorded; 3: not recorded
  std::atomic<bool> stopped{false};
  bool preloaded = false;                    // set before anything of the program runs
  bool asked = true;                         // RACECAST_DIR is there
  std::atomic<bool> has_hooks{false};        // a module was registered
  std::atomic<bool> switches_stacks{false};  // context.cpp: it was said
  std::atomic<std::uint32_t> next_thread{0};
  std::atomic<std::uint32_t> next_stream{0};
  std::atomic<std::uint32_t> living{0};       // threads that were created, recorded, and have not ended
  std::atomic<std::uint32_t> exit_waiter{0};  // exit_wait.cpp: the kernel's id of who waits; all ones: it has waited
  std::atomic<std::uint32_t> end_signals{0};  // exit_wait.cpp: that came so far
  std::uint32_t exit_wait = 0;                // milliseconds
  std::uint32_t pid = 0;
  std::atomic<std::uint64_t> logged{0};            // bytes, of all logs
  std::atomic<std::uint64_t> saved{0};             // what packing made of them less, when somebody last looked
  std::uint64_t max_bytes = ~std::uint64_t{0};     // on disk
  std::uint64_t max_unpacked = ~std::uint64_t{0};  // of what was logged
  std::uint64_t piece_bytes = abi::kPieceBytes;
  std::uint64_t left_free = 0;  // bytes of the disk that are not for us
  bool default_size = false;    // nobody said how much
  bool events_limited = false;  // max_unpacked stands for a number of events
  std::uint64_t seed = 0;       // 1 + RACECAST_SEED; 0: do not perturb
  char folder[3072] = {};       // of this process, absolute
};
extern Process process;

// Starts recording if this has not been done; any number of calls, from any code, early or late.
void start_process();

// Whether this process is recorded and goes on to be.
inline bool process_recorded() {
  return process.phase.load(std::memory_order_acquire) == 2 && !process.stopped.load(std::memory_order_relaxed);
}

// The same, and starts it if it should be; also true of a program that may yet load a library with hooks. For who must
// know before anything is recorded what libc will call later.
bool process_may_be_recorded();

// Stops recording for good, for `reason` (a few words), at a size that is told where it is not 0; `advice` follows it.
// Only the first call does anything.
void stop_recording(const char* reason, std::uint64_t at = 0, const char* advice = "");

// For who starts a thread: if this program has hooks and nobody asked to record it, one line on stderr says so, once.
// Not where its parent has hooks, too: that one has said it. A program without threads is no matter for racecast, and
// words from the small programs that configure scripts and builds run would do harm. RACECAST=off: not a word.
void say_if_unrecorded();

// The report will say that not everything was looked at, why: `what`, a sentence without its full stop. From any code.
void note_incomplete(const char* what);
// The same, once: this thread is about to go on on another stack, and the model of the code cannot follow.
void note_stack_switch();

// One line on stderr: "racecast: " and the parts. Nothing, if descriptor 2 is another file than it was at the start.
void say(const char* first, const char* second = "", const char* third = "");

// Bytes of the folder's disk that are free.
inline constexpr std::uint64_t kUnknownSpace = ~std::uint64_t{0};
std::uint64_t free_on_disk();

// By how much packing has made the logs smaller on disk (abi::kSavedFile).
std::uint64_t saved_by_packing();

// Opens a file of the process folder. Minus the error number on failure.
int open_in_folder(const char* name, int flags);

struct Part {
  const void* data;
  std::size_t bytes;
};
// Appends a record to meta with one write. False: it could not be written.
bool write_meta(abi::MetaKind kind, const Part* parts, int count);

}  // namespace racecast::runtime
