// flock, lockf and fcntl's locks; and the other uses of fcntl.
//
// A lock on a file excludes other processes, and threads only where each has opened the file itself (flock, OFD locks).
// So it is no mutex of the trace: who has given it back is before who takes it later, and who has taken it before who
// then does not get it, nothing else. That is a release and an acquire of the file, and of what is outside.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>

#include "runtime/core/signals.h"
#include "runtime/kernel/descriptor.h"
#include "runtime/kernel/descriptor_lives.h"
#include "runtime/kernel/file_locks.h"
#include "runtime/posix/interceptor.h"

namespace racecast::runtime {
namespace {

RACECAST_REAL<int(int, int)> real_flock{"flock"};
RACECAST_REAL<int(int, int, off_t)> real_lockf{"lockf"};
RACECAST_REAL<int(int, int, void*)> real_fcntl{"fcntl64"};

constinit std::atomic<bool> used{false};

void release_lock(int descriptor) {
  if (!orders()) return;
  release(abi::place(abi::PlaceKind::Lock, describe(descriptor).number));
  release(abi::kOutside);
}
void acquire_lock(int descriptor) {
  used.store(true, std::memory_order_relaxed);
  if (!orders()) return;
  acquire(abi::place(abi::PlaceKind::Lock, describe(descriptor).number));
  acquire(abi::kOutside);
}

enum class Use { Other, Duplicate, Take, Ask };
Use use_of(int command) {
  switch (command) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC: return Use::Duplicate;
    case F_SETLK:
    case F_SETLKW:
    case F_OFD_SETLK:
    case F_OFD_SETLKW: return Use::Take;
    case F_GETLK:
    case F_OFD_GETLK: return Use::Ask;
    default: return Use::Other;
  }
}

// A call that takes a lock or gives one back. Who takes it releases, too: another may be told that it is taken. (And a
// lock that is taken for reading may be one that was held for writing.)
template <typename Call>
int change_lock(int descriptor, bool takes, const Call& call) {
  release_lock(descriptor);
  const int result = call();
  const KeepErrno keep;
  const bool refused = result != 0 && (errno == EWOULDBLOCK || errno == EAGAIN || errno == EACCES);
  if (takes && (result == 0 || refused)) acquire_lock(descriptor);
  return result;
}

// What happens to a descriptor will send a signal.
bool makes_signals(int command, const void* argument) {
  switch (command) {
    case F_SETSIG:
    case F_SETLEASE:
    case F_NOTIFY: return true;
    case F_SETFL: return (reinterpret_cast<std::uintptr_t>(argument) & O_ASYNC) != 0;
    default: return false;
  }
}

int control(int descriptor, int command, void* argument) {
  const Use use = use_of(command);
  if (use == Use::Take && argument != nullptr)
    return change_lock(descriptor, static_cast<const struct flock*>(argument)->l_type != F_UNLCK,
                       [&] { return real_fcntl(descriptor, command, argument); });
  if (makes_signals(command, argument)) note_descriptor_signals();
  const int result = real_fcntl(descriptor, command, argument);
  if (use == Use::Duplicate) return duplicated(descriptor, result);
  if (command == F_SETPIPE_SZ && result >= 0 && tracks()) forget_room(descriptor);
  if (use == Use::Ask && result == 0) acquire_lock(descriptor);
  return result;
}

}  // namespace

void release_file_locks(int descriptor) {
  if (used.load(std::memory_order_relaxed) && describe(descriptor).kind == DescriptorKind::File)
    release_lock(descriptor);
}

}  // namespace racecast::runtime

using namespace racecast::runtime;

RACECAST_EXPORT int flock(int descriptor, int operation) noexcept {
  return change_lock(descriptor, (operation & ~LOCK_NB) != LOCK_UN, [&] { return real_flock(descriptor, operation); });
}

RACECAST_EXPORT int lockf(int descriptor, int command, off_t size) {
  return change_lock(descriptor, command != F_ULOCK, [&] { return real_lockf(descriptor, command, size); });
}
RACECAST_EXPORT int lockf64(int descriptor, int command, off64_t size) {
  return change_lock(descriptor, command != F_ULOCK, [&] { return real_lockf(descriptor, command, size); });
}

// The third argument is a number or a pointer; both are passed on as they come.
RACECAST_EXPORT int fcntl(int descriptor, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  return control(descriptor, command, argument);
}
RACECAST_EXPORT int fcntl64(int descriptor, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  return control(descriptor, command, argument);
}
