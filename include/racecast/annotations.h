// Annotations for programs that racecast records. Include this file anywhere, in C or C++: in a program that is not
// compiled with `racecast cc` or `racecast c++` every macro is empty. Programs annotated for ThreadSanitizer need not
// be changed:
// __tsan_acquire, __tsan_release, __tsan_mutex_*, AnnotateHappensBefore and its family are understood.
#ifndef RACECAST_ANNOTATIONS_H
#define RACECAST_ANNOTATIONS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Home-made synchronisation that racecast cannot see (assembly, a device, another process).
// What precedes a release of `address` in its thread happens before what follows each later acquire of it.
void __racecast_release(const void* address);
void __racecast_acquire(const void* address);

// Calls of `function`, which is compiled without racecast, use memory that none of their arguments leads to: the object
// or global variable at `address` from now on counts as reached by each call, with all that it points to
// (docs/missing_code.md). For state that has no name here, any variable of your own will do, the same one for all
// functions that share that state.
void __racecast_reaches(const void* function, const void* address);

// A note in the trace, at this moment of this thread. The text is copied (at most 4,000 bytes).
void __racecast_marker(const char* text);

// Whether this process is being recorded.
int __racecast_is_recording(void);

// A name for this thread, for reports.
void __racecast_thread_name(const char* name);

// A barrier that orders the run and leaves no trace: no event, no happens-before edge. For tests that must record one
// order among several. `parties` threads wait for each other, any number of times. Zero-initialised memory is not a
// barrier.
typedef uint64_t racecast_barrier;
void __racecast_barrier_init(racecast_barrier* barrier, unsigned parties);
void __racecast_barrier_wait(racecast_barrier* barrier);

#ifdef __cplusplus
}
#endif

#ifdef __racecast__
#define RACECAST_HAPPENS_BEFORE(address) __racecast_release(address)
#define RACECAST_HAPPENS_AFTER(address) __racecast_acquire(address)
#define RACECAST_REACHES(function, address) __racecast_reaches((const void*)(function), (address))
#define RACECAST_MARKER(text) __racecast_marker(text)
#define RACECAST_THREAD_NAME(name) __racecast_thread_name(name)
#else
#define RACECAST_HAPPENS_BEFORE(address) ((void)(address))
#define RACECAST_HAPPENS_AFTER(address) ((void)(address))
#define RACECAST_REACHES(function, address) ((void)(function), (void)(address))
#define RACECAST_MARKER(text) ((void)(text))
#define RACECAST_THREAD_NAME(name) ((void)(name))
#endif

#endif
