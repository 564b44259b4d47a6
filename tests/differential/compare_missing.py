#!/usr/bin/env python3
"""Random programs with a library, recorded with the library and without: what is reported where the library was not recorded must be
confirmed where it was.

    compare_missing.py --racecast build/bin/racecast --seeds 1 20 [--also SEED...] [--keep DIR]

Both recordings have the same steps in the same order (random_missing.py), and what synchronises with what does not depend on timing. So a
pair of lines that really races is reported on the recording that has everything: by `hb`, if nothing orders the two accesses there, or with a
schedule by one of the default analyses, `maximal` among them. A pair that is reported on the recording without the library, and by none of
these on the other one, is refuted: a false alarm. Exits with 1 if there is one. Prints, at the end, how many races of the full recordings the
partial ones have, and how many false alarms `hb` has on the partial ones if nothing keeps the order of the library's calls (`--missing ignore`):
without any, the programs show nothing, and that is a complaint, too.

The library is linked as an object file, or as a shared library, stripped and not; the programs are compiled at -O0, -O1 and -O2.
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import typing
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import random_missing  # noqa: E402

LIBRARIES = ["object", "shared", "stripped"]


class Counts(typing.NamedTuple):
    races: int = 0  # of the full recording
    found: int = 0  # of these, on the partial one
    avoided: int = 0  # false alarms of the partial one if missing code is ignored


def run(command, timeout=300, accepted=(0,), **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=timeout, **more)
    if done.returncode not in accepted:
        raise RuntimeError(f"{' '.join(str(word) for word in command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def make_libraries(racecast, folder):
    """The library, compiled without racecast in three forms, and with it."""
    flags = ["-g", "-O1", "-fPIC", "-pthread", "-c", HERE / "hidden_library.c", "-o"]
    run(["clang-19", *flags, folder / "object.o"])
    run([racecast, "cc", *flags, folder / "recorded.o"])
    for name, more in (("shared", []), ("stripped", ["-s"])):
        (folder / name).mkdir()
        run(["clang-19", "-shared", *more, folder / "object.o", "-o", folder / name / "libhidden.so"])


def link(library, folder):
    if library in ("object", "recorded"):
        return [folder / f"{library}.o"]
    return [f"-L{folder / library}", "-lhidden", f"-Wl,-rpath,{folder / library}"]


def pairs_of(racecast, trace, source, *options):
    """Pairs of lines of the program that are reported, and whether hb and maximal looked at everything."""
    out = trace.with_suffix(".ignoring.json" if options else ".json")
    run([racecast, "analyze", trace, *options, "--json", out], accepted=(0, 1))
    found = json.loads(out.read_text())
    pairs = {}
    for finding in found["findings"]:
        places = [finding[side].get("location", {}) for side in ("first", "second")]
        if all(os.path.basename(place.get("file", "")) == source.name for place in places):
            pairs.setdefault(tuple(sorted(place["line"] for place in places)), finding)
    return pairs, all(a["complete"] for a in found["analyses"] if a["name"] in ("hb", "maximal"))


def record(racecast, source, level, library, libraries, folder):
    folder.mkdir()
    run([racecast, "cc", "-w", "-g", level, "-pthread", f"-I{HERE}", source, *link(library, libraries), "-o", folder / "program"])
    run([racecast, "record", "--exit-wait", "0", "--out", folder / "traces", "--", folder / "program"], timeout=120)
    traces = list((folder / "traces").glob("*.rct"))
    if len(traces) != 1:
        raise RuntimeError(f"{source}: {len(traces)} traces")
    run([racecast, "dump", "trace", "--verify", traces[0]])
    return traces[0]


def compare(racecast, seed, libraries, folder):
    """The complaints about one program, and what of it counts (Counts)."""
    source = folder / f"program{seed}.c"
    source.write_text(random_missing.Program(seed).write())
    level, library = f"-O{seed % 3}", LIBRARIES[seed // 3 % 3]
    try:
        full, complete = pairs_of(racecast, record(racecast, source, level, "recorded", libraries, folder / f"{seed}.full"), source)
        trace = record(racecast, source, level, library, libraries, folder / f"{seed}.partial")
        partial, _ = pairs_of(racecast, trace, source)
        ignoring, _ = pairs_of(racecast, trace, source, "--analysis", "hb", "--missing", "ignore")
    except (RuntimeError, subprocess.TimeoutExpired) as trouble:
        return [f"seed {seed}: {trouble}"], Counts()
    complaints = []
    if not complete:
        complaints.append(f"seed {seed}: hb and maximal have not looked at all of the full recording, so it refutes nothing")
    for lines, finding in partial.items():
        if lines not in full:
            text = source.read_text().splitlines()
            complaints.append(
                f"seed {seed} {level} {library}: lines {lines[0]} and {lines[1]}, "
                f"`{text[lines[0] - 1].strip()}` and `{text[lines[1] - 1].strip()}`, {'/'.join(finding['analyses'])}: refuted by the full recording"
            )
    return complaints, Counts(len(full), len(partial.keys() & full.keys()), len(ignoring.keys() - full.keys()))


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--racecast", required=True, type=Path)
    options.add_argument("--seeds", nargs=2, type=int, default=(1, 20))
    options.add_argument("--also", nargs="*", type=int, default=(), help="further seeds")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--keep", type=Path, help="leaves programs, traces and findings there")
    chosen = options.parse_args()
    racecast = chosen.racecast.resolve()
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        make_libraries(racecast, folder)
        seeds = [*range(chosen.seeds[0], chosen.seeds[1] + 1), *chosen.also]
        with concurrent.futures.ThreadPoolExecutor(chosen.jobs) as workers:
            results = list(workers.map(lambda seed: compare(racecast, seed, folder, folder), seeds))
    complaints = [line for result in results for line in result[0]]
    races, found, avoided = (sum(result[1][i] for result in results) for i in range(3))
    if found == 0 or avoided == 0:
        complaints.append("no race was found, or none would be false without missing code: these programs show nothing")
    for line in complaints:
        print(line, file=sys.stderr)
    print(
        f"{len(results)} programs: of {races} races of the full recordings the partial ones have {found}; "
        f"{avoided} false alarms if missing code is ignored; {len(complaints)} complaints"
    )
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
