// What an interceptor needs: the real function, and a way to tell the runtime's own calls from the program's.
//
//   static constinit Real<int(pthread_mutex_t*)> real_lock{"pthread_mutex_lock"};
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
template <typename Function>
class Real {
 public:
  constexpr explicit Real(const char* name, const char* version = nullptr) : name_(name), version_(version) {}

  // Null if nobody else defines it.
  Function* get() {
    Function* function = function_.load(std::memory_order_acquire);
    if (function == nullptr) [[unlikely]] {
      const InRuntime inside;
      const KeepErrno keep;
      void* found = version_ == nullptr ? nullptr : ::dlvsym(RTLD_NEXT, name_, version_);
      if (found == nullptr) found = ::dlsym(RTLD_NEXT, name_);
      function = reinterpret_cast<Function*>(found);
      function_.store(function, std::memory_order_release);
    }
    return function;
  }
  template <typename... Args>
  auto operator()(Args... args) {
    return get()(args...);
  }

 private:
  const char* name_;
  const char* version_;
  std::atomic<Function*> function_{nullptr};
};

// For a one-off call: real<int(pthread_t)>("pthread_detach")(t). Looks it up each time.
template <typename Function>
inline Function* real(const char* name) {
  return Real<Function>(name).get();
}

}  // namespace racecast::runtime
