#!/usr/bin/env python3
"""Which functions are missing code, how often, and how many pairs of places they hide: a markdown table over traces.

    callees.py --racecast build/bin/racecast PATH...     PATH: a trace, a folder of traces, or a C or C++ source

A source is compiled at -O0 and -O2, and run. Traces of the test programs: tests/programs/run.py --keep DIR PROGRAM...; of real programs:
bench/real/run, which leaves them in build/real/out-NAME. Pairs are those of the report's last line (docs/missing_code.md, *What it hides*),
told for `hb`, since what other analyses find beyond it is not hidden. A function that is called through a pointer (also a virtual one) has
often no name in the trace: these are one row.
"""
import argparse
import collections
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BEGIN = re.compile(r'^\S+ mbegin \S+ (?:"((?:[^"\\]|\\.)*)"|(\S+))')


def run(command, accepted=(0,)):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", timeout=600)
    if done.returncode not in accepted:
        raise RuntimeError(f"{' '.join(str(word) for word in command)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def record(racecast, source, folder):
    """The traces of a program at two levels."""
    for level in ("-O0", "-O2"):
        program, out = folder / f"{source.stem}{level}", folder / f"{source.stem}{level}.out"
        how = ["c++", "-std=c++20"] if source.suffix == ".cpp" else ["cc"]
        run([racecast, *how, level, "-g", "-pthread", source, "-o", program, "-lm"])
        run([racecast, "run", "--record-only", "--out", out, "--", program])
        yield from sorted(out.glob("*.rct"))


def traces_of(racecast, paths, folder):
    for path in map(Path, paths):
        if path.is_dir():
            yield from sorted(path.rglob("*.rct"))
        elif path.suffix in (".c", ".cpp"):
            yield from record(racecast, path, folder)
        else:
            yield path


def sections_of(racecast, trace):
    """How many sections of missing code each function has."""
    counts = collections.Counter()
    with subprocess.Popen([racecast, "dump", "trace", trace], stdout=subprocess.PIPE, text=True, errors="replace") as dump:
        for line in dump.stdout:
            if found := BEGIN.match(line):
                name = found[1] or found[2]
                counts["through a pointer" if name.startswith("0x") else name] += 1
    return counts


def hidden_by(racecast, trace, folder):
    """How many pairs of places each function hides."""
    report = folder / "report.json"
    run([racecast, "analyze", "--analysis", "hb", "--json", report, trace], accepted=(0, 1))
    counts = collections.Counter()
    for part in json.loads(report.read_text()).get("hidden", []):
        counts.update(part["functions"])
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--racecast", default="build/bin/racecast")
    parser.add_argument("--first", type=int, default=60, help="rows to print")
    parser.add_argument("paths", nargs="+")
    options = parser.parse_args()
    sections, traces, pairs = collections.Counter(), collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for trace in traces_of(options.racecast, options.paths, folder):
            here = sections_of(options.racecast, trace)
            sections.update(here)
            traces.update(set(here))
            if here:
                pairs.update(hidden_by(options.racecast, trace, folder))
    print("| function | sections | traces | pairs hidden |\n|---|---|---|---|")
    for name in sorted(sections, key=lambda n: (-pairs[n], -sections[n], n))[: options.first]:
        print(f"| `{name}` | {sections[name]} | {traces[name]} | {pairs[name]} |")
    print(f"\n{len(sections)} functions, {sections.total()} sections, {pairs.total()} pairs")


if __name__ == "__main__":
    sys.exit(main())
