// Calls code that may be left by an exception, by cancellation of the thread or by pthread_exit, and hears of it.
//
// No landing pads: an exception of the program would have to be caught and thrown again, by the C++ library that threw
// it, and there may be none in the process. (The runtime needs libc and the unwinder of libgcc_s; its own copy of
// libstdc++ is hidden and serves its own frames.) So the call goes through a few lines of assembly whose unwind entry
// names a personality routine of ours; the unwinder asks it when it passes that frame, whoever unwinds and why. Where
// nothing unwinds it costs a handful of instructions.
#pragma once

namespace racecast::runtime {

// Calls run(argument). If it is left by unwinding, `unwound(argument)` is called on the way (after everything that is
// inside has been cleaned up, before anything outside is), and unwinding goes on. A longjmp out of it is not heard of.
// May be nested. `unwound` must not unwind.
void call_guarded(void (*run)(void*), void (*unwound)(void*), void* argument);

}  // namespace racecast::runtime
