// ThreadSanitizer's interface (sanitizer/tsan_interface.h), for code that sees its feature and so calls it.
//
// Inside of a mutex that is written by hand, between its pre_ and post_ functions, the program's own synchronisation is
// at work: accesses there are unchecked, as ThreadSanitizer has it; synchronisation is recorded as ever.
#include <cstdint>

#include "runtime/core/process.h"
#include "runtime/core/record.h"
#include "runtime/core/sys.h"

namespace racecast::runtime {
namespace {

using abi::Tag;
using trace::EventKind;

// Flags of __tsan_mutex_*: sanitizer/tsan_interface.h.
constexpr unsigned kWriteReentrant = 1u << 1;
constexpr unsigned kReadLock = 1u << 3;
constexpr unsigned kTryLock = 1u << 4;
constexpr unsigned kTryLockFailed = 1u << 5;

// A mutex that can be locked for reading is a reader-writer lock; which it is shows in the first flags only, so all
// are taken for one, but for those that may be taken again.
void tsan_lock(const void* mutex, unsigned flags) {
  const auto flag = static_cast<std::uint8_t>(((flags & kTryLock) != 0 ? trace::kTry : 0) |
                                              ((flags & kTryLockFailed) != 0 ? trace::kTry | trace::kFailed : 0));
  if ((flags & kReadLock) != 0) {
    record_sync(trace::EventKind::RdLock, mutex, flag);
  } else if ((flags & kWriteReentrant) != 0) {
    record_sync(trace::EventKind::Lock, mutex, static_cast<std::uint8_t>(flag | trace::kRecursive));
  } else {
    record_sync(trace::EventKind::WrLock, mutex, flag);
  }
}

void tsan_unlock(const void* mutex, unsigned flags) {
  if ((flags & kReadLock) == 0 && (flags & kWriteReentrant) != 0) {
    record_sync(trace::EventKind::Unlock, mutex, trace::kRecursive);
  } else {
    record_sync(trace::EventKind::RwUnlock, mutex);
  }
}

void ignore(bool begin) {
  constexpr std::uint8_t kBoth = abi::kIgnoreReads | abi::kIgnoreWrites;
  record<Tag::Ignore>(begin ? kBoth | abi::kIgnoreBegins : kBoth);
}

// What is given out for the threads and fibers of the program, and for kinds of external objects: any address will do.
constinit char some_fiber = 0;
constinit char some_tag = 0;

}  // namespace

RACECAST_EXPORT void __tsan_acquire(void* address) {
  record<Tag::Acquire>(address);
}
RACECAST_EXPORT void __tsan_release(void* address) {
  record<Tag::Release>(address);
}

RACECAST_EXPORT void __tsan_mutex_create(void*, unsigned) {}
RACECAST_EXPORT void __tsan_mutex_destroy(void*, unsigned) {}
RACECAST_EXPORT void __tsan_mutex_pre_lock(void*, unsigned) {
  ignore(true);
}
RACECAST_EXPORT void __tsan_mutex_post_lock(void* mutex, unsigned flags, int) {
  ignore(false);
  tsan_lock(mutex, flags);
}
RACECAST_EXPORT int __tsan_mutex_pre_unlock(void* mutex, unsigned flags) {
  tsan_unlock(mutex, flags);
  ignore(true);
  return 0;
}
RACECAST_EXPORT void __tsan_mutex_post_unlock(void*, unsigned) {
  ignore(false);
}
RACECAST_EXPORT void __tsan_mutex_pre_signal(void*, unsigned) {
  ignore(true);
}
RACECAST_EXPORT void __tsan_mutex_post_signal(void*, unsigned) {
  ignore(false);
}
// In between, code of the program runs that is not the mutex's.
RACECAST_EXPORT void __tsan_mutex_pre_divert(void*, unsigned) {
  ignore(false);
}
RACECAST_EXPORT void __tsan_mutex_post_divert(void*, unsigned) {
  ignore(true);
}
RACECAST_EXPORT void __tsan_check_no_mutexes_held() {}

RACECAST_EXPORT void __tsan_ignore_thread_begin() {
  ignore(true);
}
RACECAST_EXPORT void __tsan_ignore_thread_end() {
  ignore(false);
}

// Accesses to objects that have no memory here. There is no event for them: that hides races at most.
RACECAST_EXPORT void* __tsan_external_register_tag(const char*) {
  return &some_tag;
}
RACECAST_EXPORT void __tsan_external_register_header(void*, const char*) {}
RACECAST_EXPORT void __tsan_external_assign_tag(void*, void*) {}
RACECAST_EXPORT void __tsan_external_read(void*, void*, void*) {}
RACECAST_EXPORT void __tsan_external_write(void*, void*, void*) {}

// Fibers: a switch is said, not followed, as that of swapcontext (posix/context.cpp).
RACECAST_EXPORT void* __tsan_get_current_fiber() {
  return &some_fiber;
}
RACECAST_EXPORT void* __tsan_create_fiber(unsigned) {
  return &some_fiber;
}
RACECAST_EXPORT void __tsan_destroy_fiber(void*) {}
RACECAST_EXPORT void __tsan_set_fiber_name(void*, const char*) {}
RACECAST_EXPORT void __tsan_switch_to_fiber(void*, unsigned) {
  note_stack_switch();
}

RACECAST_EXPORT void __tsan_flush_memory() {}

// About reports, which are not made while the program runs.
RACECAST_EXPORT void* __tsan_get_current_report() {
  return nullptr;
}
RACECAST_EXPORT int __tsan_get_report_data(void*, const char**, int*, int*, int*, int*, int*, int*, int*, void**,
                                           unsigned long) {
  return 0;
}
RACECAST_EXPORT int __tsan_get_report_tag(void*, std::uintptr_t*) {
  return 0;
}
RACECAST_EXPORT int __tsan_get_report_stack(void*, unsigned long, void**, unsigned long) {
  return 0;
}
RACECAST_EXPORT int __tsan_get_report_mop(void*, unsigned long, int*, void**, int*, int*, int*, void**, unsigned long) {
  return 0;
}
RACECAST_EXPORT int __tsan_get_report_loc(void*, unsigned long, const char**, void**, unsigned long*, unsigned long*,
                                          int*, int*, int*, void**, unsigned long) {
  return 0;
}
RACECAST_EXPORT int __tsan_get_report_mutex(void*, unsigned long, std::uint64_t*, void**, int*, void**, unsigned long) {
  return 0;
}
RACECAST_EXPORT int __tsan_get_report_thread(void*, unsigned long, int*, std::uint64_t*, int*, const char**, int*,
                                             void**, unsigned long) {
  return 0;
}
RACECAST_EXPORT int __tsan_get_report_unique_tid(void*, unsigned long, int*) {
  return 0;
}

}  // namespace racecast::runtime
