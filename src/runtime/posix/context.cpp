// swapcontext and setcontext: a thread that goes on on another stack (coroutines, green threads). What it does is
// recorded as ever, in the order in which the thread does it, so orders of synchronisation are right. But functions are
// left and entered where no call or return is, and the program model cannot be run along such a path (model/walk: a
// resync at each switch). So the trace says that it was not followed, once. A switch that is written in assembly is
// not noticed. makecontext and getcontext only prepare.
#include <ucontext.h>

#include "runtime/core/process.h"
#include "runtime/core/state.h"
#include "runtime/posix/interceptor.h"

namespace racecast::runtime {
namespace {

RACECAST_REAL<int(ucontext_t*, const ucontext_t*)> real_swapcontext{"swapcontext"};
RACECAST_REAL<int(const ucontext_t*)> real_setcontext{"setcontext"};

}  // namespace

RACECAST_EXPORT int swapcontext(ucontext_t* from, const ucontext_t* to) noexcept {
  note_stack_switch();
  return real_swapcontext(from, to);
}
RACECAST_EXPORT int setcontext(const ucontext_t* to) noexcept {
  note_stack_switch();
  return real_setcontext(to);
}

}  // namespace racecast::runtime
