// A library as programs have them: it locks, signals, keeps objects for others, calls back, runs threads of its own and
// has state that no argument leads to. tests/differential/random_missing.py makes programs that call it; they are
// recorded with the library and without.
#pragma once

typedef void (*hid_callback)(void*);
struct hid_lock;
struct hid_event;
struct hid_box;
struct hid_job;

struct hid_lock* hid_lock_new(void);  // a mutex and a spin lock by turns
void hid_take(struct hid_lock* lock);
void hid_give(struct hid_lock* lock);
void hid_take_static(void);
void hid_give_static(void);

struct hid_event* hid_event_new(void);
void hid_signal(struct hid_event* event);
void hid_wait(struct hid_event* event);

struct hid_box* hid_box_new(void);
void hid_put(struct hid_box* box, void* object);
void* hid_get(struct hid_box* box);
void hid_put_static(int slot, void* object);
void* hid_get_static(int slot);

void hid_call(hid_callback callback, void* argument);
void hid_call_locked(struct hid_lock* lock, hid_callback callback, void* argument);
void hid_call_locked_static(hid_callback callback, void* argument);
void hid_call_with_object(void (*callback)(void* fresh));  // allocates it
void hid_keep(int slot, hid_callback callback, void* argument);
void hid_fire(int slot);
void hid_store(void* object, int value);

// In a pool of three threads that is made when it is needed.
struct hid_job* hid_submit(hid_callback callback, void* argument);
void hid_submit_raising(hid_callback callback, void* argument, _Atomic int* flag);  // 1 when it is done
void hid_finish(struct hid_job* job);
// In a thread of its own.
struct hid_job* hid_spawn(hid_callback callback, void* argument);
void hid_join(struct hid_job* job);
