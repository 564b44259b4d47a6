// What is noted when descriptors are made, duplicated and closed, for interceptors that do so.
#pragma once

#include "runtime/kernel/descriptor_table.h"
#include "runtime/kernel/ordering.h"

namespace racecast::runtime {

// Whether descriptors are watched: also before there is a second thread.
inline bool tracks() {
  return !in_runtime() && process_recorded();
}

// The result of a call that makes one (or fails): noted and given back. `kind`: of those that have no identity yet.
int made(int descriptor);
int made(int descriptor, DescriptorKind kind);
int duplicated(int from, int to);
// Before a call that closes it.
void closing(int descriptor, const void* callee);
// The same for epoll's registrations (epoll.cpp).
void forget_registrations(int descriptor);

}  // namespace racecast::runtime
