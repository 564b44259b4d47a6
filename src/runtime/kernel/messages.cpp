// Message queues and semaphores of the kernel. POSIX queues are descriptors (descriptor.h); System V's are known by
// their identifiers. All of them have names, so that other processes may take part.
//
// A semaphore of System V has two kinds of waiters: who takes from it is after who gave to it, who waits until it is 0
// after who took from it.
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>

#include <cerrno>
#include <cstdarg>

#include "runtime/kernel/callbacks.h"
#include "runtime/kernel/descriptor.h"
#include "runtime/kernel/descriptor_lives.h"
#include "runtime/posix/interceptor.h"

namespace racecast::runtime {
namespace {

using abi::PlaceKind;

RACECAST_REAL<int(mqd_t, const char*, size_t, unsigned)> real_mq_send{"mq_send"};
RACECAST_REAL<int(mqd_t, const char*, size_t, unsigned, const timespec*)> real_mq_timedsend{"mq_timedsend"};
RACECAST_REAL<ssize_t(mqd_t, char*, size_t, unsigned*)> real_mq_receive{"mq_receive"};
RACECAST_REAL<ssize_t(mqd_t, char*, size_t, unsigned*, const timespec*)> real_mq_timedreceive{"mq_timedreceive"};
RACECAST_REAL<int(mqd_t, const sigevent*)> real_mq_notify{"mq_notify"};
RACECAST_REAL<int(mqd_t)> real_mq_close{"mq_close"};
RACECAST_REAL<int(int, sembuf*, size_t)> real_semop{"semop"};
RACECAST_REAL<int(int, sembuf*, size_t, const timespec*)> real_semtimedop{"semtimedop"};
RACECAST_REAL<int(int, int, int, void*)> real_semctl{"semctl"};
RACECAST_REAL<int(int, const void*, size_t, int)> real_msgsnd{"msgsnd"};
RACECAST_REAL<ssize_t(int, void*, size_t, long, int)> real_msgrcv{"msgrcv"};
RACECAST_REAL<int(int, int, msqid_ds*)> real_msgctl{"msgctl"};

std::uint64_t place_of(PlaceKind kind, int identifier) {
  return abi::place(kind, static_cast<std::uint32_t>(identifier));
}
void give(std::uint64_t place) {
  release(place);
  release(abi::kOutside);
}
void get(std::uint64_t place) {
  acquire(place);
  acquire(abi::kOutside);
}

// ---- semaphores of System V

struct Uses {
  bool gives = false, takes = false, waits_for_zero = false;
};
Uses uses_of(const sembuf* operations, std::size_t count) {
  Uses uses;
  for (std::size_t i = 0; i < count; ++i) {
    uses.gives |= operations[i].sem_op > 0;
    uses.takes |= operations[i].sem_op < 0;
    uses.waits_for_zero |= operations[i].sem_op == 0;
  }
  return uses;
}

template <typename Call>
int operate(int identifier, const sembuf* operations, std::size_t count, const Call& call) {
  if (!orders()) return call();
  const Uses uses = uses_of(operations, count);
  const std::uint64_t place = place_of(PlaceKind::Semaphore, identifier);
  const std::uint64_t zero = place_of(PlaceKind::SemaphoreZero, identifier);
  if (uses.gives) give(place);
  if (uses.takes) give(zero);
  const int result = call();
  const KeepErrno keep;
  // It was removed meanwhile, or others have left it so that this could not be done: who did so is before.
  const bool told = result != 0 && (errno == EIDRM || errno == EAGAIN);
  if ((result == 0 && uses.takes) || told) get(place);
  if ((result == 0 && uses.waits_for_zero) || told) get(zero);
  return result;
}

// ---- a queue of System V: messages one way, room the other way

std::uint64_t room_of(int identifier) {
  return abi::place(PlaceKind::Room, place_of(PlaceKind::Message, identifier));
}

}  // namespace
}  // namespace racecast::runtime

using namespace racecast::runtime;

// ---- POSIX queues

RACECAST_EXPORT int mq_send(mqd_t queue, const char* from, size_t size, unsigned priority) {
  Sending sending(queue, address_of(mq_send));
  return sending.done(real_mq_send(queue, from, size, priority));
}
RACECAST_EXPORT int mq_timedsend(mqd_t queue, const char* from, size_t size, unsigned priority, const timespec* until) {
  Sending sending(queue, address_of(mq_timedsend));
  return sending.done(real_mq_timedsend(queue, from, size, priority, until));
}
RACECAST_EXPORT ssize_t mq_receive(mqd_t queue, char* to, size_t size, unsigned* priority) {
  Receiving receiving(queue, address_of(mq_receive));
  return receiving.done(real_mq_receive(queue, to, size, priority));
}
RACECAST_EXPORT ssize_t mq_timedreceive(mqd_t queue, char* to, size_t size, unsigned* priority, const timespec* until) {
  Receiving receiving(queue, address_of(mq_timedreceive));
  return receiving.done(real_mq_timedreceive(queue, to, size, priority, until));
}
RACECAST_EXPORT int mq_notify(mqd_t queue, const sigevent* event) noexcept {
  Notification notification(event);
  return notification.done(real_mq_notify(queue, notification.event()));
}
RACECAST_EXPORT int mq_close(mqd_t queue) noexcept {
  closing(queue, address_of(mq_close));
  return real_mq_close(queue);
}

// ---- System V

RACECAST_EXPORT int semop(int identifier, sembuf* operations, size_t count) noexcept {
  return operate(identifier, operations, count, [&] { return real_semop(identifier, operations, count); });
}
RACECAST_EXPORT int semtimedop(int identifier, sembuf* operations, size_t count, const timespec* timeout) noexcept {
  return operate(identifier, operations, count,
                 [&] { return real_semtimedop(identifier, operations, count, timeout); });
}
RACECAST_EXPORT int semctl(int identifier, int number, int command, ...) noexcept {
  va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  const bool changes = command == SETVAL || command == SETALL || command == IPC_RMID;
  if (changes && orders()) {
    give(place_of(PlaceKind::Semaphore, identifier));
    give(place_of(PlaceKind::SemaphoreZero, identifier));
  }
  const int result = real_semctl(identifier, number, command, argument);
  if (result >= 0 && !changes && orders()) {
    get(place_of(PlaceKind::Semaphore, identifier));
    get(place_of(PlaceKind::SemaphoreZero, identifier));
  }
  return result;
}
RACECAST_EXPORT int msgsnd(int identifier, const void* message, size_t size, int flags) {
  if (orders()) give(place_of(PlaceKind::Message, identifier));
  const int result = real_msgsnd(identifier, message, size, flags);
  const KeepErrno keep;
  if (!orders()) return result;
  if (result == 0 || errno == EIDRM) acquire(room_of(identifier));
  if (result != 0 && errno == EAGAIN) get(place_of(PlaceKind::Message, identifier));  // it is full
  return result;
}
RACECAST_EXPORT ssize_t msgrcv(int identifier, void* message, size_t size, long type, int flags) {
  if (orders()) release(room_of(identifier));
  const ssize_t result = real_msgrcv(identifier, message, size, type, flags);
  const KeepErrno keep;
  if (!orders()) return result;
  if (result >= 0 || errno == EIDRM) get(place_of(PlaceKind::Message, identifier));
  if (result < 0 && errno == ENOMSG) acquire(room_of(identifier));  // others took what there was
  return result;
}
RACECAST_EXPORT int msgctl(int identifier, int command, msqid_ds* buffer) noexcept {
  if (orders() && command == IPC_RMID) {
    give(place_of(PlaceKind::Message, identifier));
    release(room_of(identifier));
  }
  const int result = real_msgctl(identifier, command, buffer);
  if (result >= 0 && orders() && command != IPC_RMID) get(place_of(PlaceKind::Message, identifier));
  return result;
}
