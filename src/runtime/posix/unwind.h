// Calls code that may be left by an exception, by cancellation of the thread or by pthread_exit, and hears of it.
//
// The runtime is built without exceptions and needs no C++ library, so there are no landing pads here. The call goes
// through a few lines of assembly whose unwind entry names a personality routine of ours; the unwinder asks it when
// it passes that frame, whoever unwinds and why. Costs a handful of instructions where nothing unwinds.
#pragma once

namespace racecast::runtime {

// Calls run(argument). If it is left by unwinding, `unwound(argument)` is called on the way (after everything that is
// inside has been cleaned up, before anything outside is), and unwinding goes on. A longjmp out of it is not heard of.
// May be nested. `unwound` must not unwind.
void call_guarded(void (*run)(void*), void (*unwound)(void*), void* argument);

}  // namespace racecast::runtime
