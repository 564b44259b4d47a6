#include "hidden_library.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

struct hid_lock {
  atomic_int spin;
  pthread_mutex_t mutex;
  int is_mutex;
};
struct hid_event {
  atomic_int set;
};
struct hid_box {
  _Atomic(void*) object;
};
struct hid_job {
  hid_callback callback;
  void* argument;
  atomic_int done;
  atomic_int* raised;  // done, where that is the program's
  pthread_t thread;
};

// ---- locks

static atomic_int made;
static atomic_int static_spin;

struct hid_lock* hid_lock_new(void) {
  struct hid_lock* lock = calloc(1, sizeof(struct hid_lock));
  pthread_mutex_init(&lock->mutex, NULL);
  lock->is_mutex = atomic_fetch_add_explicit(&made, 1, memory_order_relaxed) % 2;
  return lock;
}
static void take_spin(atomic_int* spin) {
  while (atomic_exchange_explicit(spin, 1, memory_order_acquire) != 0) sched_yield();
}
static void give_spin(atomic_int* spin) {
  atomic_store_explicit(spin, 0, memory_order_release);
}
void hid_take(struct hid_lock* lock) {
  if (lock->is_mutex)
    pthread_mutex_lock(&lock->mutex);
  else
    take_spin(&lock->spin);
}
void hid_give(struct hid_lock* lock) {
  if (lock->is_mutex)
    pthread_mutex_unlock(&lock->mutex);
  else
    give_spin(&lock->spin);
}
void hid_take_static(void) {
  take_spin(&static_spin);
}
void hid_give_static(void) {
  give_spin(&static_spin);
}

// ---- events, boxes

struct hid_event* hid_event_new(void) {
  return calloc(1, sizeof(struct hid_event));
}
void hid_signal(struct hid_event* event) {
  atomic_store_explicit(&event->set, 1, memory_order_release);
}
void hid_wait(struct hid_event* event) {
  while (atomic_load_explicit(&event->set, memory_order_acquire) == 0) sched_yield();
}

static _Atomic(void*) slots[8];

struct hid_box* hid_box_new(void) {
  return calloc(1, sizeof(struct hid_box));
}
static void put(_Atomic(void*)* place, void* object) {
  atomic_store_explicit(place, object, memory_order_release);
}
static void* get(_Atomic(void*)* place) {
  void* object;
  while ((object = atomic_exchange_explicit(place, NULL, memory_order_acquire)) == NULL) sched_yield();
  return object;
}
void hid_put(struct hid_box* box, void* object) {
  put(&box->object, object);
}
void* hid_get(struct hid_box* box) {
  return get(&box->object);
}
void hid_put_static(int slot, void* object) {
  put(&slots[slot], object);
}
void* hid_get_static(int slot) {
  return get(&slots[slot]);
}

// ---- callbacks

void hid_call(hid_callback callback, void* argument) {
  callback(argument);
}
void hid_call_locked(struct hid_lock* lock, hid_callback callback, void* argument) {
  hid_take(lock);
  callback(argument);
  hid_give(lock);
}
void hid_call_locked_static(hid_callback callback, void* argument) {
  hid_take_static();
  callback(argument);
  hid_give_static();
}
void hid_call_with_object(void (*callback)(void* fresh)) {
  void* fresh = calloc(1, 32);
  callback(fresh);
}

static struct {
  atomic_int kept;
  hid_callback callback;
  void* argument;
} kept[8];

void hid_keep(int slot, hid_callback callback, void* argument) {
  kept[slot].callback = callback;
  kept[slot].argument = argument;
  atomic_store_explicit(&kept[slot].kept, 1, memory_order_release);
}
void hid_fire(int slot) {
  while (atomic_load_explicit(&kept[slot].kept, memory_order_acquire) == 0) sched_yield();
  kept[slot].callback(kept[slot].argument);
}
void hid_store(void* object, int value) {
  *(int*)object = value;
}

// ---- threads

static struct hid_job* queue[64];
static atomic_int submitted, taken, started;

static struct hid_job* new_job(hid_callback callback, void* argument) {
  struct hid_job* job = calloc(1, sizeof(struct hid_job));
  job->callback = callback;
  job->argument = argument;
  job->raised = &job->done;
  return job;
}
static void* work(void* unused) {
  for (;;) {
    int mine = atomic_load_explicit(&taken, memory_order_acquire);
    if (mine == atomic_load_explicit(&submitted, memory_order_acquire)) {
      sched_yield();
    } else if (atomic_compare_exchange_strong(&taken, &mine, mine + 1)) {
      struct hid_job* job = queue[mine];
      job->callback(job->argument);
      atomic_store_explicit(job->raised, 1, memory_order_release);
    }
  }
  return unused;
}
static void submit(struct hid_job* job) {
  take_spin(&static_spin);
  if (atomic_exchange(&started, 1) == 0) {
    for (int i = 0; i < 3; i++) {
      pthread_t thread;
      pthread_create(&thread, NULL, work, NULL);
      pthread_detach(thread);
    }
  }
  const int at = atomic_load_explicit(&submitted, memory_order_relaxed);
  queue[at] = job;
  atomic_store_explicit(&submitted, at + 1, memory_order_release);
  give_spin(&static_spin);
}
struct hid_job* hid_submit(hid_callback callback, void* argument) {
  struct hid_job* job = new_job(callback, argument);
  submit(job);
  return job;
}
void hid_submit_raising(hid_callback callback, void* argument, atomic_int* flag) {
  struct hid_job* job = new_job(callback, argument);
  job->raised = flag;
  submit(job);
}
void hid_finish(struct hid_job* job) {
  while (atomic_load_explicit(&job->done, memory_order_acquire) == 0) sched_yield();
  free(job);
}

static void* run(void* argument) {
  struct hid_job* job = argument;
  job->callback(job->argument);
  return NULL;
}
struct hid_job* hid_spawn(hid_callback callback, void* argument) {
  struct hid_job* job = new_job(callback, argument);
  pthread_create(&job->thread, NULL, run, job);
  return job;
}
void hid_join(struct hid_job* job) {
  pthread_join(job->thread, NULL);
  free(job);
}
