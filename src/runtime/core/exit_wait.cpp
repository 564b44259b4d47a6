// See exit_wait.h.
#include "runtime/core/exit_wait.h"

#include <linux/futex.h>
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <cstdint>

#include "runtime/core/process.h"
#include "runtime/core/state.h"
#include "runtime/core/sys.h"
#include "runtime/core/tasks.h"

namespace racecast::runtime {
namespace {

constexpr std::uint32_t kWaited = ~std::uint32_t{0};
constexpr std::int64_t kFirstPause = 50'000;  // ns between two looks
constexpr std::int64_t kLongestPause = 5'000'000;
constexpr std::uint64_t kMostLogged = std::uint64_t{8} << 20;
constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t now() {
  struct timespec time = {};
  sys(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

void wait_on(std::atomic<std::uint32_t>& word, std::uint32_t value, std::int64_t for_ns) {
  const struct timespec limit = {for_ns / kSecond, for_ns % kSecond};
  sys(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, for_ns == 0 ? nullptr : &limit, nullptr, 0);
}
void wake_all(std::atomic<std::uint32_t>& word) {
  sys(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 0x7fffffff, nullptr, nullptr, 0);
}

// The process is another one's to end. While that one waits this thread stands still. Then the process ends; unless
// what is done at exit waits for this very thread, which must go on some time.
void let_the_other_exit(std::uint32_t other) {
  while (process.exit_waiter.load() == other) wait_on(process.exit_waiter, other, 0);
  const struct timespec moment = {1, 0};
  sys(SYS_nanosleep, &moment, nullptr);
}

void wait_until_still() {
  const std::uint32_t asked = process.end_signals.load();
  const std::uint64_t logged = process.logged.load();
  const std::int64_t end = now() + static_cast<std::int64_t>(process.exit_wait) * 1'000'000;
  for (std::int64_t pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    const std::uint32_t living = process.living.load();
    if (living <= (self.own != nullptr ? 1 : 0) || !process_recorded() || process.end_signals.load() != asked) return;
    if (others_stand_still() || process.logged.load() - logged > kMostLogged) return;
    const std::int64_t left = end - now();
    if (left <= 0) return;
    wait_on(process.living, living, std::min(pause, left));
  }
}

}  // namespace

void wait_for_others() {
  if (process.exit_wait == 0 || !process_recorded()) return;
  if (process.living.load() <= (self.own != nullptr ? 1 : 0)) return;
  // The child of a vfork, which has its parent's memory, is not the one whose threads these are.
  if (static_cast<std::uint32_t>(sys(SYS_getpid)) != process.pid) return;
  const KeepErrno keep;
  const auto thread = static_cast<std::uint32_t>(sys(SYS_gettid));
  std::uint32_t waiter = 0;
  if (!process.exit_waiter.compare_exchange_strong(waiter, thread)) {
    // In what is done at exit, or in a handler of a signal that came while this thread waited: it has waited enough.
    if (waiter != kWaited && waiter != thread) let_the_other_exit(waiter);
    return;
  }
  wait_until_still();
  process.exit_waiter.store(kWaited);
  wake_all(process.exit_waiter);
}

void tell_exit_wait() {
  if (process.exit_waiter.load() != 0) wake_all(process.living);
}

void note_end_signal(int number) {
  if (number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT) process.end_signals.fetch_add(1);
}

}  // namespace racecast::runtime
