// What an interceptor needs: the real function, and a way to tell the runtime's own calls from the program's.
//
//   RACECAST_REAL<int(pthread_mutex_t*)> real_lock{"pthread_mutex_lock"};
//   RACECAST_EXPORT int pthread_mutex_lock(pthread_mutex_t* mutex) {
//     const int result = real_lock(mutex);
//     if (result == 0 && !in_runtime()) record_sync(trace::EventKind::Lock, mutex);
//     return result;
//   }
#pragma once

#include <dlfcn.h>

#include <atomic>

#include "runtime/core/perturb.h"
#include "runtime/core/state.h"
#include "runtime/core/sys.h"

namespace racecast::runtime {

// In this scope what this thread calls is the runtime's own doing: interceptors pass it on and record nothing.
class InRuntime {
 public:
  InRuntime() { ++self.in_runtime; }
  ~InRuntime() { --self.in_runtime; }
  InRuntime(const InRuntime&) = delete;
  InRuntime& operator=(const InRuntime&) = delete;
};
inline bool in_runtime() {
  return self.in_runtime != 0;
}

// The next definition of a function after ours (RTLD_NEXT), looked up once and kept. `version`: for symbols that have
// several (pthread_cond_*: "GLIBC_2.3.2"). Not for malloc and its kin: dlsym may allocate.
class alignas(32) RealName {  // so that a section of them is an array
 public:
  constexpr explicit RealName(const char* name, const char* version) : name_(name), version_(version) {}

  // Null if nobody else defines it.
  void* find() {
    void* found = function_.load(std::memory_order_acquire);
    if (found == nullptr) [[unlikely]] {
      const InRuntime inside;
      const KeepErrno keep;
      found = version_ == nullptr ? nullptr : ::dlvsym(RTLD_NEXT, name_, version_);
      if (found == nullptr) found = ::dlsym(RTLD_NEXT, name_);
      function_.store(found, std::memory_order_release);
    }
    return found;
  }

 private:
  const char* name_;
  const char* version_;
  std::atomic<void*> function_{nullptr};
};

static_assert(sizeof(RealName) == 32);

template <typename Function>
class Real : public RealName {
 public:
  constexpr explicit Real(const char* name, const char* version = nullptr) : RealName(name, version) {}

  Function* get() { return reinterpret_cast<Function*>(find()); }
  template <typename... Args>
  auto operator()(Args... args) {
    return get()(args...);
  }
};

// How every Real is defined: in one section, so that look_up_all() finds them. dlsym has locks and may allocate, and
// half of these functions may be called by a handler that interrupted either.
#define RACECAST_REAL [[gnu::section("racecast_real"), gnu::used]] constinit ::racecast::runtime::Real

// Looks up every Real, when the runtime starts, before anything of the program can run. What is called still earlier
// looks up what it needs.
void look_up_all();

}  // namespace racecast::runtime
