// syscall() and ioctl(): doors to the kernel that can lead anywhere.
//
// A system call that is in the list below is harmless (it neither waits nor tells what another thread did), or does
// what a function does that is intercepted elsewhere, which is noted as it is there. All others order everything. So
// does an ioctl whose request is not in the list; where code without hooks asks for it (drivers of graphics and sound
// do little else), that is missing code as all it does.
//
// A futex is a place of its own, at its address: who wakes is before who was woken, or found the word changed. (What
// <atomic> does with futexes orders nothing by itself: see __racecast_syscall.)
#include <linux/futex.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <iterator>

#include "runtime/core/hooks.h"
#include "runtime/core/signals.h"
#include "runtime/kernel/caller.h"
#include "runtime/kernel/descriptor.h"
#include "runtime/kernel/descriptor_lives.h"
#include "runtime/posix/interceptor.h"

namespace racecast::runtime {
namespace {

RACECAST_REAL<long(long, long, long, long, long, long, long)> real_syscall{"syscall"};
RACECAST_REAL<int(int, unsigned long, void*)> real_ioctl{"ioctl"};

enum class Does : std::uint8_t {
  Everything,
  Harmless,
  State,     // outside of memory: kOnState
  Sends,     // to descriptor `argument`
  Receives,  // from it
  Moves,     // from descriptor `argument` to `other`
  Makes,     // the result is a new descriptor
  Copies,    // of descriptor `argument`
  Closes,    // it
  Futex,
  Signals,  // the number of the signal is `argument`
  Spawns,
  Waits,   // for a process
  Memory,  // what libc has a function for
  Rings,   // io_uring: any descriptor may be used and closed behind our back
};
struct Row {
  long number;
  Does does;
  std::uint8_t argument = 0, other = 0;
};

constexpr Row kRows[] = {
    {SYS_read, Does::Receives, 0},
    {SYS_readv, Does::Receives, 0},
    {SYS_preadv2, Does::Receives, 0},
    {SYS_recvfrom, Does::Receives, 0},
    {SYS_mq_timedreceive, Does::Receives, 0},
    {SYS_write, Does::Sends, 0},
    {SYS_writev, Does::Sends, 0},
    {SYS_pwritev2, Does::Sends, 0},
    {SYS_sendto, Does::Sends, 0},
    {SYS_mq_timedsend, Does::Sends, 0},
    {SYS_shutdown, Does::Sends, 0},
    {SYS_splice, Does::Moves, 0, 2},
    {SYS_tee, Does::Moves, 0, 1},
    {SYS_sendfile, Does::Moves, 1, 0},
    {SYS_copy_file_range, Does::Moves, 0, 2},
    {SYS_open, Does::State},
    {SYS_openat, Does::State},
    {SYS_eventfd, Does::Makes},
    {SYS_eventfd2, Does::Makes},
    {SYS_socket, Does::Makes},
    {SYS_memfd_create, Does::Makes},
    {SYS_pidfd_open, Does::Makes},
    {SYS_dup, Does::Copies, 0},
    {SYS_dup2, Does::Copies, 0},
    {SYS_dup3, Does::Copies, 0},
    {SYS_close, Does::Closes, 0},
    {SYS_futex, Does::Futex},
    {SYS_kill, Does::Signals, 1},
    {SYS_tkill, Does::Signals, 1},
    {SYS_tgkill, Does::Signals, 2},
    {SYS_rt_sigqueueinfo, Does::Signals, 1},
    {SYS_rt_tgsigqueueinfo, Does::Signals, 2},
    {SYS_fork, Does::Spawns},
    {SYS_vfork, Does::Spawns},
    {SYS_clone, Does::Spawns},
    {SYS_execve, Does::Spawns},
    {SYS_wait4, Does::Waits},
    {SYS_waitid, Does::Waits},
    {SYS_mmap, Does::Memory},
    {SYS_munmap, Does::Memory},
    {SYS_mremap, Does::Memory},
    {SYS_mprotect, Does::Memory},
    {SYS_brk, Does::Memory},
    {SYS_io_uring_setup, Does::Rings},
    {SYS_io_uring_enter, Does::Rings},
    {SYS_io_uring_register, Does::Rings},
};

// Those that are about this thread, ids, the clock, or memory: they look at no state that another thread can change,
// and change none that another one looks at.
constexpr long kHarmless[] = {
    SYS_gettid,
    SYS_getpid,
    SYS_getppid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getpgid,
    SYS_getsid,
    SYS_sched_yield,
    SYS_sched_get_priority_max,
    SYS_sched_get_priority_min,
    SYS_getcpu,
    SYS_set_mempolicy,
    SYS_get_mempolicy,
    SYS_mbind,
    SYS_move_pages,
    SYS_getrandom,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_gettimeofday,
    SYS_time,
    SYS_times,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_getrusage,
    SYS_uname,
    SYS_sysinfo,
    SYS_arch_prctl,
    SYS_rseq,
    SYS_set_robust_list,
    SYS_get_robust_list,
    SYS_set_tid_address,
    SYS_exit,
    SYS_exit_group,
    SYS_rt_sigprocmask,
    SYS_sigaltstack,
    SYS_seccomp,
    SYS_mlock,
    SYS_mlock2,
    SYS_munlock,
    SYS_mlockall,
    SYS_munlockall,
    SYS_msync,
    SYS_fsync,
    SYS_fdatasync,
    SYS_sync,
    SYS_syncfs,
    SYS_sync_file_range,
    SYS_fadvise64,
    SYS_readahead,
    SYS_kcmp,
    SYS_pipe,
    SYS_pipe2,
};

// Those that look at state outside of memory, or change it: of threads, of the process, of files (library.def). By
// number nobody tells which, so they order everything. Where code without hooks calls them, that is missing code.
constexpr long kOnState[] = {
    SYS_sched_setaffinity,
    SYS_sched_getaffinity,
    SYS_sched_setscheduler,
    SYS_sched_getscheduler,
    SYS_sched_setparam,
    SYS_sched_getparam,
    SYS_sched_setattr,
    SYS_sched_getattr,
    SYS_setpriority,
    SYS_getpriority,
    SYS_ioprio_set,
    SYS_ioprio_get,
    SYS_getrlimit,
    SYS_setrlimit,
    SYS_prlimit64,
    SYS_capset,
    SYS_capget,
    SYS_prctl,
    SYS_rt_sigpending,
    SYS_rt_sigaction,
    SYS_madvise,
    SYS_mincore,
    SYS_pkey_alloc,
    SYS_pkey_free,
    SYS_pkey_mprotect,
    SYS_stat,
    SYS_lstat,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_statfs,
    SYS_fstatfs,
    SYS_access,
    SYS_faccessat,
    SYS_faccessat2,
    SYS_getcwd,
    SYS_getdents,
    SYS_getdents64,
    SYS_lseek,
    SYS_readlink,
    SYS_readlinkat,
    SYS_fallocate,
    SYS_ftruncate,
    SYS_truncate,
    SYS_rename,
    SYS_renameat,
    SYS_renameat2,
    SYS_unlink,
    SYS_unlinkat,
    SYS_mkdir,
    SYS_mkdirat,
    SYS_rmdir,
    SYS_link,
    SYS_linkat,
    SYS_symlink,
    SYS_symlinkat,
    SYS_chmod,
    SYS_fchmod,
    SYS_fchmodat,
    SYS_chown,
    SYS_fchown,
    SYS_fchownat,
    SYS_utimensat,
    SYS_umask,
    SYS_getxattr,
    SYS_setxattr,
    SYS_getsockname,
    SYS_getpeername,
    SYS_getsockopt,
    SYS_setsockopt,
    SYS_pread64,
    SYS_pwrite64,
    SYS_preadv,
    SYS_pwritev,
};

// By number.
constexpr long kNumbers = 512;
constexpr auto kTable = [] {
  std::array<Row, kNumbers> table{};
  for (long number = 0; number < kNumbers; ++number)
    table[static_cast<std::size_t>(number)] = {number, Does::Everything};
  for (const long number : kHarmless) table[static_cast<std::size_t>(number)].does = Does::Harmless;
  for (const long number : kOnState) table[static_cast<std::size_t>(number)].does = Does::State;
  for (const Row& row : kRows) table[static_cast<std::size_t>(row.number)] = row;
  return table;
}();

struct Arguments {
  long at[6];
  long call(long number) const { return real_syscall(number, at[0], at[1], at[2], at[3], at[4], at[5]); }
  int descriptor(std::uint8_t which) const { return static_cast<int>(at[which]); }
};

long futex(long number, const Arguments& arguments) {
  const auto word = static_cast<std::uint64_t>(arguments.at[0]);
  switch (arguments.at[1] & FUTEX_CMD_MASK) {
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
    case FUTEX_UNLOCK_PI:
      if (orders()) release(word);
      return arguments.call(number);
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2:
    case FUTEX_TRYLOCK_PI: {
      const long result = arguments.call(number);
      if (orders() && (result == 0 || errno == EAGAIN)) acquire(word);
      return result;
    }
    default: {
      // Who is moved to another word is woken there, and does not know. FUTEX_WAKE_OP changes the other word.
      const Everything all(address_of(::syscall));
      return arguments.call(number);
    }
  }
}

// What these do is noted by the functions of libc (posix/mmap.cpp).
long map_memory(long number, const Arguments& arguments) {
  const long* const at = arguments.at;
  auto* const memory = reinterpret_cast<void*>(at[0]);
  const auto bytes = static_cast<std::size_t>(at[1]);
  switch (number) {
    case SYS_mmap:
      return reinterpret_cast<long>(
          ::mmap(memory, bytes, static_cast<int>(at[2]), static_cast<int>(at[3]), static_cast<int>(at[4]), at[5]));
    case SYS_munmap: return ::munmap(memory, bytes);
    case SYS_mremap:
      return reinterpret_cast<long>(::mremap(memory, bytes, static_cast<std::size_t>(at[2]), static_cast<int>(at[3]),
                                             reinterpret_cast<void*>(at[4])));
    case SYS_mprotect: return ::mprotect(memory, bytes, static_cast<int>(at[2]));
    default:  // SYS_brk gives the end, moved or not
      if (at[0] != 0) ::brk(memory);
      return reinterpret_cast<long>(::sbrk(0));
  }
}

long new_descriptor(long result) {
  if (result >= 0 && tracks()) forget_descriptor(static_cast<int>(result));
  return result;
}
long with_new_descriptor(long number, long result) {
  return number == SYS_open || number == SYS_openat ? new_descriptor(result) : result;
}

// Files have state that no place tells of (library.def: fs, position).
bool is_on_state(const Row& row, const Arguments& arguments) {
  if (row.does == Does::State) return true;
  const bool one = row.does == Does::Sends || row.does == Does::Receives || row.does == Does::Moves;
  return orders() &&
         ((one && describe(arguments.descriptor(row.argument)).kind == DescriptorKind::File) ||
          (row.does == Does::Moves && describe(arguments.descriptor(row.other)).kind == DescriptorKind::File));
}

long call_as(const Row& row, const Arguments& arguments, const void* caller) {
  const void* const callee = address_of(::syscall);
  const int descriptor = arguments.descriptor(row.argument);
  if (is_on_state(row, arguments) && is_recorded_code(caller)) {
    const Everything all(callee);
    return with_new_descriptor(row.number, arguments.call(row.number));
  }
  switch (row.does) {
    case Does::Sends: {
      Sending sending(descriptor, callee);
      return sending.done(arguments.call(row.number));
    }
    case Does::Receives: {
      Receiving receiving(descriptor, callee);
      return receiving.done(arguments.call(row.number));
    }
    case Does::Moves: {
      Receiving receiving(descriptor, callee);
      Sending sending(arguments.descriptor(row.other), callee);
      return sending.done(receiving.done(arguments.call(row.number)));
    }
    case Does::Makes: return new_descriptor(arguments.call(row.number));
    case Does::Copies: {
      if (row.number != SYS_dup && arguments.at[0] != arguments.at[1]) closing(arguments.descriptor(1), callee);
      return duplicated(descriptor, static_cast<int>(arguments.call(row.number)));
    }
    case Does::Closes: closing(descriptor, callee); return arguments.call(row.number);
    case Does::Futex: return futex(row.number, arguments);
    case Does::Signals:
      if (orders()) {
        release(place_of_signal(descriptor));
        release(place_of_signal(0));
        release(abi::kOutside);
      }
      return arguments.call(row.number);
    case Does::Spawns:
      if (tracks()) note_company();
      return arguments.call(row.number);
    case Does::Waits: {
      const long result = arguments.call(row.number);
      if (result >= 0 && orders()) acquire(abi::kOutside);
      return result;
    }
    case Does::Rings: {
      if (tracks()) {
        no_table();
        note_company(true);
      }
      const Everything all(callee);
      return arguments.call(row.number);
    }
    case Does::Memory: return map_memory(row.number, arguments);
    case Does::State: return with_new_descriptor(row.number, arguments.call(row.number));
    case Does::Harmless: return arguments.call(row.number);
    case Does::Everything: break;
  }
  const Everything all(callee);
  return arguments.call(row.number);
}

// ---- ioctl

constexpr unsigned long kHarmlessRequests[] = {
    FIONBIO,   FIOASYNC,  FIOCLEX,  FIONCLEX,  TCGETS,    TCSETS,   TCSETSW,    TCSETSF,  TIOCGWINSZ, TIOCSWINSZ,
    TIOCGPGRP, TIOCSPGRP, TIOCGSID, TIOCSCTTY, TIOCNOTTY, TIOCGPTN, TIOCSPTLCK, TIOCOUTQ, TIOCEXCL,   TIOCNXCL,
};

}  // namespace
}  // namespace racecast::runtime

using namespace racecast::runtime;

RACECAST_EXPORT long syscall(long number, ...) noexcept {
  Arguments arguments;
  va_list list;
  va_start(list, number);
  for (long& argument : arguments.at) argument = va_arg(list, long);
  va_end(list);
  if (in_runtime()) return arguments.call(number);
  if (number >= 0 && number < kNumbers)
    return call_as(kTable[static_cast<std::size_t>(number)], arguments, __builtin_return_address(0));
  const Everything all(address_of(::syscall));
  return arguments.call(number);
}

// The plugin puts it in the place of `syscall` inside of <atomic>: by the rules of C++ waiting for an atomic and waking
// who waits order nothing, only the atomic's own operations do.
RACECAST_EXPORT long __racecast_syscall(long number, ...) {
  Arguments arguments;
  va_list list;
  va_start(list, number);
  for (long& argument : arguments.at) argument = va_arg(list, long);
  va_end(list);
  return arguments.call(number);
}

RACECAST_EXPORT int ioctl(int descriptor, unsigned long request, ...) noexcept {
  va_list list;
  va_start(list, request);
  void* const argument = va_arg(list, void*);
  va_end(list);
  if (request == FIOASYNC) note_descriptor_signals();
  const auto* const end = std::end(kHarmlessRequests);
  if (!orders() || std::find(std::begin(kHarmlessRequests), end, request) != end)
    return real_ioctl(descriptor, request, argument);
  if (request == FIONREAD) {
    const int result = real_ioctl(descriptor, request, argument);
    if (result == 0) {
      const KeepErrno keep;
      acquire_descriptor(descriptor, address_of(ioctl));
      acquire_emptied(descriptor);
    }
    return result;
  }
  if (!is_recorded_code(__builtin_return_address(0))) return real_ioctl(descriptor, request, argument);
  const Everything all(address_of(ioctl));
  return real_ioctl(descriptor, request, argument);
}
