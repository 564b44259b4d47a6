// See sockets.h.
#include "runtime/kernel/sockets.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <atomic>

#include "runtime/core/sys.h"
#include "runtime/kernel/ordering.h"

namespace racecast::runtime {
namespace {

using abi::PlaceKind;

// ---- what is kept

constexpr std::size_t kSlots = 16384;

// Written by who takes `version` from even to odd; who comes second does without. A reader that finds another version
// afterwards has read nothing.
struct Slot {
  std::atomic<std::uint64_t> version;
  std::atomic<std::uint64_t> inode;
  std::atomic<std::uint64_t> to;
  std::atomic<std::uint64_t> from;
};
constinit Slot slots[kSlots];
// Places that sockets of ours send to: the number, and the epoch (descriptor_table.h) above its 48 bits.
constinit std::atomic<std::uint64_t> ours[kSlots];

bool find(std::uint64_t inode, Ends& ends) {
  const Slot& slot = slots[inode % kSlots];
  const std::uint64_t version = slot.version.load(std::memory_order_acquire);
  const bool found = slot.inode.load(std::memory_order_relaxed) == inode;
  ends.to = slot.to.load(std::memory_order_relaxed);
  ends.from = slot.from.load(std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_acquire);
  return found && version % 2 == 0 && slot.version.load(std::memory_order_relaxed) == version;
}

void keep(std::uint64_t inode, const Ends& ends) {
  Slot& slot = slots[inode % kSlots];
  std::uint64_t version = slot.version.load(std::memory_order_relaxed);
  if (version % 2 != 0 || !slot.version.compare_exchange_strong(version, version + 1)) return;
  slot.inode.store(inode, std::memory_order_release);
  slot.to.store(ends.to, std::memory_order_release);
  slot.from.store(ends.from, std::memory_order_release);
  slot.version.store(version + 2, std::memory_order_release);
}

void mark_ours(std::uint64_t place) {
  const std::uint64_t number = place & abi::kPlaceNumber;
  ours[number % kSlots].store(std::uint64_t{epoch()} << 48 | number, std::memory_order_relaxed);
}
bool is_ours(std::uint64_t place) {
  const std::uint64_t number = place & abi::kPlaceNumber;
  return epoch() != 0 &&
         ours[number % kSlots].load(std::memory_order_relaxed) == (std::uint64_t{epoch()} << 48 | number);
}

// ---- what the kernel says

constexpr std::uint64_t kUnixNames = 1;  // ports are above: they count from 1 << 8 on

std::uint64_t place_of_inode(std::uint64_t inode) {
  return abi::place(PlaceKind::Socket, mix(inode, AF_UNIX));
}

// The inode of the peer of a UNIX socket; 0: it has none (any more), or has not been accepted yet. kNobodyTells: this
// kernel does not say it, of no socket.
constexpr std::uint64_t kNobodyTells = ~std::uint64_t{0};
std::uint64_t peer_of(std::uint64_t inode) {
  const long netlink = sys(SYS_socket, AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (netlink < 0) return kNobodyTells;
  struct {
    nlmsghdr header;
    unix_diag_req request;
  } question = {};
  question.header.nlmsg_len = sizeof(question);
  question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.header.nlmsg_flags = NLM_F_REQUEST;
  question.request.sdiag_family = AF_UNIX;
  question.request.udiag_states = ~0U;
  question.request.udiag_ino = static_cast<std::uint32_t>(inode);
  question.request.udiag_show = UDIAG_SHOW_PEER;
  question.request.udiag_cookie[0] = question.request.udiag_cookie[1] = ~0U;
  alignas(nlmsghdr) char answer[1024];
  long size = sys(SYS_sendto, netlink, &question, sizeof(question), 0, nullptr, 0);
  // The kernel answers while the question is sent.
  if (size > 0) size = sys(SYS_recvfrom, netlink, answer, sizeof(answer), MSG_DONTWAIT, nullptr, nullptr);
  sys(SYS_close, netlink);
  const auto* header = reinterpret_cast<const nlmsghdr*>(answer);
  if (size >= static_cast<long>(NLMSG_LENGTH(sizeof(int))) && header->nlmsg_type == NLMSG_ERROR) {
    const int error = static_cast<const nlmsgerr*>(NLMSG_DATA(header))->error;
    if (error != -ENOENT && error != -ESTALE) return kNobodyTells;  // no module for it
  }
  if (size < static_cast<long>(NLMSG_LENGTH(sizeof(unix_diag_msg))) || header->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
      header->nlmsg_len > static_cast<std::size_t>(size))
    return 0;
  const auto* message = static_cast<const unix_diag_msg*>(NLMSG_DATA(header));
  const auto* attribute = reinterpret_cast<const rtattr*>(message + 1);
  long left = static_cast<long>(header->nlmsg_len) - static_cast<long>(NLMSG_LENGTH(sizeof(unix_diag_msg)));
  while (RTA_OK(attribute, left)) {
    if (attribute->rta_type == UNIX_DIAG_PEER) {
      std::uint32_t peer = 0;
      __builtin_memcpy(&peer, RTA_DATA(attribute), sizeof(peer));
      return peer;
    }
    attribute = RTA_NEXT(attribute, left);
  }
  return 0;
}

int option_of(int descriptor, int option) {
  int value = -1;
  socklen_t size = sizeof(value);
  return sys(SYS_getsockopt, descriptor, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

struct Address {
  sockaddr_storage storage = {};
  socklen_t length = 0;  // 0: it has none
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};
Address address_by(long call, int descriptor) {
  Address address;
  socklen_t length = sizeof(address.storage);
  if (sys(call, descriptor, &address.storage, &length) == 0 && length <= sizeof(address.storage))
    address.length = length;
  return address;
}
Address own_address(int descriptor) {
  return address_by(SYS_getsockname, descriptor);
}
Address peer_address(int descriptor) {
  return address_by(SYS_getpeername, descriptor);
}

bool is_internet(const sockaddr* address, socklen_t length) {
  return (address->sa_family == AF_INET && length >= sizeof(sockaddr_in)) ||
         (address->sa_family == AF_INET6 && length >= sizeof(sockaddr_in6));
}
std::uint64_t port_of(const sockaddr* address) {
  const in_port_t port = address->sa_family == AF_INET ? reinterpret_cast<const sockaddr_in*>(address)->sin_port
                                                       : reinterpret_cast<const sockaddr_in6*>(address)->sin6_port;
  return ntohs(port);
}
// Address and port; the same for an IPv4 address and its form in IPv6.
std::uint64_t hash_of(const sockaddr* address) {
  std::uint64_t halves[2] = {0, 0xffff'0000};
  if (address->sa_family == AF_INET) {
    halves[1] |= std::uint64_t{reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr} << 32;
  } else {
    __builtin_memcpy(halves, &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr, sizeof(halves));
  }
  return mix(mix(halves[0], halves[1]), port_of(address));
}

std::uint64_t by_port(PlaceKind kind, const sockaddr* address, socklen_t length) {
  if (address == nullptr || length < sizeof(sa_family_t)) return 0;
  if (address->sa_family == AF_UNIX) return abi::place(kind, kUnixNames);
  return is_internet(address, length) ? abi::place(kind, port_of(address) << 8) : 0;
}

// Of a UNIX socket: one of a pair has no name, and neither has its peer.
bool is_unnamed(const Address& address) {
  return address.length <= sizeof(sa_family_t);
}

Ends unix_ends(int descriptor, std::uint64_t inode, int type) {
  Ends ends;
  const Address peer = peer_address(descriptor);
  if (type == SOCK_DGRAM) {
    const bool named = !is_unnamed(own_address(descriptor));
    if (named || (peer.length != 0 && !is_unnamed(peer))) {
      ends.to = ends.from = abi::place(PlaceKind::Datagram, kUnixNames);
      keep(inode, ends);
      return ends;
    }
    // The rest of a pair, or one that nothing was done with yet.
    ends.certain = peer.length != 0;
  }
  const std::uint64_t other = peer_of(inode);
  if (other == kNobodyTells) {
    ends.to = ends.from = abi::place(PlaceKind::Socket, kUnixNames);
    keep(inode, ends);
  } else if (other != 0) {
    ends.to = place_of_inode(inode);
    ends.from = place_of_inode(other);
    keep(inode, ends);
    // The other end may ask when this one is closed, and nobody can tell any more.
    Ends reverse;
    reverse.to = ends.from;
    reverse.from = ends.to;
    keep(other, reverse);
  } else if (peer.length != 0) {
    ends.to = place_of_inode(inode);
    ends.certain = false;
  }
  return ends;
}

Ends internet_ends(int descriptor, std::uint64_t inode, int type) {
  Ends ends;
  const Address own = own_address(descriptor);
  if (own.length == 0 || !is_internet(own.get(), own.length)) return ends;
  const Address peer = peer_address(descriptor);
  const bool connected = peer.length != 0 && is_internet(peer.get(), peer.length);
  if (type == SOCK_DGRAM) {
    if (port_of(own.get()) == 0) return ends;
    ends.from = by_port(PlaceKind::Datagram, own.get(), own.length);
    if (connected) ends.to = by_port(PlaceKind::Datagram, peer.get(), peer.length);
  } else if (type == SOCK_STREAM && connected) {
    const std::uint64_t here = hash_of(own.get());
    const std::uint64_t there = hash_of(peer.get());
    ends.to = abi::place(PlaceKind::Socket, mix(here, there));
    ends.from = abi::place(PlaceKind::Socket, mix(there, here));
  } else {
    return ends;
  }
  keep(inode, ends);
  return ends;
}

Ends ask_kernel(int descriptor, std::uint64_t inode) {
  const int domain = option_of(descriptor, SO_DOMAIN);
  const int type = option_of(descriptor, SO_TYPE);
  if (domain != AF_UNIX && domain != AF_INET && domain != AF_INET6) return {};
  if (option_of(descriptor, SO_ACCEPTCONN) == 1) {
    const Address own = own_address(descriptor);
    Ends ends;
    ends.from = by_port(PlaceKind::Connecting, own.get(), own.length);
    keep(inode, ends);
    return ends;
  }
  return domain == AF_UNIX ? unix_ends(descriptor, inode, type) : internet_ends(descriptor, inode, type);
}

}  // namespace

Ends ends_of(int descriptor, const Descriptor& what) {
  Ends ends;
  if (!find(what.number, ends)) ends = ask_kernel(descriptor, what.number);
  const auto is_connection = [](std::uint64_t place) {
    return place >> 48 == static_cast<std::uint64_t>(PlaceKind::Socket);
  };
  if (!is_private(what) || !is_connection(ends.to)) return ends;
  mark_ours(ends.to);
  ends.outside = !is_connection(ends.from) || !is_ours(ends.from);
  return ends;
}

void note_pair(int first, int second) {
  const Descriptor one = describe(first);
  const Descriptor other = describe(second);
  if (one.kind != DescriptorKind::Socket || other.kind != DescriptorKind::Socket) return;
  Ends ends;
  ends.to = place_of_inode(one.number);
  ends.from = place_of_inode(other.number);
  keep(one.number, ends);
  mark_ours(ends.to);
  mark_ours(ends.from);
  Ends reverse;
  reverse.to = ends.from;
  reverse.from = ends.to;
  keep(other.number, reverse);
}

void forget_socket(int descriptor) {
  const Descriptor what = describe(descriptor);
  if (what.kind != DescriptorKind::Socket) return;
  std::uint64_t inode = what.number;
  slots[inode % kSlots].inode.compare_exchange_strong(inode, 0);
}

std::uint64_t listener_at(const sockaddr* address, socklen_t length) {
  return by_port(PlaceKind::Listener, address, length);
}
std::uint64_t connecting_to(const sockaddr* address, socklen_t length) {
  return by_port(PlaceKind::Connecting, address, length);
}
std::uint64_t datagram_to(const sockaddr* address, socklen_t length) {
  return by_port(PlaceKind::Datagram, address, length);
}
std::uint64_t listener_of(int descriptor) {
  const Address own = own_address(descriptor);
  return by_port(PlaceKind::Listener, own.get(), own.length);
}

}  // namespace racecast::runtime
