#!/usr/bin/env python3
"""A generator of path programs: C programs whose threads compute from shared values and branch on them.

    bench/recipe/generate.py --seed 1 --threads 4 --operations 500 --events 100000 > program.c

Every thread has blocks of code, each a few steps long, and goes round them until the trace has about so many events.
A step is one of:

  update    under a lock: read a shared variable, compute, branch on the result, store another one
  look up   under a lock: read an index, and a table at that index (a base read)
  publish   count a flag up under its lock, write a message without, count it up again
  receive   read a flag of another thread under its lock, compute, and, if it went one way, read the message without

Between shared accesses the code computes with what it has read; --operations says how many local operations the code
of a thread has in all. Messages are where the races are: the flag was seen at its last value, an earlier one may do as
well, and another one may lead to the other side. An invisible barrier lets the threads take turns, a step each: the
recorded order is always the same, and the same seed gives the same program and the same trace.
"""
import argparse
import random
import sys

EVENTS_OF_STEP = 5.4  # measured, on average

HEAD = """\
// bench/recipe/generate.py --seed {seed} --threads {threads} --locks {locks} --variables {variables} --operations {operations} --events {events}
#include <pthread.h>
#include <racecast/annotations.h>
#include <stdio.h>

static racecast_barrier order;
static pthread_mutex_t locks[{locks}], flag_locks[{threads}];
static unsigned shared[{variables}], table[{locks}][8], flags[{threads}], messages[{threads}][{messages}];
static unsigned results[{threads}];  // each thread has its own

// The next turn of the thread; in between all others have theirs.
static inline void turn(void) {{
{waits}
}}
"""

MAIN = """
static void* (*const threads[])(void*) = {{{names}}};

int main(void) {{
  pthread_t ids[{threads}];
  __racecast_barrier_init(&order, {threads});
  for (int k = 0; k < {locks}; ++k) pthread_mutex_init(&locks[k], NULL);
  for (int k = 0; k < {threads}; ++k) pthread_mutex_init(&flag_locks[k], NULL);
  for (int k = 0; k < {threads}; ++k) pthread_create(&ids[k], NULL, threads[k], NULL);
  for (int k = 0; k < {threads}; ++k) pthread_join(ids[k], NULL);
  printf("%u\\n", shared[0]);
}}
"""


class Generator:
    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.messages = 2  # of a thread
        # More code has more blocks, and longer ones.
        self.blocks = max(2, min(10, round(options.operations ** 0.27)))
        self.steps = options.steps
        self.operations_of_step = max(1, options.operations // (self.blocks * self.steps))

    def compute(self, indent):
        """Local operations on t, which depend on each other."""
        lines = []
        for _ in range(self.operations_of_step):
            c = self.random.randrange(3, 1000) | 1
            lines.append(self.random.choice([
                f"t = t * {c}u;", f"t += {c}u;", f"t ^= t >> {self.random.randrange(1, 9)};", f"t -= u;", f"t ^= u;",
                f"t = t << {self.random.randrange(1, 5)} | t >> {self.random.randrange(20, 28)};"]))
        return [indent + line for line in lines]

    def variable(self, lock):
        """A variable that this lock protects."""
        own = range(lock, self.options.variables, self.options.locks)
        return f"shared[{self.random.choice(own)}]"

    def condition(self):
        """About as robust as real guards: most other values go the same way."""
        return self.random.choice([f"(t & 7) != {self.random.randrange(8)}", f"(t & 15) < {self.random.randrange(8, 15)}",
                                   f"(t & 3) == {self.random.randrange(4)}"])

    def update(self, _):
        lock = self.random.randrange(self.options.locks)
        return [f"  pthread_mutex_lock(&locks[{lock}]);", f"  t += {self.variable(lock)};", *self.compute("  "),
                f"  if ({self.condition()}) {{", f"    {self.variable(lock)} = t & 15;", "  } else {",
                f"    {self.variable(lock)} = t & 7;", "  }", f"  pthread_mutex_unlock(&locks[{lock}]);"]

    def look_up(self, _):
        lock = self.random.randrange(self.options.locks)
        return [f"  pthread_mutex_lock(&locks[{lock}]);", f"  u = {self.variable(lock)};", *self.compute("  "),
                f"  t += table[{lock}][u & 7];", f"  table[{lock}][u & 7] = t & 15;",
                f"  pthread_mutex_unlock(&locks[{lock}]);"]

    def publish(self, thread):
        message = self.random.randrange(self.messages)
        count_up = [f"  pthread_mutex_lock(&flag_locks[{thread}]);", f"  flags[{thread}] = (flags[{thread}] + 1) & 15;",
                    f"  pthread_mutex_unlock(&flag_locks[{thread}]);"]
        return [*count_up, *self.compute("  "), f"  messages[{thread}][{message}] = t;", *count_up]

    def receive(self, thread):
        other = self.random.choice([t for t in range(self.options.threads) if t != thread])
        message = self.random.randrange(self.messages)
        # A small threshold: the message is read in most rounds.
        return [f"  pthread_mutex_lock(&flag_locks[{other}]);", f"  const unsigned f = flags[{other}];",
                f"  pthread_mutex_unlock(&flag_locks[{other}]);", "  u = f;", *self.compute("  "),
                f"  if (f > {self.random.randrange(1, 6)}) {{", f"    t ^= messages[{other}][{message}];", "  }"]

    def thread(self, thread, rounds):
        lines = []
        for block in range(self.blocks):
            lines += ["", f"static __attribute__((noinline)) void block_{thread}_{block}(unsigned s) {{"]
            kinds = [self.update, self.look_up, self.publish, self.receive]
            chosen = [self.random.choice(kinds) for _ in range(self.steps)]
            if block == 0:
                chosen[:2] = [self.publish, self.receive]
            for at, kind in enumerate(chosen):
                # What a step computes goes into the next one, and no further than `chain` steps.
                carried = "t" if (at + 1) % self.options.chain != 0 else self.random.randrange(1, 100)
                lines += ["  turn();", "  {", "    unsigned t = s, u = 1;", *["  " + line for line in kind(thread)], f"    s = {carried};", "  }"]
            lines += [f"  results[{thread}] = s;", "}"]
        lines += ["", f"static void* thread_{thread}(void* unused) {{", 
                  f"  for (int k = 0; k < {thread}; ++k) __racecast_barrier_wait(&order);", f"  for (int r = 0; r < {rounds}; ++r) {{"]
        for block in range(self.blocks):
            lines.append(f"    block_{thread}_{block}(r & {self.random.randrange(1, 8)});")
        # Whoever had its last turn first waits for the turns of the others.
        lines += ["  }", f"  for (int k = 0; k < {self.options.threads - thread}; ++k) __racecast_barrier_wait(&order);",
                  "  return unused;", "}"]
        return lines

    def program(self):
        o = self.options
        rounds = max(1, round(o.events / (o.threads * self.blocks * self.steps * EVENTS_OF_STEP)))
        waits = "\n".join(["  __racecast_barrier_wait(&order);"] * o.threads)  # no loop: its branches would be events
        text = HEAD.format(**vars(o), messages=self.messages, waits=waits)
        for thread in range(o.threads):
            text += "\n".join(self.thread(thread, rounds)) + "\n"
        names = ", ".join(f"thread_{t}" for t in range(o.threads))
        return text + MAIN.format(names=names, **vars(o))


def add_options(parser):
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--locks", type=int, default=4)
    parser.add_argument("--variables", type=int, default=16)
    parser.add_argument("--operations", type=int, default=500, help="local operations in the code of a thread")
    parser.add_argument("--events", type=int, default=10_000, help="of the trace, about")
    parser.add_argument("--chain", type=int, default=2, help="steps whose results go into each other, within a block")
    parser.add_argument("--steps", type=int, default=5, help="of a block")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    options = parser.parse_args()
    if options.threads < 2 or options.locks < 1 or options.variables < options.locks:
        sys.exit("there must be two threads, a lock, and a variable for each lock")
    sys.stdout.write(Generator(options).program())


if __name__ == "__main__":
    main()
