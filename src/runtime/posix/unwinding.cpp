// When a thread begins to unwind: an exception is thrown, the thread exits. What callbacks of code without hooks did is
// over then (missing/crossings.h). Unwinding passes through these frames.
#include <pthread.h>

#include "runtime/missing/crossings.h"
#include "runtime/posix/interceptor.h"

// The unwinder's own types (unwind.h) are not needed: what is given is handed on.
struct _Unwind_Exception;

namespace racecast::runtime {
namespace {

RACECAST_REAL<int(_Unwind_Exception*)> real_raise{"_Unwind_RaiseException"};
RACECAST_REAL<int(_Unwind_Exception*)> real_rethrow{"_Unwind_Resume_or_Rethrow"};
RACECAST_REAL<void(void*)> real_exit{"pthread_exit"};

}  // namespace

RACECAST_EXPORT int _Unwind_RaiseException(_Unwind_Exception* exception) {
  begin_unwinding();
  return real_raise(exception);
}

RACECAST_EXPORT int _Unwind_Resume_or_Rethrow(_Unwind_Exception* exception) {
  begin_unwinding();
  return real_rethrow(exception);
}

RACECAST_EXPORT void pthread_exit(void* result) {
  begin_unwinding();
  real_exit(result);
  __builtin_unreachable();
}

}  // namespace racecast::runtime
