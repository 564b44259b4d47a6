// The end of the process, while other threads still have something to do: those that main does not wait for would be
// cut off, often before their first access. They are let run on until they have ended or stand still (tasks.h), for
// RACECAST_EXIT_WAIT milliseconds at most; then exit goes on. Whatever they do meanwhile is recorded as ever, up to
// some megabytes: a thread that spins for work does not stand still.
//
// A signal that means "end" (SIGINT and its kin), if the program has a handler for it or waits for it, ends the
// waiting.
#pragma once

namespace racecast::runtime {

// Called where the process begins to exit: main returned, or exit was called; before anything else of it is done. Any
// number of times, by any thread: only the first waits, and another one is kept until that has ended the process.
void wait_for_others();

// A thread has ended: whoever waits looks again.
void tell_exit_wait();

// This thread got signal `number`.
void note_end_signal(int number);

}  // namespace racecast::runtime
