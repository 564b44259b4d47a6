// Calls on sockets. What a connection and a datagram order, sockets.h tells; and who connects is before who accepts,
// who began to listen (or gave a UNIX socket its name) before who could connect.
//
// A descriptor that is sent to another process is private no more; one that was received is looked at anew.
#include <sys/socket.h>
#include <sys/types.h>

#include "runtime/kernel/caller.h"
#include "runtime/kernel/descriptor.h"
#include "runtime/kernel/descriptor_lives.h"
#include "runtime/kernel/sockets.h"
#include "runtime/posix/interceptor.h"

namespace racecast::runtime {
namespace {

RACECAST_REAL<ssize_t(int, const void*, size_t, int)> real_send{"send"};
RACECAST_REAL<ssize_t(int, const void*, size_t, int, const sockaddr*, socklen_t)> real_sendto{"sendto"};
RACECAST_REAL<ssize_t(int, const msghdr*, int)> real_sendmsg{"sendmsg"};
RACECAST_REAL<int(int, mmsghdr*, unsigned, int)> real_sendmmsg{"sendmmsg"};
RACECAST_REAL<ssize_t(int, void*, size_t, int)> real_recv{"recv"};
RACECAST_REAL<ssize_t(int, void*, size_t, size_t, int)> real_recv_chk{"__recv_chk"};
RACECAST_REAL<ssize_t(int, void*, size_t, int, sockaddr*, socklen_t*)> real_recvfrom{"recvfrom"};
RACECAST_REAL<ssize_t(int, void*, size_t, size_t, int, sockaddr*, socklen_t*)> real_recvfrom_chk{"__recvfrom_chk"};
RACECAST_REAL<ssize_t(int, msghdr*, int)> real_recvmsg{"recvmsg"};
RACECAST_REAL<int(int, mmsghdr*, unsigned, int, timespec*)> real_recvmmsg{"recvmmsg"};
RACECAST_REAL<int(int, sockaddr*, socklen_t*)> real_accept{"accept"};
RACECAST_REAL<int(int, sockaddr*, socklen_t*, int)> real_accept4{"accept4"};
RACECAST_REAL<int(int, const sockaddr*, socklen_t)> real_connect{"connect"};
RACECAST_REAL<int(int, const sockaddr*, socklen_t)> real_bind{"bind"};
RACECAST_REAL<int(int, int)> real_listen{"listen"};
RACECAST_REAL<int(int, int)> real_shutdown{"shutdown"};

// ---- messages

// To an address of its own; connections know theirs.
void release_to(const void* address, socklen_t length) {
  if (address == nullptr || length == 0 || !orders()) return;
  release(datagram_to(static_cast<const sockaddr*>(address), length));
  release(abi::kOutside);
}
// It has arrived at a UNIX socket, so somebody has given that its name.
void acquire_name(const void* address, socklen_t length) {
  if (address == nullptr || length < sizeof(sa_family_t) || !orders()) return;
  const auto* const to = static_cast<const sockaddr*>(address);
  if (to->sa_family == AF_UNIX) acquire(listener_at(to, length));
}

template <typename Use>
void for_each_descriptor(const msghdr& message, const Use& use) {
  if (message.msg_control == nullptr) return;
  for (const cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(const_cast<msghdr*>(&message), const_cast<cmsghdr*>(part))) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS || part->cmsg_len < CMSG_LEN(0)) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int descriptor = -1;
      __builtin_memcpy(&descriptor, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
      use(descriptor);
    }
  }
}
void descriptors_leave(const msghdr& message) {
  if (!tracks()) return;
  bool any = false;
  for_each_descriptor(message, [&](int) { any = true; });
  if (any) note_company();
}
void descriptors_came(const msghdr& message) {
  if (!tracks()) return;
  for_each_descriptor(message, [](int descriptor) { forget_descriptor(descriptor); });
}

ssize_t received(const Caller& caller, void* to, ssize_t result, const sockaddr* from, const socklen_t* length,
                 socklen_t room) {
  if (result >= 0) {
    caller.writes(to, static_cast<std::size_t>(result));
    caller.writes_address(from, length, room);
  }
  return result;
}

// ---- connections

int accepted(int descriptor) {
  if (made(descriptor) < 0 || !tracks()) return descriptor;
  const KeepErrno keep;
  // Now: when the other end is closed, nobody can tell any more which it was.
  if (const Descriptor what = describe(descriptor); what.kind == DescriptorKind::Socket) ends_of(descriptor, what);
  return descriptor;
}

}  // namespace
}  // namespace racecast::runtime

using namespace racecast::runtime;

// ---- what sends

RACECAST_EXPORT ssize_t send(int descriptor, const void* from, size_t size, int flags) {
  Sending sending(descriptor, address_of(send));
  return sending.done(real_send(descriptor, from, size, flags));
}
RACECAST_EXPORT ssize_t sendto(int descriptor, const void* from, size_t size, int flags, const sockaddr* to,
                               socklen_t length) {
  release_to(to, length);
  Sending sending(descriptor, address_of(sendto));
  const ssize_t result = sending.done(real_sendto(descriptor, from, size, flags, to, length));
  if (result >= 0) acquire_name(to, length);
  return result;
}
RACECAST_EXPORT ssize_t sendmsg(int descriptor, const msghdr* message, int flags) {
  RACECAST_CALLER.sends(*message);
  descriptors_leave(*message);
  release_to(message->msg_name, message->msg_namelen);
  Sending sending(descriptor, address_of(sendmsg));
  const ssize_t result = sending.done(real_sendmsg(descriptor, message, flags));
  if (result >= 0) acquire_name(message->msg_name, message->msg_namelen);
  return result;
}
RACECAST_EXPORT int sendmmsg(int descriptor, mmsghdr* messages, unsigned count, int flags) {
  const Caller caller = RACECAST_CALLER;
  for (unsigned i = 0; i < count; ++i) {
    caller.sends(messages[i].msg_hdr);
    descriptors_leave(messages[i].msg_hdr);
    release_to(messages[i].msg_hdr.msg_name, messages[i].msg_hdr.msg_namelen);
  }
  Sending sending(descriptor, address_of(sendmmsg));
  const int result = real_sendmmsg(descriptor, messages, count, flags);
  if (result < 0) return sending.done(result);
  for (int i = 0; i < result; ++i) {
    sending.done(messages[i].msg_len);
    caller.writes(&messages[i].msg_len, sizeof(messages[i].msg_len));
    acquire_name(messages[i].msg_hdr.msg_name, messages[i].msg_hdr.msg_namelen);
  }
  return result;
}
RACECAST_EXPORT int shutdown(int descriptor, int how) noexcept {
  release_descriptor(descriptor, address_of(shutdown));
  if (how != SHUT_WR) release_own_end(descriptor);  // who reads there is told that it is the end
  return real_shutdown(descriptor, how);
}

// ---- what receives

RACECAST_EXPORT ssize_t recv(int descriptor, void* to, size_t size, int flags) {
  Receiving receiving(descriptor, address_of(recv));
  return receiving.done(real_recv(descriptor, to, size, flags));
}
RACECAST_EXPORT ssize_t __recv_chk(int descriptor, void* to, size_t size, size_t room, int flags) {
  Receiving receiving(descriptor, address_of(recv));
  return receiving.done(real_recv_chk(descriptor, to, size, room, flags));
}
RACECAST_EXPORT ssize_t recvfrom(int descriptor, void* to, size_t size, int flags, sockaddr* from, socklen_t* length) {
  const Caller caller = RACECAST_CALLER;
  const socklen_t room = Caller::room_of(length);
  Receiving receiving(descriptor, address_of(recvfrom));
  const ssize_t result = receiving.done(real_recvfrom(descriptor, to, size, flags, from, length));
  return received(caller, to, result, from, length, room);
}
RACECAST_EXPORT ssize_t __recvfrom_chk(int descriptor, void* to, size_t size, size_t room, int flags, sockaddr* from,
                                       socklen_t* length) {
  const Caller caller = RACECAST_CALLER;
  const socklen_t address_room = Caller::room_of(length);
  Receiving receiving(descriptor, address_of(recvfrom));
  const ssize_t result = receiving.done(real_recvfrom_chk(descriptor, to, size, room, flags, from, length));
  return received(caller, to, result, from, length, address_room);
}
RACECAST_EXPORT ssize_t recvmsg(int descriptor, msghdr* message, int flags) {
  const Caller caller = RACECAST_CALLER;
  Receiving receiving(descriptor, address_of(recvmsg));
  const ssize_t result = receiving.done(real_recvmsg(descriptor, message, flags));
  if (result >= 0) descriptors_came(*message);
  caller.receives(*message, result);
  return result;
}
RACECAST_EXPORT int recvmmsg(int descriptor, mmsghdr* messages, unsigned count, int flags, timespec* timeout) {
  const Caller caller = RACECAST_CALLER;
  Receiving receiving(descriptor, address_of(recvmmsg));
  const int result = receiving.done(real_recvmmsg(descriptor, messages, count, flags, timeout));
  for (int i = 0; i < result; ++i) {
    descriptors_came(messages[i].msg_hdr);
    caller.receives(messages[i].msg_hdr, messages[i].msg_len);
    caller.writes(&messages[i].msg_len, sizeof(messages[i].msg_len));
  }
  return result;
}

// ---- connecting

RACECAST_EXPORT int bind(int descriptor, const sockaddr* address, socklen_t length) noexcept {
  if (orders() && address != nullptr && length >= sizeof(sa_family_t) && address->sa_family == AF_UNIX)
    release(listener_at(address, length));
  const int result = real_bind(descriptor, address, length);
  if (result == 0 && tracks()) {
    const KeepErrno keep;
    forget_socket(descriptor);
  }
  return result;
}
RACECAST_EXPORT int listen(int descriptor, int length) noexcept {
  if (orders()) {
    release(listener_of(descriptor));
    release(racecast::abi::kOutside);
  }
  const int result = real_listen(descriptor, length);
  if (result == 0 && tracks()) {
    const KeepErrno keep;
    forget_socket(descriptor);
  }
  return result;
}
RACECAST_EXPORT int connect(int descriptor, const sockaddr* to, socklen_t length) {
  if (orders()) {
    release(connecting_to(to, length));
    release(racecast::abi::kOutside);
  }
  const int result = real_connect(descriptor, to, length);
  const KeepErrno keep;
  if (!tracks() || (result != 0 && errno != EINPROGRESS && errno != EINTR)) return result;
  forget_socket(descriptor);
  if (const Descriptor what = describe(descriptor); what.kind == DescriptorKind::Socket) ends_of(descriptor, what);
  if (orders()) {
    acquire(listener_at(to, length));
    acquire(racecast::abi::kOutside);
  }
  return result;
}
RACECAST_EXPORT int accept(int descriptor, sockaddr* from, socklen_t* length) {
  const Caller caller = RACECAST_CALLER;
  const socklen_t room = Caller::room_of(length);
  Receiving receiving(descriptor, address_of(accept));
  const int result = accepted(receiving.done(real_accept(descriptor, from, length)));
  if (result >= 0) caller.writes_address(from, length, room);
  return result;
}
RACECAST_EXPORT int accept4(int descriptor, sockaddr* from, socklen_t* length, int flags) {
  const Caller caller = RACECAST_CALLER;
  const socklen_t room = Caller::room_of(length);
  Receiving receiving(descriptor, address_of(accept4));
  const int result = accepted(receiving.done(real_accept4(descriptor, from, length, flags)));
  if (result >= 0) caller.writes_address(from, length, room);
  return result;
}
