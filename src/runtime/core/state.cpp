// Streams: making, flushing and ending them. See state.h, and abi.h for what a reader makes of the files.
#include "runtime/core/state.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>

#include <atomic>

#include "runtime/core/process.h"
#include "runtime/core/stamps.h"
#include "runtime/core/sys.h"
#include "runtime/missing/crossings.h"

namespace racecast::runtime {

namespace {

constexpr std::size_t kStreamBytes = abi::kPageBytes + abi::kBufferBytes;
static_assert(abi::kMaxLongRecord <= abi::kBufferBytes - abi::kMaxRecord);

// Smaller than a thread's first-level cache, larger than any record of the plugin.
alignas(64) std::uint8_t sink_buffer[4 * abi::kMaxRecord];

// "tN.buf", "tN.log" or, with a `piece` that is not the first one, "tN.B.log".
struct FileName {
  FileName(std::uint32_t stream, const char* extension, std::uint64_t piece = 0) {
    char* at = text;
    *at++ = 't';
    at = put(at, stream);
    if (piece != 0) {
      *at++ = '.';
      at = put(at, piece);
    }
    __builtin_memcpy(at, extension, 5);
  }
  static char* put(char* at, std::uint64_t number) {
    char digits[20];
    int count = 0;
    do digits[count++] = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    while (count != 0) *at++ = digits[--count];
    return at;
  }
  char text[40];
};

// Blocks on disk for the whole file: a store to a mapped page without one would be SIGBUS when the disk is full.
bool reserve(int fd, std::size_t bytes) {
  const long result = sys(SYS_fallocate, fd, 0, 0L, bytes);
  if (result == 0) return true;
  if (result != -EOPNOTSUPP && result != -ENOSYS) return false;
  for (std::size_t done = 0; done < bytes; done += sizeof(sink_buffer)) {
    const std::size_t left = bytes - done;
    if (!write_all(fd, sink_buffer, left < sizeof(sink_buffer) ? left : sizeof(sink_buffer))) return false;
  }
  return true;
}

// Buffers of threads that ended, for those to come: making a file and mapping it costs a hundred times as much. The log
// goes with the buffer: a program that starts ten thousand threads has a few logs, not ten thousand. (On ext4 a file
// costs as much as there are files that were deleted lately, those of the run before.)
constexpr int kMaxSpare = 64;
constexpr std::uint64_t kMaxSharedLog = std::uint64_t{64} << 20;
constinit std::atomic<Stream*> spare[kMaxSpare] = {};

Stream* take_spare() {
  for (std::atomic<Stream*>& slot : spare) {
    if (slot.load(std::memory_order_relaxed) == nullptr) continue;
    if (Stream* stream = slot.exchange(nullptr, std::memory_order_acquire)) return stream;
  }
  return nullptr;
}

bool keep_as_spare(Stream* stream) {
  for (std::atomic<Stream*>& slot : spare) {
    Stream* none = nullptr;
    if (slot.compare_exchange_strong(none, stream, std::memory_order_release)) return true;
  }
  return false;
}

Stream* map_new_stream(std::uint32_t number) {
  const int fd = file_size_allowed(kStreamBytes)
                     ? open_in_folder(FileName(number, ".buf").text, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC)
                     : -EFBIG;
  if (fd < 0) return nullptr;
  long mapped = -ENOSPC;
  if (reserve(fd, kStreamBytes))
    mapped = sys(SYS_mmap, nullptr, kStreamBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L);
  const bool failed = mapped < 0 && mapped > -4096;
  if (failed) sys(SYS_ftruncate, fd, 0L);  // gives back what it got; readers take an empty one for none
  sys(SYS_close, fd);
  if (failed) return nullptr;
  auto* stream = reinterpret_cast<Stream*>(mapped);
  stream->file = number;
  return stream;
}

// Blocks for the next part of a piece, asked for before it is written: a filesystem then finds them at once instead of
// one by one as they are filled, which is a third of the cost of writing. Only a wish: without them the write makes its
// own. Not for a log that is written once.
void reserve_in_log(int fd, std::uint64_t at, std::size_t bytes) {
  constexpr std::uint64_t kPart = std::uint64_t{1} << 20;
  static_assert(abi::kBufferBytes <= kPart);
  const std::uint64_t begin = (at + bytes) / kPart * kPart;
  if (at == 0 || (begin <= at && at > abi::kBufferBytes) || begin >= process.piece_bytes) return;
  if (file_size_allowed(begin + kPart)) sys(SYS_fallocate, fd, FALLOC_FL_KEEP_SIZE, begin, kPart);
}

// Why nothing more may be written.
struct Trouble {
  const char* reason = nullptr;  // null: there is none
  std::uint64_t at = 0;          // a size that is told
  const char* advice = "";
};

constexpr const char* kMore = " (--max-size SIZE records more)";

// Whether so many bytes are on disk that no more may come. Asks how much packing has saved only where that matters.
bool is_full(std::uint64_t logged) {
  if (logged - process.saved.load(std::memory_order_relaxed) <= process.max_bytes) return false;
  const std::uint64_t saved = saved_by_packing();
  if (saved > logged) return true;  // somebody else wrote it
  process.saved.store(saved, std::memory_order_relaxed);
  return logged - saved > process.max_bytes;
}

// Counts bytes that are to be written.
Trouble count_logged(std::size_t bytes) {
  constexpr std::uint64_t kBetweenLooks = std::uint64_t{4} << 20;
  const std::uint64_t before = process.logged.fetch_add(bytes, std::memory_order_relaxed);
  const std::uint64_t after = before + bytes;
  if (after > process.max_unpacked) {
    if (process.events_limited) return {"the limit of events was reached", 0, ""};
    return {"the default limit of what is recorded before packing was reached", process.max_unpacked, kMore};
  }
  if (is_full(after)) {
    if (!process.default_size) return {"the size limit was reached", process.max_bytes, kMore};
    return {"the default size limit was reached", process.max_bytes, kMore};
  }
  // Others write to the disk, too.
  if (before / kBetweenLooks == after / kBetweenLooks) return {};
  const std::uint64_t free = free_on_disk();
  if (free >= process.left_free) return {};
  return {"the disk is nearly full", 0, " (--out and TMPDIR choose another one)"};
}

Trouble append_to_log(abi::ThreadState& state, std::size_t bytes) {
  if (const Trouble limit = count_logged(bytes); limit.reason != nullptr) return limit;
  const std::uint64_t end = state.log_begin + state.logged;
  if (end - state.piece >= process.piece_bytes) state.piece = end;
  const std::uint64_t at = end - state.piece;
  if (!file_size_allowed(at + bytes)) return {"the log would exceed the limit on file sizes"};
  const int fd =
      open_in_folder(FileName(state.log, ".log", state.piece).text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC);
  if (fd < 0) return {"a log cannot be opened"};
  reserve_in_log(fd, at, bytes);
  const bool written = write_all(fd, state.begin, bytes);
  sys(SYS_close, fd);
  if (written) return {};
  return {"a log cannot be written (is the disk full?)"};
}

}  // namespace

Stamps stamps;

constinit abi::ThreadState sink = {.cur = sink_buffer,
                                   .end = sink_buffer + sizeof(sink_buffer) - abi::kMaxRecord,
                                   .border = abi::kNoBorder,
                                   .begin = sink_buffer,
                                   .logged = 0,
                                   .log_begin = 0,
                                   .log = abi::kNoStream,
                                   .stream = abi::kNoStream,
                                   .thread = 0,
                                   .handlers_of = abi::kNoStream,
                                   .ended = 0};
constinit thread_local Thread self = {};

Stream* make_stream(std::uint32_t thread, std::uint32_t handlers_of) {
  if (!process_recorded()) return nullptr;
  const std::uint32_t number = process.next_stream.fetch_add(1, std::memory_order_relaxed);
  std::uint32_t log = number;
  std::uint64_t log_begin = 0;
  std::uint64_t piece = 0;
  Stream* stream = take_spare();
  if (stream == nullptr) {
    stream = map_new_stream(number);
  } else if (const std::uint64_t end = stream->head.log_begin + stream->head.logged;
             end < kMaxSharedLog && file_size_allowed(2 * kMaxSharedLog)) {
    log = stream->head.log;
    log_begin = end;
    piece = stream->head.piece;
  }
  if (stream == nullptr) {
    stop_recording("the buffer of a thread cannot be made (is the disk full?)");
    return nullptr;
  }
  const std::uint32_t entry[] = {number, thread, handlers_of, log};
  const Part parts[] = {{entry, sizeof(entry)}, {&log_begin, sizeof(log_begin)}};
  if (!write_meta(abi::MetaKind::Stream, parts, 2)) {
    stop_recording("a thread cannot be noted (is the disk full?)");
    unmap_pages(stream, kStreamBytes);
    return nullptr;
  }
  // A spare one is empty: whenever the process dies, the page says of no record that is another stream's.
  auto* begin = reinterpret_cast<std::uint8_t*>(stream) + abi::kPageBytes;
  stream->tls_blocks = 0;
  stream->crossings = 0;
  stream->far_crossings = nullptr;
  stream->inherited = nullptr;
  stream->head = {.cur = begin,
                  .end = begin + abi::kBufferBytes - abi::kMaxRecord,
                  .border = abi::kNoBorder,
                  .begin = begin,
                  .logged = 0,
                  .log_begin = log_begin,
                  .log = log,
                  .stream = number,
                  .thread = thread,
                  .handlers_of = handlers_of,
                  .ended = 0,
                  .piece = piece};
  return stream;
}

bool flush(abi::ThreadState& state) {
  if (process.stopped.load(std::memory_order_relaxed)) return false;
  const auto bytes = static_cast<std::size_t>(state.cur - state.begin);
  if (bytes == 0) return true;
  if (const Trouble trouble = append_to_log(state, bytes); trouble.reason != nullptr) {
    stop_recording(trouble.reason, trouble.at, trouble.advice);
    return false;
  }
  // In this order: see abi.h. A kill in between loses nothing and shows nothing twice.
  std::atomic_ref<std::uint8_t*>(state.cur).store(state.begin, std::memory_order_release);
  std::atomic_ref<std::uint64_t>(state.logged).store(state.logged + bytes, std::memory_order_release);
  return true;
}

void end_stream(Stream* stream) {
  forget_crossings(*stream);
  if (flush(stream->head)) {
    std::atomic_ref<std::uint32_t>(stream->head.ended).store(1, std::memory_order_release);
    if (keep_as_spare(stream)) return;
    // A program may start ten thousand threads: what the log has needs no blocks on disk.
    const int fd = open_in_folder(FileName(stream->file, ".buf").text, O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
      sys(SYS_ftruncate, fd, abi::kPageBytes);
      sys(SYS_close, fd);
    }
  }
  unmap_pages(stream, kStreamBytes);
}

void forget_spares() {
  for (std::atomic<Stream*>& slot : spare) {
    if (Stream* stream = slot.exchange(nullptr)) unmap_pages(stream, kStreamBytes);
  }
}

void cut_off(Stream* stream) {
  const Stream page = *stream;
  const long mapped = sys(SYS_mmap, stream, kStreamBytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0L);
  if (mapped < 0 && mapped > -4096) return;
  *stream = page;
  stream->head.cur = page.head.begin;
  stream->head.stream = abi::kNoStream;
  stream->head.border = abi::kNoBorder;
}

std::uint8_t* make_room(abi::ThreadState& state) {
  if (state.stream != abi::kNoStream && !flush(state)) cut_off(reinterpret_cast<Stream*>(&state));
  state.cur = state.begin;
  return state.begin;
}

}  // namespace racecast::runtime

extern "C" {

constinit thread_local racecast::abi::ThreadState* __racecast_thread = &racecast::runtime::sink;

std::uint8_t* __racecast_full(std::uint32_t) {
  return racecast::runtime::make_room(*__racecast_thread);
}

}  // extern "C"
