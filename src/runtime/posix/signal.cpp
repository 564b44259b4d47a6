// Signals order what threads do: nobody gets a signal that was not sent yet. So what sends one is a release, what waits
// for one, and the beginning of a handler (signals.cpp), an acquire. All signals of one number are one: who waits is
// after all that were sent before, also where another one woke it. That may hide a race and never makes one. Signals
// from elsewhere (a timer, a key, another process) have no sender here.
#include <signal.h>

#include <ctime>

#include "runtime/core/exit_wait.h"
#include "runtime/core/record.h"
#include "runtime/core/signals.h"
#include "runtime/posix/interceptor.h"

namespace racecast::runtime {
namespace {

void release(int number) {
  if (in_runtime() || recording() == nullptr) return;
  record<abi::Tag::Release>(place_of_signal(number));
}

void acquire(int number) {
  if (number <= 0 || in_runtime() || recording() == nullptr) return;
  note_end_signal(number);
  record<abi::Tag::Acquire>(place_of_signal(number));
}

RACECAST_REAL<int(pid_t, int)> real_kill{"kill"};
RACECAST_REAL<int(pid_t, int, union sigval)> real_sigqueue{"sigqueue"};
RACECAST_REAL<int(pthread_t, int)> real_pthread_kill{"pthread_kill"};
RACECAST_REAL<int(pthread_t, int, union sigval)> real_pthread_sigqueue{"pthread_sigqueue"};
RACECAST_REAL<int(const sigset_t*, int*)> real_sigwait{"sigwait"};
RACECAST_REAL<int(const sigset_t*, siginfo_t*)> real_sigwaitinfo{"sigwaitinfo"};
RACECAST_REAL<int(const sigset_t*, siginfo_t*, const timespec*)> real_sigtimedwait{"sigtimedwait"};

}  // namespace
}  // namespace racecast::runtime

using namespace racecast::runtime;

RACECAST_EXPORT int kill(pid_t target, int number) noexcept {
  release(number);
  return real_kill(target, number);
}
RACECAST_EXPORT int sigqueue(pid_t target, int number, const union sigval value) noexcept {
  release(number);
  return real_sigqueue(target, number, value);
}
RACECAST_EXPORT int pthread_kill(pthread_t thread, int number) noexcept {
  release(number);
  return real_pthread_kill(thread, number);
}
RACECAST_EXPORT int pthread_sigqueue(pthread_t thread, int number, const union sigval value) noexcept {
  release(number);
  return real_pthread_sigqueue(thread, number, value);
}
RACECAST_EXPORT int sigwait(const sigset_t* set, int* number) {
  const int result = real_sigwait(set, number);
  if (result == 0) acquire(*number);
  return result;
}
RACECAST_EXPORT int sigwaitinfo(const sigset_t* set, siginfo_t* information) {
  const int number = real_sigwaitinfo(set, information);
  acquire(number);
  return number;
}
RACECAST_EXPORT int sigtimedwait(const sigset_t* set, siginfo_t* information, const timespec* timeout) {
  const int number = real_sigtimedwait(set, information, timeout);
  acquire(number);
  return number;
}
