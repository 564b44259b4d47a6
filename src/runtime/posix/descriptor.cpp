// Pipes, sockets and event descriptors order what threads do: nobody reads what was not written yet. So what writes to
// one is a release, what reads from it an acquire (abi.h: Release, Acquire), and a reader is after all that was written
// before, also where it was not the data it read: that may hide a race and never makes one.
//
// The two ends of a pipe are one file for the kernel, whose number is asked for at each call (200 ns; a table of
// descriptors would miss those that came by dup, fork, a socket, or a library). Ends of a connection are two files, so
// all sockets are one; so are all descriptors without a file (eventfd, epoll, timerfd). Regular files and terminals
// order nothing: what is read there may be older. Reads and writes inside libc (stdio) do not come here.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/core/record.h"
#include "runtime/posix/interceptor.h"

namespace racecast::runtime {
namespace {

// Addresses of no memory, one for each pipe and one for each of the other kinds.
constexpr std::uint64_t kDescriptors = std::uint64_t{1} << 52;
constexpr std::uint64_t kSockets = kDescriptors - 1;
constexpr std::uint64_t kNoFile = kDescriptors - 2;

// Where the descriptor synchronises; 0: nowhere.
std::uint64_t place_of(int descriptor) {
  struct stat status;
  if (sys(SYS_fstat, descriptor, &status) != 0) return 0;
  switch (status.st_mode & S_IFMT) {
    case S_IFIFO: return kDescriptors + ((status.st_ino ^ status.st_dev << 36) & (kDescriptors - 1));
    case S_IFSOCK: return kSockets;
    case 0: return kNoFile;
    default: return 0;
  }
}

void release(int descriptor) {
  if (in_runtime() || recording() == nullptr) return;
  if (const std::uint64_t place = place_of(descriptor); place != 0) record<abi::Tag::Release>(place);
}

template <typename Result>
Result acquire(int descriptor, Result result) {
  if (result < 0 || in_runtime() || recording() == nullptr) return result;
  if (const std::uint64_t place = place_of(descriptor); place != 0) record<abi::Tag::Acquire>(place);
  return result;
}

RACECAST_REAL<ssize_t(int, void*, size_t)> real_read{"read"};
RACECAST_REAL<ssize_t(int, void*, size_t, size_t)> real_read_chk{"__read_chk"};
RACECAST_REAL<ssize_t(int, const iovec*, int)> real_readv{"readv"};
RACECAST_REAL<ssize_t(int, void*, size_t, int)> real_recv{"recv"};
RACECAST_REAL<ssize_t(int, void*, size_t, size_t, int)> real_recv_chk{"__recv_chk"};
RACECAST_REAL<ssize_t(int, void*, size_t, int, sockaddr*, socklen_t*)> real_recvfrom{"recvfrom"};
RACECAST_REAL<ssize_t(int, msghdr*, int)> real_recvmsg{"recvmsg"};
RACECAST_REAL<int(int, sockaddr*, socklen_t*)> real_accept{"accept"};
RACECAST_REAL<int(int, sockaddr*, socklen_t*, int)> real_accept4{"accept4"};
RACECAST_REAL<int(int, epoll_event*, int, int)> real_epoll_wait{"epoll_wait"};
RACECAST_REAL<int(int, epoll_event*, int, int, const sigset_t*)> real_epoll_pwait{"epoll_pwait"};
RACECAST_REAL<int(int, eventfd_t*)> real_eventfd_read{"eventfd_read"};

RACECAST_REAL<ssize_t(int, const void*, size_t)> real_write{"write"};
RACECAST_REAL<ssize_t(int, const iovec*, int)> real_writev{"writev"};
RACECAST_REAL<ssize_t(int, const void*, size_t, int)> real_send{"send"};
RACECAST_REAL<ssize_t(int, const void*, size_t, int, const sockaddr*, socklen_t)> real_sendto{"sendto"};
RACECAST_REAL<ssize_t(int, const msghdr*, int)> real_sendmsg{"sendmsg"};
RACECAST_REAL<int(int, const sockaddr*, socklen_t)> real_connect{"connect"};
RACECAST_REAL<int(int, int)> real_shutdown{"shutdown"};
RACECAST_REAL<int(int)> real_close{"close"};
RACECAST_REAL<int(int, int, int, epoll_event*)> real_epoll_ctl{"epoll_ctl"};
RACECAST_REAL<int(int, eventfd_t)> real_eventfd_write{"eventfd_write"};

}  // namespace

// ---- what reads

RACECAST_EXPORT ssize_t read(int descriptor, void* to, size_t size) {
  return acquire(descriptor, real_read(descriptor, to, size));
}
RACECAST_EXPORT ssize_t __read_chk(int descriptor, void* to, size_t size, size_t room) {
  return acquire(descriptor, real_read_chk(descriptor, to, size, room));
}
RACECAST_EXPORT ssize_t readv(int descriptor, const iovec* to, int count) {
  return acquire(descriptor, real_readv(descriptor, to, count));
}
RACECAST_EXPORT ssize_t recv(int descriptor, void* to, size_t size, int flags) {
  return acquire(descriptor, real_recv(descriptor, to, size, flags));
}
RACECAST_EXPORT ssize_t __recv_chk(int descriptor, void* to, size_t size, size_t room, int flags) {
  return acquire(descriptor, real_recv_chk(descriptor, to, size, room, flags));
}
RACECAST_EXPORT ssize_t recvfrom(int descriptor, void* to, size_t size, int flags, sockaddr* from, socklen_t* length) {
  return acquire(descriptor, real_recvfrom(descriptor, to, size, flags, from, length));
}
RACECAST_EXPORT ssize_t recvmsg(int descriptor, msghdr* message, int flags) {
  return acquire(descriptor, real_recvmsg(descriptor, message, flags));
}
RACECAST_EXPORT int accept(int descriptor, sockaddr* from, socklen_t* length) {
  return acquire(descriptor, real_accept(descriptor, from, length));
}
RACECAST_EXPORT int accept4(int descriptor, sockaddr* from, socklen_t* length, int flags) {
  return acquire(descriptor, real_accept4(descriptor, from, length, flags));
}
RACECAST_EXPORT int epoll_wait(int descriptor, epoll_event* events, int count, int timeout) {
  return acquire(descriptor, real_epoll_wait(descriptor, events, count, timeout));
}
RACECAST_EXPORT int epoll_pwait(int descriptor, epoll_event* events, int count, int timeout, const sigset_t* mask) {
  return acquire(descriptor, real_epoll_pwait(descriptor, events, count, timeout, mask));
}
RACECAST_EXPORT int eventfd_read(int descriptor, eventfd_t* value) {
  return acquire(descriptor, real_eventfd_read(descriptor, value));
}

// ---- what writes. An end that is closed is seen at the other end, too.

RACECAST_EXPORT ssize_t write(int descriptor, const void* from, size_t size) {
  release(descriptor);
  return real_write(descriptor, from, size);
}
RACECAST_EXPORT ssize_t writev(int descriptor, const iovec* from, int count) {
  release(descriptor);
  return real_writev(descriptor, from, count);
}
RACECAST_EXPORT ssize_t send(int descriptor, const void* from, size_t size, int flags) {
  release(descriptor);
  return real_send(descriptor, from, size, flags);
}
RACECAST_EXPORT ssize_t sendto(int descriptor, const void* from, size_t size, int flags, const sockaddr* to,
                               socklen_t length) {
  release(descriptor);
  return real_sendto(descriptor, from, size, flags, to, length);
}
RACECAST_EXPORT ssize_t sendmsg(int descriptor, const msghdr* message, int flags) {
  release(descriptor);
  return real_sendmsg(descriptor, message, flags);
}
RACECAST_EXPORT int connect(int descriptor, const sockaddr* to, socklen_t length) {
  release(descriptor);
  return real_connect(descriptor, to, length);
}
RACECAST_EXPORT int shutdown(int descriptor, int how) noexcept {
  release(descriptor);
  return real_shutdown(descriptor, how);
}
RACECAST_EXPORT int close(int descriptor) {
  release(descriptor);
  return real_close(descriptor);
}
RACECAST_EXPORT int epoll_ctl(int descriptor, int operation, int other, epoll_event* event) noexcept {
  release(descriptor);
  return real_epoll_ctl(descriptor, operation, other, event);
}
RACECAST_EXPORT int eventfd_write(int descriptor, eventfd_t value) {
  release(descriptor);
  return real_eventfd_write(descriptor, value);
}

}  // namespace racecast::runtime
