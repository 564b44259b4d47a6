// What programs tell about themselves: racecast's own names (include/racecast/annotations.h), ThreadSanitizer's
// interface (sanitizer/tsan_interface.h) and the older dynamic annotations (AnnotateHappensBefore and its family).
//
// Ignored parts (AnnotateIgnoreReadsBegin and the like) and benign races are recorded as markers and nothing else: the
// accesses are recorded as ever, since the model of the program needs them. Who reads the trace may leave them out.
#include "racecast/annotations.h"

#include <string.h>

#include <cstdint>

#include "runtime/core/record.h"
#include "runtime/core/threads.h"
#include "runtime/missing/missing.h"

namespace racecast::runtime {

namespace {

constexpr std::size_t kMaxMarker = 4000;

void mark(const char* text) {
  abi::ThreadState* state = recording();
  if (state == nullptr || text == nullptr) return;
  const std::size_t length = ::strnlen(text, kMaxMarker);
  append<abi::Tag::Marker>(*state, Extra{text, length}, next_stamp(), static_cast<std::uint32_t>(length));
}

// "benign race: TEXT"
void mark_benign(const char* description) {
  char text[256] = "benign race: ";
  constexpr std::size_t start = sizeof("benign race: ") - 1;
  const std::size_t length = description == nullptr ? 0 : ::strnlen(description, sizeof(text) - start - 1);
  if (length != 0) __builtin_memcpy(text + start, description, length);
  mark(text);
}

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

}  // namespace

}  // namespace racecast::runtime

using namespace racecast::runtime;
using racecast::abi::Tag;
using racecast::trace::EventKind;

#define ANNOTATION RACECAST_EXPORT
#define PLACE const char*, int

ANNOTATION void __racecast_acquire(const void* address) {
  record<Tag::Acquire>(address);
}
ANNOTATION void __racecast_release(const void* address) {
  record<Tag::Release>(address);
}
ANNOTATION void __racecast_reaches(const void* function, const void* address) {
  if (recording() != nullptr) add_reach(function, address);
}

ANNOTATION void __racecast_marker(const char* text) {
  mark(text);
}
ANNOTATION int __racecast_is_recording(void) {
  return recording() != nullptr ? 1 : 0;
}
ANNOTATION void __racecast_thread_name(const char* name) {
  name_thread(current_thread(), name);
}

ANNOTATION void __tsan_acquire(void* address) {
  record<Tag::Acquire>(address);
}
ANNOTATION void __tsan_release(void* address) {
  record<Tag::Release>(address);
}
ANNOTATION void __tsan_mutex_create(void*, unsigned) {}
ANNOTATION void __tsan_mutex_destroy(void*, unsigned) {}
ANNOTATION void __tsan_mutex_pre_lock(void*, unsigned) {}
ANNOTATION void __tsan_mutex_post_lock(void* mutex, unsigned flags, int) {
  tsan_lock(mutex, flags);
}
ANNOTATION int __tsan_mutex_pre_unlock(void* mutex, unsigned flags) {
  tsan_unlock(mutex, flags);
  return 0;
}
ANNOTATION void __tsan_mutex_post_unlock(void*, unsigned) {}
ANNOTATION void __tsan_mutex_pre_signal(void*, unsigned) {}
ANNOTATION void __tsan_mutex_post_signal(void*, unsigned) {}
ANNOTATION void __tsan_mutex_pre_divert(void*, unsigned) {}
ANNOTATION void __tsan_mutex_post_divert(void*, unsigned) {}

ANNOTATION void AnnotateHappensBefore(PLACE, const volatile void* address) {
  record<Tag::Release>(address);
}
ANNOTATION void AnnotateHappensAfter(PLACE, const volatile void* address) {
  record<Tag::Acquire>(address);
}
ANNOTATION void WTFAnnotateHappensBefore(PLACE, const volatile void* address) {
  record<Tag::Release>(address);
}
ANNOTATION void WTFAnnotateHappensAfter(PLACE, const volatile void* address) {
  record<Tag::Acquire>(address);
}
ANNOTATION void AnnotateCondVarSignal(PLACE, const volatile void* address) {
  record<Tag::Release>(address);
}
ANNOTATION void AnnotateCondVarSignalAll(PLACE, const volatile void* address) {
  record<Tag::Release>(address);
}
ANNOTATION void AnnotateCondVarWait(PLACE, const volatile void* address, const volatile void*) {
  record<Tag::Acquire>(address);
}
ANNOTATION void AnnotateRWLockCreate(PLACE, const volatile void*) {}
ANNOTATION void AnnotateRWLockCreateStatic(PLACE, const volatile void*) {}
ANNOTATION void AnnotateRWLockDestroy(PLACE, const volatile void*) {}
ANNOTATION void AnnotateRWLockAcquired(PLACE, const volatile void* lock, long for_writing) {
  record_sync(for_writing != 0 ? EventKind::WrLock : EventKind::RdLock, const_cast<const void*>(lock));
}
ANNOTATION void AnnotateRWLockReleased(PLACE, const volatile void* lock, long) {
  record_sync(EventKind::RwUnlock, const_cast<const void*>(lock));
}
ANNOTATION void AnnotateThreadName(PLACE, const char* name) {
  name_thread(current_thread(), name);
}
ANNOTATION void AnnotateIgnoreReadsBegin(PLACE) {
  mark("ignore reads: begin");
}
ANNOTATION void AnnotateIgnoreReadsEnd(PLACE) {
  mark("ignore reads: end");
}
ANNOTATION void AnnotateIgnoreWritesBegin(PLACE) {
  mark("ignore writes: begin");
}
ANNOTATION void AnnotateIgnoreWritesEnd(PLACE) {
  mark("ignore writes: end");
}
ANNOTATION void AnnotateIgnoreSyncBegin(PLACE) {
  mark("ignore synchronisation: begin");
}
ANNOTATION void AnnotateIgnoreSyncEnd(PLACE) {
  mark("ignore synchronisation: end");
}
ANNOTATION void AnnotateBenignRace(PLACE, const volatile void*, const char* description) {
  mark_benign(description);
}
ANNOTATION void AnnotateBenignRaceSized(PLACE, const volatile void*, std::size_t, const char* description) {
  mark_benign(description);
}
ANNOTATION void WTFAnnotateBenignRaceSized(PLACE, const volatile void*, std::size_t, const char* description) {
  mark_benign(description);
}
// These say nothing that a recording needs.
ANNOTATION void AnnotateExpectRace(PLACE, const volatile void*, const char*) {}
ANNOTATION void AnnotateFlushExpectedRaces(PLACE) {}
ANNOTATION void AnnotateEnableRaceDetection(PLACE, int) {}
ANNOTATION void AnnotateMutexIsUsedAsCondVar(PLACE, const volatile void*) {}
ANNOTATION void AnnotateMutexIsNotPHB(PLACE, const volatile void*) {}
ANNOTATION void AnnotatePCQGet(PLACE, const volatile void*) {}
ANNOTATION void AnnotatePCQPut(PLACE, const volatile void*) {}
ANNOTATION void AnnotatePCQCreate(PLACE, const volatile void*) {}
ANNOTATION void AnnotatePCQDestroy(PLACE, const volatile void*) {}
ANNOTATION void AnnotatePublishMemoryRange(PLACE, const volatile void*, std::size_t) {}
ANNOTATION void AnnotateUnpublishMemoryRange(PLACE, const volatile void*, std::size_t) {}
ANNOTATION void AnnotateNewMemory(PLACE, const volatile void*, std::size_t) {}
ANNOTATION void AnnotateNoOp(PLACE, const volatile void*) {}
ANNOTATION void AnnotateFlushState(PLACE) {}
ANNOTATION void AnnotateTraceMemory(PLACE, const volatile void*) {}
