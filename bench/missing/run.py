#!/usr/bin/env python3
"""Races and false alarms where synchronisation was not recorded: the table of docs/missing_code.md.

    bench/missing/run.py --racecast build/bin/racecast [--only bank,ring] [--keep DIR]

Every program in programs/ is compiled with `racecast cc` and linked with the library programs/hidden/, which is not; it is recorded
once, and every column is an analysis of that one trace. What is true is said in the programs: two lines with the same
`// RACE(name)` race, all other pairs do not. A column has two numbers: real races (names), and false alarms (pairs of
lines). Exits with 1 if the last column, RDIT, has a false alarm, or a program does not print what it prints natively.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
INCLUDE = HERE.parent.parent / "include"

# Heading, analysis, --missing.
COLUMNS = [
    ("hb, ignore", "hb", "ignore"),
    ("cp, ignore", "cp", "ignore"),
    ("maximal, ignore", "maximal", "ignore"),
    ("maximal, barrier", "maximal", "barrier"),
    ("hb, reach", "hb", "reach"),
    ("RDIT (maximal, reach)", "maximal", "reach"),
]


def run(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(str(word) for word in command)}: exit code {done.returncode}\n{done.stderr}")
    return done


def truth(source):
    """The lines of each race, by its name."""
    lines = {}
    for number, line in enumerate(source.read_text().splitlines(), 1):
        for name in re.findall(r"// RACE\((\w+)\)", line):
            lines.setdefault(name, set()).add(number)
    return lines


def reported(racecast, trace, analysis, missing, folder, seconds=None):
    """Pairs of (file, line) that the analysis reports: findings, and what it is not certain of. None: out of time."""
    out = folder / "findings.json"
    # Exit code 1: there are findings.
    command = [racecast, "analyze", trace, "--analysis", analysis, "--missing", missing, "--json", out]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        print(f"{trace}: {analysis} --missing {missing}: not done after {seconds} s", file=sys.stderr)
        return None
    if done.returncode not in (0, 1):
        sys.exit(f"{analysis} --missing {missing}: {done.stderr}")
    found = json.loads(out.read_text())
    if not all(a["complete"] for a in found["analyses"]):
        print(f"{trace}: {analysis}: {done.stderr.strip()}", file=sys.stderr)
    pairs = set()
    every = [pair for finding in found["findings"] + found["candidates"] for pair in [finding, *finding.get("also", [])]]
    for pair in every:
        places = []
        for access in (pair["first"], pair["second"]):
            place = access.get("location", {})
            places.append((os.path.basename(place.get("file", "?")), place.get("line", 0)))
        pairs.add(tuple(sorted(places)))
    return pairs


def judge(pairs, source, races):
    """Names of the real races among the pairs, and the pairs that are none."""
    real, alarms = set(), set()
    for a, b in pairs:
        names = {n for n, lines in races.items() if a[1] in lines and b[1] in lines}
        if names and a[0] == b[0] == source.name:
            real |= names
        else:
            alarms.add((a, b))
    return real, alarms


def prepare(racecast, source, folder):
    """Compiles, runs natively and recorded; returns the trace."""
    compiler, native = ("c++", "clang++-19") if source.suffix == ".cpp" else ("cc", "clang-19")
    flags = ["-g", "-O1", "-pthread", f"-I{INCLUDE}", f"-I{PROGRAMS}"]
    hidden = folder / "libhidden.a"
    for name in ("sync", "big_lock"):
        run(["clang-19", "-O1", "-c", PROGRAMS / "hidden" / f"{name}.c", "-o", folder / f"{name}.o"])
        run(["ar", "rc", hidden, folder / f"{name}.o"])
    run([racecast, compiler, *flags, source, hidden, "-o", folder / "recorded"])
    run([native, *flags, source, hidden, "-o", folder / "native"])
    traces = folder / "traces"
    recorded = run([racecast, "run", "--record-only", "--out", traces, "--", folder / "recorded"])
    expected = run([folder / "native"]).stdout
    if recorded.stdout != expected:
        sys.exit(f"{source.name}: printed {recorded.stdout!r} while it was recorded, {expected!r} natively")
    (trace,) = traces.glob("**/*.rct")
    return trace


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--racecast", default="build/bin/racecast")
    parser.add_argument("--only", help="names of programs, separated by commas")
    parser.add_argument("--without", default="", help="analyses that are left out, separated by commas")
    parser.add_argument("--seconds", type=float, help="give up an analysis after so long; its cell is a question mark")
    parser.add_argument("--keep", help="a folder for the traces")
    options = parser.parse_args()
    racecast = Path(options.racecast).resolve()
    columns = [c for c in COLUMNS if c[1] not in options.without.split(",")]
    sources = sorted(p for p in PROGRAMS.iterdir() if p.suffix in (".c", ".cpp"))
    if options.only:
        sources = [p for p in sources if p.stem in options.only.split(",")]

    totals = [[0, 0] for _ in columns]
    real_races = 0
    blocked = False
    print("| program | races | " + " | ".join(c[0] for c in columns) + " |")
    print("|---|---|" + "---|" * len(columns))
    with tempfile.TemporaryDirectory() as scratch:
        for source in sources:
            folder = Path(options.keep or scratch).resolve() / source.stem
            folder.mkdir(parents=True)
            trace = prepare(racecast, source, folder)
            races = truth(source)
            real_races += len(races)
            cells = []
            for at, (heading, analysis, missing) in enumerate(columns):
                pairs = reported(racecast, trace, analysis, missing, folder, options.seconds)
                if pairs is None:
                    cells.append("?")
                    blocked = blocked or missing == "reach"  # not known to have none
                    continue
                real, alarms = judge(pairs, source, races)
                totals[at][0] += len(real)
                totals[at][1] += len(alarms)
                cells.append(f"{len(real)} + {len(alarms)}")
                if missing == "reach":
                    for a, b in sorted(alarms):
                        print(f"{source.name}: {heading}: false alarm: {a[0]}:{a[1]} with {b[0]}:{b[1]}", file=sys.stderr)
                    blocked = blocked or bool(alarms)
            print(f"| {source.stem} | {len(races)} | " + " | ".join(cells) + " |", flush=True)
    print(f"| **all** | {real_races} | " + " | ".join(f"**{r} + {f}**" for r, f in totals) + " |")
    return 1 if blocked else 0


if __name__ == "__main__":
    sys.exit(main())
