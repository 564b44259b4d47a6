// Timers: who sets one is before what happens when it expires: a signal (signal.cpp), a call in a thread (callbacks.h),
// something to read (timerfd). Timers that send signals or call count as one.
#include <signal.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#include "runtime/kernel/callbacks.h"
#include "runtime/kernel/descriptor.h"
#include "runtime/posix/interceptor.h"

namespace racecast::runtime {
namespace {

RACECAST_REAL<int(clockid_t, sigevent*, timer_t*)> real_timer_create{"timer_create"};
RACECAST_REAL<int(timer_t, int, const itimerspec*, itimerspec*)> real_timer_settime{"timer_settime"};
RACECAST_REAL<int(timer_t)> real_timer_delete{"timer_delete"};
RACECAST_REAL<unsigned(unsigned)> real_alarm{"alarm"};
RACECAST_REAL<useconds_t(useconds_t, useconds_t)> real_ualarm{"ualarm"};
RACECAST_REAL<int(__itimer_which_t, const itimerval*, itimerval*)> real_setitimer{"setitimer"};
RACECAST_REAL<int(int, int, const itimerspec*, itimerspec*)> real_timerfd_settime{"timerfd_settime"};

void release_timers() {
  if (orders()) release(abi::place(abi::PlaceKind::Timer, 0));
}

// Which function a timer calls, until it is deleted. What does not fit stays registered.
struct Known {
  std::atomic<timer_t> timer;
  std::atomic<Callback*> callback;
};
constinit Known known[256];

void remember(timer_t timer, Callback* callback) {
  if (callback == nullptr) return;
  for (Known& entry : known) {
    Callback* none = nullptr;
    if (!entry.callback.compare_exchange_strong(none, callback)) continue;
    entry.timer.store(timer);
    return;
  }
}
void forget(timer_t timer) {
  for (Known& entry : known)
    if (entry.callback.load() != nullptr && entry.timer.load() == timer) {
      drop_callback(entry.callback.load());
      entry.callback.store(nullptr);
    }
}

}  // namespace
}  // namespace racecast::runtime

using namespace racecast::runtime;

RACECAST_EXPORT int timer_create(clockid_t clock, sigevent* event, timer_t* timer) noexcept {
  Notification notification(event);
  const int result = notification.done(real_timer_create(clock, const_cast<sigevent*>(notification.event()), timer));
  if (result == 0) remember(*timer, notification.keep());
  return result;
}
RACECAST_EXPORT int timer_settime(timer_t timer, int flags, const itimerspec* value, itimerspec* old) noexcept {
  release_timers();
  return real_timer_settime(timer, flags, value, old);
}
RACECAST_EXPORT int timer_delete(timer_t timer) noexcept {
  const int result = real_timer_delete(timer);
  if (result == 0) forget(timer);
  return result;
}
RACECAST_EXPORT unsigned alarm(unsigned seconds) noexcept {
  release_timers();
  return real_alarm(seconds);
}
RACECAST_EXPORT useconds_t ualarm(useconds_t value, useconds_t interval) noexcept {
  release_timers();
  return real_ualarm(value, interval);
}
RACECAST_EXPORT int setitimer(__itimer_which_t which, const itimerval* value, itimerval* old) noexcept {
  release_timers();
  return real_setitimer(which, value, old);
}
RACECAST_EXPORT int timerfd_settime(int descriptor, int flags, const itimerspec* value, itimerspec* old) noexcept {
  if (orders()) {
    const Descriptor what = describe(descriptor);
    if (what.kind == DescriptorKind::Timer && what.number != 0) {
      release(racecast::abi::place(racecast::abi::PlaceKind::Timer, what.number));
    } else {
      order_everything(address_of(timerfd_settime));
    }
  }
  return real_timerfd_settime(descriptor, flags, value, old);
}
