// Which places a socket sends to and receives from.
//
// A connection has a place for each direction, named by its sending end, so that who sends need not know who receives:
// UNIX sockets by the sender's inode; the receiver asks the kernel for its peer's (sock_diag, no privileges needed),
// once. TCP by the two addresses, in the order sender, receiver. A connection whose other end is in this process, and
// which no other process has, is private.
//
// Datagrams go to a port, and who is bound to it receives them (all addresses count as one; UNIX sockets with names all
// count as one: a name can be spelled in many ways). Connecting to who listens is known by the port likewise.
//
// What is found is kept by inode, in a cache of a fixed size: what is pushed out is asked for again. The kernel counts
// inodes of sockets up, 32 bits, before it uses one again.
#pragma once

#include <sys/socket.h>

#include <cstdint>

#include "runtime/kernel/descriptor_table.h"

namespace racecast::runtime {

struct Ends {
  std::uint64_t to = 0;    // place that sending is a release of; 0: none
  std::uint64_t from = 0;  // place that receiving is an acquire of
  bool outside = true;     // it may lead to other processes
  bool certain = true;     // false: connected, but the peer cannot be told
};
// `what`: describe(descriptor), a socket.
Ends ends_of(int descriptor, const Descriptor& what);

// After socketpair().
void note_pair(int first, int second);
// bind, connect and listen change what is known.
void forget_socket(int descriptor);

// The places of who listens and of who connects there, by an address. 0: not known by an address.
std::uint64_t listener_at(const sockaddr* address, socklen_t length);
std::uint64_t connecting_to(const sockaddr* address, socklen_t length);
std::uint64_t datagram_to(const sockaddr* address, socklen_t length);
// Of a socket that is about to listen, by its own address.
std::uint64_t listener_of(int descriptor);

}  // namespace racecast::runtime
