// C11 threads. In glibc they are the pthread functions under other names and with other results, and call them inside
// libc where we cannot see it; so here they are written once more, on the pthread functions that are intercepted.
#include <pthread.h>
#include <threads.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "runtime/posix/interceptor.h"
#include "runtime/posix/thread.h"

extern "C" void* __libc_malloc(std::size_t);
extern "C" void __libc_free(void*);

namespace racecast::runtime {
namespace {

// glibc's thrd_err_map.
int c11_result(int error) {
  switch (error) {
    case 0: return thrd_success;
    case ENOMEM: return thrd_nomem;
    case ETIMEDOUT: return thrd_timedout;
    case EBUSY: return thrd_busy;
    default: return thrd_error;
  }
}
pthread_mutex_t* posix(mtx_t* mutex) {
  return reinterpret_cast<pthread_mutex_t*>(mutex);
}
pthread_cond_t* posix(cnd_t* condition) {
  return reinterpret_cast<pthread_cond_t*>(condition);
}

struct C11Start {
  thrd_start_t function;
  void* argument;
};
void* run(void* argument) {
  const C11Start start = *static_cast<C11Start*>(argument);
  __libc_free(argument);
  return reinterpret_cast<void*>(static_cast<std::intptr_t>(start.function(start.argument)));
}

}  // namespace

RACECAST_EXPORT int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  __builtin_unwind_init();
  auto* const start = static_cast<C11Start*>(__libc_malloc(sizeof(C11Start)));
  if (start == nullptr) return thrd_nomem;
  *start = {function, argument};
  const int error =
      create_thread(thread, nullptr, run, start,
                    {reinterpret_cast<const void*>(function), argument, callers_stack(__builtin_frame_address(0))});
  if (error != 0) __libc_free(start);
  // As glibc has it: EAGAIN means that there is no memory for a thread.
  return c11_result(error == EAGAIN ? ENOMEM : error);
}
RACECAST_EXPORT int thrd_join(thrd_t thread, int* result) {
  void* value = nullptr;
  const int error = ::pthread_join(thread, &value);
  if (result != nullptr && error == 0) *result = static_cast<int>(reinterpret_cast<std::intptr_t>(value));
  return c11_result(error);
}
RACECAST_EXPORT int thrd_detach(thrd_t thread) {
  return c11_result(::pthread_detach(thread));
}

RACECAST_EXPORT int mtx_lock(mtx_t* mutex) {
  return c11_result(::pthread_mutex_lock(posix(mutex)));
}
RACECAST_EXPORT int mtx_trylock(mtx_t* mutex) {
  return c11_result(::pthread_mutex_trylock(posix(mutex)));
}
RACECAST_EXPORT int mtx_timedlock(mtx_t* mutex, const timespec* until) {
  return c11_result(::pthread_mutex_timedlock(posix(mutex), until));
}
RACECAST_EXPORT int mtx_unlock(mtx_t* mutex) {
  return c11_result(::pthread_mutex_unlock(posix(mutex)));
}

RACECAST_EXPORT int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  return c11_result(::pthread_cond_wait(posix(condition), posix(mutex)));
}
RACECAST_EXPORT int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* until) {
  return c11_result(::pthread_cond_timedwait(posix(condition), posix(mutex), until));
}
RACECAST_EXPORT int cnd_signal(cnd_t* condition) {
  return c11_result(::pthread_cond_signal(posix(condition)));
}
RACECAST_EXPORT int cnd_broadcast(cnd_t* condition) {
  return c11_result(::pthread_cond_broadcast(posix(condition)));
}

RACECAST_EXPORT void call_once(once_flag* guard, void (*initialiser)()) {
  ::pthread_once(reinterpret_cast<pthread_once_t*>(guard), initialiser);
}

}  // namespace racecast::runtime
