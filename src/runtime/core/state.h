// What a thread has: the stream it records to (a page and a buffer, mapped shared from tN.buf) and what the runtime
// knows of it. A thread that is not recorded has the sink, a buffer that starts again when it is full; so inlined code
// never asks whether anything is recorded.
//
// No descriptor stays open: a flush opens the log, appends and closes it. Programs close descriptors they do not know,
// and reuse their numbers; 2 system calls for 256 KiB are nothing.
//
// | state                     | who writes it                                                                     |
// |---------------------------|-----------------------------------------------------------------------------------|
// | a Stream                  | the code it belongs to: its thread, or a handler in it; a reader after death       |
// | sink                      | every thread without a stream, racing: `cur` stays inside whoever wins             |
// | self                      | its thread; a handler puts back what it changes                                   |
#pragma once

#include <cstddef>
#include <cstdint>

#include "abi/abi.h"

#define RACECAST_EXPORT extern "C" __attribute__((visibility("default")))

// Known to inlined code: where this thread records to. Never null.
extern "C" {
__attribute__((visibility("default"),
               tls_model("initial-exec"))) extern constinit thread_local racecast::abi::ThreadState* __racecast_thread;
}

namespace racecast::runtime {

inline constexpr std::size_t kMaxTlsBlocks = 64;
inline constexpr std::uint32_t kNearCrossings = 64;

// A call of code without hooks that has not come back (missing/crossings.h).
struct Crossing {
  std::uintptr_t base;      // frames of the code without hooks are below
  std::uintptr_t callback;  // frame of the recorded function that it has called; 0: it runs itself
  const void* callee;
  const void* const* pointers;  // its arguments that are pointers
  std::uint32_t count;          // of them
};

// The page at the start of tN.buf.
struct Stream {
  abi::ThreadState head;
  std::uint32_t file;        // N of tN.buf
  std::uint32_t tls_blocks;  // thread-local memory that was recorded as allocated when the thread began
  std::uint64_t tls_block[kMaxTlsBlocks];
  std::uint64_t tls_library[kMaxTlsBlocks];  // whose: dlpi_addr
  std::uint32_t crossings;                   // how many there are, outermost first
  Crossing near_crossings[kNearCrossings];
  Crossing* far_crossings;            // the others; null: there were never so many
  const struct Inherited* inherited;  // missing/missing.h: of a thread that began in code without hooks
};
static_assert(sizeof(Stream) <= abi::kPageBytes);

extern abi::ThreadState sink;

inline constexpr std::uint32_t kMaxNesting = 8;  // handlers that interrupt handlers; deeper ones are not recorded

// What the runtime knows of the thread it runs in. Zero in a thread that is not recorded.
struct Thread {
  Stream* own;                    // null: not recorded
  Stream* handlers[kMaxNesting];  // by depth; made when first needed
  std::uint32_t nesting;          // how many handlers are running in this thread
  std::uint32_t in_runtime;       // > 0: what is called now is the runtime's business, not the program's
  std::uint32_t number;           // ThreadId
  std::uint32_t without_stripes;  // > 0: a handler interrupted code that holds a stripe (atomics.cpp)
  std::uint32_t scanning;         // 1: `scratch` is in use (missing.cpp)
  std::uint32_t in_libraries;     // > 0: it has, or waits for, the lock of missing/libraries.cpp
  std::uint32_t stripe;           // 1 + the stripe held; all ones: in an atomic step without one; 0: in no step
  std::uint32_t stack;            // threads.cpp: 1 + its slot in the table of stacks
  std::uintptr_t stack_begin;     // the stack it began on; it may run on others (handlers, makecontext)
  std::uintptr_t stack_top;       // no frame of that one is above
  std::uint64_t random;           // perturb.cpp
  std::uint64_t unwound;          // missing/crossings.h: when it began to unwind; 0: it does not
  void* scratch;                  // missing.cpp
};
__attribute__((tls_model("initial-exec"))) extern constinit thread_local Thread self;

// Whether this code has a stream that is not cut off.
inline bool is_recorded() {
  return __racecast_thread->stream != abi::kNoStream;
}

// Makes the files of a stream and maps it. Null: no room, or recording is over; then recording has stopped.
Stream* make_stream(std::uint32_t thread, std::uint32_t handlers_of);
// Appends what is in the buffer to the log. False: recording has stopped; the buffer is as it was.
bool flush(abi::ThreadState& state);
// The thread is over: the log gets the rest, the mapping goes.
void end_stream(Stream* stream);
// After a fork: the spare buffers belong to the parent's recording.
void forget_spares();
// Cuts the stream off from its files, which stay as they are: what is written from now on goes nowhere. Its memory
// stays where it is, since code that was in the middle of a record knows its address.
void cut_off(Stream* stream);

// Makes room for a record of `bytes` in `state` and returns its `cur`. When recording has stopped the stream is cut
// off.
std::uint8_t* make_room(abi::ThreadState& state);

}  // namespace racecast::runtime

RACECAST_EXPORT std::uint8_t* __racecast_full(std::uint32_t bytes);
