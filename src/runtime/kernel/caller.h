// What a call reads and writes in the program's memory, where a row of the table of library functions cannot say it
// (several ranges): told by the interceptor, if code with hooks called it. What code without hooks calls is a part of
// missing code; it may have locks of its own that nobody sees.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <cstddef>

namespace racecast::runtime {

bool is_recorded_code(const void* address);

class Caller {
 public:
  // `from`: the return address of the intercepted function.
  explicit Caller(const void* from);
  // Before the call, and what it writes after it; nothing where `memory` is null.
  void reads(const void* memory, std::size_t bytes) const;
  void writes(const void* memory, std::size_t bytes) const;
  // Of these parts all, or the first so many bytes (none where that is negative).
  void reads_parts(const iovec* parts, std::size_t count) const;
  void writes_parts(const iovec* parts, std::size_t count, ssize_t bytes) const;
  // A message before it is sent, or before room for it is given; after it was received with so many bytes.
  void sends(const msghdr& message) const;
  void receives(const msghdr& message, ssize_t bytes) const;
  // An address and its length, as accept gives them; `room`: what the length was before.
  static socklen_t room_of(const socklen_t* length) { return length == nullptr ? 0 : *length; }
  void writes_address(const sockaddr* address, const socklen_t* length, socklen_t room) const;

 private:
  bool recorded_;
};

}  // namespace racecast::runtime

#define RACECAST_CALLER ::racecast::runtime::Caller(__builtin_return_address(0))
