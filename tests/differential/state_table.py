#!/usr/bin/env python3
"""Goes through every row of the table of library functions (src/program/library.txt) that has state outside of memory, and makes
programs of them: what one thread does before it changes the state is not next to what another one does after it has looked at it.

    T1: data = 1; lock(); PUT; unlock();      T2: lock(); r = GET; unlock(); if (r != 4242) data = 2;

Every row that writes a kind of state is a PUT, with a GET that reads that kind; every row that reads one is a GET, with a PUT that
writes it. state_calls.py says how a function is called. A program has many such rounds, one after the other, each with data of its own;
an invisible barrier keeps their order. racecast must find nothing. A row that is neither called nor listed with a reason fails the test.

  state_table.py --racecast build/bin/racecast [--source DIR] [--rows N] [--keep DIR]
"""
import argparse
import concurrent.futures
import ctypes
import os
import re
import subprocess
import sys
import tempfile

import state_calls

# Of each kind who changes it and who looks at it; {x} is the object, where the row that is tested names one.
PUT_GET = {
    "env": ('setenv("Y", "1", 1)', 'getenv("Y")'),
    "stream": ("clearerr({x})", "ferror({x})"),
    "dir": ("rewinddir({x})", "dirfd({x})"),
    "fs": ("ftruncate(d, 9)", "stat(path, &about)"),
    "fd": ("fcntl({x}, F_SETFD, 0)", "isatty({x})"),
    "pending": ("send({x}, buf, 1, MSG_DONTWAIT)", "getsockopt({x}, SOL_SOCKET, SO_TYPE, buf, &length)"),
    "position": ("lseek({x}, 1, SEEK_SET)", "lseek({x}, 0, SEEK_CUR)"),
    "process": ("umask(022)", "getppid()"),
    "thread": ('pthread_setname_np({x}, "b")', "pthread_getname_np({x}, buf, 64)"),
    "locale": ('setlocale(LC_ALL, "C")', "toupper('a')"),
    "clock": ("clock_settime(99, &moment)", "time(0)"),
    "zone": ("tzset()", "localtime_r(&now, &parts)"),
    "timer": ("timer_settime({x}, 0, &timing, 0)", "timer_gettime({x}, &timing)"),
    "random": ("srand(1)", "rand()"),
    "signals": ("signal({x}, SIG_IGN)", "sigaction({x}, 0, &action2)"),
    "mapping": ("mlock(page, 4096)", "mincore(page, 4096, buf)"),
    "loader": ('dlopen("libm.so.6", RTLD_NOW)', 'dlsym(RTLD_DEFAULT, "free")'),
    "log": ('openlog("a", 0, 0)', "setlogmask(0)"),
    "keys": ("pthread_key_create(&key3, 0)", "pthread_getspecific(key)"),
    "semaphore": ("sem_post({x})", "sem_getvalue({x}, &number)"),
    "ipc": ("semctl({x}, 0, SETVAL, 1)", "semctl({x}, 0, GETVAL)"),
    "machine": ("sethostname((char*)1, -1)", "sysconf(_SC_PAGESIZE)"),
}
# Where a row names none.
OBJECT = {"stream": "f", "dir": "folder", "fd": "d", "pending": "s", "position": "d", "thread": "self", "timer": "t", "signals": "SIGUSR2",
          "semaphore": "&sem", "ipc": "id"}
HIDDEN = {  # a static of libc: by its name
    "strtok": ('strtok(words, " ")', 'strtok(0, " ")'), "mblen": ("mblen(0, 0)", 'mblen("a", 1)'), "mbtowc": ("mbtowc(0, 0, 0)", 'mbtowc(wide, "a", 1)'),
    "wctomb": ("wctomb(0, 0)", "wctomb(buf, 97)"), "hsearch": ("hsearch(entry, ENTER)", "hsearch(entry, FIND)"),
    "getopt": ('getopt(1, words_of_call, "a")', 'getopt(1, words_of_call, "a")'), "ctime": ("ctime(&now)", "ctime(&now)"),
    "tmpnam": ("tmpnam(buf)", "tmpnam(buf)"), "ttyname": ("ttyname(d)", "ttyname(d)"), "getpwnam": ('getpwnam("root")', "getpwuid(0)"),
    "getpwent": ("setpwent()", "getpwent()"), "getgrnam": ('getgrnam("root")', "getgrgid(0)"), "getlogin": ("getlogin()", "getlogin()"),
}
# Of these kinds one side is nobody's: no function that returns looks at it, or none changes it.
ONE_SIDED = {"exit": "r", "net": "w", "entropy": "w"}
# Told by other records: docs/library.md.
NOT_STATE = {"any", "heap"}
OPERATIONS = set("lock trylock timedlock unlock rdlock tryrdlock timedrdlock wrlock trywrlock timedwrlock rwunlock wait timedwait notify "
                 "notifyall post down trydown timeddown arrive callonce once oncedone onceabort init destroy atomic create join tryjoin "
                 "timedjoin detach threadexit alloc allocto realloc free map unmap remap".split())
SILENT_ROLES = {"noreturn": "it does not return", "twice": "it returns twice, or jumps", "longjump": "it returns twice, or jumps"}

HEAD = r"""
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <getopt.h>
#include <mqueue.h>
#include <poll.h>
#include <pwd.h>
#include <grp.h>
#include <sched.h>
#include <search.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <termios.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>
#include <wctype.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <link.h>
#include "test.h"
extern char** environ;
static FILE* f; static DIR* folder; static int d, d2, s, sockets[2], p[2], p2[2], e, spare, spare2, here, listener, poller, alarm_clock, watcher, id;
static timer_t t, other_timer; static struct sigevent silent = {.sigev_notify = SIGEV_NONE};
static pthread_t self; static sem_t sem; static pthread_key_t key, key2, key3; static char* page;
static char buf[8192], words[] = "a b c d e f", word[] = "ab", path[] = "file", path2[] = "new", template_[] = "tXXXXXX", name_is_value[] = "X=1", randoms[64];
static char *line, *line2, *words_of_call[] = {"a", 0}; static size_t line_bytes; static wchar_t wide[9]; static unsigned short seeds[7];
static struct option long_options[1]; static ENTRY entry = {"k", 0}; static struct timespec moment, nothing; static struct timeval day, no_time;
static struct tms times_; static time_t now; static struct tm parts; static struct itimerval interval; static struct itimerspec timing, timing2;
static fpos_t place; static int number; static struct stat about; static struct sockaddr_un address; static eventfd_t eight; static struct epoll_event event;
static struct iovec part = {buf, 1}; static struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1}; static struct mmsghdr messages[1];
static struct pollfd poll_; static socklen_t length = 64; static sigset_t set; static struct statvfs about_system; static struct termios terminal;
static struct rlimit limit; static struct sigaction action, action2; static struct sched_param priority; static struct sembuf operations[1]; static pthread_attr_t attributes;
static void set_up(void) {
  f = fopen(path, "w+"); d = open(path, O_RDWR); d2 = open("file2", O_RDWR | O_CREAT, 0600); folder = opendir("."); here = open(".", O_RDONLY);
  socketpair(AF_UNIX, SOCK_STREAM, 0, sockets); s = sockets[0]; pipe(p); pipe(p2); e = eventfd(9, EFD_NONBLOCK); spare = dup(e); spare2 = open("file2", O_RDWR);
  listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0); listen(listener, 1); poller = epoll_create1(0); alarm_clock = timerfd_create(CLOCK_MONOTONIC, 0); watcher = inotify_init();
  timer_create(CLOCK_REALTIME, &silent, &t); self = pthread_self(); sem_init(&sem, 0, 3); pthread_key_create(&key, 0); pthread_key_create(&key2, 0);
  page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); id = semget(IPC_PRIVATE, 1, 0600); hcreate(9);
  messages[0].msg_hdr = message; getrlimit(RLIMIT_CORE, &limit); initstate(1, randoms, 64); signal(SIGURG, SIG_IGN);
  sched_getaffinity(0, 8, buf); fgetpos(f, &place); write(p[1], buf, 1); action.sa_handler = SIG_IGN; sigaddset(&set, SIGUSR1);
}
static void take_down(void) { semctl(id, 0, IPC_RMID); }
"""


def rows_of(source):
    rows = {}
    with open(os.path.join(source, "src/program/library.txt"), encoding="utf-8") as file:
        for line in file:
            words = line.split("#")[0].split()
            if words:
                rows[words[0]] = words[1:]
    return {name: words for name, words in rows.items() if any(re.match("[rw]:", word) for word in words)}


def split_arguments(text):
    parts, depth, quoted, part = [], 0, False, ""
    for c in text.strip()[1:-1]:
        if c == '"':
            quoted = not quoted
        depth += 0 if quoted else (c in "([{") - (c in ")]}")
        if c == "," and depth == 0 and not quoted:
            parts.append(part.strip())
            part = ""
        else:
            part += c
    return parts + [part.strip()]


class Table:
    def __init__(self, source):
        self.rows = rows_of(source)
        self.arguments = {name: args for args, names in state_calls.CALLS.items() for name in names.split()}
        self.reasons = {name: why for why, names in state_calls.NOT_CALLED.items() for name in names.split()}
        self.libc = ctypes.CDLL(None)
        self.rounds = []  # (name, what, PUT, GET)
        self.left_out = {}
        self.problems = []
        for name, words in self.rows.items():
            self.look_at(name, words)

    # Why a row is in no program, as far as the row itself says it.
    def reason(self, name, words):
        role = next((w.split("(")[0] for w in words if w.split("(")[0] in OPERATIONS | set(SILENT_ROLES)), "")
        if role in SILENT_ROLES:
            return SILENT_ROLES[role]
        if "everything" in words:
            return "it orders everything"
        if name.startswith("_Z") or name.endswith("*"):
            return "C++: tests/programs/state_*.cpp"
        if all(self.one_sided(word, role) for word in words if re.match("[rw]:", word)):
            return "other records tell, or nobody is on the other side"
        if name in self.reasons:
            return self.reasons[name]
        try:
            getattr(self.libc, name)
        except AttributeError:
            return "this libc does not have it"
        return None

    @staticmethod
    def one_sided(word, role):
        kind = re.match(r"[rw]:(\w+)", word)[1]
        return kind in NOT_STATE or kind in ONE_SIDED or (role in OPERATIONS and word[0] == "r")

    def look_at(self, name, words):
        why = self.reason(name, words)
        if why is not None:
            self.left_out[name] = why
            return
        if name not in self.arguments:
            self.problems.append(f"{name}: has state ({' '.join(w for w in words if re.match('[rw]:', w))}), but state_calls.py neither calls it nor says why not")
            return
        args = self.arguments[name]
        role = next((w.split("(")[0] for w in words if w.split("(")[0] in OPERATIONS), "")
        made = False
        for word in words:
            found = re.match(r"([rw]):(\w+)(?:\((\w+)\))?$", word)
            if not found or self.one_sided(word, role):
                continue
            writes, kind, which = found[1] == "w", found[2], found[3]
            if which == "ret":
                continue  # new: nobody else has it
            if not writes and name in state_calls.VOID:
                continue
            if kind == "hidden":
                if which not in HIDDEN:
                    self.problems.append(f"{name}: state_table.py does not know hidden({which})")
                    continue
                put, get = HIDDEN[which]
            elif kind not in PUT_GET:
                self.problems.append(f"{name}: state_table.py does not know {kind}")
                continue
            else:
                thing = OBJECT.get(kind, "")
                if which and which.isdigit() and kind != "fs":
                    thing = split_arguments(args)[int(which)]
                elif which in ("stdin", "stdout", "stderr"):
                    thing = which
                put, get = (side.replace("{x}", thing) for side in PUT_GET[kind])
            call = f"{name}{args.strip()}"
            self.rounds.append((name, word, call, get) if writes else (name, word, put, call))
            made = True
        if not made:
            self.left_out[name] = "what it does is to something new, or tells nobody anything"


def program(rounds):
    data = "".join(f"int data{i};\n" for i in range(len(rounds)))
    one = "".join(
        f"  data{i} = 1; lock(); {put}; unlock(); order_wait(); order_wait();\n" for i, (_, _, put, _) in enumerate(rounds))
    # The name of a round is in the line, for who reads a report.
    two = "".join(
        f"  order_wait(); lock(); volatile long r{i} = (long)({get}); unlock(); if (r{i} != 4242) data{i} = 2; order_wait();  // {name} {what}\n"
        for i, (name, what, _, get) in enumerate(rounds))
    return (HEAD + data + "THREAD(one) {\n" + one + "  return 0;\n}\nTHREAD(two) {\n" + two + "  return 0;\n}\n" +
            "int main(void) { set_up(); run_two(one, two); take_down(); return 0; }\n")


def run(racecast, folder, number, rounds, source):
    here = os.path.join(folder, str(number))
    os.mkdir(here)
    with open(os.path.join(here, "state.c"), "w", encoding="utf-8") as file:
        file.write(program(rounds))
    compiler = [racecast, "cc", "-std=gnu89", "-O1", "-w", "-fno-builtin", "-DTEST_RACECAST", "-D__NO_CTYPE", "-pthread", "-I", os.path.join(source, "tests/programs"),
                "-I", os.path.join(source, "include"), "state.c", "-o", "state", "-lm", "-ldl", "-lrt"]
    made = subprocess.run(compiler, cwd=here, capture_output=True, text=True, timeout=600)
    if made.returncode != 0:
        return f"program {number} cannot be compiled:\n{made.stderr[:3000]}"
    ran = subprocess.run([racecast, "run", "--", "./state"], cwd=here, capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)
    if ran.returncode != 0 or "no race found" not in ran.stdout + ran.stderr:
        said = ran.stdout + ran.stderr
        named = sorted(set(re.findall(r"order_wait\(\);  // (.*)", said)))
        return f"program {number}: exit code {ran.returncode}: {', '.join(named) or said[-1500:]}"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--racecast", required=True)
    parser.add_argument("--source", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
    parser.add_argument("--rows", type=int, default=40, help="rounds in a program")
    parser.add_argument("--only", default="", help="rows whose names match this")
    parser.add_argument("--keep", help="write the programs there")
    options = parser.parse_args()
    table = Table(options.source)
    rounds = [r for r in table.rounds if re.fullmatch(options.only or ".*", r[0])]
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or temporary
        os.makedirs(folder, exist_ok=True)
        parts = [rounds[i:i + options.rows] for i in range(0, len(rounds), options.rows)]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            jobs = [pool.submit(run, os.path.realpath(options.racecast), folder, i, part, os.path.realpath(options.source)) for i, part in enumerate(parts)]
            table.problems += [job.result() for job in jobs if job.result()]
    for name, why in sorted(table.left_out.items(), key=lambda item: item[::-1]):
        print(f"not called: {name}: {why}")
    print(f"{len(table.rows)} rows with state, {len({r[0] for r in table.rounds})} of them in {len(table.rounds)} rounds, {len(table.left_out)} not called")
    if table.problems:
        print("\n".join(table.problems), file=sys.stderr)
        sys.exit(f"{len(table.problems)} problems with the state of library functions")


if __name__ == "__main__":
    main()
