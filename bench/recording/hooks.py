#!/usr/bin/env python3
"""What hooks that are called cost against records that are written in place: instructions in user mode (cachegrind, so a busy machine does not
matter; what the kernel does for the log is not in it), over those of the native program, not recorded and recorded. Prints a markdown table.

    bench/recording/hooks.py [WORKLOAD...]

RACECAST names the binary to measure (default build/bin/racecast).
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
RACECAST = os.environ.get("RACECAST", os.path.join(ROOT, "build/bin/racecast"))
NATIVE = ["clang-19", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops", "-fno-omit-frame-pointer"]


def instructions(binary, folder):
    env = {**os.environ, "LD_LIBRARY_PATH": os.path.dirname(binary)}
    env.pop("RACECAST_DIR", None)
    if folder:
        os.makedirs(folder)
        env["RACECAST_DIR"] = folder
    done = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", binary], env=env,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    if folder:
        shutil.rmtree(folder)
    return int(re.search(r"I +refs: +([\d,]+)", done.stderr)[1].replace(",", ""))


def main():
    print("| workload | native, million instructions | inline, not recorded × | called, not recorded × | inline, recorded × | called, recorded × | "
          "called over inline, recorded |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as work:
        # Without debug information: valgrind does not know all of clang's.
        runtime = os.path.join(os.path.dirname(os.path.dirname(RACECAST)), "lib", "libracecast_rt.so")
        subprocess.run(["strip", "-g", runtime, "-o", os.path.join(work, "libracecast_rt.so")], check=True)
        for name in sys.argv[1:] or ["private_compute", "read_mostly", "mutex_heavy"]:
            source, counts = os.path.join(HERE, f"{name}.c"), {}
            ways = {"native": NATIVE, "record": [RACECAST, "cc"], "call": [RACECAST, "cc", "--racecast-hooks=call"]}
            for way, compiler in ways.items():
                binary = os.path.join(work, f"{name}.{way}")
                subprocess.run([*compiler, "-O2", "-g0", "-pthread", source, "-o", binary], check=True)
                counts[way] = instructions(binary, None)
                if way != "native":
                    counts[way, "recorded"] = instructions(binary, os.path.join(work, "recording"))
            native = counts["native"]
            record, call = counts["record", "recorded"], counts["call", "recorded"]
            print(f"| {name} | {native / 1e6:.0f} | {counts['record'] / native:.1f} | {counts['call'] / native:.1f} | {record / native:.1f} | "
                  f"{call / native:.1f} | {call / record:.2f} |", flush=True)


if __name__ == "__main__":
    main()
