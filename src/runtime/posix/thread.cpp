// Creating, joining and detaching threads. C11's are in c11.cpp, what a thread's handle means in
// thread_table.h.
//
// A thread's last event comes after the destructors of its thread_locals and of its keys, which may lock and access
// memory. glibc runs the destructors of keys in rounds, in each round by number, and repeats while new values were set,
// four times at most. Our key has the highest number there is (all keys are taken for a moment, and given back but the
// last), and sets its value again until the fourth round: nothing runs after it.
#include <pthread.h>

#include <atomic>
#include <climits>

#include "runtime/core/record.h"
#include "runtime/core/threads.h"
#include "runtime/missing/missing.h"
#include "runtime/posix/interceptor.h"
#include "runtime/posix/thread.h"
#include "runtime/posix/thread_table.h"
#include "runtime/posix/unwind.h"

namespace racecast::runtime {
namespace {

RACECAST_REAL<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)> real_create{"pthread_create"};
RACECAST_REAL<int(pthread_t, void**)> real_join{"pthread_join"};
RACECAST_REAL<int(pthread_t, void**)> real_tryjoin{"pthread_tryjoin_np"};
RACECAST_REAL<int(pthread_t, void**, const timespec*)> real_timedjoin{"pthread_timedjoin_np"};
RACECAST_REAL<int(pthread_t, void**, clockid_t, const timespec*)> real_clockjoin{"pthread_clockjoin_np"};
RACECAST_REAL<int(pthread_t)> real_detach{"pthread_detach"};
RACECAST_REAL<int(pthread_t, const char*)> real_setname{"pthread_setname_np"};

// ---- the end of a thread

constinit pthread_key_t end_key = 0;
enum KeyState : int { kNoKey, kMaking, kMade, kImpossible };
constinit std::atomic<int> key_state{kNoKey};

void end(Start* start) {
  end_thread();
  forget_inherited(start->inherited);
  leave_thread(start);
}

void end_round(void* value) {
  const InRuntime inside;
  auto* const start = static_cast<Start*>(value);
  if (++start->rounds < PTHREAD_DESTRUCTOR_ITERATIONS && ::pthread_setspecific(end_key, start) == 0) return;
  end(start);
}

void make_key() {
  int expected = kNoKey;
  if (!key_state.compare_exchange_strong(expected, kMaking)) {
    while (key_state.load() == kMaking) ::sched_yield();
    return;
  }
  pthread_key_t keys[PTHREAD_KEYS_MAX];
  unsigned count = 0;
  while (count < PTHREAD_KEYS_MAX && ::pthread_key_create(&keys[count], end_round) == 0) ++count;
  if (count == 0) {
    key_state = kImpossible;
    return;
  }
  end_key = keys[count - 1];
  for (unsigned k = 0; k + 1 < count; ++k) ::pthread_key_delete(keys[k]);
  key_state = kMade;
}

// Whether the end of this thread will be heard of.
bool watch_end(Start* start) {
  const InRuntime inside;
  return key_state.load() == kMade && ::pthread_setspecific(end_key, start) == 0;
}

// Nobody created the first thread: it is entered when it creates another, who may join it.
void enter_first_thread() {
  if (current_thread() != 0 || key_state.load() != kMade || ::pthread_getspecific(end_key) != nullptr) return;
  Start* const start = new_start();
  if (start == nullptr) return;
  enter_thread(start);
  watch_end(start);
}

void* run_thread(void* argument) {
  auto* const start = static_cast<Start*>(argument);
  enter_thread(start);
  begin_thread(start->number);
  if (start->root != nullptr) begin_missing_root(start->root, &start->root_argument, start->inherited);
  const bool watched = watch_end(start);
  void* const result = start->routine(start->argument);
  // Without a key: too early by the thread's destructors, but better than no end at all.
  if (!watched) end(start);
  return result;
}

bool created_detached(const pthread_attr_t* attributes) {
  int state = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) ::pthread_attr_getdetachstate(attributes, &state);
  return state == PTHREAD_CREATE_DETACHED;
}

// A join of any form. It is a cancellation point: then nobody was joined.
struct Join {
  enum class How { Join, Try, Timed, Clock } how;
  pthread_t thread;
  void** result;
  clockid_t clock;
  const timespec* until;
  std::uint32_t number;
  int error;
};

void run_join(void* argument) {
  Join& join = *static_cast<Join*>(argument);
  switch (join.how) {
    case Join::How::Join: join.error = real_join(join.thread, join.result); break;
    case Join::How::Try: join.error = real_tryjoin(join.thread, join.result); break;
    case Join::How::Timed: join.error = real_timedjoin(join.thread, join.result, join.until); break;
    case Join::How::Clock: join.error = real_clockjoin(join.thread, join.result, join.clock, join.until); break;
  }
}
void join_cancelled(void* argument) {
  const Join& join = *static_cast<Join*>(argument);
  if (join.number != kNoThread) end_join(join.thread, join.number, false);
}

// Whose number it is has to be asked before.
int join(Join join) {
  perturb();
  join.number = begin_join(join.thread);
  call_guarded(run_join, join_cancelled, &join);
  if (join.number != kNoThread) {
    end_join(join.thread, join.number, join.error == 0);
    if (join.error == 0) join_thread(join.number);
  }
  return join.error;
}

}  // namespace

int create_thread(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*), void* argument,
                  const Root& root) {
  if (in_runtime() || !is_recorded()) {
    say_if_unrecorded();
    return real_create(thread, attributes, routine, argument);
  }
  perturb();
  {
    const InRuntime inside;
    make_key();
    enter_first_thread();
  }
  Start* const start = new_start();
  const std::uint32_t number = start == nullptr ? kNoThread : fork_thread(thread);
  if (number == kNoThread) {
    if (start != nullptr) drop_start(start);
    return real_create(thread, attributes, routine, argument);
  }
  start->routine = routine;
  start->argument = argument;
  start->number = number;
  start->detached = created_detached(attributes);
  start->root = missing_root(root.routine, root.argument);
  start->root_argument = root.argument;
  start->inherited = start->root != nullptr ? inherit_reach(root.stack) : Inherited{};
  const int result = real_create(thread, attributes, run_thread, start);
  if (result != 0) {
    forget_inherited(start->inherited);
    drop_start(start);
    drop_fork();
  }
  return result;
}

RACECAST_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*),
                                   void* argument) noexcept {
  __builtin_unwind_init();
  return create_thread(thread, attributes, routine, argument,
                       {reinterpret_cast<const void*>(routine), argument, callers_stack(__builtin_frame_address(0))});
}

RACECAST_EXPORT int pthread_join(pthread_t thread, void** result) {
  return join({Join::How::Join, thread, result, 0, nullptr, kNoThread, 0});
}
RACECAST_EXPORT int pthread_tryjoin_np(pthread_t thread, void** result) noexcept {
  return join({Join::How::Try, thread, result, 0, nullptr, kNoThread, 0});
}
RACECAST_EXPORT int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* until) {
  return join({Join::How::Timed, thread, result, 0, until, kNoThread, 0});
}
RACECAST_EXPORT int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock, const timespec* until) {
  return join({Join::How::Clock, thread, result, clock, until, kNoThread, 0});
}
RACECAST_EXPORT int pthread_detach(pthread_t thread) noexcept {
  detach_thread(thread);
  return real_detach(thread);
}

RACECAST_EXPORT int pthread_setname_np(pthread_t thread, const char* name) noexcept {
  const int result = real_setname(thread, name);
  if (result == 0) {
    const bool self_named = ::pthread_equal(thread, ::pthread_self()) != 0;
    name_thread(self_named ? current_thread() : number_of_thread(thread), name);
  }
  return result;
}

}  // namespace racecast::runtime
