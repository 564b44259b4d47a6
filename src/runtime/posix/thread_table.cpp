#include "runtime/posix/thread_table.h"

#include <sched.h>

#include <atomic>
#include <cstddef>

#include "runtime/core/threads.h"
#include "runtime/posix/interceptor.h"

extern "C" void* __libc_malloc(std::size_t);
extern "C" void __libc_free(void*);

namespace racecast::runtime {
namespace {

constexpr std::size_t kBuckets = 1024;
constinit Start* buckets[kBuckets] = {};
constinit std::atomic<std::uint32_t> on_their_way{0};

// None of the functions below may be called by a signal handler, so a plain spin lock cannot be waited for by its
// holder.
constinit std::atomic<bool> locked{false};
class Locked {
 public:
  Locked() {
    while (locked.exchange(true, std::memory_order_acquire)) ::sched_yield();
  }
  ~Locked() { locked.store(false, std::memory_order_release); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
};

Start*& bucket_of(pthread_t handle) {
  return buckets[(static_cast<std::uint64_t>(handle) * 0x9e37'79b9'7f4a'7c15) >> 54];
}
Start** find(pthread_t handle) {
  Start** at = &bucket_of(handle);
  while (*at != nullptr && (*at)->handle != handle) at = &(*at)->next;
  return at;
}
// The thread that a handle means now; not one whose join is under way, or done.
Start* find_joinable(pthread_t handle) {
  Start* const start = *find(handle);
  return start != nullptr && !start->joining ? start : nullptr;
}
void remove(Start** at) {
  Start* const start = *at;
  *at = start->next;
  __libc_free(start);
}

// The child of a fork has one thread, number 0, which did not hold the lock; whoever did is not there. Nor are the
// other threads and those on their way, and their handles are given to new ones.
void forget_others() {
  locked.store(false);
  on_their_way.store(0);
  Start* const own = *find(::pthread_self());
  for (Start*& bucket : buckets) bucket = nullptr;
  if (own == nullptr) return;
  own->number = 0;
  own->next = nullptr;
  bucket_of(own->handle) = own;
}
[[gnu::constructor]] void watch_forks() {
  ::pthread_atfork(nullptr, nullptr, forget_others);
}

// A thread may be on its way that will have this handle. `mark`: it is being joined.
std::uint32_t look_up(pthread_t handle, bool mark) {
  for (;;) {
    // Asked before the table is: whoever was not on its way by now is in it.
    const bool wait = on_their_way.load() != 0;
    {
      const Locked lock;
      if (Start* const start = find_joinable(handle)) {
        start->joining = mark;
        return start->number;
      }
    }
    if (!wait) return kNoThread;
    ::sched_yield();
  }
}

}  // namespace

Start* new_start() {
  auto* const start = static_cast<Start*>(__libc_malloc(sizeof(Start)));
  if (start == nullptr) return nullptr;
  *start = Start{};
  on_their_way.fetch_add(1);
  return start;
}
void drop_start(Start* start) {
  on_their_way.fetch_sub(1);
  __libc_free(start);
}

void enter_thread(Start* start) {
  {
    const Locked lock;
    start->handle = ::pthread_self();
    Start** const old = find(start->handle);
    // A thread that ended in a way we did not see.
    if (*old != nullptr) remove(old);
    start->next = bucket_of(start->handle);
    bucket_of(start->handle) = start;
  }
  on_their_way.fetch_sub(1);
}
void leave_thread(Start* start) {
  const Locked lock;
  start->ended = true;
  if (!start->detached) return;
  Start** const at = find(start->handle);
  if (*at == start) remove(at);
}

std::uint32_t number_of_thread(pthread_t handle) {
  return look_up(handle, false);
}
std::uint32_t begin_join(pthread_t handle) {
  return look_up(handle, true);
}
void end_join(pthread_t handle, std::uint32_t number, bool joined) {
  const Locked lock;
  Start** const at = find(handle);
  if (*at == nullptr || (*at)->number != number) return;
  if (joined) return remove(at);
  (*at)->joining = false;
}
void detach_thread(pthread_t handle) {
  if (number_of_thread(handle) == kNoThread) return;
  const Locked lock;
  Start** const at = find(handle);
  if (*at == nullptr) return;
  if ((*at)->ended) return remove(at);
  (*at)->detached = true;
}

}  // namespace racecast::runtime
