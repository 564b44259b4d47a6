// epoll. Who waits gets the data that a descriptor was registered with: so it is after who registered it, and after
// what was given to just that descriptor.
//
// What was registered is kept in sets of a few, by the instance and the data, so that an event leads to descriptors
// without a system call; descriptors with the same data are kept all or none. What does not fit, or came in by a
// duplicate that nobody saw, the kernel still knows (fdinfo lists all). An instance has a number of ours
// (descriptor_table.h); the place of a registration is that of the data alone, since it must be the same for
// duplicates, too. What is registered no more may stay: that may hide a race, nothing else.
#include <sys/epoll.h>

#include <atomic>
#include <cstring>

#include "runtime/kernel/descriptor.h"
#include "runtime/kernel/descriptor_lives.h"
#include "runtime/posix/interceptor.h"

namespace racecast::runtime {
namespace {

RACECAST_REAL<int(int, int, int, epoll_event*)> real_epoll_ctl{"epoll_ctl"};
RACECAST_REAL<int(int, epoll_event*, int, int)> real_epoll_wait{"epoll_wait"};
RACECAST_REAL<int(int, epoll_event*, int, int, const sigset_t*)> real_epoll_pwait{"epoll_pwait"};
RACECAST_REAL<int(int, epoll_event*, int, const timespec*, const sigset_t*)> real_epoll_pwait2{"epoll_pwait2"};

constexpr std::size_t kSets = 4096;
constexpr std::size_t kWays = 4;

// One registration; `key` is stored last and taken away first, so that what stands beside it belongs to it.
struct Way {
  std::atomic<std::uint64_t> key;  // of instance and data, odd; 0: free; kFilling
  std::atomic<std::uint64_t> target;
  std::atomic<int> descriptor;
};
constexpr std::uint64_t kFilling = 2;
struct Set {
  std::atomic<std::uint32_t> next;  // the way to give up
  std::atomic<bool> gave_up;        // a key that is not here may be registered all the same
  Way ways[kWays];
};
constinit Set sets[kSets];
// The key that a descriptor was registered with last, by its number: so that it can be taken away.
constexpr std::size_t kLast = 4096;
constinit std::atomic<std::uint64_t> last_keys[kLast];

std::uint64_t key_of(const Descriptor& epoll, std::uint64_t data) {
  return mix(epoll.number, data) | 1;
}
Set& set_of(std::uint64_t key) {
  return sets[(key >> 1) % kSets];
}
std::uint64_t place_of(std::uint64_t data) {
  return abi::place(abi::PlaceKind::Epoll, mix(data, 0));
}

std::uint64_t pack(const Descriptor& what) {
  return std::uint64_t{static_cast<std::uint8_t>(what.kind)} << 56 | std::uint64_t{what.made} << 48 | what.number;
}
Descriptor unpack(std::uint64_t target) {
  return {static_cast<DescriptorKind>(target >> 56), static_cast<std::uint8_t>(target >> 48),
          target & abi::kPlaceNumber};
}

bool is_kept(std::uint64_t key) {
  for (const Way& way : set_of(key).ways)
    if (way.key.load(std::memory_order_acquire) == key) return true;
  return false;
}

void drop(Set& set, std::uint64_t key) {
  for (Way& way : set.ways) {
    std::uint64_t same = key;
    way.key.compare_exchange_strong(same, 0);
  }
}

void keep(std::uint64_t key, int descriptor) {
  Set& set = set_of(key);
  const std::uint64_t target = pack(describe(descriptor));
  last_keys[static_cast<unsigned>(descriptor) % kLast].store(key, std::memory_order_relaxed);
  for (const Way& way : set.ways)
    if (way.key.load(std::memory_order_acquire) == key && way.target.load(std::memory_order_relaxed) == target) return;
  for (int attempt = 0; attempt < 2; ++attempt) {
    for (Way& way : set.ways) {
      std::uint64_t none = 0;
      if (way.key.load(std::memory_order_relaxed) != 0 || !way.key.compare_exchange_strong(none, kFilling)) continue;
      way.target.store(target, std::memory_order_release);
      way.descriptor.store(descriptor, std::memory_order_release);
      way.key.store(key, std::memory_order_release);
      return;
    }
    set.gave_up.store(true, std::memory_order_release);
    drop(set, set.ways[set.next.fetch_add(1, std::memory_order_relaxed) % kWays].key.load(std::memory_order_relaxed));
  }
  drop(set, key);  // all or none
}

// Whatever is registered with this descriptor goes: it is closed, or it was said.
void take_away(int descriptor) {
  const std::uint64_t key = last_keys[static_cast<unsigned>(descriptor) % kLast].load(std::memory_order_relaxed);
  if (key == 0) return;
  for (Way& way : set_of(key).ways) {
    std::uint64_t same = key;
    if (way.key.load(std::memory_order_acquire) == key && way.descriptor.load(std::memory_order_relaxed) == descriptor)
      way.key.compare_exchange_strong(same, 0);
  }
}

// ---- what the kernel says

std::uint64_t number_at(const char* text, unsigned base) {
  while (*text == ' ' || *text == '\t') ++text;
  std::uint64_t number = 0;
  for (;; ++text) {
    const unsigned digit = *text >= '0' && *text <= '9'   ? static_cast<unsigned>(*text - '0')
                           : *text >= 'a' && *text <= 'f' ? static_cast<unsigned>(*text - 'a' + 10)
                                                          : base;
    if (digit >= base) return number;
    number = number * base + digit;
  }
}

// Every descriptor that is registered with this data. Lines of fdinfo: "tfd: 5 events: 19 data: 7 ...", events and data
// hexadecimal.
template <typename Use>
void for_each_listed(int epoll, std::uint64_t data, const Use& use) {
  FdinfoLines lines(epoll);
  while (const char* const line = lines.next()) {
    if (::strncmp(line, "tfd:", 4) != 0) continue;
    const char* const given = ::strstr(line, "data:");
    if (given != nullptr && number_at(given + 5, 16) == data) use(static_cast<int>(number_at(line + 4, 10)));
  }
}

// ---- waiting

void acquire_ready(int descriptor, const Descriptor& what, std::uint32_t events, const void* callee) {
  // Its number may be that of another one by now, whose ends nobody must take for those of this one.
  if (what.kind == DescriptorKind::Socket && describe(descriptor).number != what.number)
    return order_everything(callee);
  if ((events & ~(EPOLLOUT | EPOLLWRNORM | EPOLLWRBAND)) != 0) acquire_described(descriptor, what, callee);
  if ((events & EPOLLOUT) != 0) acquire_room(descriptor);
}

// False: nothing is known of it.
bool acquire_kept(std::uint64_t key, std::uint32_t events, const void* callee) {
  bool found = false;
  for (const Way& way : set_of(key).ways) {
    if (way.key.load(std::memory_order_acquire) != key) continue;
    const Descriptor what = unpack(way.target.load(std::memory_order_acquire));
    const int descriptor = way.descriptor.load(std::memory_order_acquire);
    if (way.key.load(std::memory_order_acquire) != key) continue;
    acquire_ready(descriptor, what, events, callee);
    found = true;
  }
  return found;
}

int waited(int epoll, const epoll_event* events, int count, const void* callee) {
  if (count <= 0 || !orders()) return count;
  const KeepErrno keep_errno;
  const Descriptor instance = describe(epoll);
  for (int i = 0; i < count; ++i) {
    const std::uint64_t data = events[i].data.u64;
    acquire(place_of(data));
    const std::uint64_t key = key_of(instance, data);
    if (acquire_kept(key, events[i].events, callee)) continue;
    bool found = false;
    for_each_listed(epoll, data, [&](int descriptor) {
      found = true;
      acquire_ready(descriptor, describe(descriptor), events[i].events, callee);
      keep(key, descriptor);
    });
    if (!found) order_everything(callee);
  }
  return count;
}

}  // namespace

void forget_registrations(int descriptor) {
  take_away(descriptor);
}

}  // namespace racecast::runtime

using namespace racecast::runtime;

RACECAST_EXPORT int epoll_ctl(int epoll, int operation, int descriptor, epoll_event* event) noexcept {
  if (!tracks()) return real_epoll_ctl(epoll, operation, descriptor, event);
  if ((operation != EPOLL_CTL_ADD && operation != EPOLL_CTL_MOD) || event == nullptr) {
    take_away(descriptor);
    return real_epoll_ctl(epoll, operation, descriptor, event);
  }
  const std::uint64_t data = event->data.u64;
  const std::uint64_t key = key_of(describe(epoll), data);
  // Where others may have been registered with this data, they are looked for afterwards.
  const bool alone = is_kept(key) || !set_of(key).gave_up.load(std::memory_order_acquire);
  {
    const KeepErrno keep_errno;
    if (alone) keep(key, descriptor);
    if (orders()) release(place_of(data));
  }
  const int result = real_epoll_ctl(epoll, operation, descriptor, event);
  const KeepErrno keep_errno;
  if (!alone && result == 0) for_each_listed(epoll, data, [&](int other) { keep(key, other); });
  return result;
}
RACECAST_EXPORT int epoll_wait(int epoll, epoll_event* events, int count, int timeout) {
  return waited(epoll, events, real_epoll_wait(epoll, events, count, timeout), address_of(epoll_wait));
}
RACECAST_EXPORT int epoll_pwait(int epoll, epoll_event* events, int count, int timeout, const sigset_t* mask) {
  return waited(epoll, events, real_epoll_pwait(epoll, events, count, timeout, mask), address_of(epoll_pwait));
}
RACECAST_EXPORT int epoll_pwait2(int epoll, epoll_event* events, int count, const timespec* timeout,
                                 const sigset_t* mask) {
  return waited(epoll, events, real_epoll_pwait2(epoll, events, count, timeout, mask), address_of(epoll_pwait2));
}
