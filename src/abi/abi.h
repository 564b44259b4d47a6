// What the compiler plugin, the runtime and the merger agree on: the bytes of a raw recording. Header-only, plain C++,
// no allocation: it is compiled into other people's programs. docs/recording.md tells the story; here are the numbers.
//
// A recording of one process is a folder:
//   meta      what is there once: modules with their models, how recording ended (MetaRecord headers, then payload)
//   tN.buf    a buffer: a ThreadState page, then kBufferBytes of records, mapped shared. Its page says which stream has
//             it (N was the first: buffers of threads that ended are used again). What is between the start of the
//             buffer and `cur` has not been written to the log.
//   tN.log    what streams wrote before, in order: stream N from its start, and then, one after the other, those that
//             took over its buffer. Where a stream begins in which log, its Stream record in meta says; it ends where
//             the next one in that log begins, the last one with the file.
//   tN.B.log  where that is long: how it goes on, from byte B of the log on. Each of these files, the *pieces* of the
//             log, begins with a whole record. When the next one is there a piece is complete, and racecast packs it
//             while the program runs (tN.log.zst, tN.B.log.zst: recording/keep/raw_log.h). Where both are there they
//             are the same.
//   saved     8 bytes: by how much packing has made the logs smaller so far. Written by who packs.
// A stream is a thread, or the signal handlers of a thread (ThreadState::handlers_of).
//
// A stream is a sequence of records. A record starts with 32 bits:
//   - below kFirstId: a RuntimeRecord tag; its payload is fixed by the tag (below);
//   - else an id: the low 32 bits of an address inside the `ids` array of a module (its shape says what follows).
// All numbers are little-endian and unaligned. An address in a record has kAddressBytes bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/state_addresses.h"

namespace racecast::abi {

inline constexpr std::uint32_t kVersion = 11;
inline constexpr std::uint32_t kFirstId = 4096;
inline constexpr std::size_t kAddressBytes = 6;
inline constexpr std::size_t kPageBytes = 4096;
inline constexpr std::size_t kBufferBytes = std::size_t{256} * 1024;
// A record of the plugin is never longer; the buffer has this much room behind `end`, so that the last address may be
// written as 8 bytes. (MissingBegin, MissingMore and Marker may be longer, at most kMaxLongRecord.)
inline constexpr std::size_t kMaxRecord = 4096;
inline constexpr std::size_t kMaxLongRecord = std::size_t{128} * 1024;

// The first three members are known to the plugin: inlined code loads `cur`, adds the record's size, compares with
// `end`, stores the record and then `cur` (release); `border` tells a function that code without hooks called it.
// `__racecast_thread` (thread-local, initial-exec) points to it and is never null: a thread that is not recorded has
// one whose records go nowhere.
//
// A flush appends the buffer to the log, then stores cur = begin, then adds to `logged`. So a reader that finds more in
// the log than `logged` takes all of it if cur == begin, else only the first `logged` bytes (the rest, perhaps cut off,
// is still in the buffer). The buffer follows in any case. Where ended is 1 the file may hold the page only.
struct ThreadState {
  std::uint8_t* cur;
  std::uint8_t* end;
  // Where code without hooks ends: kNoBorder while this thread is in none; 0 while it runs such code; in a recorded
  // function that such code called, the frame of that. A function that is entered with a frame at or above the border
  // was called by code without hooks (or the callback was left by an unwind that nobody told of): __racecast_called.
  std::uintptr_t border = ~std::uintptr_t{0};
  std::uint8_t* begin;        // of the records in the buffer, as mapped in the process
  std::uint64_t logged;       // bytes of this stream that were written to the log
  std::uint64_t log_begin;    // where in the log they begin
  std::uint32_t log;          // N of tN.log
  std::uint32_t stream;       // its number
  std::uint32_t thread;       // ThreadId
  std::uint32_t handlers_of;  // stream of the interrupted code, or kNoStream
  std::uint32_t ended;        // 1: the thread is over, the log is complete
  std::uint32_t pending = 0;  // bytes behind `cur`: records of an access that is under way (__racecast_access)
  std::uint64_t piece = 0;    // where in the log the piece begins that is written to
  // What follows in the page is the runtime's own.
};
inline constexpr std::uint32_t kNoStream = 0xffffffff;
inline constexpr std::uintptr_t kNoBorder = ~std::uintptr_t{0};

// Called by inlined code where a record of `bytes` does not fit: makes room and returns the new `cur`. The thread's
// ThreadState stays the same.
//   extern "C" std::uint8_t* __racecast_full(std::uint32_t bytes);

// ---- modules: one for each object file that was compiled with the plugin

struct Module {
  std::uint32_t version;  // kVersion
  std::uint32_t ids;      // number of ids
  const std::uint8_t* ids_begin;
  const std::uint8_t* model;  // zstd: program::encode, then the shapes; see abi/model_blob.h
  std::uint64_t model_bytes;
  const void* const* globals;         // addresses by program::GlobalId, null where there is none (thread-locals)
  const std::uint64_t* global_sizes;  // of those that this file defines; 0 of the others
  std::uint64_t global_count;
  const void* const* functions;  // addresses by program::FunctionId, null where there is none (intrinsics)
  std::uint64_t function_count;
};
//   extern "C" void __racecast_module(const racecast::abi::Module*);   called once by a constructor of the object file

// ---- shapes: what the records of a module hold. A shape has `slots` consecutive ids, in the order of the table: id of
// slot k of shape s = ids_begin + sum of slots of the shapes before s + k. A shape with more than one slot ends its
// block with a branch; the slot is the number of the target (program.h: Branch, Switch).

enum class ItemKind : std::uint8_t {
  Load = 1,  // [address] [value]      instr: the load;  size: of the access
  Store,     // [address] [value]      instr: the store
  Value,     // [value]                instr: an Opaque instruction (or a call) whose result this is
  Param,     // [value]                instr: number of the parameter, at a function's entry
  Alloca,    // [address]              instr: the StackAlloc; size: of the object; it lives until its function returns
  AllocaOfSize,  // [address] [value]   instr: the StackAlloc; value: its size, 8 bytes
  Frame,         // [address]              the frame address: after an unwind it tells which activation goes on
  BulkRead,  // [address] [value]      instr: a memory intrinsic; value: number of bytes, 8 bytes (value_bytes 0: `size`
             // bytes)
  BulkWrite,  // [address] [value]      the same
};
// Where the address of an item comes from. [address] is in the record only for Explicit.
enum class AddressMode : std::uint8_t {
  None = 0,
  Explicit,  // kAddressBytes in the record
  Shared,    // that of item `base` of the same shape, plus `delta`
  Global,    // that of global `base` (GlobalId), plus `delta`
};
struct Item {
  ItemKind kind;
  AddressMode mode;
  std::uint8_t value_bytes;  // 0, 1, 2, 4 or 8: how many bytes [value] has in the record; 0: it is not recorded
  std::uint32_t instr;       // InstrId in the module's program (Param: the number of the parameter)
  std::uint64_t size;
  std::uint32_t base;
  std::int64_t delta;
};
enum ShapeFlag : std::uint8_t {
  kEntry = 1,     // the first record of an activation of `function`
  kReturn = 2,    // the last record of it: it returns after this
  kLanding = 4,   // an unwind came here, or a call returned that can return twice (setjmp: a Value item for its
                  // result); the shape has a Frame item. It comes before the MissingEnd of the call that was left.
  kCallsOut = 8,  // the call, atomic or fence `next` comes after this record: what the runtime records then belongs
                  // to it
};
struct ShapeHeader {
  std::uint32_t function;  // FunctionId in the module's program
  std::uint32_t next;      // InstrId of the call, atomic, fence, branch, switch or return that follows, kNone32 if none
  std::uint32_t slots;
  std::uint8_t flags;
  std::uint32_t items;  // how many follow
};

// ---- what the runtime records: TAG(name, payload). `stamp` is 8 bytes from one global counter: exact.
//   a = address 8 bytes, n = 8-byte number, s = stamp 8 bytes, b = 1 byte, w = 4 bytes
#define RACECAST_RUNTIME_RECORDS(TAG)                                                                               \
  TAG(ThreadBegin, "sw") /* stamp, thread */                                                                        \
  TAG(ThreadEnd, "s")                                                                                               \
  TAG(Fork, "sw") /* child */                                                                                       \
  TAG(Join, "sw")                                                                                                   \
  TAG(AtomicRead, "sabbbn") /* stamp, address, size, order (base/memory_order.h), has value, value */               \
  TAG(AtomicWrite, "sabbbn")                                                                                        \
  TAG(AtomicRmw,                                                                                                    \
      "sabbbbnn") /* ..., has values, flags (trace::Flag kCas, kFailed), read, written (failed: expected) */        \
  TAG(Fence, "sb")                                                                                                  \
  TAG(Sync, "sbban") /* stamp, trace::EventKind, trace::Flag, address, aux: Lock .. OnceSeen; aux as in event.def   \
                        (Wait, Wake: mutex; semaphores, barriers: value) */                                         \
  TAG(Alloc, "san")  /* address, size */                                                                            \
  TAG(Free, "sa")    /* 0: of an object from before recording began, which has no life */                           \
  TAG(Bulk, "bawn")  /* BulkKind; address, 0, bytes: a known effect, no stamp */                                    \
  TAG(MissingBegin, "saw") /* stamp, address of the callee, count of ranges (kEverywhere: all memory); then count   \
                              times address, size (8 bytes each) */                                                 \
  TAG(MissingMore, "saw")  /* the same: what the code without hooks that this thread is in was given since */       \
  TAG(MissingEnd, "sbn")   /* stamp, has value, result */                                                           \
  TAG(CallbackBegin, "sw") /* stamp, id of the entry record of the function that code without hooks called */       \
  TAG(CallbackEnd, "s")    /* it has returned, or was left by an unwind */                                          \
  TAG(SignalBegin, "sw")   /* stamp, signal number: a handler starts in this stream */                              \
  TAG(SignalEnd, "s")                                                                                               \
  TAG(Marker, "sw")  /* stamp, length; then that many bytes of text */                                              \
  TAG(Acquire, "sa") /* annotation: happens after every Release of this address so far */                           \
  TAG(Release, "sa")                                                                                                \
  TAG(Handle, "aw") /* address, child: right before its Fork, no stamp. The handle of the child is stored there     \
                       (8 bytes), if the child was created: if it has a stream */                                   \
  TAG(Ignore, "b")  /* IgnoreFlag, no stamp: from here on such accesses are unchecked, or no longer */              \
  TAG(Company, "s") /* from here on other processes may have descriptors and memory that this one has now */        \
  TAG(Everything,                                                                                                   \
      "sa") /* stamp, address of the callee: a call begins that may order everything; MissingEnd ends it */         \
  TAG(SharedMap, "sannnb") /* address, bytes, which file (0: none), offset in it, 1: other processes may have it */ \
  TAG(State, "sab")        /* address of an object of state (state_address), 0: it is read, 1: appended to */
enum class Tag : std::uint32_t {
  None = 0,
#define TAG(name, payload) name,
  RACECAST_RUNTIME_RECORDS(TAG)
#undef TAG
};
inline constexpr const char* kTagPayload[] = {"",
#define TAG(name, payload) payload,
                                              RACECAST_RUNTIME_RECORDS(TAG)
#undef TAG
};
// Of Bulk. String: what was read of a string, of which each byte says whether the next one is read. Given: nothing is
// read or written (bytes is 0), but values were given to the call that say what it does.
enum class BulkKind : std::uint8_t { Read = 0, Write = 1, String = 2, Given = 3 };
inline constexpr std::uint32_t kEverywhere = 0xffffffff;
// Of Ignore. Each begin has an end, and they nest.
enum IgnoreFlag : std::uint8_t { kIgnoreReads = 1, kIgnoreWrites = 2, kIgnoreBegins = 4 };

// ---- places: what Acquire and Release of the runtime's own are about, where that is no memory of the program. Bits 48
// to 55 of the address are the kind (0: an address of the program), the lower ones say which one of that kind.
enum class PlaceKind : std::uint8_t {
  Signal = 1,     // number of the signal; 0: any
  Pipe,           // pipes and FIFOs: device and inode
  Socket,         // what one end of a connection sends: its inode, or the addresses of both ends
  Datagram,       // what is sent to a port; UNIX sockets: all names
  Listener,       // who listens: its port; UNIX sockets: all
  Connecting,     // who connects to it: the same
  Event,          // eventfd: the kernel's number
  Timer,          // timerfd: our number; 0: timers that send signals
  Epoll,          // what a descriptor was registered with: the event's data
  Lock,           // locks on files: device and inode
  Queue,          // POSIX message queues: inode
  Semaphore,      // System V: the identifier
  SemaphoreZero,  // the same: who waits until it is 0
  Message,        // System V queues: the identifier
  Callback,       // what libc calls back in a thread of its own: our number
  // From here on: order that there may be. Who sends something out of the process may be before all who receive from
  // there: nobody sees what other processes pass on. Who reads makes room for who writes later, if that needs it.
  Outside = 0x80,
  Room,  // of a pipe, a socket, a queue
};
inline constexpr std::uint64_t kPlaceNumber = (std::uint64_t{1} << 48) - 1;
constexpr std::uint64_t place(PlaceKind kind, std::uint64_t number) {
  return std::uint64_t{static_cast<std::uint8_t>(kind)} << 48 | (number & kPlaceNumber);
}
inline constexpr std::uint64_t kFirstPlace = std::uint64_t{1} << 48;
inline constexpr std::uint64_t kOutside = place(PlaceKind::Outside, 0);

// ---- meta: records of a header and `bytes` of payload, appended with one write each

enum class MetaKind : std::uint32_t {
  Process = 1,  // u32 version, u32 pid, u32 parent, u64 start (ns of the realtime clock), then argv[0] without a zero
  Module,       // u64 ids_begin, u32 ids, u32 0, u64 global_count, u64 function_count, u64 model_bytes, the global
                // addresses, the function addresses, the model
  Thread,       // u32 thread, then its name
  Stopped,      // u64 stamp: nothing after it counts; then the reason in words
  Stream,       // u32 stream, u32 thread, u32 handlers_of, u32 log, u64 log_begin: a stream begins
  Incomplete,   // something that happens is not recorded, or not as it is: which, in words
};
struct MetaHeader {
  std::uint32_t kind;
  std::uint32_t zero;
  std::uint64_t bytes;
};

// ---- the hooks that the plugin calls, beside the inlined records (all: no lock held by the program is touched, errno
// is kept)
//
//   void  __racecast_atomic_begin(const void* address)
//         Before an atomic instruction: makes it and its stamp one step. The instruction itself stays as it is.
//   void  __racecast_atomic_load(const void* address, uint32_t what, uint64_t value)
//   void  __racecast_atomic_store(const void* address, uint32_t what, uint64_t value)
//   void  __racecast_atomic_rmw(const void* address, uint32_t what, uint64_t read, uint64_t written)
//         After it: records it and ends the step. what = size | order << 8 | has values << 16 | trace flags << 24.
//   void  __racecast_fence(uint32_t order)
//   void  __racecast_missing_begin(const void* callee, uint32_t count, const void* const* pointers)
//         Before a call of code without hooks; `pointers` are its arguments that are pointers. kEverywhere: all memory.
//   void  __racecast_everything_begin(const void* callee)
//         The same before a call that may order everything (program/library.h).
//   void  __racecast_missing_end(uint32_t has_value, uint64_t result)
//   void  __racecast_called(const void* frame, uint32_t id)
//         First thing in a function whose callers are not all known, where its frame is at or above `border`.
//   void  __racecast_returning(const void* result)
//         Last thing in such a function (after the record of its return), where its frame is the border. Its result, if
//         that is a pointer.
//   void  __racecast_caught(const void* frame)
//         An unwind has come to this frame (after the record of the landing), where there is a border.
//   void  __racecast_unwinding(const void* frame)
//         It goes on from there, where there is a border.
//   void  __racecast_effect(const Effect* effects, uint32_t count, uint64_t result, const uint64_t* arguments)
//         After a call of a function of known effect, or before it: records what it read and wrote (Bulk).
//   void  __racecast_state_begin(const StateEffect* effects, uint32_t count, const uint64_t* arguments, StateCall*
//   call)
//         Before a call of a function that reads or writes state outside of memory: records it (State).
//   void  __racecast_state_end(const StateEffect* effects, uint32_t count, uint64_t result, StateCall* call)
//         After it: once more, if others were at the same state meanwhile; and what the result names.
//   The plugin marks a function that it instruments: a weak symbol `__racecast_has.NAME` for a function that others can
//   link to, and 8 bytes kFunctionMark before its entry (prefix data) for indirect calls.
inline constexpr std::uint64_t kFunctionMark = 0x7263'6d61'726b'9e37;

// ---- hooks that are called instead of writing records inline (`racecast cc --racecast-hooks=call`): for who must be
// asked before an access happens (a replayer) or wants to look at it at once (a detector). Which accesses there are,
// their ids and shapes, the records that the runtime writes for them, and all other hooks are as in code that writes
// its records itself; so both kinds of code can be linked together, and give the same trace. An id leads to a shape
// by the module's table, the shape to the instruction (Item::instr, ShapeHeader::next) and the function.
//
//   void  __racecast_access(const void* address, uint64_t bytes, uint32_t what, uint32_t id)
//         Before a load, a store or a memory intrinsic, and after an alloca of an object that others can see. A copy
//         calls it twice: what it reads, what it writes. what = AccessKind | AccessFlag.
//   void  __racecast_accessed(uint32_t value_bytes, uint64_t value)
//         After it: with what was read or written, where that is recorded (value_bytes 1, 2, 4 or 8; else 0). Only now
//         is the access in the recording: one that faults never happened.
//   void  __racecast_at(uint32_t id)
//         Before an atomic, a fence, a call out of the module: `next` of the shape of this id.
//   void  __racecast_enter(const void* frame, uint32_t id)
//         At the beginning of a function. The return address is at frame + 8. Every entry shape has a Frame item here.
//   void  __racecast_leave(uint32_t id)
//         Before it returns, or unwinds on. A function that has nothing to clean up is unwound without a word:
//   void  __racecast_landed(const void* frame, uint32_t id, uint32_t value_bytes, uint64_t value)
//         An unwind or a longjmp came to the activation that has this frame; those it called are over. The value: what
//         setjmp returned.
// Inlined as ever, because only the model needs it: parameters, results that it cannot compute, outcomes of branches.
enum class AccessKind : std::uint32_t { Read = 0, Write = 1, StackObject = 2 };
inline constexpr std::uint32_t kAccessKindMask = 3;
enum AccessFlag : std::uint32_t {
  kAddressKnown = 4,     // AddressMode::Global: it is not in the record
  kLengthRecorded = 8,   // `bytes` is known at run time only, so it is in the record
  kSameInstruction = 16  // it belongs together with the call before: what a copy writes
};

// Who looks on. The functions are called by the thread itself, before anything is recorded, in every thread, also where
// nothing is recorded (there they are the only ones who learn of it). They may block; they must not record, and keep
// errno. `id` 0: a function of known effect or the allocator tells (__racecast_effect, realloc), from code of either
// kind; `at` told where.
//   void  __racecast_watch(const racecast::abi::Watcher* watcher)
//         From now on; null: nobody. One at a time; the table must stay where it is.
struct Watcher {
  void (*access)(const void* address, std::uint64_t bytes, std::uint32_t what, std::uint32_t id);
  void (*at)(std::uint32_t id);
  void (*enter)(const void* frame, std::uint32_t id);
  void (*leave)(std::uint32_t id);
  void (*landed)(const void* frame, std::uint32_t id);
};

// One thing that a function of known effect does (src/program/library.txt): reads or writes memory at an argument.
enum class Length : std::uint8_t {
  Constant,  // `constant` bytes
  Argument,  // argument a (in bytes); times argument b where b is not kNoArgument; times `constant` where not 0
  String,    // up to and with its terminating zero; at most argument a bytes where a is not kNoArgument
  Result,    // as many bytes as the call returned, none if that is not positive; times argument a where that is not
             // kNoArgument; times `constant` where not 0
  Until,     // up to and with the byte that the result points to; where that is null: as many as argument a says, none
             // where a is kNoArgument
  Wide,      // a string of wchar_t, with its terminating zero
  Stream,    // of a C++ stream what its buffer and its flags are; nothing of cin, cout, cerr, clog
};
inline constexpr std::uint8_t kNoArgument = 255;
inline constexpr std::uint8_t kResultPointer = 254;
struct Effect {
  std::uint8_t write;     // 0: reads, 1: writes
  std::uint8_t argument;  // which argument points there; kResultPointer: the result does
  Length length;
  std::uint8_t a, b;
  std::uint8_t zero[3];
  std::uint64_t constant;
};

// ---- state outside of memory (docs/semantics.md, section 1). An object of it is one byte at an address of its kind
// (program/library.def) and its number. Two numbers are not objects: kEach is read by who reads one object and appended
// to by who changes all of that kind; kSome is appended to by who changes one and read by who reads all. So one and all
// always meet, and two that are not the same never do.
inline constexpr std::uint64_t kEach = 0, kSome = 1, kFirstObject = 2;
inline constexpr int kStateKindShift = 48;
constexpr std::uint64_t state_address(std::uint8_t kind, std::uint64_t number) {
  return kState + (std::uint64_t{kind} << kStateKindShift) + (number & ((std::uint64_t{1} << kStateKindShift) - 1));
}

// What a row of the table says of state, and how its object is found.
enum class StateWhich : std::uint8_t {
  All,            // of that kind
  Number,         // `number`: of a name
  Argument,       // the argument is an address or a number
  Result,         // the result is; new, so that nobody else has it until the call has returned
  File,           // the argument is a FILE; null: all
  Standard,       // stdin, stdout, stderr: `number`
  Descriptor,     // the argument is a descriptor; duplicates are one object
  NewDescriptor,  // the result is
  Position,       // the argument is a descriptor, of a regular file; else there is none
  Content,        // of the regular file that the argument, a descriptor or a FILE, is open on; else there is none.
                  // stdout and stderr are not followed
  StreamContent,  // the same of a C++ stream: all
  IfFlags,        // all, if flags of open make or change a file
  IfMode,         // all, if the mode of fopen does
};
struct StateEffect {
  std::uint8_t write;  // 0: reads, 1: writes
  std::uint8_t kind;   // program::StateKind
  StateWhich which;
  std::uint8_t argument;
  std::uint8_t zero[4];
  std::uint64_t number;
};
// What the runtime keeps of a call while it is under way, in the caller's frame.
inline constexpr std::size_t kMaxStateEvents = 24;
struct StateCall {
  struct Touch {
    std::uint64_t address;
    std::uint32_t version;
    std::uint32_t append;
  };
  std::uint32_t count;       // of touches; 0 where nothing is recorded
  std::uint32_t everything;  // 1: the call is in a section that reaches everything
  Touch touches[kMaxStateEvents];
};

// ---- what `racecast run` tells the runtime, in environment variables
inline constexpr const char* kEnvFolder =
    "RACECAST_DIR";  // where to make a folder per process; without: nothing is recorded
inline constexpr const char* kEnvMaxBytes = "RACECAST_MAX_BYTES";  // of all logs of a process, as they are on disk
inline constexpr const char* kSavedFile = "saved";
inline constexpr std::uint64_t kPieceBytes = std::uint64_t{4} << 20;  // of a piece; a 64th of the limit if that is less
// Without it: so much, and no more than a tenth of what was free on the disk when the process started.
inline constexpr std::uint64_t kDefaultMaxBytes = std::uint64_t{2} << 30;
inline constexpr std::uint64_t kDefaultPartOfFree = 10;
// And so much before packing: all of it has to be looked at.
inline constexpr std::uint64_t kDefaultMaxUnpacked = std::uint64_t{8} << 30;
// Whatever the limit: recording stops when less is free than this, or than a twentieth of what was free at the start.
inline constexpr std::uint64_t kLeftFree = std::uint64_t{1} << 30;
inline constexpr std::uint64_t kLeftPartOfFree = 20;
inline constexpr const char* kEnvMaxEvents =
    "RACECAST_MAX_EVENTS";  // the same, counted as kBytesPerEvent each: counting bytes costs nothing
inline constexpr std::uint64_t kBytesPerEvent = 8;
inline constexpr const char* kEnvSeed = "RACECAST_SEED";  // perturb scheduling
inline constexpr const char* kEnvExitWait =
    "RACECAST_EXIT_WAIT";  // milliseconds that other threads may go on at the end of main
inline constexpr std::uint32_t kDefaultExitWait = 1000;
inline constexpr const char* kEnvWish = "RACECAST";  // off: a program that is not recorded does not say so
// The folder of a process: DIR/PID.K, K from 0 (an exec'd program counts on).

}  // namespace racecast::abi
