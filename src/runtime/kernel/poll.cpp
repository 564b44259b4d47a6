// poll and select: who is told that something can be read is after who gave it; that there is room, after who made it.
#include <fcntl.h>
#include <poll.h>
#include <sys/select.h>

#include <algorithm>
#include <cerrno>

#include "runtime/kernel/caller.h"
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

// What poll reads of each descriptor, and what it writes: neighbours, which another thread may read meanwhile.
void tell_before(const Caller& caller, const pollfd* descriptors, nfds_t count) {
  for (nfds_t i = 0; i < count; ++i)
    caller.reads(&descriptors[i].fd, sizeof(descriptors[i].fd) + sizeof(descriptors[i].events));
}

int polled(const Caller& caller, const pollfd* descriptors, nfds_t count, int result, const void* callee) {
  const KeepErrno keep;
  for (nfds_t i = 0; i < count && result >= 0 && orders(); ++i) {
    const short got = descriptors[i].revents;
    constexpr short kInput = POLLIN | POLLRDNORM;
    constexpr short kOutput = POLLOUT | POLLWRNORM;
    if ((descriptors[i].events & kInput) != 0 && (got & kInput) == 0) acquire_emptied(descriptors[i].fd);
    if ((descriptors[i].events & kOutput) != 0 && (got & kOutput) == 0) acquire_filled(descriptors[i].fd);
    if ((got & (POLLIN | POLLPRI | POLLRDNORM | POLLRDBAND | POLLRDHUP | POLLHUP | POLLERR)) != 0)
      acquire_descriptor(descriptors[i].fd, callee);
    if ((got & (POLLOUT | POLLWRNORM | POLLWRBAND)) != 0) acquire_room(descriptors[i].fd);
  }
  // It writes once something is ready, so after who made it so.
  for (nfds_t i = 0; i < count && result >= 0; ++i)
    caller.writes(&descriptors[i].revents, sizeof(descriptors[i].revents));
  return result;
}

// Sets have so many bytes, whole words.
std::size_t bytes_of(int count) {
  return (static_cast<std::size_t>(count < 0 ? 0 : count) + 63) / 64 * 8;
}

// Whatever select is told, the kernel looks at no more descriptors than its table has room for now, and a set may have
// no more bits than that (a program that passes the largest number there could be). The table of proc says how many.
int looked_at(int count) {
  if (count <= FD_SETSIZE) return count;
  const long file = sys(SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0) return FD_SETSIZE;
  char text[2048];
  const long got = sys(SYS_read, file, text, sizeof(text) - 1);
  sys(SYS_close, file);
  text[std::max(got, 0L)] = 0;
  constexpr char kName[] = "\nFDSize:\t";
  const char* const found = __builtin_strstr(text, kName);
  int room = 0;
  for (const char* at = found == nullptr ? "" : found + sizeof(kName) - 1; *at >= '0' && *at <= '9'; ++at)
    room = room * 10 + (*at - '0');
  return std::min(count, std::max(room, FD_SETSIZE));
}

// The sets of a call of select, told before it and after it.
struct Sets {
  const Caller& caller;
  int count;
  const fd_set *readable, *writable, *special;
  const fd_set *wanted = nullptr, *wanted_room = nullptr;  // copies of what was asked for, of the first two

  void tell_before() const {
    for (const fd_set* set : {readable, writable, special}) caller.reads(set, bytes_of(count));
  }
  int done(int result, const void* callee) const {
    const KeepErrno keep;
    for (int descriptor = 0; descriptor < count && result >= 0 && orders(); ++descriptor) {
      if (has(wanted, descriptor) && (result == 0 || !has(readable, descriptor))) acquire_emptied(descriptor);
      if (has(wanted_room, descriptor) && (result == 0 || !has(writable, descriptor))) acquire_filled(descriptor);
      if (result == 0) continue;
      if (has(readable, descriptor) || has(special, descriptor)) acquire_descriptor(descriptor, callee);
      if (has(writable, descriptor)) acquire_room(descriptor);
    }
    for (const fd_set* set : {readable, writable, special})
      if (result >= 0) caller.writes(set, bytes_of(count));
    return result;
  }

 private:
  // A set may have more than FD_SETSIZE bits, which FD_ISSET must not be asked for.
  static bool has(const fd_set* set, int bit) {
    if (set == nullptr) return false;
    const auto* words = reinterpret_cast<const unsigned long*>(set);
    return (words[static_cast<unsigned>(bit) / 64] >> (static_cast<unsigned>(bit) % 64) & 1) != 0;
  }
};

}  // namespace
}  // namespace racecast::runtime

using namespace racecast::runtime;

// On the stack of the caller of the macro, since a set may have any size.
#define RACECAST_WANTED(count, set) \
  ((set) == nullptr || !orders()    \
       ? nullptr                    \
       : static_cast<fd_set*>(__builtin_memcpy(__builtin_alloca(bytes_of(count) + 8), (set), bytes_of(count))))

RACECAST_EXPORT int poll(pollfd* descriptors, nfds_t count, int timeout) {
  const Caller caller = RACECAST_CALLER;
  tell_before(caller, descriptors, count);
  return polled(caller, descriptors, count, real_poll(descriptors, count, timeout), address_of(poll));
}
RACECAST_EXPORT int __poll_chk(pollfd* descriptors, nfds_t count, int timeout, std::size_t room) {
  const Caller caller = RACECAST_CALLER;
  tell_before(caller, descriptors, count);
  return polled(caller, descriptors, count, real_poll_chk(descriptors, count, timeout, room), address_of(poll));
}
RACECAST_EXPORT int ppoll(pollfd* descriptors, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  const Caller caller = RACECAST_CALLER;
  tell_before(caller, descriptors, count);
  return polled(caller, descriptors, count, real_ppoll(descriptors, count, timeout, mask), address_of(ppoll));
}
RACECAST_EXPORT int __ppoll_chk(pollfd* descriptors, nfds_t count, const timespec* timeout, const sigset_t* mask,
                                std::size_t room) {
  const Caller caller = RACECAST_CALLER;
  tell_before(caller, descriptors, count);
  return polled(caller, descriptors, count, real_ppoll_chk(descriptors, count, timeout, mask, room), address_of(ppoll));
}
RACECAST_EXPORT int select(int count, fd_set* readable, fd_set* writable, fd_set* special, timeval* timeout) {
  const Caller caller = RACECAST_CALLER;
  const int most = looked_at(count);
  const Sets sets{
      caller, most, readable, writable, special, RACECAST_WANTED(most, readable), RACECAST_WANTED(most, writable)};
  sets.tell_before();
  caller.reads(timeout, sizeof(*timeout));
  const int result = sets.done(real_select(count, readable, writable, special, timeout), address_of(select));
  // The time that is left.
  if (result >= 0 || errno == EINTR) caller.writes(timeout, sizeof(*timeout));
  return result;
}
RACECAST_EXPORT int pselect(int count, fd_set* readable, fd_set* writable, fd_set* special, const timespec* timeout,
                            const sigset_t* mask) {
  const Caller caller = RACECAST_CALLER;
  const int most = looked_at(count);
  const Sets sets{
      caller, most, readable, writable, special, RACECAST_WANTED(most, readable), RACECAST_WANTED(most, writable)};
  sets.tell_before();
  caller.reads(timeout, sizeof(*timeout));
  return sets.done(real_pselect(count, readable, writable, special, timeout, mask), address_of(pselect));
}
