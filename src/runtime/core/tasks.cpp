// See tasks.h. To see one thread wait is not enough: while it is looked at, it may be woken by another one that waits
// when it is looked at in turn. So first it is asked of all how often they gave up their processor to wait, then of all
// what they wait in and how often once more. Who waits, and has not begun to wait anew, has waited since the first
// question; so there was a moment, between the first round and the second, at which all of them waited. If there is no
// new one behind that, there were no others.
#include "runtime/core/tasks.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>

#include <algorithm>
#include <cstdint>

#include "runtime/core/sys.h"

namespace racecast::runtime {
namespace {

constexpr std::size_t kMaxTasks = 1024;  // of more than these it is not told that they stand still
int ids[kMaxTasks];
int ids_later[kMaxTasks];
std::uint64_t waits[kMaxTasks];  // how often it waited so far, or one of these:
constexpr std::uint64_t kGone = ~std::uint64_t{0};
constexpr std::uint64_t kUnseen = kGone - 1;

// /proc/self/task/ID/NAME into `text`, which is terminated. 0, or minus the error number.
long read_file_of(int id, const char* name, char* text, std::size_t size) {
  char path[64] = "/proc/self/task/";
  char digits[16];
  std::size_t count = 0;
  for (unsigned rest = static_cast<unsigned>(id); rest != 0 || count == 0; rest /= 10)
    digits[count++] = static_cast<char>('0' + rest % 10);
  char* at = path + ::strlen(path);
  while (count != 0) *at++ = digits[--count];
  *at++ = '/';
  ::strcpy(at, name);  // a short one of ours
  const long file = sys(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return file;
  std::size_t length = 0;
  for (long got;
       length + 1 < size && (got = sys(SYS_read, static_cast<int>(file), text + length, size - 1 - length)) > 0;)
    length += static_cast<std::size_t>(got);
  sys(SYS_close, static_cast<int>(file));
  text[length] = 0;
  return length != 0 ? 0 : -ESRCH;
}

// Of a number in base 10 or, behind "0x", 16. `text` is moved behind it.
std::uint64_t number_at(const char*& text) {
  while (*text == ' ' || *text == '\t') ++text;
  const bool hexadecimal = text[0] == '0' && text[1] == 'x';
  if (hexadecimal) text += 2;
  std::uint64_t number = 0;
  for (;; ++text) {
    const char c = *text;
    if (c >= '0' && c <= '9') {
      number = number * (hexadecimal ? 16 : 10) + static_cast<std::uint64_t>(c - '0');
    } else if (hexadecimal && c >= 'a' && c <= 'f') {
      number = number * 16 + static_cast<std::uint64_t>(c - 'a' + 10);
    } else {
      return number;
    }
  }
}

std::uint64_t waits_of(int id) {
  constexpr const char* kName = "\nvoluntary_ctxt_switches:";
  char text[4096];
  if (const long error = read_file_of(id, "status", text, sizeof(text)); error != 0)
    return error == -ENOENT || error == -ESRCH ? kGone : kUnseen;
  const char* found = ::strstr(text, kName);
  if (found == nullptr) return kUnseen;
  found += ::strlen(kName);
  return number_at(found);
}

bool is_endless_futex(std::uint64_t operation, std::uint64_t timeout) {
  switch (operation & static_cast<std::uint64_t>(FUTEX_CMD_MASK)) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
    case FUTEX_WAIT_REQUEUE_PI:
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2: return timeout == 0;
    default: return false;
  }
}

// Who waits for a child process or a lock on a file is not among these: the end of the other process may be near.
bool is_endless(std::uint64_t call, const std::uint64_t* arguments) {
  const auto forever = [&](int argument) { return static_cast<int>(arguments[argument]) < 0; };
  switch (call) {
    case SYS_futex: return is_endless_futex(arguments[1], arguments[3]);
    case SYS_read:
    case SYS_readv:
    case SYS_write:
    case SYS_writev:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_accept:
    case SYS_accept4:
    case SYS_pause:
    case SYS_rt_sigsuspend:
    case SYS_msgrcv:
    case SYS_semop: return true;
    case SYS_poll: return forever(2);
    case SYS_epoll_wait:
    case SYS_epoll_pwait: return forever(3);
    case SYS_ppoll:
    case SYS_rt_sigtimedwait: return arguments[2] == 0;
    case SYS_epoll_pwait2:
    case SYS_semtimedop: return arguments[3] == 0;
    case SYS_select:
    case SYS_pselect6:
    case SYS_recvmmsg:
    case SYS_mq_timedreceive: return arguments[4] == 0;
    default: return false;
  }
}

// "running", or the number of the system call, its six arguments, the stack pointer and that of the next instruction;
// -1 and the pointers where it waits outside of one (for a page). One that has ended, and is not gone, has none.
bool waits_for_good(int id) {
  char text[512];
  if (read_file_of(id, "syscall", text, sizeof(text)) != 0) return false;
  if (::strncmp(text, "-1 0x0 ", 7) == 0) return true;
  if (*text < '0' || *text > '9') return false;
  const char* at = text;
  const std::uint64_t call = number_at(at);
  std::uint64_t arguments[6];
  for (std::uint64_t& argument : arguments) argument = number_at(at);
  return is_endless(call, arguments);
}

}  // namespace

std::size_t list_tasks(int* ids, std::size_t room) {
  const long folder = sys(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return 0;
  std::size_t count = 0;
  alignas(dirent64) char entries[2048];
  for (long bytes; (bytes = sys(SYS_getdents64, static_cast<int>(folder), entries, sizeof(entries))) > 0;) {
    for (long at = 0; at < bytes;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
      at += entry->d_reclen;
      if (entry->d_name[0] == '.') continue;
      const char* name = entry->d_name;
      if (count < room) ids[count] = static_cast<int>(number_at(name));
      ++count;
    }
  }
  sys(SYS_close, static_cast<int>(folder));
  return count;
}

bool others_stand_still() {
  const std::size_t count = list_tasks(ids, kMaxTasks);
  if (count == 0 || count > kMaxTasks) return false;
  const auto self = static_cast<int>(sys(SYS_gettid));
  for (std::size_t i = 0; i < count; ++i) waits[i] = ids[i] == self ? kGone : waits_of(ids[i]);
  for (std::size_t i = 0; i < count; ++i) {
    if (waits[i] == kGone) continue;
    if (waits[i] == kUnseen || !waits_for_good(ids[i]) || waits_of(ids[i]) != waits[i]) return false;
  }
  const std::size_t later = list_tasks(ids_later, kMaxTasks);
  return later <= count && std::all_of(ids_later, ids_later + later,
                                       [&](int id) { return std::find(ids, ids + count, id) != ids + count; });
}

}  // namespace racecast::runtime
