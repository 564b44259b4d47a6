#!/usr/bin/env python3
"""Makes the traces of this folder (README.md), each from a fixed seed: small programs of the kinds that papers on race prediction measure,
run here under a random schedule and written in RAPID's STD format, one event a line: thread|op|location.

  make_traces.py [FOLDER]      writes all of them; the same bytes every time (tests/cli/traces.sh compares)

A program is a function of a generator per thread, which yields what the thread does next: ("r" or "w", variable), ("acq" or "rel", lock),
("fork" or "join", thread), each with the line of the imagined program. Locks are re-entrant, as Java's."""
import pathlib
import sys


class Random:
    """Knuth's MMIX generator: the same numbers with every version of Python."""

    def __init__(self, seed):
        self.state = seed
        self.below(2)

    def below(self, count):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % count

    def chance(self, percent):
        return self.below(100) < percent


class Run:
    """Threads under a random schedule that stays with a thread for a while; `calm` is how likely, in percent."""

    def __init__(self, seed, calm=70):
        self.random = Random(seed)
        self.calm = calm
        self.threads = {}  # name -> generator, those that were forked
        self.next = {}  # name -> what it does next
        self.ended = set()
        self.held = {}  # lock -> [thread, depth]
        self.lines = []

    def start(self, name, body):
        self.threads[name] = body
        self.next[name] = next(body, None)

    def can(self, name):
        step = self.next[name]
        if step is None:
            return False
        what, operand = step[0], step[1]
        if what == "acq":
            return operand not in self.held or self.held[operand][0] == name
        return what != "join" or operand in self.ended

    def go(self, name):
        what, operand, line, *body = self.next[name]
        if what == "acq":
            self.held.setdefault(operand, [name, 0])[1] += 1
        if what == "rel":
            self.held[operand][1] -= 1
            if self.held[operand][1] == 0:
                del self.held[operand]
        self.lines.append(f"{name}|{what}({operand})|{line}")
        if what == "fork":
            self.start(operand, body[0])
        self.next[name] = next(self.threads[name], None)
        if self.next[name] is None:
            self.ended.add(name)

    def text(self, main):
        self.start("T0", main)
        current = "T0"
        while True:
            able = [name for name in self.next if self.can(name)]
            if not able:
                break
            if current not in able or not self.random.chance(self.calm):
                current = able[self.random.below(len(able))]
            self.go(current)
        assert all(step is None for step in self.next.values()), "a deadlock"
        return "\n".join(self.lines) + "\n"


def locked(lock, line, *steps):
    yield ("acq", lock, line)
    yield from steps
    yield ("rel", lock, line + 5)


def fork_and_join(bodies, before=(), between=(), after=(), line=900):
    """main: forks all of `bodies`, then joins them."""
    names = [f"T{n + 1}" for n in range(len(bodies))]
    yield from before
    for name, body in zip(names, bodies):
        yield ("fork", name, line, body)
    yield from between
    for name in names:
        yield ("join", name, line + 1)
    yield from after


def account(run):
    """Transfers between accounts, each under the account's lock; the sum of the bank is not."""

    def clerk(number):
        for n in range(6):
            here = run.random.below(4)
            there = (here + 1 + run.random.below(3)) % 4
            for place, line in ((here, 10), (there, 20)):
                yield from locked(f"lock{place}", line, ("r", f"account{place}", line + 1), ("w", f"account{place}", line + 2))
            if n % 3 == number % 3:
                yield ("r", "sum", 30)
                yield ("w", "sum", 31)

    return fork_and_join([clerk(n) for n in range(3)], before=[("w", "sum", 1)], after=[("r", "sum", 2)])


def two_stages(run):
    """Data under one lock, what is made of it under another; a reader looks at both, one after the other."""

    def first():
        for n in range(8):
            yield from locked("first", 10, ("w", "data", 11))
            yield from locked("second", 20, ("r", "data" if n % 4 == 3 else "made", 21), ("w", "made", 22))

    def second():
        for _ in range(8):
            yield from locked("first", 30, ("r", "data", 31))
            yield from locked("second", 40, ("r", "made", 41))
            if run.random.chance(30):
                yield ("r", "made", 42)

    return fork_and_join([first(), second(), second()])


def merge_sort(run):
    """A tree of threads, each with its part of an array; a count of comparisons that all of them change."""
    names = iter(f"T{n}" for n in range(1, 100))

    def sort(low, high):
        if high - low == 1:
            yield ("r", f"cell{low}", 10)
            yield ("w", f"cell{low}", 11)
            return
        middle = (low + high) // 2
        left, right = next(names), next(names)
        yield ("fork", left, 20, sort(low, middle))
        yield ("fork", right, 21, sort(middle, high))
        yield ("join", left, 22)
        if low != 4:  # forgets one
            yield ("join", right, 23)
        for place in range(low, high):
            yield ("r", f"cell{place}", 30)
            yield ("w", f"cell{place}", 31)
        yield ("r", "comparisons", 40)
        yield ("w", "comparisons", 41)

    return sort(0, 8)


def clean_up(run):
    """A table under a re-entrant lock, and a flag that is written inside of it and read outside."""

    def worker(number):
        for n in range(10):
            place = f"slot{run.random.below(3)}"
            inner = locked("table", 20, ("r", place, 21), ("w", place, 22))
            yield from locked("table", 10, ("w", "busy", 11), *inner, ("w", "busy", 12))
            if n % 5 == number:
                yield ("r", "busy", 30)

    def cleaner():
        for _ in range(6):
            yield ("r", "busy", 40)
            yield from locked("table", 41, *(("w", f"slot{n}", 42) for n in range(3)))

    return fork_and_join([worker(0), worker(1), worker(2), cleaner()])


def bubble_sort(run):
    """Neighbours of an array are compared without a lock, and swapped under one; passes of several threads."""

    def sorter():
        for _ in range(4):
            for place in range(5):
                a, b = f"cell{place}", f"cell{place + 1}"
                yield ("r", a, 10)
                yield ("r", b, 11)
                if run.random.chance(40):
                    yield from locked("swap", 20, ("r", a, 21), ("r", b, 22), ("w", a, 23), ("w", b, 24))

    return fork_and_join([sorter() for _ in range(3)], before=[("w", f"cell{n}", 1) for n in range(6)])


def buffer(run):
    """Producers and consumers of a ring under its lock; its fill is looked at without it; each has a log under a lock of its own."""

    def producer(number):
        for n in range(12):
            yield ("r", "fill", 10)
            yield from locked("ring", 20, ("w", f"slot{n % 4}", 21), ("r", "fill", 22), ("w", "fill", 23))
            yield from locked(f"log{number}", 30, ("w", f"lines{number}", 31))

    def consumer(number):
        for n in range(12):
            yield from locked("ring", 40, ("r", "fill", 41), ("r", f"slot{n % 4}", 42), ("w", "fill", 43))
            yield from locked(f"log{number}", 50, ("w", f"lines{number}", 51))

    return fork_and_join([producer(0), producer(1), consumer(2), consumer(3)], after=[("r", "fill", 2)])


def particles(run):
    """Rounds of threads that read all and write their own; between two rounds main does; energy is summed by all without a lock."""

    def mover(number):
        for other in range(6):
            yield ("r", f"place{other}", 10)
        for mine in range(2):
            yield ("w", f"force{2 * number + mine}", 20)
        yield ("r", "energy", 30)
        yield ("w", "energy", 31)

    def main():
        name = 0
        for _ in range(5):
            names = []
            for number in range(3):
                name += 1
                names.append(f"T{name}")
                yield ("fork", names[-1], 1, mover(number))
            for other in names:
                yield ("join", other, 2)
            for place in range(6):
                yield ("r", f"force{place}", 3)
                yield ("w", f"place{place}", 4)

    return main()


def hand_over_hand(run):
    """A list with a lock per node, the next one taken before the last one is given back; one thread begins without the first lock."""

    def walker(careless):
        for _ in range(5):
            last = 2 + run.random.below(3)
            if not careless:
                yield ("acq", "node0", 10)
            for node in range(last):
                yield ("r", f"next{node}", 11)
                yield ("acq", f"node{node + 1}", 12)
                if node > 0 or not careless:
                    yield ("rel", f"node{node}", 13)
            yield ("w", f"next{last}", 14)
            yield ("rel", f"node{last}", 15)
            if not careless and last == 2:
                yield from locked("node0", 20, ("w", "next0", 21))

    return fork_and_join([walker(False), walker(False), walker(True)])


KINDS = [account, two_stages, merge_sort, clean_up, bubble_sort, buffer, particles, hand_over_hand]


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent)
    for seed, kind in enumerate(KINDS, 11):
        run = Run(seed)
        (folder / f"{kind.__name__}.std").write_text(run.text(kind(run)))


if __name__ == "__main__":
    main()
