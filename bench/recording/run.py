#!/usr/bin/env python3
"""What recording costs: each workload natively, recorded by racecast, under ThreadSanitizer, and under Helgrind, one after the other, several
rounds; medians of CPU time and wall time over native, peak memory, and for racecast ns and bytes per event. Prints a markdown table.

    bench/recording/run.py [--rounds N] [--no-helgrind] [--helgrind-limit S] [WORKLOAD...]      e.g. bench/recording/run.py --rounds 5

RACECAST names the binary to measure (default build/bin/racecast). Helgrind runs once, for at most S seconds ("> N": it was stopped then). What a
round recorded is emptied, and deleted at the end only: ext4 passes over every file that was deleted a moment ago when it makes a new one, so a
program with thousands of threads would be charged for the round before.
"""
import argparse
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
RACECAST = os.environ.get("RACECAST", os.path.join(ROOT, "build/bin/racecast"))


kStopped = 124  # exit code of timeout


def measure(meter, command, env=None):
    """Wall seconds, CPU seconds, peak MiB, stdout; None instead of stdout if `timeout` stopped it."""
    with tempfile.NamedTemporaryFile("r") as figures:
        done = subprocess.run([meter, figures.name, *command], env={**os.environ, **(env or {})}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if done.returncode not in (0, kStopped):
            sys.exit(f"{' '.join(command)}: exit code {done.returncode}")
        wall, cpu, peak = map(float, figures.read().split())
    return wall, cpu, peak / 1024, done.stdout if done.returncode == 0 else None


def median_of(runs):
    return [statistics.median(r[i] for r in runs) for i in range(3)]


def empty_folder(folder):
    """Empties the files of a recording; how many bytes of log there were."""
    files = [os.path.join(d, f) for d, _, names in os.walk(folder) for f in names]
    size = sum(os.path.getsize(f) for f in files if f.endswith(".log"))
    for f in files:
        os.truncate(f, 0)
    return size


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-helgrind", action="store_true")
    parser.add_argument("--helgrind-limit", type=int, default=600, metavar="S")
    parser.add_argument("workloads", nargs="*")
    args = parser.parse_args()
    names = args.workloads or ["mutex_heavy", "atomics_heavy", "read_mostly", "producer_consumer", "private_compute", "fork_join"]
    helgrind = not args.no_helgrind and shutil.which("valgrind")
    print("| workload | events | native CPU s | racecast × | TSan × | Helgrind × | racecast wall × | TSan wall × | racecast MiB | TSan MiB | ns/event | raw B/event | .rct B/event |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|", flush=True)
    ratios = {"racecast": [], "tsan": []}
    with tempfile.TemporaryDirectory() as tmp:
        meter = os.path.join(tmp, "measure")
        subprocess.run(["clang-19", "-O1", os.path.join(HERE, "measure.c"), "-o", meter], check=True)
        for name in names:
            source = os.path.join(HERE, name + ".c")
            binaries = {k: os.path.join(tmp, f"{name}_{k}") for k in ("native", "racecast", "tsan")}
            common = ["-O2", "-g", "-pthread", source, "-o"]
            subprocess.run(["clang-19", *common, binaries["native"]], check=True)
            subprocess.run([RACECAST, "cc", *common, binaries["racecast"]], check=True)
            subprocess.run(["clang-19", "-fsanitize=thread", *common, binaries["tsan"]], check=True)
            runs = {k: [] for k in binaries}
            raw = 0
            for number in range(args.rounds):
                for kind, binary in binaries.items():
                    env = {}
                    if kind == "racecast":
                        folder = os.path.join(tmp, f"{name}_raw{number}")
                        os.mkdir(folder)
                        env = {"RACECAST_DIR": folder}
                    elif kind == "tsan":
                        env = {"TSAN_OPTIONS": "exitcode=0"}
                    runs[kind].append(measure(meter, [binary], env))
                    if kind == "racecast":
                        raw = empty_folder(folder)
            if len({r[3] for all_runs in runs.values() for r in all_runs}) != 1:
                sys.exit(f"{name}: the outputs differ")
            out = os.path.join(tmp, "out")
            shutil.rmtree(out, ignore_errors=True)
            subprocess.run([RACECAST, "run", "--record-only", "--out", out, "--", binaries["racecast"]], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            trace = [os.path.join(out, f) for f in os.listdir(out) if f.endswith(".rct")][0]
            stats = subprocess.run([RACECAST, "stats", trace], check=True, capture_output=True, text=True).stdout
            events = int(re.search(r"([\d,]+) events|events[: ]+([\d,]+)", stats).group(0).replace("events", "").strip(" :").replace(",", ""))
            native, recorded, tsan = (median_of(runs[k]) for k in ("native", "racecast", "tsan"))
            slow = measure(meter, ["timeout", str(args.helgrind_limit), "valgrind", "-q", "--tool=helgrind", binaries["native"]]) if helgrind else None
            ratios["racecast"].append(recorded[1] / native[1])
            ratios["tsan"].append(tsan[1] / native[1])
            times = f"{'> ' if slow[3] is None else ''}{slow[1] / native[1]:.0f}" if slow else ""
            print(f"| {name} | {events:,} | {native[1]:.3f} | {recorded[1] / native[1]:.1f} | {tsan[1] / native[1]:.1f} | {times} | "
                  f"{recorded[0] / native[0]:.1f} | {tsan[0] / native[0]:.1f} | {recorded[2]:.0f} | {tsan[2]:.0f} | "
                  f"{(recorded[1] - native[1]) / events * 1e9:.1f} | {raw / events:.1f} | {os.path.getsize(trace) / events:.1f} |", flush=True)
    mean = {k: math.exp(statistics.fmean(math.log(r) for r in v)) for k, v in ratios.items()}
    print(f"\nGeometric mean of CPU time over native: racecast {mean['racecast']:.1f}, ThreadSanitizer {mean['tsan']:.1f}.")


main()
