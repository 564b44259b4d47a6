// A gate whose only state is a static variable, and the ways in which libc is given a function that opens it or waits at
// it: a comparator, a destructor, an initialiser, a handler.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int open_, passed;

void gate_open(void) {
  open_ = 1;
}
void gate_wait(void) {
  while (!open_) sched_yield();
}
static void nothing(void) {
}
// The same; on the way libc calls back what runs once.
void gate_wait_once(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, nothing);
  gate_wait();
}
int gate_compare_open(const void* a, const void* b) {
  gate_open();
  return *(const int*)a - *(const int*)b;
}
int gate_compare_wait(const void* a, const void* b) {
  gate_wait();
  return *(const int*)a - *(const int*)b;
}
void gate_destroy(void* value) {
  (void)value;
  gate_open();
}
void gate_handle(int number) {
  (void)number;
  gate_open();
}
// At exit: opens it, and stays until somebody has gone through.
void gate_leave(void) {
  gate_open();
  while (!passed) sched_yield();
}
void gate_passed(void) {
  passed = 1;
}
