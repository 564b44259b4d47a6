// See unwind.h.
#include "runtime/posix/unwind.h"

#include <cstddef>
#include <cstdint>

#include "runtime/core/sys.h"

namespace racecast::runtime {
namespace {

// The guarded calls of this thread, innermost last. Not on its stack: a longjmp leaves entries behind, which are told
// by their frames and dropped by the next call.
//
// Hardly any thread nests more than two, so the first few are in thread-local memory and the others in a page that is
// there only while it is needed. All 64 would take 1.5 KiB, and whoever dlopens a library that needs this one has less
// than that: static thread-local memory is what glibc left when the process started.
struct Guarded {
  void (*unwound)(void*);
  void* argument;
  std::uintptr_t frame;
};
constexpr unsigned kNear = 4;
constexpr unsigned kMaxNested = 64;
[[gnu::tls_model("initial-exec")]] constinit thread_local Guarded near[kNear] = {};
[[gnu::tls_model("initial-exec")]] constinit thread_local Guarded* far = nullptr;
[[gnu::tls_model("initial-exec")]] constinit thread_local unsigned depth = 0;
constexpr std::size_t kFarBytes = (kMaxNested - kNear) * sizeof(Guarded);

Guarded& call_at(unsigned at) {
  return at < kNear ? near[at] : far[at - kNear];
}

// The page goes when no call is left: a handler that interrupts push() may nest, too, and must not take it away from
// there. It is taken in one step, since a handler may also come in between.
void set_depth(unsigned to) {
  depth = to;
  if (to != 0 || far == nullptr) return;
  Guarded* const page = __atomic_exchange_n(&far, nullptr, __ATOMIC_RELAXED);
  if (page != nullptr) unmap_pages(page, kFarBytes);
}

// False: no room; the call is made without being guarded.
bool push(const Guarded& call) {
  if (depth == kMaxNested) return false;
  if (depth >= kNear && far == nullptr) {
    void* const page = map_pages(kFarBytes);
    Guarded* none = nullptr;  // a handler may have come with its own
    if (page != nullptr && !__atomic_compare_exchange_n(&far, &none, static_cast<Guarded*>(page), false,
                                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      unmap_pages(page, kFarBytes);
    if (far == nullptr) return false;
  }
  const unsigned mine = depth++;  // before it is filled: a handler of a signal takes the next one
  call_at(mine) = call;
  return true;
}

// Values of the Itanium C++ ABI (unwind.h, which would bring in libgcc's header).
constexpr int kCleanupPhase = 2;
constexpr int kContinueUnwind = 8;

}  // namespace

extern "C" [[gnu::used, gnu::visibility("hidden")]] int racecast_unwind_personality(int /*version*/, int actions,
                                                                                    std::uint64_t /*class*/,
                                                                                    void* /*exception*/,
                                                                                    void* /*context*/) {
  if ((actions & kCleanupPhase) != 0 && depth != 0) {
    const Guarded call = call_at(depth - 1);
    set_depth(depth - 1);
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
  while (depth != 0 && call_at(depth - 1).frame <= frame) set_depth(depth - 1);
  const unsigned outer = depth;
  if (!push({unwound, argument, frame})) return run(argument);
  racecast_unwind_frame(run, argument);
  set_depth(outer);
}

}  // namespace racecast::runtime
