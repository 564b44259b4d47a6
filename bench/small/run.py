#!/usr/bin/env python3
"""What the default analyses cost beside the recording, for programs that run for a moment. Prints a markdown table: CPU
seconds (user and system, all processes) of `racecast record`, which runs the program and merges what it wrote, and of
`racecast analyze` of the trace; the best of ROUNDS each, taken in turn, as the machine may be busy.
  bench/small/run.py [--rounds N] [--racecast PATH] [--work FOLDER] [NAME...]
"""
import argparse
import pathlib
import re
import resource
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# name: how it is compiled, files with racecast, files without, arguments
PROGRAMS = {
    "containers": ("c++", ["-O0"], ["containers.cpp"], [], []),
    "short_threads": ("cc", ["-O1"], ["short_threads.c"], [], []),
    "short_threads_missing": ("cc", ["-O1", "-DHELPER"], ["short_threads.c"], ["helper.c"], []),
}


def cpu(command, ok=(0,), **how):
    """CPU seconds of a command and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, **how)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in ok:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stderr}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, done.stdout + done.stderr


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--racecast", default=str(ROOT / "build/bin/racecast"))
    options.add_argument("--work", default=str(ROOT / "build/small"))
    options.add_argument("names", nargs="*")
    asked = options.parse_args()
    work = pathlib.Path(asked.work)
    work.mkdir(parents=True, exist_ok=True)
    print("| program | events | native | record | analyze | analyze / record |\n|---|---|---|---|---|---|")
    for name in asked.names or PROGRAMS:
        compiler, flags, files, without, arguments = PROGRAMS[name]
        objects = []
        for file in without:
            objects.append(str(work / (file + ".o")))
            cpu(["cc", "-O1", "-c", str(HERE / file), "-o", objects[-1]])
        sources = [str(HERE / file) for file in files]
        native, program, trace = (str(work / (name + end)) for end in (".native", "", ".rct"))
        cpu([compiler, "-g", *flags, *sources, *objects, "-pthread", "-o", native])
        cpu([asked.racecast, compiler, "-g", *flags, *sources, *objects, "-pthread", "-o", program])
        best = [float("inf")] * 3
        events = "?"
        for _ in range(asked.rounds):
            shutil.rmtree(trace, ignore_errors=True)
            plain, _ = cpu([native, *arguments])
            recorded, said = cpu([asked.racecast, "record", "-o", trace, "--", program, *arguments])
            events = re.search(r"(\d+) events", said).group(1)
            analysed, _ = cpu([asked.racecast, "analyze", "--jobs", "1", *map(str, pathlib.Path(trace).glob("*.rct"))], ok=(0, 1))
            best = [min(pair) for pair in zip(best, (plain, recorded, analysed))]
        print(f"| {name} | {int(events):,} | {best[0]:.2f} s | {best[1]:.2f} s | {best[2]:.2f} s | {best[2] / best[1]:.1f} |", flush=True)


if __name__ == "__main__":
    main()
