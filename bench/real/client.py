"""Starts a server on a socket of its own, gives it a bounded load from four client threads, stops it, prints what was answered.

    client.py memcached|redis COMMAND...
"""
import hashlib
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time


def connect(path):
    for _ in range(600):
        try:
            s = socket.socket(socket.AF_UNIX)
            s.connect(path)
            return s
        except OSError:
            time.sleep(0.05)
    sys.exit("the server does not answer")


def stop(path):
    """Ends the process that listens, and not what runs it: the kernel knows its number."""
    s = connect(path)
    pid, _, _ = struct.unpack("3i", s.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
    s.close()
    os.kill(pid, signal.SIGTERM)


def memcached(path, client, rounds):
    answers = hashlib.sha256()
    s = connect(path).makefile("rwb")
    for i in range(rounds):
        key, value = b"k%d_%d" % (client, i % 17), b"v%d" % i
        s.write(b"set %s 0 0 %d\r\n%s\r\nget %s\r\n" % (key, len(value), value, key))
        s.flush()
        for _ in range(4):
            answers.update(s.readline())
        s.write(b"set shared 0 0 1\r\nx\r\nget shared\r\n")
        s.flush()
        for _ in range(4):
            answers.update(s.readline())
    return answers.hexdigest()


def redis(path, client, rounds):
    """Many connections ask before any answer is read: with fewer at once than two for each thread, redis does all by itself."""
    answers = hashlib.sha256()
    connections = [connect(path).makefile("rwb") for _ in range(8)]
    for i in range(rounds):
        for c, s in enumerate(connections):
            k = b"%d_%d" % (client, c)
            commands = [b"SET k%s v%d" % (k, i), b"GET k%s" % k, b"LPUSH l%s %d" % (k, i), b"LLEN l%s" % k, b"SET shared x", b"GET shared"]
            s.write(b"\r\n".join(commands) + b"\r\n")
        for s in connections:
            s.flush()
        for s in connections:
            for _ in range(8):  # the two GETs answer with two lines
                answers.update(s.readline())
    return answers.hexdigest()


def redis_threads_worked(path):
    s = connect(path).makefile("rwb")
    s.write(b"INFO stats\r\n")
    s.flush()
    counts = dict(line.split(b":", 1) for line in s.read1(1 << 16).splitlines() if b":" in line)
    return all(int(counts[b"io_threaded_%s_processed" % what]) > 0 for what in (b"reads", b"writes"))


def main():
    kind, command = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "socket")
        arguments = {
            "memcached": ["-s", path, "-t", "4", "-u", "root", "-m", "8"],
            "redis": ["--port", "0", "--unixsocket", path, "--io-threads", "4", "--io-threads-do-reads", "yes", "--save", "", "--dir", folder],
        }[kind]
        server = subprocess.Popen(command + arguments, stdout=subprocess.DEVNULL)
        talk = {"memcached": memcached, "redis": redis}[kind]
        results = [None] * 4

        def one(client):
            results[client] = talk(path, client, {"memcached": 50, "redis": 12}[kind])

        threads = [threading.Thread(target=one, args=(c,)) for c in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        if kind == "redis":
            print("threads worked:", redis_threads_worked(path))
        stop(path)
        server.wait()
        for r in results:
            print(r)


main()
