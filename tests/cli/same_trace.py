#!/usr/bin/env python3
"""same_trace.py A B: are two traces (as `dump trace` prints them) the same, event by event, up to addresses? An address is
compared as the object it lies in, numbered as objects come to life, and its offset there; one outside of all objects by
where it occurs first. What code without hooks can reach is left out: it takes whole frames of the machine's stack, which
differ with the code. Prints the first difference and exits with 1."""
import re
import sys


def lines_of(path):
    """Each line with its addresses replaced."""
    live, others, count = {}, {}, 0  # begin -> (size, number); address -> number

    def replaced(match):
        address = int(match[0], 16)
        for begin, (size, number) in live.items():
            if begin <= address < begin + size:
                return f"object{number}+{address - begin}"
        return f"other{others.setdefault(address, len(others))}"

    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words[0] in ("symbol", "reach"):  # globals are named, and lie where they like
                continue
            if words[1:2] == ["alloc"]:
                size = re.search(r" size (\d+)", line)
                live[int(words[2], 16)] = (int(size[1]) if size else 8, count)
                count += 1
            line = re.sub(r" mbegin %\d+ ", " mbegin ", line.rstrip("\n"))
            yield re.sub(r"0x[0-9a-f]+", replaced, line)
            if words[1:2] == ["free"]:
                live.pop(int(words[2], 16), None)


a, b = (list(lines_of(path)) for path in sys.argv[1:3])
for number, (left, right) in enumerate(zip(a, b), 1):
    if left != right:
        sys.exit(f"line {number}:\n  {left}\n  {right}")
if len(a) != len(b):
    sys.exit(f"{len(a)} lines and {len(b)} lines")
print(f"{len(a)} lines")
