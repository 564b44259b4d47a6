#!/usr/bin/env python3
"""Runs test programs and compares what racecast says with what their comments expect.

For each program: compile it natively once, and with racecast at each level; run both; standard output and exit code
must agree (racecast's is 66 when there are findings); every trace must verify; and the findings, as pairs of lines of
the program's file, must be those that the comments expect, no more and no less. README.md tells the comments.

  run.py --racecast build/bin/racecast PROGRAM...      what ctest does, one program each
                                                       (RACECAST_LEVELS="O0 O2": of its levels, only these)
  run.py --racecast ... --levels O2 --keep DIR PROGRAM  leaves binaries, traces and findings in DIR
  run.py --tsan PROGRAM...                             what ThreadSanitizer says, beside what is true
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CLANG = {".c": os.environ.get("RACECAST_CC", "clang-19"), ".cpp": os.environ.get("RACECAST_CXX", "clang++-19")}
FINDINGS_EXIT = 66
TIMEOUT = 300  # of one command, on a machine that is busy
SKIPPED = 77

Expectation = collections.namedtuple("Expectation", "verdict by lines")
Outcome = collections.namedtuple("Outcome", "code out err")


class Failure(Exception):
    """A sentence for the person who reads the test's output."""


class Program:
    """A test program and what its comments say."""

    def __init__(self, path):
        self.path = path
        self.base = os.path.basename(path)
        self.kind = os.path.splitext(path)[1]
        self.options = collections.defaultdict(str)
        self.output = []
        self.expected = {}
        self.no_race = False
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                self.read_line(number, line.rstrip("\n"))
        if self.no_race == bool(self.expected):
            raise Failure(f"{self.base}: expects either races or NORACE")
        self.levels = self.options["LEVELS"].split() or ["O0", "O1", "O2"]
        # A shorter run of the tests chooses among them; a program that has none of those runs at its first.
        chosen = os.environ.get("RACECAST_LEVELS", "").split()
        if chosen:
            self.levels = [level for level in self.levels if level in chosen] or self.levels[:1]
        for label, expectation in self.expected.items():
            if len(expectation.lines) > 2:
                raise Failure(f"{self.base}: ({label}) is on more than two lines")

    def read_line(self, number, line):
        option = re.match(r"// (FLAGS|STD|LIBS|ARGS|EXIT|LEVELS|SOURCES|LIBRARY|NATIVE|TSAN): *(.*)$", line)
        if option:
            self.options[option[1]] = option[2]
        elif line.startswith("// OUTPUT: "):
            self.output.append(line[len("// OUTPUT: "):])
        elif line == "// NORACE":
            self.no_race = True
        comment = line.partition("// ")[2]
        verdicts = r"\b((?:MISSED-)?(?:RACE|FREED)|ALARM)\((\w+)\)(?: by (\w+))?"
        for verdict, label, by in re.findall(verdicts, comment):
            before = self.expected.get(label, Expectation(verdict, "", []))
            self.expected[label] = Expectation(verdict, by or before.by, before.lines + [number])

    def flags(self):
        standard = self.options["STD"]
        return ["-pthread"] + ([f"-std={standard}"] if standard else []) + shlex.split(self.options["FLAGS"])

    def pair(self, label):
        lines = self.expected[label].lines
        return (self.expected[label].verdict.endswith("FREED"), lines[0], lines[-1])


def call(command, **more):
    # The program's own output may be anything: bytes that are not UTF-8 are replaced.
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                              timeout=TIMEOUT, check=False, **more)
    except subprocess.TimeoutExpired as late:
        raise Failure(f"still running after {TIMEOUT} s: {shlex.join(command)}") from late
    code = done.returncode if done.returncode >= 0 else 128 - done.returncode
    return Outcome(code, done.stdout, done.stderr)


def must(command, **more):
    outcome = call(command, **more)
    if outcome.code != 0:
        raise Failure(f"{shlex.join(command)}: exit code {outcome.code}\n{outcome.out}{outcome.err}")
    return outcome


def compile_program(program, compiler, level, folder, name, extra=()):
    """Compiles to folder/name, with its SOURCES; the NATIVE source, if any, always without racecast; the LIBRARY to a
    shared one, whose path the program knows as TEST_LIBRARY."""
    binary = os.path.join(folder, name)
    command = [*compiler, f"-{level}", *program.flags(), *extra]
    sources = [program.path] + [os.path.join(HERE, source) for source in program.options["SOURCES"].split()]
    if program.options["LIBRARY"]:
        library = f"{binary}.so"
        must([*command, "-shared", "-fPIC", os.path.join(HERE, program.options["LIBRARY"]), "-o", library])
        command.append(f'-DTEST_LIBRARY="{library}"')
    if program.options["NATIVE"]:
        sources.append(os.path.join(folder, "native.o"))
        must([CLANG[".c"], "-O1", "-c", os.path.join(HERE, program.options["NATIVE"]), "-o", sources[-1]])
    must([*command, *sources, "-o", binary, *shlex.split(program.options["LIBS"])])
    return binary


def line_of(access, base):
    """The line of the program's file where an access happened: its own, else that of the innermost call from there
    (inlined calls first, then the stack)."""
    location = access["location"] or {}
    for place in [location, *access["stack"]]:
        for frame in [place, *place.get("inlined", [])]:
            if os.path.basename(frame.get("file", "")) == base:
                return frame.get("line")
    return None


def describe(access):
    location = access["location"] or {}
    return (f"{access['access']} of {access['variable']} at {location.get('file', '?')}:{location.get('line', '?')}"
            f" in {location.get('function', '?')}")


def findings_of(json_files, base):
    """(does one free?, line, line) -> the analyses that found it; and what cannot be placed in the program's file."""
    pairs, nowhere = collections.defaultdict(set), []
    for path in json_files:
        with open(path, encoding="utf-8") as file:
            findings = json.load(file)["findings"]
        # All pairs: a finding has one and perhaps more.
        for pair in [pair for finding in findings for pair in [finding, *finding.get("also", [])]]:
            lines = [line_of(pair[side], base) for side in ("first", "second")]
            if None in lines:
                nowhere.append(f"{describe(pair['first'])} and {describe(pair['second'])}")
            else:
                frees = "free" in (pair["first"]["access"], pair["second"]["access"])
                pairs[(frees, *sorted(lines))] |= set(pair["analyses"])
    return pairs, nowhere


def compare_findings(program, pairs, nowhere):
    problems = [f"finding outside of {program.base}: {text}" for text in nowhere]
    for label, (verdict, by, _) in program.expected.items():
        pair = program.pair(label)
        where = f"({label}), lines {pair[1]} and {pair[2]}"
        analyses = pairs.pop(pair, None)
        if verdict.startswith("MISSED-"):
            if analyses is not None:
                problems.append(f"{where}: now found by {sorted(analyses)}; expect {verdict[len('MISSED-'):]}")
        elif analyses is None:
            problems.append(f"{where}: not found")
        elif by and (by not in analyses or "hb" in analyses):
            problems.append(f"{where}: found by {sorted(analyses)}, expected only from {by}")
    for pair, analyses in sorted(pairs.items()):
        what = "use after free" if pair[0] else "race"
        problems.append(f"unexpected {what}: lines {pair[1]} and {pair[2]}, by {sorted(analyses)}")
    return problems


def check_level(program, racecast, level, folder, native):
    """What is wrong at one level, as sentences."""
    driver = [racecast, "cc" if program.kind == ".c" else "c++"]
    binary = compile_program(program, driver, level, folder, f"{program.base}.{level}", ["-DTEST_RACECAST"])
    out = os.path.join(folder, f"out.{level}")
    findings = os.path.join(folder, f"findings.{level}.json")
    run = call([racecast, "run", "--out", out, "--json", findings, "--", binary, *shlex.split(program.options["ARGS"])])
    problems = []
    if run.out != native.out:
        problems.append(f"standard output differs from the native run's:\n--- native\n{native.out}--- racecast\n{run.out}")
    traces = sorted(os.path.join(out, name) for name in os.listdir(out) if name.endswith(".rct")) if os.path.isdir(out) else []
    if not traces:
        return problems + [f"no trace; exit code {run.code}\n{run.err}"]
    for trace in traces:
        verified = call([racecast, "dump", "trace", "--verify", trace])
        if verified.code != 0:
            problems.append(f"the trace does not verify: exit code {verified.code}\n{verified.out}{verified.err}")
    if not os.path.exists(findings):
        return problems + [f"no findings were written; exit code {run.code}\n{run.err}"]
    pairs, nowhere = findings_of([findings], program.base)
    wanted = FINDINGS_EXIT if pairs or nowhere else native.code
    if run.code != wanted:
        problems.append(f"exit code {run.code} instead of {wanted}\n{run.err}")
    return problems + compare_findings(program, pairs, nowhere)


def run_native(program, folder):
    binary = compile_program(program, [CLANG[program.kind]], "O1", folder, "native")
    outcome = call([binary, *shlex.split(program.options["ARGS"])])
    if outcome.code != int(program.options["EXIT"] or 0):
        raise Failure(f"native run: exit code {outcome.code}\n{outcome.err}")
    if program.output and outcome.out.splitlines() != program.output:
        raise Failure(f"native run: unexpected output\n{outcome.out}")
    return outcome


def check_with_racecast(program, options, folder):
    native = run_native(program, folder)
    problems = []
    for level in options.levels or program.levels:
        try:
            problems += [f"-{level}: {text}" for text in check_level(program, options.racecast, level, folder, native)]
        except Failure as failure:
            problems.append(f"-{level}: {failure}")
    return problems


def check_with_tsan(program, folder):
    """ThreadSanitizer must report some of the races that are true and not `by` a prediction, and nothing else; a
    program may say that it does not: `// TSAN: misses`, `alarms` or `hangs`, with a reason."""
    run_native(program, folder)
    if program.options["TSAN"].startswith("hangs"):
        return []
    binary = compile_program(program, [CLANG[program.kind]], "O1", folder, "tsan", ["-fsanitize=thread", "-g"])
    outcome = call([binary, *shlex.split(program.options["ARGS"])])
    alarms = len(re.findall("WARNING: ThreadSanitizer: (data race|heap-use-after-free)", outcome.err))
    observed = any(e.verdict != "ALARM" and not e.by for e in program.expected.values())
    said = program.options["TSAN"].split(" ")[0]
    wanted = {"misses": False, "alarms": True}.get(said, observed)
    if bool(alarms) != wanted:
        return [f"ThreadSanitizer reports {alarms} races, exit code {outcome.code}\n{outcome.err[:3000]}"]
    return []


def check(path, options):
    folder = options.keep or tempfile.mkdtemp(prefix="racecast-program.")
    os.makedirs(folder, exist_ok=True)
    try:
        program = Program(os.path.abspath(path))
        return check_with_tsan(program, folder) if options.tsan else check_with_racecast(program, options, folder)
    except Failure as failure:
        return [str(failure)]
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--racecast", type=os.path.abspath)
    parser.add_argument("--tsan", action="store_true")
    parser.add_argument("--levels", nargs="+", choices=["O0", "O1", "O2", "O3", "Os"], help="default: those of the program")
    parser.add_argument("--keep", metavar="DIR", type=os.path.abspath)
    parser.add_argument("--jobs", "-j", type=int, default=1)
    options = parser.parse_args()
    if not options.racecast and not options.tsan:
        parser.error("give --racecast or --tsan")
    if not all(shutil.which(name) for name in CLANG.values()):
        print(f"skipped: {', '.join(CLANG.values())} not installed")
        return SKIPPED
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda path: check(path, options), options.programs)
        for path, problems in zip(options.programs, results):
            failed += bool(problems)
            for problem in problems:
                print(f"{os.path.basename(path)} {problem}", flush=True)
    print(f"{len(options.programs) - failed} of {len(options.programs)} programs as expected")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
