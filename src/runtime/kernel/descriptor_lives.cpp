// Calls that make, duplicate and close descriptors: the table learns of them (descriptor_table.h). Who closes one end
// of something is seen at the other end. Not here: open and its kin, whose files order nothing (what is not in the
// table is looked at), sockets that are accepted (socket_calls.cpp) and what stdio closes (streams.cpp).
#include <fcntl.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cstdarg>

#include "runtime/kernel/descriptor.h"
#include "runtime/kernel/descriptor_lives.h"
#include "runtime/kernel/file_locks.h"
#include "runtime/kernel/sockets.h"
#include "runtime/posix/interceptor.h"

namespace racecast::runtime {
namespace {

RACECAST_REAL<int(int)> real_close{"close"};
RACECAST_REAL<int(unsigned, unsigned, int)> real_close_range{"close_range"};
RACECAST_REAL<void(int)> real_closefrom{"closefrom"};
RACECAST_REAL<int(int)> real_dup{"dup"};
RACECAST_REAL<int(int, int)> real_dup2{"dup2"};
RACECAST_REAL<int(int, int, int)> real_dup3{"dup3"};
RACECAST_REAL<int(int*)> real_pipe{"pipe"};
RACECAST_REAL<int(int*, int)> real_pipe2{"pipe2"};
RACECAST_REAL<int(unsigned, int)> real_eventfd{"eventfd"};
RACECAST_REAL<int(int)> real_epoll_create{"epoll_create"};
RACECAST_REAL<int(int)> real_epoll_create1{"epoll_create1"};
RACECAST_REAL<int(clockid_t, int)> real_timerfd_create{"timerfd_create"};
RACECAST_REAL<int(int, int, int)> real_socket{"socket"};
RACECAST_REAL<int(int, int, int, int*)> real_socketpair{"socketpair"};
RACECAST_REAL<int(int)> real_unshare{"unshare"};

}  // namespace

int made(int descriptor) {
  if (descriptor >= 0 && tracks()) {
    const KeepErrno keep;
    note_made(descriptor);
  }
  return descriptor;
}

int made(int descriptor, DescriptorKind kind) {
  if (descriptor >= 0 && tracks()) {
    const KeepErrno keep;
    note_made(descriptor, kind);
  }
  return descriptor;
}

int duplicated(int from, int to) {
  if (to >= 0 && tracks()) {
    const KeepErrno keep;
    note_duplicate(from, to);
  }
  return to;
}

void closing(int descriptor, const void* callee) {
  if (!tracks()) return;
  const KeepErrno keep;
  // Nobody waits for the end of what cannot be told.
  if (orders() && describe(descriptor).kind != DescriptorKind::Strange) release_descriptor(descriptor, callee);
  release_file_locks(descriptor);
  forget_registrations(descriptor);
  forget_descriptor(descriptor);
}

}  // namespace racecast::runtime

using namespace racecast::runtime;

// ---- closing

RACECAST_EXPORT int close(int descriptor) {
  closing(descriptor, address_of(close));
  return real_close(descriptor);
}
RACECAST_EXPORT int close_range(unsigned first, unsigned last, int flags) noexcept {
  if (tracks() && (flags & CLOSE_RANGE_CLOEXEC) == 0) {
    order_everything(address_of(close_range));
    forget_descriptors(first, last);
  }
  return real_close_range(first, last, flags);
}
RACECAST_EXPORT void closefrom(int first) noexcept {
  if (tracks()) {
    order_everything(address_of(closefrom));
    forget_descriptors(first < 0 ? 0 : static_cast<unsigned>(first), ~0U);
  }
  real_closefrom(first);
}

// ---- duplicates

RACECAST_EXPORT int dup(int descriptor) noexcept {
  return duplicated(descriptor, real_dup(descriptor));
}
RACECAST_EXPORT int dup2(int descriptor, int other) noexcept {
  if (descriptor != other) closing(other, address_of(dup2));
  return duplicated(descriptor, real_dup2(descriptor, other));
}
RACECAST_EXPORT int dup3(int descriptor, int other, int flags) noexcept {
  if (descriptor != other) closing(other, address_of(dup3));
  return duplicated(descriptor, real_dup3(descriptor, other, flags));
}

// ---- new ones

RACECAST_EXPORT int pipe(int ends[2]) noexcept {
  const int result = real_pipe(ends);
  if (result == 0) {
    made(ends[0]);
    made(ends[1]);
  }
  return result;
}
RACECAST_EXPORT int pipe2(int ends[2], int flags) noexcept {
  const int result = real_pipe2(ends, flags);
  if (result == 0) {
    made(ends[0]);
    made(ends[1]);
  }
  return result;
}
RACECAST_EXPORT int eventfd(unsigned count, int flags) noexcept {
  return made(real_eventfd(count, flags));
}
RACECAST_EXPORT int epoll_create(int size) noexcept {
  return made(real_epoll_create(size), DescriptorKind::Epoll);
}
RACECAST_EXPORT int epoll_create1(int flags) noexcept {
  return made(real_epoll_create1(flags), DescriptorKind::Epoll);
}
RACECAST_EXPORT int timerfd_create(clockid_t clock, int flags) noexcept {
  return made(real_timerfd_create(clock, flags), DescriptorKind::Timer);
}
RACECAST_EXPORT int socket(int domain, int type, int protocol) noexcept {
  return made(real_socket(domain, type, protocol));
}
RACECAST_EXPORT int socketpair(int domain, int type, int protocol, int ends[2]) noexcept {
  const int result = real_socketpair(domain, type, protocol, ends);
  if (result == 0 && tracks()) {
    const KeepErrno keep;
    note_made(ends[0]);
    note_made(ends[1]);
    note_pair(ends[0], ends[1]);
  }
  return result;
}

// A thread with descriptors of its own: what is kept by their numbers is worth nothing.
RACECAST_EXPORT int unshare(int flags) noexcept {
  if ((flags & CLONE_FILES) != 0) no_table();
  return real_unshare(flags);
}
