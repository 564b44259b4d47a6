"""Reads a raw recording (src/abi/abi.h), straight from its definition and independently of src/recording.

raw.py FOLDER      prints meta and the records of every stream
read(FOLDER)       the same as data, for tests: raises where something is not as it has to be

Records with an id (not a tag) are taken to hold one number of 8 bytes, as tests/runtime/hooks.h writes them."""
import os
import re
import struct
import sys

ABI = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/abi/abi.h")
TAGS = [("None", "")] + re.findall(r'^\s*TAG\((\w+),[\s\\]*"(\w+)"\)', open(ABI).read(), re.M)
FIRST_ID, PAGE, NO_STREAM, EVERYWHERE = 4096, 4096, 0xFFFFFFFF, 0xFFFFFFFF
WIDTH = {"s": ("Q", 8), "a": ("Q", 8), "n": ("Q", 8), "b": ("B", 1), "w": ("I", 4)}


class Stream:
    def __init__(self, folder, number, thread, handlers_of, log, log_begin, log_end, page):
        """log_end: None where it is the last in its log. page: of the buffer that it had last; None: another stream has that buffer now, so this one has ended."""
        self.number, self.thread, self.handlers_of, self.ended = number, thread, handlers_of, 1
        cur = begin = logged = 0
        if page is not None:
            cur, end, border, begin, logged, *same, self.ended = struct.unpack_from("<QQQQQQIIIII", page)
            assert same == [log_begin, log, number, thread, handlers_of]
        log = whole_log(folder, log)[log_begin:log_end]
        assert len(log) >= logged, "bytes of the log are lost"
        if cur != begin:
            log = log[:logged]
        buffer = (page or b"")[PAGE : PAGE + cur - begin]
        assert len(buffer) == cur - begin, "bytes of the buffer are lost"
        self.records = list(decode(log + buffer))

    def of(self, name):
        return [r[1:] for r in self.records if r[0] == name]

    def plain(self):
        return [r[1] for r in self.records if r[0] == "plain"]

    def stamps(self):
        return [r[1] for r in self.records if r[0] != "plain" and TAGS[tag_number(r[0])][1][0] == "s"]


def whole_log(folder, number):
    """A log may go on in further pieces, which are named by where in it they begin."""
    log = b""
    while os.path.exists(piece := f"{folder}/t{number}.{len(log)}.log" if log else f"{folder}/t{number}.log"):
        log += open(piece, "rb").read()
        if os.path.getsize(piece) == 0:
            break
    return log


def tag_number(name):
    return next(i for i, t in enumerate(TAGS) if t[0] == name)


def decode(data):
    at = 0
    while at < len(data):
        (first,) = struct.unpack_from("<I", data, at)
        at += 4
        if first >= FIRST_ID:
            yield ("plain", *struct.unpack_from("<Q", data, at))
            at += 8
            continue
        assert 0 < first < len(TAGS), f"tag {first} at byte {at - 4}"
        name, payload = TAGS[first]
        values = []
        for field in payload:
            form, width = WIDTH[field]
            values += struct.unpack_from("<" + form, data, at)
            at += width
        if name in ("MissingBegin", "MissingMore"):
            count = values[2]
            ranges = None
            if count != EVERYWHERE:
                ranges = [struct.unpack_from("<QQ", data, at + 16 * i) for i in range(count)]
                at += 16 * count
            values.append(ranges)
        if name == "Marker":
            values.append(data[at : at + values[1]].decode())
            at += values[1]
        yield (name, *values)
    assert at == len(data), "the last record is cut off"


class Recording:
    def __init__(self, folder):
        self.meta = []
        data = open(f"{folder}/meta", "rb").read()
        at = 0
        while at < len(data):
            kind, zero, size = struct.unpack_from("<IIQ", data, at)
            assert kind in (1, 2, 3, 4, 5) and zero == 0 and at + 16 + size <= len(data), "meta"
            self.meta.append((kind, data[at + 16 : at + 16 + size]))
            at += 16 + size
        pages = {}
        for name in os.listdir(folder):
            if name.endswith(".buf"):
                page = open(f"{folder}/{name}", "rb").read()
                if not page:  # made, and then the disk was full or the process died
                    continue
                cur, end, border, begin, logged, log_begin, log, stream = struct.unpack_from("<QQQQQQII", page)
                assert stream not in pages or begin == 0, "two buffers of one stream"
                if begin != 0:
                    pages[stream] = page
        noted = [struct.unpack("<IIIIQ", p) for k, p in self.meta if k == 5]
        self.meta = [(k, p) for k, p in self.meta if k != 5]
        assert set(pages) <= {n for n, *_ in noted}, "a stream that meta does not know"
        in_log = sorted(noted, key=lambda e: (e[3], e[4], e[0]))
        log_end = {a[0]: b[4] for a, b in zip(in_log, in_log[1:]) if a[3] == b[3]}
        self.streams = [Stream(folder, *entry, log_end.get(entry[0]), pages.get(entry[0])) for entry in sorted(noted)]
        stamps = [s for stream in self.streams for s in stream.stamps()]
        assert len(set(stamps)) == len(stamps), "a stamp occurs twice"
        for stream in self.streams:
            assert stream.stamps() == sorted(stream.stamps()), "stamps of a stream go back"

    def threads(self):
        return [s for s in self.streams if s.handlers_of == NO_STREAM]

    def handlers(self):
        return [s for s in self.streams if s.handlers_of != NO_STREAM]

    def stopped(self):
        return [(struct.unpack_from("<Q", p)[0], p[8:].decode()) for k, p in self.meta if k == 4]

    def by_stamp(self, name):
        return sorted(r for s in self.streams for r in s.of(name))


def read(folder):
    return Recording(folder)


if __name__ == "__main__":
    recording = read(sys.argv[1])
    for kind, payload in recording.meta:
        print("meta", kind, payload[:60])
    for s in recording.streams:
        print(f"stream {s.number} thread {s.thread} handlers_of {s.handlers_of} ended {s.ended}")
        for r in s.records:
            print("  ", *(hex(v) if isinstance(v, int) and v > 1 << 32 else v for v in r))
