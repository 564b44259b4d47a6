// Synchronisation that racecast does not see: hidden/sync.c is compiled without it, and calls nothing that its runtime
// intercepts. To a recorded program every call is missing code that reaches what its arguments lead to.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

struct spin {
  int held;
};
void spin_lock(struct spin* lock);
void spin_unlock(struct spin* lock);
// Calls work(argument) with the lock held.
void spin_with(struct spin* lock, void (*work)(void*), void* argument);

struct ticket {
  unsigned next, serving;
};
void ticket_lock(struct ticket* lock);
void ticket_unlock(struct ticket* lock);

struct readers {
  int count;  // -1: a writer
};
void readers_enter(struct readers* lock);
void readers_leave(struct readers* lock);
void writer_enter(struct readers* lock);
void writer_leave(struct readers* lock);

struct units {
  int count;
};
void units_up(struct units* units);
void units_down(struct units* units);

struct gate {
  int open;
};
void gate_open(struct gate* gate);
void gate_wait(struct gate* gate);

struct meeting {
  int parties, arrived, round;
};
void meeting_wait(struct meeting* meeting);

// One message at a time from any thread to any other.
struct channel {
  int state;
  void* message;
};
void channel_send(struct channel* channel, void* message);
void* channel_receive(struct channel* channel);

struct count {
  long value;
};
void count_up(struct count* count);
// Returns what is left.
long count_down(struct count* count);

// One lock of its own, that no argument leads to.
void big_lock(void);
void big_unlock(void);

#ifdef __cplusplus
}
#endif
