// Signals order what threads do: nobody gets a signal that was not sent yet. So what sends one is a release, what waits
// for one, and the beginning of a handler (signals.cpp), an acquire. All signals of one number are one: who waits is
// after all that were sent before, also where another one woke it. That may hide a race and never makes one.
//
// What other processes and timers send comes from there: who sends something out of the process, or sets a timer, is
// before it.
#include <signal.h>

#include <atomic>
#include <cerrno>
#include <ctime>

#include "runtime/core/exit_wait.h"
#include "runtime/core/record.h"
#include "runtime/core/signals.h"
#include "runtime/kernel/ordering.h"
#include "runtime/posix/interceptor.h"

namespace racecast::runtime {
namespace {

void send(int number, bool outside) {
  if (number == 0 || !orders()) return;
  release(place_of_signal(number));
  release(place_of_signal(0));
  if (outside) release(abi::kOutside);
}
bool is_other(pid_t target) {
  return target != static_cast<pid_t>(sys(SYS_getpid));
}

// After a call in which a handler of this thread may have run: a stamp, so that the merger puts what follows behind it
// (recording/merge.cpp). Nobody gives anything to that place.
int handled(int result) {
  if (!orders()) return result;
  const KeepErrno keep;
  acquire(abi::place(abi::PlaceKind::Callback, abi::kPlaceNumber));
  return result;
}

constinit std::atomic<bool> descriptor_signals{false};

void got(int number, const siginfo_t& information) {
  if (number <= 0) return;
  note_end_signal(number);
  acquire_signal(number, information.si_code, !is_other(information.si_pid));
}

RACECAST_REAL<int(pid_t, int)> real_kill{"kill"};
RACECAST_REAL<int(int)> real_raise{"raise"};
RACECAST_REAL<int()> real_pause{"pause"};
RACECAST_REAL<int(const sigset_t*)> real_sigsuspend{"sigsuspend"};
RACECAST_REAL<int(int, const sigset_t*, sigset_t*)> real_sigprocmask{"sigprocmask"};
RACECAST_REAL<int(int, const sigset_t*, sigset_t*)> real_pthread_sigmask{"pthread_sigmask"};
RACECAST_REAL<int(pid_t, int)> real_killpg{"killpg"};
RACECAST_REAL<int(pid_t, pid_t, int)> real_tgkill{"tgkill"};
RACECAST_REAL<int(pid_t, int, union sigval)> real_sigqueue{"sigqueue"};
RACECAST_REAL<int(pthread_t, int)> real_pthread_kill{"pthread_kill"};
RACECAST_REAL<int(pthread_t, int, union sigval)> real_pthread_sigqueue{"pthread_sigqueue"};
RACECAST_REAL<int(const sigset_t*, int*)> real_sigwait{"sigwait"};
RACECAST_REAL<int(const sigset_t*, siginfo_t*)> real_sigwaitinfo{"sigwaitinfo"};
RACECAST_REAL<int(const sigset_t*, siginfo_t*, const timespec*)> real_sigtimedwait{"sigtimedwait"};

}  // namespace

void acquire_signal(int number, int code, bool own) {
  if (!orders()) return;
  acquire(place_of_signal(number));
  const bool sent = code == SI_USER || code == SI_QUEUE || code == SI_TKILL;
  const bool alarms = number == SIGALRM || number == SIGVTALRM || number == SIGPROF;
  if (code == SI_TIMER || (alarms && !sent)) return acquire(abi::place(abi::PlaceKind::Timer, 0));
  // A descriptor is ready: which one is not said.
  if ((number == SIGIO || descriptor_signals.load(std::memory_order_relaxed)) && !sent)
    return order_everything(address_of(acquire_signal));
  if (!(sent && own)) acquire(abi::kOutside);
}

void note_descriptor_signals() {
  descriptor_signals.store(true, std::memory_order_relaxed);
}

}  // namespace racecast::runtime

using namespace racecast::runtime;

RACECAST_EXPORT int kill(pid_t target, int number) noexcept {
  send(number, is_other(target));
  const int result = real_kill(target, number);
  // It has ended.
  if (result != 0 && errno == ESRCH && orders()) acquire(racecast::abi::kOutside);
  return handled(result);
}
RACECAST_EXPORT int raise(int number) noexcept {
  send(number, false);
  return handled(real_raise(number));
}
RACECAST_EXPORT int pause() {
  return handled(real_pause());
}
RACECAST_EXPORT int sigsuspend(const sigset_t* mask) {
  return handled(real_sigsuspend(mask));
}
// What it lets through comes at once.
RACECAST_EXPORT int sigprocmask(int how, const sigset_t* mask, sigset_t* old) noexcept {
  return handled(real_sigprocmask(how, mask, old));
}
RACECAST_EXPORT int pthread_sigmask(int how, const sigset_t* mask, sigset_t* old) noexcept {
  return handled(real_pthread_sigmask(how, mask, old));
}
RACECAST_EXPORT int killpg(pid_t target, int number) noexcept {
  send(number, true);
  return real_killpg(target, number);
}
RACECAST_EXPORT int tgkill(pid_t target, pid_t thread, int number) {
  send(number, is_other(target));
  return handled(real_tgkill(target, thread, number));
}
RACECAST_EXPORT int sigqueue(pid_t target, int number, const union sigval value) noexcept {
  send(number, is_other(target));
  return handled(real_sigqueue(target, number, value));
}
RACECAST_EXPORT int pthread_kill(pthread_t thread, int number) noexcept {
  send(number, false);
  return handled(real_pthread_kill(thread, number));
}
RACECAST_EXPORT int pthread_sigqueue(pthread_t thread, int number, const union sigval value) noexcept {
  send(number, false);
  return handled(real_pthread_sigqueue(thread, number, value));
}

// It does not say who sent it.
RACECAST_EXPORT int sigwait(const sigset_t* set, int* number) {
  const int result = real_sigwait(set, number);
  if (result == 0) {
    note_end_signal(*number);
    acquire_signal(*number, SI_USER, false);
    if (orders()) acquire(racecast::abi::place(racecast::abi::PlaceKind::Timer, 0));
    if (*number == SIGIO || descriptor_signals.load(std::memory_order_relaxed)) order_everything(address_of(sigwait));
  }
  return result;
}
RACECAST_EXPORT int sigwaitinfo(const sigset_t* set, siginfo_t* information) {
  siginfo_t own;
  siginfo_t* const to = information == nullptr ? &own : information;
  const int number = real_sigwaitinfo(set, to);
  got(number, *to);
  return number;
}
RACECAST_EXPORT int sigtimedwait(const sigset_t* set, siginfo_t* information, const timespec* timeout) {
  siginfo_t own;
  siginfo_t* const to = information == nullptr ? &own : information;
  const int number = real_sigtimedwait(set, to, timeout);
  got(number, *to);
  return number;
}
