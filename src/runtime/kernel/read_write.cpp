// read, write and their kin, on whatever they are used. Reads and writes inside libc (stdio) do not come here: see
// streams.cpp.
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/core/exit_wait.h"
#include "runtime/core/signals.h"
#include "runtime/kernel/caller.h"
#include "runtime/kernel/descriptor.h"
#include "runtime/kernel/mapped_files.h"
#include "runtime/posix/interceptor.h"

namespace racecast::runtime {
namespace {

RACECAST_REAL<ssize_t(int, void*, size_t)> real_read{"read"};
RACECAST_REAL<ssize_t(int, void*, size_t, size_t)> real_read_chk{"__read_chk"};
RACECAST_REAL<ssize_t(int, void*, size_t, off_t)> real_pread{"pread"};
RACECAST_REAL<ssize_t(int, void*, size_t, off_t, size_t)> real_pread_chk{"__pread_chk"};
RACECAST_REAL<ssize_t(int, const iovec*, int)> real_readv{"readv"};
RACECAST_REAL<ssize_t(int, const iovec*, int, off_t)> real_preadv{"preadv"};
RACECAST_REAL<ssize_t(int, const iovec*, int, off_t, int)> real_preadv2{"preadv2"};
RACECAST_REAL<int(int, eventfd_t*)> real_eventfd_read{"eventfd_read"};

RACECAST_REAL<ssize_t(int, const void*, size_t)> real_write{"write"};
RACECAST_REAL<ssize_t(int, const void*, size_t, off_t)> real_pwrite{"pwrite"};
RACECAST_REAL<ssize_t(int, const iovec*, int)> real_writev{"writev"};
RACECAST_REAL<ssize_t(int, const iovec*, int, off_t)> real_pwritev{"pwritev"};
RACECAST_REAL<ssize_t(int, const iovec*, int, off_t, int)> real_pwritev2{"pwritev2"};
RACECAST_REAL<int(int, eventfd_t)> real_eventfd_write{"eventfd_write"};

// What a signalfd gives says which signals they were.
bool acquire_signals(int descriptor, const void* got, ssize_t size) {
  if (size <= 0 || !orders() || describe(descriptor).kind != DescriptorKind::Signals) return false;
  const KeepErrno keep;
  const long own = sys(SYS_getpid);
  for (ssize_t at = 0; at + static_cast<ssize_t>(sizeof(signalfd_siginfo)) <= size;
       at += static_cast<ssize_t>(sizeof(signalfd_siginfo))) {
    signalfd_siginfo signal;
    __builtin_memcpy(&signal, static_cast<const char*>(got) + at, sizeof(signal));
    note_end_signal(static_cast<int>(signal.ssi_signo));
    acquire_signal(static_cast<int>(signal.ssi_signo), signal.ssi_code,
                   signal.ssi_pid == static_cast<std::uint32_t>(own));
  }
  return true;
}

}  // namespace

// ---- what reads

RACECAST_EXPORT ssize_t read(int descriptor, void* to, size_t size) {
  const MappedFile mapped(descriptor, address_of(read));
  Receiving receiving(descriptor, address_of(read));
  const ssize_t result = real_read(descriptor, to, size);
  return acquire_signals(descriptor, to, result) ? result : receiving.done(result);
}
RACECAST_EXPORT ssize_t __read_chk(int descriptor, void* to, size_t size, size_t room) {
  const MappedFile mapped(descriptor, address_of(read));
  Receiving receiving(descriptor, address_of(read));
  const ssize_t result = real_read_chk(descriptor, to, size, room);
  return acquire_signals(descriptor, to, result) ? result : receiving.done(result);
}
RACECAST_EXPORT ssize_t pread(int descriptor, void* to, size_t size, off_t offset) {
  const MappedFile mapped(descriptor, address_of(pread));
  return real_pread(descriptor, to, size, offset);
}
RACECAST_EXPORT ssize_t pread64(int descriptor, void* to, size_t size, off64_t offset) {
  const MappedFile mapped(descriptor, address_of(pread64));
  return real_pread(descriptor, to, size, offset);
}
RACECAST_EXPORT ssize_t __pread_chk(int descriptor, void* to, size_t size, off_t offset, size_t room) {
  const MappedFile mapped(descriptor, address_of(pread));
  return real_pread_chk(descriptor, to, size, offset, room);
}
RACECAST_EXPORT ssize_t __pread64_chk(int descriptor, void* to, size_t size, off64_t offset, size_t room) {
  const MappedFile mapped(descriptor, address_of(pread64));
  return real_pread_chk(descriptor, to, size, offset, room);
}
RACECAST_EXPORT ssize_t readv(int descriptor, const iovec* to, int count) {
  const Caller caller = RACECAST_CALLER;
  const MappedFile mapped(descriptor, address_of(readv));
  Receiving receiving(descriptor, address_of(readv));
  const ssize_t result = receiving.done(real_readv(descriptor, to, count));
  caller.writes_parts(to, static_cast<std::size_t>(count), result);
  return result;
}
RACECAST_EXPORT ssize_t preadv(int descriptor, const iovec* to, int count, off_t offset) {
  const Caller caller = RACECAST_CALLER;
  const MappedFile mapped(descriptor, address_of(preadv));
  const ssize_t result = real_preadv(descriptor, to, count, offset);
  caller.writes_parts(to, static_cast<std::size_t>(count), result);
  return result;
}
RACECAST_EXPORT ssize_t preadv64(int descriptor, const iovec* to, int count, off64_t offset) {
  const Caller caller = RACECAST_CALLER;
  const MappedFile mapped(descriptor, address_of(preadv64));
  const ssize_t result = real_preadv(descriptor, to, count, offset);
  caller.writes_parts(to, static_cast<std::size_t>(count), result);
  return result;
}
// Offset -1: where the descriptor stands, so that it may be a pipe.
RACECAST_EXPORT ssize_t preadv2(int descriptor, const iovec* to, int count, off_t offset, int flags) {
  const Caller caller = RACECAST_CALLER;
  const MappedFile mapped(descriptor, address_of(preadv2));
  Receiving receiving(descriptor, address_of(preadv2));
  const ssize_t result = receiving.done(real_preadv2(descriptor, to, count, offset, flags));
  caller.writes_parts(to, static_cast<std::size_t>(count), result);
  return result;
}
RACECAST_EXPORT ssize_t preadv64v2(int descriptor, const iovec* to, int count, off64_t offset, int flags) {
  const Caller caller = RACECAST_CALLER;
  const MappedFile mapped(descriptor, address_of(preadv64v2));
  Receiving receiving(descriptor, address_of(preadv64v2));
  const ssize_t result = receiving.done(real_preadv2(descriptor, to, count, offset, flags));
  caller.writes_parts(to, static_cast<std::size_t>(count), result);
  return result;
}
RACECAST_EXPORT int eventfd_read(int descriptor, eventfd_t* value) {
  Receiving receiving(descriptor, address_of(eventfd_read));
  return receiving.done(real_eventfd_read(descriptor, value));
}

// ---- what writes

RACECAST_EXPORT ssize_t write(int descriptor, const void* from, size_t size) {
  const MappedFile mapped(descriptor, address_of(write));
  Sending sending(descriptor, address_of(write), from, size);
  return sending.done(real_write(descriptor, from, size));
}
RACECAST_EXPORT ssize_t pwrite(int descriptor, const void* from, size_t size, off_t offset) {
  const MappedFile mapped(descriptor, address_of(pwrite));
  return real_pwrite(descriptor, from, size, offset);
}
RACECAST_EXPORT ssize_t pwrite64(int descriptor, const void* from, size_t size, off64_t offset) {
  const MappedFile mapped(descriptor, address_of(pwrite64));
  return real_pwrite(descriptor, from, size, offset);
}
RACECAST_EXPORT ssize_t writev(int descriptor, const iovec* from, int count) {
  RACECAST_CALLER.reads_parts(from, static_cast<std::size_t>(count));
  const MappedFile mapped(descriptor, address_of(writev));
  Sending sending(descriptor, address_of(writev));
  return sending.done(real_writev(descriptor, from, count));
}
RACECAST_EXPORT ssize_t pwritev(int descriptor, const iovec* from, int count, off_t offset) {
  RACECAST_CALLER.reads_parts(from, static_cast<std::size_t>(count));
  const MappedFile mapped(descriptor, address_of(pwritev));
  return real_pwritev(descriptor, from, count, offset);
}
RACECAST_EXPORT ssize_t pwritev64(int descriptor, const iovec* from, int count, off64_t offset) {
  RACECAST_CALLER.reads_parts(from, static_cast<std::size_t>(count));
  const MappedFile mapped(descriptor, address_of(pwritev64));
  return real_pwritev(descriptor, from, count, offset);
}
RACECAST_EXPORT ssize_t pwritev2(int descriptor, const iovec* from, int count, off_t offset, int flags) {
  RACECAST_CALLER.reads_parts(from, static_cast<std::size_t>(count));
  const MappedFile mapped(descriptor, address_of(pwritev2));
  Sending sending(descriptor, address_of(pwritev2));
  return sending.done(real_pwritev2(descriptor, from, count, offset, flags));
}
RACECAST_EXPORT ssize_t pwritev64v2(int descriptor, const iovec* from, int count, off64_t offset, int flags) {
  RACECAST_CALLER.reads_parts(from, static_cast<std::size_t>(count));
  const MappedFile mapped(descriptor, address_of(pwritev64v2));
  Sending sending(descriptor, address_of(pwritev64v2));
  return sending.done(real_pwritev2(descriptor, from, count, offset, flags));
}
RACECAST_EXPORT int eventfd_write(int descriptor, eventfd_t value) {
  Sending sending(descriptor, address_of(eventfd_write), &value, sizeof(value));
  const int result = real_eventfd_write(descriptor, value);
  return sending.done(result);
}

}  // namespace racecast::runtime
