#!/usr/bin/env python3
"""Writes a random C program that calls hidden_library.h: the same seed gives the same program.

Its steps happen in one order, whichever way it is compiled: whoever makes a step meets whoever made the one before, at a barrier that
leaves nothing in a trace (include/racecast/annotations.h). A step is an access to a variable or an object (each on a line of its own), an
operation on a lock, an event or a box, of the library or of the program, the begin or the end of a callback, a job for the library's
threads, the wait for one. Nothing waits for what comes later in that order, so what synchronises with what does not depend on timing.

    random_missing.py SEED > program.c
"""
import random
import re
import sys

STEPS = 50
VARIABLES, OBJECTS, LOCKS, EVENTS, BOXES, SLOTS, MUTEXES = 4, 4, 3, 6, 3, 8, 2
WORKERS, JOBS = 3, 12


class Frame:
    """A function that is being written: the one that its actor is in."""

    def __init__(self, name, parameter):
        self.name, self.parameter = name, parameter
        self.lines = []
        self.held = []  # what gives back a lock, innermost last
        self.pointers = []  # expressions for objects
        self.after = None  # called when it has returned


class Actor:
    """A thread, or a callback that runs in a thread of the library."""

    def __init__(self, frame):
        self.frames = [frame]
        self.done = False

    @property
    def top(self):
        return self.frames[-1]


class Program:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.functions = []
        self.names = 0
        self.meetings = 0
        self.last = None  # the actor of the last step
        self.pointers = 0
        self.free_locks = set(range(LOCKS))
        self.free_mutexes = set(range(MUTEXES))
        self.static_free = True
        self.unset, self.set = set(range(EVENTS)), set()
        self.empty, self.full = set(range(BOXES)), set()
        self.empty_slots, self.full_slots = set(range(SLOTS)), set()
        self.unkept, self.kept = set(range(SLOTS)), set()
        self.jobs = []  # (actor that submitted, its frame, actor of the job, how it is waited for)
        self.job_count = 0
        self.pool_jobs = 0
        self.main = self.new_frame("main", None)
        self.actors = [Actor(self.main)]
        self.threads = []

    def new_frame(self, name=None, parameter="void* argument"):
        if name is None:
            self.names += 1
            name = f"callback_{self.names}"
        frame = Frame(name, parameter)
        self.functions.append(frame)
        if parameter is not None and self.r.random() < 0.6:
            frame.pointers.append("((struct object*)argument)")
        return frame

    # ---- steps

    def begin_step(self, actor):
        if self.last is not None and self.last is not actor:
            self.meetings += 1
            self.last.top.lines.append(f"meet({self.meetings});")
            actor.top.lines.append(f"meet({self.meetings});")
        self.last = actor

    def step(self, actor):
        frame = actor.top
        choices = [self.access] * 8
        choices += [self.access_object] * (4 if frame.pointers else 0)
        choices += [self.own_object, self.take, self.take_mutex, self.take_static]
        choices += [self.give] * (3 if frame.held else 0)
        choices += [self.signal] * 2 + [self.wait] * 3
        choices += [self.put, self.get, self.get] + [self.put_static, self.get_static]
        choices += [self.atomic, self.store]
        if len(actor.frames) < 3:
            choices += [self.call, self.call_locked, self.call_locked, self.call_locked_static, self.call_with_object]
            choices += [self.keep, self.fire]
        choices += [self.submit, self.submit_raising] * 3 + [self.spawn] + [self.finish] * 20
        choices += [self.leave] * (0 if actor in self.threads_and_main() and len(actor.frames) == 1 else 3)
        choices += [self.leave] * (9 if actor not in self.threads_and_main() else 0)  # else few jobs are waited for
        for _ in range(20):
            action = self.r.choice(choices)
            if action(actor, True):
                self.begin_step(actor)
                action(actor, False)
                return

    def threads_and_main(self):
        return [self.actors[0], *self.threads]

    # Each action: with `asks`, whether it is possible now; without, it is done.

    def access(self, actor, asks, variable=None):
        if asks:
            return True
        variable = variable or f"variables[{self.r.randrange(VARIABLES)}]"
        if self.r.random() < 0.5:
            actor.top.lines.append(f"{variable} = {self.r.randrange(100)};")
        else:
            actor.top.lines.append(f"sum += {variable};")

    def access_object(self, actor, asks):
        if asks:
            return bool(actor.top.pointers)
        field = f"{self.r.choice(actor.top.pointers)}->{self.r.choice('ab')}"
        actor.top.lines.append(f"{field} = {self.r.randrange(100)};" if self.r.random() < 0.5 else f"sum += {field};")

    def own_object(self, actor, asks):
        if asks:
            return True
        actor.top.pointers.append(f"objects[{self.r.randrange(OBJECTS)}]")
        self.access_object(actor, False)

    def take(self, actor, asks):
        if asks:
            return bool(self.free_locks)
        lock = self.r.choice(sorted(self.free_locks))
        self.free_locks.discard(lock)
        actor.top.lines.append(f"hid_take(locks[{lock}]);")
        actor.top.held.append((f"hid_give(locks[{lock}]);", lambda: self.free_locks.add(lock)))

    def take_mutex(self, actor, asks):
        if asks:
            return bool(self.free_mutexes)
        mutex = self.r.choice(sorted(self.free_mutexes))
        self.free_mutexes.discard(mutex)
        actor.top.lines.append(f"pthread_mutex_lock(&mutexes[{mutex}]);")
        actor.top.held.append((f"pthread_mutex_unlock(&mutexes[{mutex}]);", lambda: self.free_mutexes.add(mutex)))

    def free_static(self):
        self.static_free = True

    def take_static(self, actor, asks):
        if asks:
            return self.static_free
        self.static_free = False
        actor.top.lines.append("hid_take_static();")
        actor.top.held.append(("hid_give_static();", self.free_static))

    def give(self, actor, asks):
        if asks:
            return bool(actor.top.held)
        line, done = actor.top.held.pop()
        actor.top.lines.append(line)
        done()

    def signal(self, actor, asks):
        if asks:
            return bool(self.unset)
        event = self.r.choice(sorted(self.unset))
        self.unset.discard(event)
        self.set.add(event)
        actor.top.lines.append(f"hid_signal(events[{event}]);")

    def wait(self, actor, asks):
        if asks:
            return bool(self.set)
        actor.top.lines.append(f"hid_wait(events[{self.r.choice(sorted(self.set))}]);")

    def exchange(self, actor, full, empty, text):
        place = self.r.choice(sorted(full))
        full.discard(place)
        empty.add(place)
        self.pointers += 1
        actor.top.lines.append(f"struct object* p{self.pointers} = {text.format(place)};")
        actor.top.pointers.append(f"p{self.pointers}")

    def some_object(self, actor):
        return self.r.choice(actor.top.pointers + [f"objects[{self.r.randrange(OBJECTS)}]"])

    def put(self, actor, asks):
        if asks:
            return bool(self.empty)
        box = self.r.choice(sorted(self.empty))
        self.empty.discard(box)
        self.full.add(box)
        actor.top.lines.append(f"hid_put(boxes[{box}], {self.some_object(actor)});")

    def get(self, actor, asks):
        if asks:
            return bool(self.full)
        self.exchange(actor, self.full, self.empty, "hid_get(boxes[{}])")

    def put_static(self, actor, asks):
        if asks:
            return bool(self.empty_slots)
        slot = self.r.choice(sorted(self.empty_slots))
        self.empty_slots.discard(slot)
        self.full_slots.add(slot)
        actor.top.lines.append(f"hid_put_static({slot}, {self.some_object(actor)});")

    def get_static(self, actor, asks):
        if asks:
            return bool(self.full_slots)
        self.exchange(actor, self.full_slots, self.empty_slots, "hid_get_static({})")

    def atomic(self, actor, asks):
        if asks:
            return True
        flag = f"&flags[{self.r.randrange(2)}]"
        actor.top.lines.append(
            f"atomic_store_explicit({flag}, {self.r.randrange(9)}, memory_order_release);"
            if self.r.random() < 0.5
            else f"sum += atomic_load_explicit({flag}, memory_order_acquire);"
        )

    def store(self, actor, asks):
        if asks:
            return True
        actor.top.lines.append(f"hid_store({self.some_object(actor)}, {self.r.randrange(9)});")

    # ---- callbacks

    def enter(self, actor, text, after=None, parameter="void* argument", frame=None):
        frame = frame or self.new_frame(parameter=parameter)
        frame.after = after
        actor.top.lines.append(text.format(frame.name, self.some_object(actor)))
        actor.frames.append(frame)
        self.access(actor, False)

    def call(self, actor, asks):
        if asks:
            return True
        self.enter(actor, "hid_call({0}, {1});")

    def call_locked(self, actor, asks):
        if asks:
            return bool(self.free_locks)
        lock = self.r.choice(sorted(self.free_locks))
        self.free_locks.discard(lock)
        self.enter(actor, f"hid_call_locked(locks[{lock}], {{0}}, {{1}});", lambda: self.free_locks.add(lock))

    def call_locked_static(self, actor, asks):
        if asks:
            return self.static_free
        self.static_free = False
        self.enter(actor, "hid_call_locked_static({0}, {1});", self.free_static)

    def call_with_object(self, actor, asks):
        if asks:
            return True
        frame = self.new_frame()
        frame.pointers = ["((struct object*)argument)"]
        self.enter(actor, "hid_call_with_object({0});", frame=frame)

    def keep(self, actor, asks):
        if asks:
            return bool(self.unkept)
        slot = self.r.choice(sorted(self.unkept))
        self.unkept.discard(slot)
        frame = self.new_frame()
        self.kept.add((slot, frame))
        actor.top.lines.append(f"hid_keep({slot}, {frame.name}, {self.some_object(actor)});")

    def fire(self, actor, asks):
        if asks:
            return bool(self.kept)
        slot, frame = self.r.choice(sorted(self.kept, key=lambda one: one[0]))
        self.kept.discard((slot, frame))
        self.enter(actor, f"hid_fire({slot});", frame=frame)

    def leave(self, actor, asks):
        if asks:
            return bool(self.variables_of(actor.top))
        while actor.top.held:
            self.give(actor, False)
        frame = actor.frames[-1]
        if len(actor.frames) == 1:
            actor.done = True
        else:
            actor.frames.pop()
        if frame.after:
            frame.after()

    # ---- jobs

    def new_job(self, actor, text, wait, after):
        """`text`, `wait`: how it is begun and waited for, of {0} its number, {1} its function and {2} its argument."""
        self.job_count += 1
        frame = self.new_frame()
        frame.after = after
        job = Actor(frame)
        self.actors.append(job)
        actor.top.lines.append(text.format(self.job_count, frame.name, self.some_object(actor)))
        self.jobs.append((actor, actor.top, job, wait.format(self.job_count)))

    def end_of_pool_job(self):
        self.pool_jobs -= 1

    def submit(self, actor, asks):
        if asks:
            return self.static_free and self.pool_jobs < WORKERS and self.job_count < JOBS
        self.pool_jobs += 1
        self.new_job(actor, "struct hid_job* job{0} = hid_submit({1}, {2});", "hid_finish(job{0});", self.end_of_pool_job)

    def submit_raising(self, actor, asks):
        if asks:
            return self.submit(actor, True)
        self.pool_jobs += 1
        self.new_job(actor, "hid_submit_raising({1}, {2}, raised[{0}]);", "wait_raised(raised[{0}]);", self.end_of_pool_job)

    def spawn(self, actor, asks):
        if asks:
            return self.job_count < JOBS
        self.new_job(actor, "struct hid_job* job{0} = hid_spawn({1}, {2});", "hid_join(job{0});", None)

    def variables_of(self, frame):
        return sorted({variable for line in frame.lines for variable in re.findall(r"variables\[\d+\]", line)})

    def finish(self, actor, asks):
        ready = [job for job in self.jobs if job[0] is actor and job[1] is actor.top and job[2].done]
        if asks:
            return bool(ready)
        job = self.r.choice(ready)
        self.jobs.remove(job)
        actor.top.lines.append(job[3])
        # Whoever waits for a job wants what it did.
        self.access(actor, False, self.r.choice(self.variables_of(job[2].top)))

    # ---- the whole

    def write(self):
        main = self.actors[0]
        for _ in range(self.r.randrange(1, 3)):
            frame = self.new_frame(f"thread_{len(self.threads)}", "void* argument")
            frame.pointers = []
            thread = Actor(frame)
            self.threads.append(thread)
            self.actors.append(thread)
        create = [f"pthread_create(&threads[{i}], NULL, thread_{i}, NULL);" for i in range(len(self.threads))]
        for _ in range(STEPS):
            self.step(self.r.choice([actor for actor in self.actors if not actor.done]))
        # Everybody comes to its end, jobs first; nothing that a library's thread may still be at is waited for.
        for actor in self.actors[::-1]:
            while not actor.done:
                self.begin_step(actor)
                if actor is main and len(actor.frames) == 1:
                    break
                self.leave(actor, False)
        while main.top.held:
            self.give(main, False)
        self.main.lines += [wait for _, frame, _, wait in self.jobs if frame is self.main]
        self.main.lines += [f"pthread_join(threads[{i}], NULL);" for i in range(len(self.threads))]
        self.main.lines += [f"sum += variables[{i}];" for i in range(VARIABLES)]
        return self.text(create)

    def text(self, create):
        out = [
            "#include <pthread.h>",
            "#include <racecast/annotations.h>",
            "#include <sched.h>",
            "#include <stdatomic.h>",
            "#include <stdlib.h>",
            '#include "hidden_library.h"',
            "struct object { int a, b; struct object* link; };",
            f"static struct object* objects[{OBJECTS}];",
            f"static int variables[{VARIABLES}];",
            "static atomic_int flags[2];",
            f"static struct hid_lock* locks[{LOCKS}];",
            f"static struct hid_event* events[{EVENTS}];",
            f"static struct hid_box* boxes[{BOXES}];",
            f"static pthread_mutex_t mutexes[{MUTEXES}];",
            f"static atomic_int* raised[{JOBS + 1}];",
            "static pthread_t threads[4];",
            "static __thread int sum;",
            f"static racecast_barrier meetings[{self.meetings + 1}];",
            "static void wait_raised(atomic_int* flag) {",
            "  while (atomic_load_explicit(flag, memory_order_acquire) == 0) sched_yield();",
            "}",
            # The markers have stamps, so that what is before and after them is recorded there.
            "static void meet(int number) {",
            '  __racecast_marker("");',
            "  __racecast_barrier_wait(&meetings[number]);",
            '  __racecast_marker("");',
            "}",
        ]
        for frame in self.functions[1:]:
            result = "void*" if frame.name.startswith("thread_") else "void"
            out.append(f"static {result} {frame.name}({frame.parameter});")
        for frame in self.functions[1:]:
            is_thread = frame.name.startswith("thread_")
            out.append(f"static {'void*' if is_thread else 'void'} {frame.name}({frame.parameter}) {{")
            out.append("  (void)argument;")
            out += ["  " + line for line in frame.lines]
            out += ["  return NULL;", "}"] if is_thread else ["}"]
        out.append("int main(void) {")
        out.append(f"  for (int i = 1; i <= {self.meetings}; i++) __racecast_barrier_init(&meetings[i], 2);")
        out.append(f"  for (int i = 0; i < {OBJECTS}; i++) objects[i] = calloc(1, sizeof(struct object));")
        out.append(f"  for (int i = 0; i < {LOCKS}; i++) locks[i] = hid_lock_new();")
        out.append(f"  for (int i = 0; i < {EVENTS}; i++) events[i] = hid_event_new();")
        out.append(f"  for (int i = 0; i < {BOXES}; i++) boxes[i] = hid_box_new();")
        out.append(f"  for (int i = 1; i <= {JOBS}; i++) raised[i] = calloc(1, sizeof(atomic_int));")
        out.append(f"  for (int i = 0; i < {MUTEXES}; i++) pthread_mutex_init(&mutexes[i], NULL);")
        out += ["  " + line for line in create + self.main.lines]
        out += ["  return sum == 1 << 30;", "}"]
        return "\n".join(out) + "\n"


if __name__ == "__main__":
    sys.stdout.write(Program(int(sys.argv[1])).write())
