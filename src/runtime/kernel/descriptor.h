// What reading from and writing to a descriptor orders, whatever it is. For the interceptors of this folder.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/kernel/descriptor_table.h"
#include "runtime/kernel/ordering.h"

namespace racecast::runtime {

// Before a call that gives something to who reads there (also the news that this end is closed).
void release_descriptor(int descriptor, const void* callee);
// After a call that got something from there, or was told that there is something.
void acquire_descriptor(int descriptor, const void* callee);
void acquire_described(int descriptor, const Descriptor& what, const void* callee);

// After a call that was told that there is nothing to read: who took the last of it is before.
void acquire_emptied(int descriptor);
// After a call that was told that there is no room to write: who wrote what is there is before.
void acquire_filled(int descriptor);
// Before a call after which nothing can be read at this end any more.
void release_own_end(int descriptor);

// Before a call that may make room for who writes; after one that was told that there is room.
void release_room(int descriptor);
void acquire_room(int descriptor);
// A pipe has another size now.
void forget_room(int descriptor);

// The call of `callee` that writes to a descriptor: made before it, and told its result. What is written can be read
// once it is written. And where it may have waited for room, it is after who made room.
class Sending {
 public:
  // `written`: the first bytes, where these are known.
  Sending(int descriptor, const void* callee, const void* written = nullptr, std::size_t bytes = 0);
  template <typename Result>
  Result done(Result result) {
    if (active_) finish(static_cast<long>(result));
    return result;
  }

 private:
  void finish(long result);

  int descriptor_;
  const void* callee_;
  bool active_;
};

// The call of `callee` that reads from a descriptor.
class Receiving {
 public:
  Receiving(int descriptor, const void* callee);
  // A negative result: nothing was received.
  template <typename Result>
  Result done(Result result) {
    if (active_) result >= 0 ? acquire_descriptor(descriptor_, callee_) : failed();
    return result;
  }

 private:
  void failed();

  int descriptor_;
  const void* callee_;
  bool active_;
};

}  // namespace racecast::runtime
