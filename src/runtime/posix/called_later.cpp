// Functions that libc is given to call later: destructors of thread-specific data and of thread-local objects, and what
// runs around a fork. One without hooks is missing code wherever it is called, though no recorded code calls it; so
// libc is given a function of ours, which says so and calls it. There is one of ours for each such function, since what
// libc hands over is the value alone. (What runs once is in once.cpp, handlers of signals in core/signals.cpp, what
// runs at exit in exit.cpp.)
#include <pthread.h>
#include <threads.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <utility>

#include "runtime/core/hooks.h"
#include "runtime/core/process.h"
#include "runtime/missing/libraries.h"
#include "runtime/posix/interceptor.h"

namespace racecast::runtime {
namespace {

using Destructor = void(void*);
using Handler = void();

RACECAST_REAL<int(pthread_key_t*, Destructor*)> real_key_create{"pthread_key_create"};
RACECAST_REAL<int(tss_t*, Destructor*)> real_tss_create{"tss_create"};
RACECAST_REAL<int(Destructor*, void*, void*)> real_thread_atexit{"__cxa_thread_atexit_impl"};
RACECAST_REAL<int(Handler*, Handler*, Handler*, void*)> real_register{"__register_atfork"};
RACECAST_REAL<pid_t()> real_fork{"fork"};

// ---- destructors

constexpr std::size_t kDestructors = 256;
constinit std::atomic<Destructor*> destructors[kDestructors];

void run(Destructor* destructor, void* value) {
  const void* const pointers[] = {value};
  __racecast_missing_begin(reinterpret_cast<const void*>(destructor), 1, pointers);
  destructor(value);
  __racecast_missing_end(0, 0);
}
template <std::size_t number>
void run_number(void* value) {
  run(destructors[number].load(std::memory_order_acquire), value);
}
constexpr auto kOurs = []<std::size_t... number>(std::index_sequence<number...>) {
  return std::array<Destructor*, kDestructors>{run_number<number>...};
}(std::make_index_sequence<kDestructors>());

// What libc is to be given instead.
Destructor* wrapped(Destructor* destructor) {
  if (destructor == nullptr || in_runtime() || !process_may_be_recorded()) return destructor;
  const KeepErrno keep;
  const InRuntime inside;
  if (missing_function(reinterpret_cast<const void*>(destructor)) == nullptr) return destructor;
  for (std::size_t i = 0; i < kDestructors; ++i) {
    Destructor* known = nullptr;
    if (destructors[i].compare_exchange_strong(known, destructor) || known == destructor) return kOurs[i];
  }
  static constinit std::atomic<bool> said{false};
  if (!said.exchange(true))
    note_incomplete("there are too many destructors in code without hooks; not all of them are recorded as such");
  return destructor;
}

// ---- around a fork: by the functions, whoever they are, the libraries are found

constexpr std::size_t kHandlers = 256;
constinit std::atomic<const void*> handlers[kHandlers];
constinit std::atomic<std::uint32_t> handler_count{0};

void note_handler(Handler* handler) {
  const auto* const function = reinterpret_cast<const void*>(handler);
  if (handler == nullptr || missing_function(function) == nullptr) return;
  const std::uint32_t at = handler_count.fetch_add(1);
  if (at < kHandlers) handlers[at].store(function, std::memory_order_release);
}

}  // namespace
}  // namespace racecast::runtime

using namespace racecast::runtime;

RACECAST_EXPORT int pthread_key_create(pthread_key_t* key, Destructor* destructor) noexcept {
  return real_key_create(key, wrapped(destructor));
}
RACECAST_EXPORT int tss_create(tss_t* key, Destructor* destructor) {
  return real_tss_create(key, wrapped(destructor));
}
extern "C" int __cxa_thread_atexit_impl(Destructor*, void*, void*);
RACECAST_EXPORT int __cxa_thread_atexit_impl(Destructor* destructor, void* object, void* library) {
  return real_thread_atexit(wrapped(destructor), object, library);
}

extern "C" int __register_atfork(Handler*, Handler*, Handler*, void*);
RACECAST_EXPORT int __register_atfork(Handler* before, Handler* parent, Handler* child, void* library) {
  if (!in_runtime() && process_may_be_recorded()) {
    const KeepErrno keep;
    const InRuntime inside;
    for (Handler* const handler : {before, parent, child}) note_handler(handler);
  }
  return real_register(before, parent, child, library);
}
RACECAST_EXPORT pid_t fork() noexcept {
  const std::uint32_t count = handler_count.load(std::memory_order_acquire);
  if (count == 0 || in_runtime()) return real_fork();
  const void* pointers[kHandlers];
  for (std::size_t i = 0; i < kHandlers; ++i) pointers[i] = handlers[i].load(std::memory_order_acquire);
  __racecast_missing_begin(nullptr, count <= kHandlers ? count : racecast::abi::kEverywhere, pointers);
  const pid_t result = real_fork();
  __racecast_missing_end(0, 0);  // in the child nothing was begun
  return result;
}
