#include "runtime/posix/unwind.h"

#include <cstdint>

namespace racecast::runtime {
namespace {

// The guarded calls of this thread, innermost last. Not on its stack: a longjmp leaves entries behind, which are told
// by their frames and dropped by the next call.
struct Guarded {
  void (*unwound)(void*);
  void* argument;
  std::uintptr_t frame;
};
constexpr unsigned kMaxNested = 64;
[[gnu::tls_model("initial-exec")]] thread_local Guarded calls[kMaxNested];
[[gnu::tls_model("initial-exec")]] thread_local unsigned depth = 0;

// Values of the Itanium C++ ABI (unwind.h, which would bring in libgcc's header).
constexpr int kCleanupPhase = 2;
constexpr int kContinueUnwind = 8;

}  // namespace

extern "C" [[gnu::used, gnu::visibility("hidden")]] int racecast_unwind_personality(int /*version*/, int actions,
                                                                                    std::uint64_t /*class*/,
                                                                                    void* /*exception*/,
                                                                                    void* /*context*/) {
  if ((actions & kCleanupPhase) != 0 && depth != 0) {
    const Guarded call = calls[--depth];
    call.unwound(call.argument);
  }
  return kContinueUnwind;
}

extern "C" [[gnu::visibility("hidden")]] void racecast_unwind_frame(void (*run)(void*), void* argument);

#if !defined(__x86_64__)
#error "racecast_unwind_frame is written for x86-64 only"
#endif
asm(R"(
  .text
  .globl racecast_unwind_frame
  .hidden racecast_unwind_frame
  .type racecast_unwind_frame, @function
racecast_unwind_frame:
  .cfi_startproc
  .cfi_personality 0x1b, racecast_unwind_personality
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  movq %rdi, %rax
  movq %rsi, %rdi
  callq *%rax
  popq %rbp
  .cfi_def_cfa %rsp, 8
  retq
  .cfi_endproc
  .size racecast_unwind_frame, . - racecast_unwind_frame
)");

void call_guarded(void (*run)(void*), void (*unwound)(void*), void* argument) {
  const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  while (depth != 0 && calls[depth - 1].frame <= frame) --depth;
  if (depth == kMaxNested) return run(argument);
  const unsigned mine = depth++;
  calls[mine] = {unwound, argument, frame};
  racecast_unwind_frame(run, argument);
  depth = mine;
}

}  // namespace racecast::runtime
