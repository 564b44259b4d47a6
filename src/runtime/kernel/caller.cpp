// See caller.h.
#include "runtime/kernel/caller.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <climits>

#include "runtime/core/access.h"
#include "runtime/core/modules.h"
#include "runtime/core/record.h"
#include "runtime/posix/interceptor.h"

namespace racecast::runtime {
namespace {

// Where code with hooks was found last: the executable, mostly.
constinit std::atomic<const char*> last_begin{nullptr};
constinit std::atomic<const char*> last_end{nullptr};

}  // namespace

bool is_recorded_code(const void* address) {
  const auto* const code = static_cast<const char*>(address);
  const char* const end = last_end.load(std::memory_order_acquire);
  if (code < end && last_begin.load(std::memory_order_acquire) <= code) return true;
  dl_find_object found;
  if (::_dl_find_object(const_cast<void*>(address), &found) != 0 ||
      !has_module_in(found.dlfo_map_start, found.dlfo_map_end))
    return false;
  // Between the two stores nothing is found.
  last_end.store(nullptr, std::memory_order_release);
  last_begin.store(static_cast<const char*>(found.dlfo_map_start), std::memory_order_release);
  last_end.store(static_cast<const char*>(found.dlfo_map_end), std::memory_order_release);
  return true;
}

Caller::Caller(const void* from)
    : recorded_(!in_runtime() && (recording() != nullptr || watching() != nullptr) && is_recorded_code(from)) {}

void Caller::reads(const void* memory, std::size_t bytes) const {
  if (recorded_ && memory != nullptr && bytes != 0) tell_bulk(false, memory, bytes);
}
void Caller::writes(const void* memory, std::size_t bytes) const {
  if (recorded_ && memory != nullptr && bytes != 0) tell_bulk(true, memory, bytes);
}

void Caller::reads_parts(const iovec* parts, std::size_t count) const {
  if (!recorded_ || parts == nullptr || count > IOV_MAX) return;  // the kernel takes no more
  reads(parts, count * sizeof(iovec));
  for (std::size_t i = 0; i < count; ++i) reads(parts[i].iov_base, parts[i].iov_len);
}
void Caller::writes_parts(const iovec* parts, std::size_t count, ssize_t bytes) const {
  if (!recorded_ || parts == nullptr) return;
  for (std::size_t i = 0; i < count && bytes > 0; ++i) {
    const std::size_t here = std::min(parts[i].iov_len, static_cast<std::size_t>(bytes));
    writes(parts[i].iov_base, here);
    bytes -= static_cast<ssize_t>(here);
  }
}

void Caller::sends(const msghdr& message) const {
  reads(&message, sizeof(message));
  reads(message.msg_name, message.msg_namelen);
  reads(message.msg_control, message.msg_controllen);
  reads_parts(message.msg_iov, message.msg_iovlen);
}
void Caller::receives(const msghdr& message, ssize_t bytes) const {
  if (!recorded_ || bytes < 0) return;
  reads(message.msg_iov, message.msg_iovlen * sizeof(iovec));
  writes_parts(message.msg_iov, message.msg_iovlen, bytes);
  writes(message.msg_name, message.msg_namelen);
  writes(message.msg_control, message.msg_controllen);
  // Lengths and flags.
  writes(&message.msg_namelen, sizeof(message.msg_namelen));
  writes(&message.msg_controllen, sizeof(message.msg_controllen) + sizeof(message.msg_flags));
}

void Caller::writes_address(const sockaddr* address, const socklen_t* length, socklen_t room) const {
  if (!recorded_ || address == nullptr || length == nullptr) return;
  writes(length, sizeof(*length));
  writes(address, std::min(room, *length));
}

}  // namespace racecast::runtime
