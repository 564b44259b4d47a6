// Starting, forking and stopping. See process.h.
#include "runtime/core/process.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <linux/falloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "runtime/core/atomics.h"
#include "runtime/core/modules.h"
#include "runtime/core/stamps.h"
#include "runtime/core/state.h"
#include "runtime/core/sys.h"
#include "runtime/core/tasks.h"
#include "runtime/core/threads.h"
#include "runtime/kernel/mapped_files.h"
#include "runtime/missing/globals.h"
#include "runtime/missing/libraries.h"
#include "runtime/posix/interceptor.h"
#include "runtime/posix/loader.h"

extern "C" char* program_invocation_name;

namespace racecast::runtime {

constinit Process process;

namespace {

char base_folder[2048];  // RACECAST_DIR, absolute
constexpr std::uint64_t kNoWish = ~std::uint64_t{0};
struct {
  std::uint64_t bytes = kNoWish, events = kNoWish;
} constinit wish;  // RACECAST_MAX_BYTES, RACECAST_MAX_EVENTS

std::size_t length_of(const char* text) {
  return __builtin_strlen(text);
}

// Appends `text` to `buffer`, which has room for `size` characters with the zero. False: too long.
bool add_text(char* buffer, std::size_t size, const char* text) {
  const std::size_t at = length_of(buffer);
  const std::size_t bytes = length_of(text);
  if (at + bytes + 1 > size) return false;
  __builtin_memcpy(buffer + at, text, bytes + 1);
  return true;
}

bool add_number(char* buffer, std::size_t size, std::uint64_t number) {
  char digits[24];
  char* at = digits + sizeof(digits) - 1;
  *at = 0;
  do *--at = static_cast<char>('0' + number % 10);
  while ((number /= 10) != 0);
  return add_text(buffer, size, at);
}

std::uint64_t number_in(const char* text, std::uint64_t otherwise) {
  if (text == nullptr || *text < '0' || *text > '9') return otherwise;
  std::uint64_t value = 0;
  for (; *text >= '0' && *text <= '9'; ++text) {
    if (__builtin_mul_overflow(value, std::uint64_t{10}, &value)) return otherwise;
    if (__builtin_add_overflow(value, static_cast<std::uint64_t>(*text - '0'), &value)) return otherwise;
  }
  return value;
}

bool was_preloaded() {
  const char* preloaded = ::secure_getenv("LD_PRELOAD");
  return preloaded != nullptr && ::strstr(preloaded, "libracecast_rt.so") != nullptr;
}

void* object_of(void* address) {
  Dl_info found;
  return address != nullptr && ::dladdr(address, &found) != 0 ? found.dli_fbase : nullptr;
}
// Whether the program's calls go to libc and not to our interceptors: what came by dlopen is behind it.
bool stands_behind_libc() {
  void* const libc = object_of(reinterpret_cast<void*>(::gnu_get_libc_version));
  return libc != nullptr && object_of(::dlsym(RTLD_DEFAULT, "pthread_create")) == libc;
}

// Its descriptor may be another file by the time something has to be said: one of the program's own.
struct stat stderr_at_start = {};

// Whether the parent process has the runtime loaded.
bool parent_has_runtime() {
  constexpr const char* kName = "libracecast_rt.so";
  char path[64] = "/proc/";
  add_number(path, sizeof(path), static_cast<std::uint64_t>(sys(SYS_getppid)));
  add_text(path, sizeof(path), "/maps");
  const long file = sys(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char text[4096];
  std::size_t kept = 0;  // the end of what was read before: the name may be cut
  bool found = false;
  for (long got; !found && (got = sys(SYS_read, static_cast<int>(file), text + kept, sizeof(text) - kept)) > 0;) {
    const std::size_t bytes = kept + static_cast<std::size_t>(got);
    found = ::memmem(text, bytes, kName, length_of(kName)) != nullptr;
    kept = bytes < length_of(kName) ? bytes : length_of(kName);
    ::memmove(text, text + bytes - kept, kept);
  }
  sys(SYS_close, static_cast<int>(file));
  return found;
}

bool read_environment() {
  const char* folder = ::secure_getenv(abi::kEnvFolder);
  process.asked = folder != nullptr && *folder != 0;
  if (!process.asked) return false;
  base_folder[0] = 0;
  if (*folder != '/') {
    // The program may change its working directory.
    if (sys(SYS_getcwd, base_folder, sizeof(base_folder)) < 0) base_folder[0] = 0;
    add_text(base_folder, sizeof(base_folder), "/");
  }
  if (!add_text(base_folder, sizeof(base_folder), folder)) {
    say("nothing is recorded: the path of the folder is too long");
    return false;
  }
  wish.bytes = number_in(::secure_getenv(abi::kEnvMaxBytes), kNoWish);
  wish.events = number_in(::secure_getenv(abi::kEnvMaxEvents), kNoWish);
  process.exit_wait = static_cast<std::uint32_t>(number_in(::secure_getenv(abi::kEnvExitWait), abi::kDefaultExitWait));
  const char* seed = ::secure_getenv(abi::kEnvSeed);
  process.seed = seed == nullptr || *seed == 0 ? 0 : number_in(seed, 0) + 1;
  return true;
}

// What this process may write. The disk is asked anew in every process: what others have written is not free any more.
void set_limits() {
  const std::uint64_t free = free_on_disk();
  process.default_size = wish.bytes == kNoWish;
  process.max_bytes = process.default_size ? abi::kDefaultMaxBytes : wish.bytes;
  process.max_unpacked = process.default_size ? abi::kDefaultMaxUnpacked : kNoWish;
  process.left_free = 0;
  if (free != kUnknownSpace) {
    if (process.default_size && free / abi::kDefaultPartOfFree < process.max_bytes)
      process.max_bytes = free / abi::kDefaultPartOfFree;
    process.left_free = free / abi::kLeftPartOfFree < abi::kLeftFree ? free / abi::kLeftPartOfFree : abi::kLeftFree;
  }
  process.events_limited = wish.events < process.max_unpacked / abi::kBytesPerEvent;
  if (process.events_limited) process.max_unpacked = wish.events * abi::kBytesPerEvent;
  constexpr std::uint64_t kPieces = 64;
  const std::uint64_t most = process.max_bytes < process.max_unpacked ? process.max_bytes : process.max_unpacked;
  process.piece_bytes = most / kPieces < abi::kPieceBytes ? most / kPieces : abi::kPieceBytes;
}

// DIR/PID.K with the first K that is free: a program that was exec'd, or a pid that came again, counts on.
bool make_folder() {
  const auto pid = static_cast<std::uint64_t>(sys(SYS_getpid));
  for (std::uint64_t k = 0; k < 100000; ++k) {
    process.folder[0] = 0;
    add_text(process.folder, sizeof(process.folder), base_folder);
    add_text(process.folder, sizeof(process.folder), "/");
    add_number(process.folder, sizeof(process.folder), pid);
    add_text(process.folder, sizeof(process.folder), ".");
    add_number(process.folder, sizeof(process.folder), k);
    const long made = sys(SYS_mkdirat, AT_FDCWD, process.folder, 0777);
    if (made == 0) return true;
    if (made != -EEXIST) break;
  }
  say("nothing is recorded: cannot make the folder ", process.folder);
  return false;
}

bool write_process_record() {
  struct timespec now = {};
  sys(SYS_clock_gettime, CLOCK_REALTIME, &now);
  const std::uint32_t ids[3] = {abi::kVersion, static_cast<std::uint32_t>(sys(SYS_getpid)),
                                static_cast<std::uint32_t>(sys(SYS_getppid))};
  const std::uint64_t start =
      static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
  const char* name = program_invocation_name != nullptr ? program_invocation_name : "";
  const Part parts[] = {{ids, sizeof(ids)}, {&start, sizeof(start)}, {name, length_of(name)}};
  return write_meta(abi::MetaKind::Process, parts, 3);
}

// A folder, its meta, and this thread as thread 0. False: nothing is recorded.
bool open_recording() {
  if (!make_folder()) return false;
  if (!write_process_record()) {
    say("nothing is recorded: cannot write in ", process.folder);
    return false;
  }
  set_limits();
  process.next_thread.store(0);
  process.next_stream.store(0);
  process.living.store(1);
  process.exit_waiter.store(0);
  process.pid = static_cast<std::uint32_t>(sys(SYS_getpid));
  process.logged.store(0);
  process.saved.store(0);
  process.switches_stacks.store(false);
  return true;
}

// In the child of a fork only this thread lives; what it has mapped belongs to the parent's recording. Runs before the
// handlers that the program registered, so nothing was recorded in between.
void after_fork_in_child() {
  const KeepErrno keep;
  const InRuntime inside;
  release_all_stripes();
  release_globals();
  release_libraries();
  forget_loader();
  self.scanning = 0;
  if (process.phase.load() != 2) return;
  __racecast_thread = &sink;
  forget_thread();
  forget_spares();
  if (process.stopped.load()) return;
  if (!open_recording()) {
    process.phase.store(3);
    return;
  }
  rewrite_modules();
  begin_thread(process.next_thread.fetch_add(1));
  record_mappings();
}

__attribute__((constructor(101))) void construct() {
  sys(SYS_fstat, 2, &stderr_at_start);
  look_up_all();
  // Also where recording has not begun: a child must not wait for who was in the loader when a host forked.
  ::pthread_atfork(keep_out_of_loader, let_into_loader, after_fork_in_child);
  process.preloaded = was_preloaded();
  if (!process.preloaded) start_process();
}

}  // namespace

void start_process() {
  std::uint32_t expected = 0;
  if (process.phase.load(std::memory_order_acquire) >= 2) return;
  // A sanitizer's runtime installs signal handlers before libc has its environment (.preinit_array): too early to tell.
  if (::environ == nullptr) return;
  const KeepErrno keep;
  if (!process.phase.compare_exchange_strong(expected, 1)) {
    // Another thread is at it; or this one, through something that is called below.
    while (self.in_runtime == 0 && process.phase.load(std::memory_order_acquire) == 1) ::sched_yield();
    return;
  }
  const InRuntime inside;
  bool recorded = read_environment();
  if (recorded && stands_behind_libc()) {
    say("nothing is recorded: the runtime was loaded after the C library; `racecast run -- PROGRAM` loads it in time");
    recorded = false;
  }
  if (!recorded || !open_recording()) {
    process.phase.store(3, std::memory_order_release);
    return;
  }
  process.phase.store(2, std::memory_order_release);
  begin_thread(process.next_thread.fetch_add(1));
  if (list_tasks(nullptr, 0) > 1)
    note_incomplete("threads that ran before the first library compiled with racecast was loaded are not recorded");
}

bool process_may_be_recorded() {
  if (process.preloaded) return true;
  if (process.phase.load(std::memory_order_acquire) < 2) {
    // A constructor of a library may come before ours, and ask before `preloaded` is known.
    if (::environ == nullptr) return false;
    if (was_preloaded()) return true;
    start_process();
  }
  return process_recorded();
}

void stop_recording(const char* reason, std::uint64_t at, const char* advice) {
  if (process.stopped.exchange(true)) return;
  const std::uint64_t stamp = next_stamp();
  char text[320] = "";
  add_text(text, sizeof(text), reason);
  if (at != 0) {
    const bool large = at >= std::uint64_t{1} << 30;
    const std::uint64_t tenths = (at >> (large ? 20 : 10)) * 10 >> 10;
    add_text(text, sizeof(text), " at ");
    add_number(text, sizeof(text), tenths / 10);
    add_text(text, sizeof(text), ".");
    add_number(text, sizeof(text), tenths % 10);
    add_text(text, sizeof(text), large ? " GiB" : " MiB");
  }
  add_text(text, sizeof(text), advice);
  const Part parts[] = {{&stamp, sizeof(stamp)}, {text, length_of(text)}};
  write_meta(abi::MetaKind::Stopped, parts, 2);
  say("recording stopped: ", text, "; the program goes on");
}

void say_if_unrecorded() {
  if (process.phase.load(std::memory_order_relaxed) != 3 || process.asked) return;
  if (!process.has_hooks.exchange(false)) return;
  const KeepErrno keep;
  const char* wish = ::getenv(abi::kEnvWish);
  if (wish != nullptr && ::strcmp(wish, "off") == 0) return;
  // One with privileges heeds no RACECAST_DIR: the advice would be wrong.
  if (::getauxval(AT_SECURE) != 0 || parent_has_runtime()) return;
  say(program_invocation_name != nullptr ? program_invocation_name : "this program",
      " was compiled with racecast, but nothing is recorded: `racecast run -- PROGRAM` does that "
      "(RACECAST=off silences this)");
}

void note_incomplete(const char* what) {
  const Part parts[] = {{what, length_of(what)}};
  if (process_recorded()) write_meta(abi::MetaKind::Incomplete, parts, 1);
}

void note_stack_switch() {
  if (self.in_runtime != 0 || !is_recorded() || process.switches_stacks.exchange(true)) return;
  const KeepErrno keep;
  note_incomplete(
      "the program switches stacks by itself (swapcontext, setcontext, fibers), and its code is not followed across "
      "that");
}

void say(const char* first, const char* second, const char* third) {
  struct stat now = {};
  if (stderr_at_start.st_nlink != 0 &&
      (sys(SYS_fstat, 2, &now) != 0 || now.st_dev != stderr_at_start.st_dev || now.st_ino != stderr_at_start.st_ino))
    return;
  const char* texts[] = {"racecast: ", first, second, third, "\n"};
  struct iovec parts[5];
  for (int i = 0; i < 5; ++i) parts[i] = {const_cast<char*>(texts[i]), length_of(texts[i])};
  sys(SYS_writev, 2, parts, 5);
}

std::uint64_t free_on_disk() {
  struct statfs disk = {};
  if (sys(SYS_statfs, process.folder, &disk) != 0) return kUnknownSpace;
  const auto unit = static_cast<std::uint64_t>(disk.f_frsize != 0 ? disk.f_frsize : disk.f_bsize);
  return static_cast<std::uint64_t>(disk.f_bavail) * unit;
}

std::uint64_t saved_by_packing() {
  const int fd = open_in_folder(abi::kSavedFile, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  std::uint64_t saved = 0;
  if (sys(SYS_read, fd, &saved, sizeof(saved)) != sizeof(saved)) saved = 0;
  sys(SYS_close, fd);
  return saved;
}

int open_in_folder(const char* name, int flags) {
  // By way of the folder, so that no long path is built on a stack that may be a signal handler's.
  const long folder = sys(SYS_openat, AT_FDCWD, process.folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return static_cast<int>(folder);
  const long fd = sys(SYS_openat, static_cast<int>(folder), name, flags, 0666);
  sys(SYS_close, static_cast<int>(folder));
  return static_cast<int>(fd);
}

bool write_meta(abi::MetaKind kind, const Part* parts, int count) {
  constexpr int kMaxParts = 7;
  if (count > kMaxParts) return false;
  abi::MetaHeader header = {static_cast<std::uint32_t>(kind), 0, 0};
  struct iovec vector[kMaxParts + 1] = {{&header, sizeof(header)}};
  for (int i = 0; i < count; ++i) {
    header.bytes += parts[i].bytes;
    vector[i + 1] = {const_cast<void*>(parts[i].data), parts[i].bytes};
  }
  const int fd = open_in_folder("meta", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC);
  if (fd < 0) return false;
  const auto bytes = static_cast<long>(sizeof(header) + header.bytes);
  const long end = sys(SYS_lseek, fd, 0L, SEEK_END);
  bool written = file_size_allowed(static_cast<std::uint64_t>(end + bytes));
  written = written && sys(SYS_writev, fd, vector, count + 1) == bytes;
  // Room for the Stopped record, which has to be written when the disk is full.
  if (written && kind != abi::MetaKind::Stream) sys(SYS_fallocate, fd, FALLOC_FL_KEEP_SIZE, end + bytes, 4096L);
  sys(SYS_close, fd);
  return written;
}

}  // namespace racecast::runtime
