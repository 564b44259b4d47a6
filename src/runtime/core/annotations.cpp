// What programs tell about themselves: racecast's own names (include/racecast/annotations.h) and the older dynamic
// annotations (AnnotateHappensBefore and its family). ThreadSanitizer's interface is in tsan_interface.cpp.
//
// Accesses that are to be ignored (AnnotateIgnoreReadsBegin and the like) are recorded as ever, since the model of the
// program needs them; the merger calls them unchecked. Benign races, and synchronisation that is to be ignored, are
// markers and nothing else: what is ordered too much never makes a false alarm.
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

}  // namespace

}  // namespace racecast::runtime

using namespace racecast::runtime;
namespace abi = racecast::abi;
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
  record<Tag::Ignore>(abi::kIgnoreReads | abi::kIgnoreBegins);
}
ANNOTATION void AnnotateIgnoreReadsEnd(PLACE) {
  mark("ignore reads: end");
  record<Tag::Ignore>(abi::kIgnoreReads);
}
ANNOTATION void AnnotateIgnoreWritesBegin(PLACE) {
  mark("ignore writes: begin");
  record<Tag::Ignore>(abi::kIgnoreWrites | abi::kIgnoreBegins);
}
ANNOTATION void AnnotateIgnoreWritesEnd(PLACE) {
  mark("ignore writes: end");
  record<Tag::Ignore>(abi::kIgnoreWrites);
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
ANNOTATION void AnnotateMemoryIsInitialized(PLACE, const volatile void*, std::size_t) {}
ANNOTATION void AnnotateMemoryIsUninitialized(PLACE, const volatile void*, std::size_t) {}
