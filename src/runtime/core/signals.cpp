// sigaction, signal and what jumps out of handlers.
//
// A handler may interrupt the middle of a record, so it has a stream of its own: handlers_of names the stream that it
// interrupts. A handler that interrupts a handler has another one. What the program installs is kept in a table, and
// run by `on_signal`, which is what the kernel knows; sigaction gives the program back what it had installed.
//
// The kernel is always told SA_SIGINFO. A handler that does not want the other two arguments does not see them.
// A jump out of a handler (siglongjmp) ends it: the jump's target tells whether it leaves the handler's frames.
#include <setjmp.h>
#include <signal.h>

#include <atomic>

#include "runtime/core/atomics.h"
#include "runtime/core/exit_wait.h"
#include "runtime/core/hooks.h"
#include "runtime/core/record.h"
#include "runtime/core/signals.h"
#include "runtime/missing/crossings.h"
#include "runtime/missing/libraries.h"
#include "runtime/posix/interceptor.h"

namespace racecast::runtime {

namespace {

constexpr int kSignals = 65;
using Handler = void(int, siginfo_t*, void*);

struct Installed {
  std::atomic<Handler*> handler{nullptr};
  std::atomic<int> flags{0};         // as the program gave them
  std::atomic<bool> missing{false};  // it has no hooks
};
constinit Installed installed[kSignals];

// What on_signal puts back, kept on the handler's stack; the innermost is in `innermost`.
struct Frame {
  Frame* outer;
  abi::ThreadState* state;
  std::uint32_t in_runtime;
  std::uint32_t without_stripes;
  std::uint32_t stripe;
};
__attribute__((tls_model("initial-exec"))) constinit thread_local Frame* innermost = nullptr;

bool is_stream_of_thread(const abi::ThreadState* state) {
  if (self.own != nullptr && state == &self.own->head) return true;
  for (const Stream* handler : self.handlers)
    if (handler != nullptr && state == &handler->head) return true;
  return false;
}

void enter(Frame& frame, int number, const siginfo_t* info) {
  note_end_signal(number);
  frame = {innermost, __racecast_thread, self.in_runtime, self.without_stripes, self.stripe};
  innermost = &frame;
  const std::uint32_t depth = self.nesting++;
  self.in_runtime = 0;
  if (self.stripe != 0) self.without_stripes = 1;
  self.stripe = 0;
  if (frame.state->stream == abi::kNoStream) return;
  __racecast_thread = &sink;
  if (depth >= kMaxNesting) return;
  Stream*& stream = self.handlers[depth];
  if (stream == nullptr) stream = make_stream(self.number, frame.state->stream);
  if (stream == nullptr) return;
  forget_crossings(*stream);  // of a handler that was left by a jump
  __racecast_thread = &stream->head;
  record<abi::Tag::SignalBegin>(static_cast<std::uint32_t>(number));
  acquire_signal(number, info->si_code, info->si_pid == static_cast<pid_t>(sys(SYS_getpid)));
}

void leave(Frame& frame) {
  if (__racecast_thread != frame.state && is_stream_of_thread(frame.state)) {
    auto& stream = *reinterpret_cast<Stream*>(__racecast_thread);
    if (is_recorded() && stream.crossings != 0) end_crossings(stream);  // it was left by a jump
    record<abi::Tag::SignalEnd>();
  }
  // After a fork inside the handler the interrupted stream is not ours; the child has a new one already.
  if (frame.state == &sink || is_stream_of_thread(frame.state)) __racecast_thread = frame.state;
  self.in_runtime = frame.in_runtime;
  self.without_stripes = frame.without_stripes;
  self.stripe = frame.stripe;
  --self.nesting;
  innermost = frame.outer;
}

// The kernel calls it, so nobody else says so.
void run_missing(Handler* handler, int number, siginfo_t* info, void* context) {
  const void* const pointers[] = {info->si_value.sival_ptr};
  // A stack of the handler's own may be small; what can be reached is not looked for there.
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const bool own_stack = here >= self.stack_begin && here < self.stack_top;
  __racecast_missing_begin(reinterpret_cast<const void*>(handler), own_stack ? 1 : abi::kEverywhere, pointers);
  handler(number, info, context);
  __racecast_missing_end(0, 0);
}

void on_signal(int number, siginfo_t* info, void* context) {
  Handler* handler = installed[number].handler.load(std::memory_order_acquire);
  if (handler == nullptr) return;
  Frame frame;
  {
    const KeepErrno keep;
    enter(frame, number, info);
  }
  if (installed[number].missing.load(std::memory_order_acquire)) {
    run_missing(handler, number, info, context);
  } else {
    handler(number, info, context);
  }
  const KeepErrno keep;
  leave(frame);
}

RACECAST_REAL<int(int, const struct sigaction*, struct sigaction*)> real_sigaction{"sigaction"};
RACECAST_REAL<void(struct __jmp_buf_tag*, int)> real_longjmp{"siglongjmp"};
RACECAST_REAL<void(struct __jmp_buf_tag*, int)> real_longjmp_chk{"__longjmp_chk"};

// Once handlers are wrapped they stay so, also when recording is over. In a program that may yet load a library with
// hooks they are from the start, since its handlers may call it then.
bool wraps_handlers() {
  static constinit std::atomic<bool> wraps{false};
  if (wraps.load(std::memory_order_relaxed)) return true;
  if (!process_may_be_recorded()) return false;
  wraps.store(true, std::memory_order_relaxed);
  return true;
}

bool is_handler(const struct sigaction& action) {
  return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN && action.sa_handler != SIG_ERR;
}

int install(int number, const struct sigaction* action, struct sigaction* old) {
  if (number <= 0 || number >= kSignals) return real_sigaction(number, action, old);
  Installed& entry = installed[number];
  Handler* const before = entry.handler.load(std::memory_order_acquire);
  const int before_flags = entry.flags.load(std::memory_order_acquire);
  struct sigaction ours;
  const struct sigaction* given = action;
  if (action != nullptr && is_handler(*action)) {
    ours = *action;
    ours.sa_sigaction = on_signal;
    ours.sa_flags |= SA_SIGINFO;
    given = &ours;
    {
      const KeepErrno keep;
      const InRuntime inside;
      entry.missing.store(missing_function(reinterpret_cast<const void*>(action->sa_sigaction)) != nullptr);
    }
    // Before the kernel knows: a signal that comes right then finds its handler.
    entry.handler.store(action->sa_sigaction, std::memory_order_release);
    entry.flags.store(action->sa_flags, std::memory_order_release);
  }
  struct sigaction was;
  const int result = real_sigaction(number, given, &was);
  if (result != 0) {
    if (given == &ours) {
      entry.handler.store(before, std::memory_order_release);
      entry.flags.store(before_flags, std::memory_order_release);
    }
    return result;
  }
  if (old != nullptr) {
    *old = was;
    if (was.sa_sigaction == on_signal) {
      old->sa_sigaction = before;
      old->sa_flags = (was.sa_flags & ~SA_SIGINFO) | (before_flags & SA_SIGINFO);
    }
  }
  return result;
}

sighandler_t install_simple(int number, sighandler_t handler, int flags) {
  struct sigaction action = {};
  struct sigaction old = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  // What siginterrupt(3) changes is forgotten by this: glibc keeps its set to itself.
  ::sigemptyset(&action.sa_mask);
  if (handler == SIG_ERR || (number > 0 && number < kSignals && ::sigaddset(&action.sa_mask, number) != 0)) {
    errno = EINVAL;
    return SIG_ERR;
  }
  if ((flags & SA_NODEFER) != 0) ::sigemptyset(&action.sa_mask);
  return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

// Where a jump would put the stack pointer: glibc stores it mangled (x86-64: word 6).
std::uintptr_t target_of(const __jmp_buf_tag* target) {
  auto mangled = static_cast<std::uintptr_t>(target->__jmpbuf[6]);
  asm("ror $17, %0\n\txor %%fs:0x30, %0" : "+r"(mangled) : : "cc");
  return mangled;
}

// Ends the handlers that a jump leaves, and then what it leaves of the code that goes on. The frames of handlers lie
// between here and `frame`, on one stack.
void leave_by_jump(const __jmp_buf_tag* target) {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const std::uintptr_t goal = target_of(target);
  while (innermost != nullptr) {
    const auto frame = reinterpret_cast<std::uintptr_t>(innermost);
    if (goal > here && goal <= frame) break;
    leave(*innermost);
    // The code that was interrupted does not go on: whatever step it was in is over.
    self.in_runtime = 0;
    self.without_stripes = 0;
    release_stripe();
  }
  if (is_recorded()) drop_crossings(*reinterpret_cast<Stream*>(__racecast_thread), goal);
}

}  // namespace

}  // namespace racecast::runtime

using namespace racecast::runtime;

RACECAST_EXPORT int sigaction(int number, const struct sigaction* action, struct sigaction* old) noexcept {
  return wraps_handlers() ? install(number, action, old) : real_sigaction(number, action, old);
}

RACECAST_EXPORT sighandler_t signal(int number, sighandler_t handler) noexcept {
  return install_simple(number, handler, SA_RESTART);
}

RACECAST_EXPORT sighandler_t bsd_signal(int number, sighandler_t handler) noexcept {
  return install_simple(number, handler, SA_RESTART);
}

RACECAST_EXPORT sighandler_t ssignal(int number, sighandler_t handler) noexcept {
  return install_simple(number, handler, SA_RESTART);
}

RACECAST_EXPORT sighandler_t sysv_signal(int number, sighandler_t handler) noexcept {
  return install_simple(number, handler, static_cast<int>(SA_RESETHAND) | SA_NODEFER);
}

RACECAST_EXPORT sighandler_t __sysv_signal(int number, sighandler_t handler) noexcept {
  return install_simple(number, handler, static_cast<int>(SA_RESETHAND) | SA_NODEFER);
}

RACECAST_EXPORT void longjmp(struct __jmp_buf_tag target[1], int value) noexcept {
  leave_by_jump(target);
  real_longjmp(target, value);
  __builtin_unreachable();
}

RACECAST_EXPORT void _longjmp(struct __jmp_buf_tag target[1], int value) noexcept {
  leave_by_jump(target);
  real_longjmp(target, value);
  __builtin_unreachable();
}

RACECAST_EXPORT void siglongjmp(struct __jmp_buf_tag target[1], int value) noexcept {
  leave_by_jump(target);
  real_longjmp(target, value);
  __builtin_unreachable();
}

// What longjmp is with -D_FORTIFY_SOURCE.
RACECAST_EXPORT [[noreturn]] void __longjmp_chk(struct __jmp_buf_tag target[1], int value) noexcept {
  leave_by_jump(target);
  real_longjmp_chk(target, value);
  __builtin_unreachable();
}
