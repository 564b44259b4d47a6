#!/usr/bin/env python3
"""RECIPE's Table II over the bundled programs, litmus files and generated path programs, as Markdown.

    bench/recipe/run.py [--racecast build/bin/racecast] [--only programs|litmus|generated] [--seconds 300]

Programs (tests/programs) are compiled with racecast at -O1, recorded once and compared: `racecast analyze --compare`.
The generated ones (generate.py) are also analysed by each analysis in a process of its own, for its peak memory, and
with predict_bench, if it is there, for the time of one pair with values relaxed. A dash: racecast does not have that
analysis, or it was not done after --seconds.
"""
import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROGRAMS = ROOT / "tests" / "programs"
sys.path.insert(0, str(PROGRAMS))
import run as programs_test  # noqa: E402  (reads the comments of the programs, compiles them)

# Besides all value_*, case_* and path_*.
SELECTED = """atomic_spinlock atomic_wait barrier condition_broadcast dining_philosophers double_checked_locking
    happens_before_annotations hidden_two_locks lazy_refcount lock_free_stack map_size matrix mutex_two_locks
    producer_consumer publish_by_pointer qsort_callback read_copy_update rwlock_try semaphore shared_ptr_object
    spin_on_flag std_async std_condition std_future std_jthread std_shared_mutex std_thread_vector string_assign
    thread_pool vector_push_back virtual_call""".split()
ALWAYS = ("value_", "case_", "path_")
LITMUS = ("recipe_", "value_", "path_")
# Local operations, events, seed.
GENERATED = [(50, 10_000, 1), (500, 10_000, 1), (5_000, 10_000, 1), (50, 100_000, 1), (500, 100_000, 1), (5_000, 100_000, 1),
             (50, 1_000_000, 1), (500, 1_000_000, 1)]
ROUNDS = 5  # of what takes milliseconds
ANALYSES = ("value", "path", "maximal")
HEAD = ["threads", "reads", "writes", "base reads", "branches", "sync", "events", "RECIPE-s (value)", "RECIPE (path)", "RV (maximal)",
        "Diff", "Diff'", "value s", "path s", "maximal s", "path / maximal"]


def must(command, codes=(0,), **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", **more)
    if done.returncode not in codes:
        raise programs_test.Failure(f"{shlex.join(map(str, command))}: exit code {done.returncode}\n{done.stderr}")
    return done


def cell(value, form="{}"):
    return "-" if value is None else form.format(value)


def compare(racecast, trace, folder, seconds, rounds=1):
    """The cells of a row, or None where it took too long. Of several rounds, the shortest time of each analysis."""
    out = folder / "row.json"
    rows = []
    for _ in range(rounds):
        try:
            must([racecast, "analyze", trace, "--compare", "--json", out], (0, 1), timeout=seconds)
        except subprocess.TimeoutExpired:
            return None
        rows.append(json.loads(out.read_text()))
    row = rows[0]
    by_name = {a["name"]: a for a in row["analyses"]}
    for other in rows:
        for a in other["analyses"]:
            by_name[a["name"]]["seconds"] = min(by_name[a["name"]]["seconds"], a["seconds"])
    cells = [row["threads"], row["reads"], row["writes"], cell(row.get("base_reads")), row["branches"], row["synchronising"], row["events"]]
    for name in ANALYSES:
        one = by_name.get(name)
        # An analysis that says it did not look at everything found at least so many.
        cells.append("-" if one is None else f"{one['races']}{'' if one['complete'] else '+'}")
    cells += [cell(row.get("diff")), cell(row.get("diff_reversed"))]
    times = [by_name[name]["seconds"] if name in by_name else None for name in ANALYSES]
    cells += [cell(t, "{:.4f}" if t is not None and t < 0.1 else "{:.2f}") for t in times]
    cells.append(cell(times[1] / times[2] if times[1] is not None and times[2] > 0 else None, "{:.1f}"))
    return [str(c) for c in cells]


def head(first, columns):
    print("\n| " + " | ".join([first, *columns]) + " |")
    print("|" + "---|" * (len(columns) + 1), flush=True)


def print_row(name, cells):
    print("| " + " | ".join([name, *(cells or ["-"] * len(HEAD))]) + " |", flush=True)


def record(racecast, binary, folder, arguments=()):
    """The trace of the first process."""
    traces = folder / "traces"
    subprocess.run([str(racecast), "run", "--record-only", "--out", str(traces), "--", str(binary), *arguments],
                   stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
    found = sorted(traces.glob("**/*.rct"), key=os.path.getsize)
    if not found:
        raise programs_test.Failure(f"{binary}: no trace")
    return found[-1]


def bundled(racecast, scratch, seconds):
    sources = [p for p in sorted(PROGRAMS.iterdir()) if p.suffix in (".c", ".cpp") and
               (p.name.startswith(ALWAYS) or p.stem in SELECTED)]
    head("program", HEAD)
    for source in sources:
        folder = Path(tempfile.mkdtemp(dir=scratch))
        try:
            program = programs_test.Program(str(source))
            driver = [str(racecast), "cc" if source.suffix == ".c" else "c++"]
            binary = programs_test.compile_program(program, driver, "O1", str(folder), "program", ["-DTEST_RACECAST"])
            trace = record(racecast, binary, folder, shlex.split(program.options["ARGS"]))
            print_row(source.name, compare(racecast, trace, folder, seconds, ROUNDS))
        except programs_test.Failure as failure:
            print(f"{source.name}: {failure}", file=sys.stderr)


def litmus(racecast, scratch, seconds):
    head("litmus program", HEAD)
    folder = Path(tempfile.mkdtemp(dir=scratch))
    for source in sorted((ROOT / "tests" / "litmus").glob("*.litmus")):
        if not source.name.startswith(LITMUS):
            continue
        must([racecast, "record", source, "-o", folder / "trace.rct"])
        print_row(source.stem, compare(racecast, folder / "trace.rct", folder, seconds, ROUNDS))


def peak_mib(racecast, trace, analysis, seconds):
    """Of the process, as it says itself; None: out of time, or there is no such analysis."""
    try:
        done = must([racecast, "analyze", trace, "--analysis", analysis, "--stats"], (0, 1), timeout=seconds)
    except (subprocess.TimeoutExpired, programs_test.Failure):
        return None
    found = re.search(r"peak memory +(\d+) KiB", done.stdout)
    return int(found[1]) / 1024 if found else None


def relaxed_pairs(racecast, trace, seconds):
    """Median, p90 and maximum of the milliseconds of a pair with values relaxed."""
    bench = racecast.parent / "predict_bench"
    if not bench.exists():
        return None
    try:
        done = must([bench, "--value", trace, 200], timeout=seconds)
    except subprocess.TimeoutExpired:
        return None
    found = re.search(r"ms ([^;]*);", done.stdout)
    return found[1] if found else None


def generated(racecast, scratch, seconds, largest):
    rows = []
    head("generated: operations, seed", HEAD)
    for operations, events, seed in GENERATED:
        if events > largest:
            continue
        folder = Path(tempfile.mkdtemp(dir=scratch))
        source = must([sys.executable, HERE / "generate.py", "--operations", operations, "--events", events, "--seed", seed]).stdout
        (folder / "program.c").write_text(source)
        must([racecast, "cc", "-O1", "-g", "-pthread", folder / "program.c", "-o", folder / "program"])
        trace = record(racecast, folder / "program", folder)
        name = f"{operations:,}, {seed}"
        print_row(name, compare(racecast, trace, folder, seconds))
        peaks = [peak_mib(racecast, trace, analysis, seconds) for analysis in ANALYSES]
        rows.append((name, events, relaxed_pairs(racecast, trace, seconds), peaks))
    head("generated: operations, seed", ["events, about", "ms of a relaxed pair, median / p90 / max", *(f"peak MiB, {a}" for a in ANALYSES)])
    for name, events, milliseconds, peaks in rows:
        print_row(name, [f"{events:,}", cell(milliseconds), *(cell(p, "{:.0f}") for p in peaks)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--racecast", default=str(ROOT / "build" / "bin" / "racecast"))
    parser.add_argument("--only", choices=["programs", "litmus", "generated"])
    parser.add_argument("--seconds", type=float, default=300, help="give up a command after so long")
    parser.add_argument("--largest", type=int, default=1_000_000, help="generated traces of at most so many events")
    options = parser.parse_args()
    racecast = Path(options.racecast).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        if options.only in (None, "programs"):
            bundled(racecast, scratch, options.seconds)
        if options.only in (None, "litmus"):
            litmus(racecast, scratch, options.seconds)
        if options.only in (None, "generated"):
            generated(racecast, scratch, options.seconds, options.largest)


if __name__ == "__main__":
    main()
