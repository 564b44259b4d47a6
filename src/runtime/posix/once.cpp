// Initialisers that run once: pthread_once (std::call_once comes here) and the guards of static locals.
//
// The first attempt may fail (an exception, cancellation) and the next caller tries again, but a trace's guard is
// entered once. So every attempt is a scope of a lock of its own, at address guard + 1, which orders it after the
// failed ones; one that succeeds records OnceEnter and OnceDone at its end, inside that scope. Who finds the guard done
// records OnceSeen.
//
// A static local's fast path is an acquire load of the guard's first byte in the program itself. The write that it
// reads from is that of __cxa_guard_release, recorded in one step with the real one. Guards are implemented here, by
// the protocol of libstdc++: a library that was loaded with dlopen calls us too, but its libstdc++ may be out of our
// sight. LIMIT: a program that has libstdc++ linked in statically calls its own copy, which is not seen.
#include <linux/futex.h>
#include <pthread.h>

#include <climits>
#include <cstdint>

#include "runtime/core/hooks.h"
#include "runtime/core/record.h"
#include "runtime/missing/libraries.h"
#include "runtime/posix/interceptor.h"
#include "runtime/posix/unwind.h"

namespace racecast::runtime {
namespace {

using trace::EventKind;

RACECAST_REAL<int(pthread_once_t*, void (*)())> real_once{"pthread_once"};

const void* lock_of(const void* guard) {
  return static_cast<const char*>(guard) + 1;
}
void begin_attempt(const void* guard) {
  record_sync(EventKind::Lock, lock_of(guard));
}
void end_attempt(const void* guard, bool done) {
  if (done) {
    record_sync(EventKind::OnceEnter, guard);
    record_sync(EventKind::OnceDone, guard);
  }
  record_sync(EventKind::Unlock, lock_of(guard));
}

// One call of pthread_once. The initialiser gets no argument, so it finds its call through the thread.
struct Call {
  const void* guard;
  void (*initialiser)();
  bool ran;
};
[[gnu::tls_model("initial-exec")]] thread_local Call* current = nullptr;

// Libc calls it, so nobody else says that it has no hooks.
bool is_missing(const void* function) {
  const KeepErrno keep;
  const InRuntime inside;
  return missing_function(function) != nullptr;
}
void run_initialiser(void* call) {
  void (*const initialiser)() = static_cast<Call*>(call)->initialiser;
  const auto* const function = reinterpret_cast<const void*>(initialiser);
  if (!is_recorded() || !is_missing(function)) return initialiser();
  __racecast_missing_begin(function, 0, nullptr);
  initialiser();
  __racecast_missing_end(0, 0);
}
void initialiser_failed(void* call) {
  end_attempt(static_cast<Call*>(call)->guard, false);
}
void attempt() {
  Call* const call = current;  // the initialiser may call pthread_once itself
  begin_attempt(call->guard);
  call_guarded(run_initialiser, initialiser_failed, call);
  end_attempt(call->guard, true);
  call->ran = true;
}

// ---- guards of static locals, as libstdc++ has them: the first byte is 1 when all is done, the second while somebody
// is at it, the third if others sleep meanwhile

constexpr int kDone = 1;
constexpr int kPending = 1 << 8;
constexpr int kWaiting = 1 << 16;
constexpr std::uint32_t kReleaseByte = 1 | static_cast<std::uint32_t>(MemoryOrder::Release) << 8 | 1 << 16;

// True: the caller runs the initialiser.
bool enter_guard(int* guard) {
  int seen = __atomic_load_n(guard, __ATOMIC_ACQUIRE);
  for (;;) {
    if ((seen & kDone) != 0) return false;
    if (seen == 0) {
      if (__atomic_compare_exchange_n(guard, &seen, kPending, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return true;
      continue;
    }
    const int sleepers = seen | kWaiting;
    if (seen != sleepers &&
        !__atomic_compare_exchange_n(guard, &seen, sleepers, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      continue;
    }
    sys(SYS_futex, guard, FUTEX_WAIT, sleepers, nullptr);
    seen = __atomic_load_n(guard, __ATOMIC_ACQUIRE);
  }
}
int leave_guard(int* guard, int state) {
  return __atomic_exchange_n(guard, state, __ATOMIC_ACQ_REL);
}
void wake_sleepers(int* guard, int before) {
  if ((before & kWaiting) != 0) sys(SYS_futex, guard, FUTEX_WAKE, INT_MAX);
}

}  // namespace

RACECAST_EXPORT int pthread_once(pthread_once_t* guard, void (*initialiser)()) {
  if (in_runtime()) return real_once(guard, initialiser);
  Call call{guard, initialiser, false};
  current = &call;
  const int result = real_once(guard, attempt);
  if (result == 0 && !call.ran) record_sync(EventKind::OnceSeen, guard);
  return result;
}

RACECAST_EXPORT int __cxa_guard_acquire(std::uint64_t* guard) {
  const bool mine = enter_guard(reinterpret_cast<int*>(guard));
  if (mine) {
    begin_attempt(guard);
  } else {
    record_sync(EventKind::OnceSeen, guard);
  }
  return mine ? 1 : 0;
}
RACECAST_EXPORT void __cxa_guard_release(std::uint64_t* guard) noexcept {
  end_attempt(guard, true);
  __racecast_atomic_begin(guard);
  const int before = leave_guard(reinterpret_cast<int*>(guard), kDone);
  __racecast_atomic_store(guard, kReleaseByte, 1);
  wake_sleepers(reinterpret_cast<int*>(guard), before);
}
RACECAST_EXPORT void __cxa_guard_abort(std::uint64_t* guard) noexcept {
  end_attempt(guard, false);
  wake_sleepers(reinterpret_cast<int*>(guard), leave_guard(reinterpret_cast<int*>(guard), 0));
}

}  // namespace racecast::runtime
