#define _GNU_SOURCE
#include "sync.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

static int load(int* at) {
  return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}
static void store(int* at, int value) {
  __atomic_store_n(at, value, __ATOMIC_RELEASE);
}
static int swap_if(int* at, int old, int fresh) {
  return __atomic_compare_exchange_n(at, &old, fresh, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}
// Whoever lets others in lets them run: a program this small is else recorded thread after thread.
static void let_others(void) {
  sched_yield();
}
static void futex_wait(int* at, int value) {
  syscall(SYS_futex, at, FUTEX_WAIT_PRIVATE, value, 0, 0, 0);
}
static void futex_wake(int* at) {
  syscall(SYS_futex, at, FUTEX_WAKE_PRIVATE, 1 << 30, 0, 0, 0);
}

void spin_lock(struct spin* lock) {
  while (!swap_if(&lock->held, 0, 1)) sched_yield();
}
void spin_unlock(struct spin* lock) {
  store(&lock->held, 0);
  let_others();
}
void spin_with(struct spin* lock, void (*work)(void*), void* argument) {
  spin_lock(lock);
  work(argument);
  spin_unlock(lock);
}

void ticket_lock(struct ticket* lock) {
  const unsigned mine = __atomic_fetch_add(&lock->next, 1, __ATOMIC_ACQ_REL);
  while (__atomic_load_n(&lock->serving, __ATOMIC_ACQUIRE) != mine) sched_yield();
}
void ticket_unlock(struct ticket* lock) {
  __atomic_store_n(&lock->serving, lock->serving + 1, __ATOMIC_RELEASE);
  let_others();
}

void readers_enter(struct readers* lock) {
  for (;;) {
    const int count = load(&lock->count);
    if (count >= 0 && swap_if(&lock->count, count, count + 1)) return;
    sched_yield();
  }
}
void readers_leave(struct readers* lock) {
  __atomic_fetch_sub(&lock->count, 1, __ATOMIC_ACQ_REL);
  let_others();
}
void writer_enter(struct readers* lock) {
  while (!swap_if(&lock->count, 0, -1)) sched_yield();
}
void writer_leave(struct readers* lock) {
  store(&lock->count, 0);
  let_others();
}

void units_up(struct units* units) {
  __atomic_fetch_add(&units->count, 1, __ATOMIC_ACQ_REL);
  futex_wake(&units->count);
  let_others();
}
void units_down(struct units* units) {
  for (;;) {
    const int count = load(&units->count);
    if (count > 0 && swap_if(&units->count, count, count - 1)) return;
    if (count <= 0) futex_wait(&units->count, count);
  }
}

void gate_open(struct gate* gate) {
  store(&gate->open, 1);
  futex_wake(&gate->open);
  let_others();
}
void gate_wait(struct gate* gate) {
  while (load(&gate->open) == 0) futex_wait(&gate->open, 0);
}

void meeting_wait(struct meeting* meeting) {
  const int round = load(&meeting->round);
  if (__atomic_add_fetch(&meeting->arrived, 1, __ATOMIC_ACQ_REL) == meeting->parties) {
    store(&meeting->arrived, 0);
    store(&meeting->round, round + 1);
    futex_wake(&meeting->round);
  } else {
    while (load(&meeting->round) == round) futex_wait(&meeting->round, round);
  }
}

enum { kEmpty, kBusy, kFull };
void channel_send(struct channel* channel, void* message) {
  while (!swap_if(&channel->state, kEmpty, kBusy)) sched_yield();
  channel->message = message;
  store(&channel->state, kFull);
  let_others();
}
void* channel_receive(struct channel* channel) {
  while (!swap_if(&channel->state, kFull, kBusy)) sched_yield();
  void* const message = channel->message;
  store(&channel->state, kEmpty);
  return message;
}

void count_up(struct count* count) {
  __atomic_fetch_add(&count->value, 1, __ATOMIC_RELAXED);
}
long count_down(struct count* count) {
  const long left = __atomic_sub_fetch(&count->value, 1, __ATOMIC_ACQ_REL);
  let_others();
  return left;
}
