// POSIX asynchronous input and output: libc reads and writes in threads of its own. Who asked for it is before who
// learns that it was done, and what was done is a read from, or a write to, a descriptor.
#include <aio.h>
#include <netdb.h>

#include <cerrno>
#include <cstddef>

#include "runtime/kernel/callbacks.h"
#include "runtime/kernel/descriptor.h"
#include "runtime/posix/interceptor.h"

namespace racecast::runtime {
namespace {

RACECAST_REAL<int(aiocb*)> real_read{"aio_read"};
RACECAST_REAL<int(aiocb*)> real_write{"aio_write"};
RACECAST_REAL<int(int, aiocb*)> real_fsync{"aio_fsync"};
RACECAST_REAL<int(int, aiocb* const*, int, sigevent*)> real_listio{"lio_listio"};
RACECAST_REAL<int(const aiocb*)> real_error{"aio_error"};
RACECAST_REAL<ssize_t(aiocb*)> real_return{"aio_return"};
RACECAST_REAL<int(const aiocb* const*, int, const timespec*)> real_suspend{"aio_suspend"};
RACECAST_REAL<int(int, gaicb**, int, sigevent*)> real_getaddrinfo_a{"getaddrinfo_a"};

std::uint64_t place_of(const aiocb* block) {
  return reinterpret_cast<std::uint64_t>(block);
}

void ask(aiocb* block, int what, const void* callee) {
  wrap_in_place(&block->aio_sigevent);
  if (!orders()) return;
  release(place_of(block));
  release(abi::kOutside);  // it may send a signal when it is done
  if (what == LIO_WRITE) release_descriptor(block->aio_fildes, callee);
  if (what == LIO_READ) release_room(block->aio_fildes);
}

void learn(const aiocb* block, const void* callee) {
  if (block == nullptr || !orders()) return;
  const KeepErrno keep;
  acquire(place_of(block));
  if (block->aio_lio_opcode == LIO_READ) acquire_descriptor(block->aio_fildes, callee);
  if (block->aio_lio_opcode == LIO_WRITE) acquire_room(block->aio_fildes);
}
void learn_those_done(const aiocb* const* blocks, int count, const void* callee) {
  const KeepErrno keep;
  for (int i = 0; i < count; ++i)
    if (blocks[i] != nullptr && real_error(blocks[i]) != EINPROGRESS) learn(blocks[i], callee);
}

int list(int mode, aiocb* const* blocks, int count, sigevent* event, const void* callee) {
  for (int i = 0; i < count; ++i)
    if (blocks[i] != nullptr) ask(blocks[i], blocks[i]->aio_lio_opcode, callee);
  Notification notification(mode == LIO_NOWAIT ? event : nullptr, true);
  sigevent* const given = mode == LIO_NOWAIT ? const_cast<sigevent*>(notification.event()) : event;
  const int result = notification.done(real_listio(mode, blocks, count, given));
  if (mode == LIO_WAIT) learn_those_done(blocks, count, callee);
  return result;
}

int error(const aiocb* block, const void* callee) {
  const int result = real_error(block);
  if (result != EINPROGRESS) learn(block, callee);
  return result;
}

int suspend(const aiocb* const* blocks, int count, const timespec* timeout, const void* callee) {
  const int result = real_suspend(blocks, count, timeout);
  if (result == 0) learn_those_done(blocks, count, callee);
  return result;
}

// On this machine the two structures are one.
aiocb* plain(aiocb64* block) {
  return reinterpret_cast<aiocb*>(block);
}
const aiocb* plain(const aiocb64* block) {
  return reinterpret_cast<const aiocb*>(block);
}
static_assert(sizeof(aiocb) == sizeof(aiocb64));

}  // namespace

void learn_of(const sigevent* event) {
  const auto* const at = reinterpret_cast<const char*>(event) - offsetof(aiocb, aio_sigevent);
  learn(reinterpret_cast<const aiocb*>(at), address_of(aio_return));
}

}  // namespace racecast::runtime

using namespace racecast::runtime;

RACECAST_EXPORT int aio_read(aiocb* block) noexcept {
  ask(block, LIO_READ, address_of(aio_read));
  return real_read(block);
}
RACECAST_EXPORT int aio_read64(aiocb64* block) noexcept {
  ask(plain(block), LIO_READ, address_of(aio_read64));
  return real_read(plain(block));
}
RACECAST_EXPORT int aio_write(aiocb* block) noexcept {
  ask(block, LIO_WRITE, address_of(aio_write));
  return real_write(block);
}
RACECAST_EXPORT int aio_write64(aiocb64* block) noexcept {
  ask(plain(block), LIO_WRITE, address_of(aio_write64));
  return real_write(plain(block));
}
RACECAST_EXPORT int aio_fsync(int operation, aiocb* block) noexcept {
  ask(block, LIO_NOP, address_of(aio_fsync));
  return real_fsync(operation, block);
}
RACECAST_EXPORT int aio_fsync64(int operation, aiocb64* block) noexcept {
  ask(plain(block), LIO_NOP, address_of(aio_fsync64));
  return real_fsync(operation, plain(block));
}
RACECAST_EXPORT int lio_listio(int mode, aiocb* const blocks[], int count, sigevent* event) noexcept {
  return list(mode, blocks, count, event, address_of(lio_listio));
}
RACECAST_EXPORT int lio_listio64(int mode, aiocb64* const blocks[], int count, sigevent* event) noexcept {
  return list(mode, reinterpret_cast<aiocb* const*>(blocks), count, event, address_of(lio_listio64));
}
RACECAST_EXPORT int aio_error(const aiocb* block) noexcept {
  return error(block, address_of(aio_error));
}
RACECAST_EXPORT int aio_error64(const aiocb64* block) noexcept {
  return error(plain(block), address_of(aio_error64));
}
RACECAST_EXPORT ssize_t aio_return(aiocb* block) noexcept {
  learn(block, address_of(aio_return));
  return real_return(block);
}
RACECAST_EXPORT ssize_t aio_return64(aiocb64* block) noexcept {
  learn(plain(block), address_of(aio_return64));
  return real_return(plain(block));
}
RACECAST_EXPORT int aio_suspend(const aiocb* const blocks[], int count, const timespec* timeout) {
  return suspend(blocks, count, timeout, address_of(aio_suspend));
}
RACECAST_EXPORT int aio_suspend64(const aiocb64* const blocks[], int count, const timespec* timeout) {
  return suspend(reinterpret_cast<const aiocb* const*>(blocks), count, timeout, address_of(aio_suspend64));
}

// Names are looked up in threads of libc's own; who learns of it, the table of library functions tells.
RACECAST_EXPORT int getaddrinfo_a(int mode, gaicb* list[], int count, sigevent* event) {
  Notification notification(mode == GAI_NOWAIT ? event : nullptr);
  const Everything all(address_of(getaddrinfo_a));
  sigevent* const given = mode == GAI_NOWAIT ? const_cast<sigevent*>(notification.event()) : event;
  return notification.done(real_getaddrinfo_a(mode, list, count, given));
}
