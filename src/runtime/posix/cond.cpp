// Condition variables. Wait is recorded while the mutex is still held, Wake when it is held again: the mutex is free in
// between, as it was. A wait that ran out of time, or failed otherwise, is a Wake with Failed; whether a wake was
// spurious is for the merger to say, which sees all notifies.
//
// A wait is a cancellation point: a cancelled thread takes the mutex again before its cleanup handlers run, so Wake is
// recorded on the way out (unwind.h). Nothing is recorded of a call that glibc refuses at once.
#include <pthread.h>

#include <cerrno>

#include "runtime/core/record.h"
#include "runtime/posix/interceptor.h"
#include "runtime/posix/unwind.h"

namespace racecast::runtime {
namespace {

using trace::EventKind;

// Before 2.3.2 a condition had another layout; dlsym might give that one.
constexpr const char* kVersion = "GLIBC_2.3.2";
RACECAST_REAL<int(pthread_cond_t*, pthread_mutex_t*)> real_wait{"pthread_cond_wait", kVersion};
RACECAST_REAL<int(pthread_cond_t*, pthread_mutex_t*, const timespec*)> real_timedwait{"pthread_cond_timedwait",
                                                                                      kVersion};
RACECAST_REAL<int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)> real_clockwait{
    "pthread_cond_clockwait"};
RACECAST_REAL<int(pthread_cond_t*)> real_signal{"pthread_cond_signal", kVersion};
RACECAST_REAL<int(pthread_cond_t*)> real_broadcast{"pthread_cond_broadcast", kVersion};

enum class How { Wait, TimedWait, ClockWait };

struct Call {
  How how;
  pthread_cond_t* condition;
  pthread_mutex_t* mutex;
  clockid_t clock;
  const timespec* until;
  int result;
};

void run(void* argument) {
  Call& call = *static_cast<Call*>(argument);
  switch (call.how) {
    case How::Wait: call.result = real_wait(call.condition, call.mutex); break;
    case How::TimedWait: call.result = real_timedwait(call.condition, call.mutex, call.until); break;
    case How::ClockWait: call.result = real_clockwait(call.condition, call.mutex, call.clock, call.until); break;
  }
}

void wake(const Call& call, std::uint8_t flags) {
  record_sync(EventKind::Wake, call.condition, flags, reinterpret_cast<std::uint64_t>(call.mutex));
}
// While the thread sleeps nothing else of it is recorded: on cancellation the unwinder locks and allocates before the
// mutex is held again. (Handlers of signals have streams of their own.)
void cancelled(void* argument) {
  --self.in_runtime;
  wake(*static_cast<Call*>(argument), trace::kFailed);
}

bool refused(const Call& call) {
  if (call.how == How::Wait) return false;
  if (call.until->tv_nsec < 0 || call.until->tv_nsec >= 1'000'000'000) return true;
  return call.how == How::ClockWait && call.clock != CLOCK_MONOTONIC && call.clock != CLOCK_REALTIME;
}

int wait(Call call) {
  if (in_runtime() || refused(call)) {
    run(&call);
    return call.result;
  }
  record_sync(EventKind::Wait, call.condition, 0, reinterpret_cast<std::uint64_t>(call.mutex));
  ++self.in_runtime;
  call_guarded(run, cancelled, &call);
  --self.in_runtime;
  wake(call, call.result == 0 || call.result == EOWNERDEAD ? 0 : trace::kFailed);
  return call.result;
}

}  // namespace

RACECAST_EXPORT int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  return wait({How::Wait, condition, mutex, 0, nullptr, 0});
}
RACECAST_EXPORT int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until) {
  return wait({How::TimedWait, condition, mutex, 0, until, 0});
}
RACECAST_EXPORT int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                           const timespec* until) {
  return wait({How::ClockWait, condition, mutex, clock, until, 0});
}
RACECAST_EXPORT int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  if (!in_runtime()) {
    perturb();
    record_sync(EventKind::Notify, condition);
  }
  return real_signal(condition);
}
RACECAST_EXPORT int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  if (!in_runtime()) {
    perturb();
    record_sync(EventKind::NotifyAll, condition);
  }
  return real_broadcast(condition);
}

}  // namespace racecast::runtime
