// poll and select: who is told that something can be read is after who gave it; that there is room, after who made it.
#include <poll.h>
#include <sys/select.h>

#include "runtime/kernel/descriptor.h"
#include "runtime/posix/interceptor.h"

namespace racecast::runtime {
namespace {

RACECAST_REAL<int(pollfd*, nfds_t, int)> real_poll{"poll"};
RACECAST_REAL<int(pollfd*, nfds_t, int, std::size_t)> real_poll_chk{"__poll_chk"};
RACECAST_REAL<int(pollfd*, nfds_t, const timespec*, const sigset_t*)> real_ppoll{"ppoll"};
RACECAST_REAL<int(pollfd*, nfds_t, const timespec*, const sigset_t*, std::size_t)> real_ppoll_chk{"__ppoll_chk"};
RACECAST_REAL<int(int, fd_set*, fd_set*, fd_set*, timeval*)> real_select{"select"};
RACECAST_REAL<int(int, fd_set*, fd_set*, fd_set*, const timespec*, const sigset_t*)> real_pselect{"pselect"};

int polled(const pollfd* descriptors, nfds_t count, int result, const void* callee) {
  if (result <= 0 || !orders()) return result;
  const KeepErrno keep;
  for (nfds_t i = 0; i < count; ++i) {
    const short got = descriptors[i].revents;
    if ((got & (POLLIN | POLLPRI | POLLRDNORM | POLLRDBAND | POLLRDHUP | POLLHUP | POLLERR)) != 0)
      acquire_descriptor(descriptors[i].fd, callee);
    if ((got & (POLLOUT | POLLWRNORM | POLLWRBAND)) != 0) acquire_room(descriptors[i].fd);
  }
  return result;
}

int selected(int count, const fd_set* readable, const fd_set* writable, const fd_set* special, int result,
             const void* callee) {
  if (result <= 0 || !orders()) return result;
  const KeepErrno keep;
  // A set may have more than FD_SETSIZE bits, which FD_ISSET must not be asked for.
  const auto has = [](const fd_set* set, int bit) {
    if (set == nullptr) return false;
    const auto* words = reinterpret_cast<const unsigned long*>(set);
    return (words[static_cast<unsigned>(bit) / 64] >> (static_cast<unsigned>(bit) % 64) & 1) != 0;
  };
  for (int descriptor = 0; descriptor < count; ++descriptor) {
    if (has(readable, descriptor) || has(special, descriptor)) acquire_descriptor(descriptor, callee);
    if (has(writable, descriptor)) acquire_room(descriptor);
  }
  return result;
}

}  // namespace
}  // namespace racecast::runtime

using namespace racecast::runtime;

RACECAST_EXPORT int poll(pollfd* descriptors, nfds_t count, int timeout) {
  return polled(descriptors, count, real_poll(descriptors, count, timeout), address_of(poll));
}
RACECAST_EXPORT int __poll_chk(pollfd* descriptors, nfds_t count, int timeout, std::size_t room) {
  return polled(descriptors, count, real_poll_chk(descriptors, count, timeout, room), address_of(poll));
}
RACECAST_EXPORT int ppoll(pollfd* descriptors, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  return polled(descriptors, count, real_ppoll(descriptors, count, timeout, mask), address_of(ppoll));
}
RACECAST_EXPORT int __ppoll_chk(pollfd* descriptors, nfds_t count, const timespec* timeout, const sigset_t* mask,
                                std::size_t room) {
  return polled(descriptors, count, real_ppoll_chk(descriptors, count, timeout, mask, room), address_of(ppoll));
}
RACECAST_EXPORT int select(int count, fd_set* readable, fd_set* writable, fd_set* special, timeval* timeout) {
  return selected(count, readable, writable, special, real_select(count, readable, writable, special, timeout),
                  address_of(select));
}
RACECAST_EXPORT int pselect(int count, fd_set* readable, fd_set* writable, fd_set* special, const timespec* timeout,
                            const sigset_t* mask) {
  return selected(count, readable, writable, special, real_pselect(count, readable, writable, special, timeout, mask),
                  address_of(pselect));
}
