// One walk over what code without hooks can reach: from words that may be pointers to the objects that they lie in, and
// on from there, word by word, conservatively. Live allocations, globals of modules with hooks, variables of libraries,
// thread-local memory and stacks count as objects. A pointer to code without hooks leads to what its library reaches
// (libraries.h); so does one to constants of a library where one of the words that follow is such a pointer (a table of
// virtual functions, a structure of callbacks). A pointer to memory that nobody knows leads nowhere, but for arguments
// (mappings.h).
//
// Bound: kMaxObjects objects, kMaxBytes bytes; past it everything is reachable.
//
// Stacks: of this thread, the frame that a pointer lies in (our callers keep frame pointers), or where the chain of
// frames is broken all that is above the pointer. A saved frame pointer may be anything where a caller was compiled
// without them, so the chain is followed on the stack that the thread began on only, where all between this frame and
// the top can be read. On another stack (a handler's, makecontext's) whose memory is no object, nothing is known of
// what a pointer to what lies above leads to, so everything is reachable. A pointer into another thread's stack takes
// 4 KiB either side of it: LIMIT(#4), a larger frame is not seen whole. Most of what that finds is dead or links
// frames, so pointers in it to the same stack are not followed.
//
// An object may be freed and unmapped while it is scanned, and a mapping need not be readable. So memory is copied by a
// system call (process_vm_readv), a page at a time, and what cannot be read has no pointers.
//
// Measured: a scan that finds one object costs 2 us, 1,000 list nodes 30 us, 1 MiB without pointers 200 us. Tried:
// copying object by object, 2 us for each. Not tried: keeping the pointers of an object with a hash of its content
// needs the same reads, and knowing of writes into it would cost every plain store.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/missing/reach.h"

namespace racecast::runtime {

struct Scratch;

class Scan {
 public:
  // Takes this thread's memory for scanning. There is none where a handler interrupted a scan: then nothing is known.
  Scan();
  ~Scan();
  Scan(const Scan&) = delete;
  Scan& operator=(const Scan&) = delete;

  // Most words are no pointers; that is told here, without a call.
  void follow(std::uintptr_t word) {
    if (word >= 4096 && word >> 47 == 0) [[unlikely]]
      follow_pointer(word);
  }
  // An argument: it may also lead to memory that nobody told us of.
  void follow_argument(std::uintptr_t word);
  // The words of this thread's stack from `begin` to `end`, which are frames of code without hooks. What they say of
  // the stack itself are links between frames, and arguments.
  void follow_stack(std::uintptr_t begin, std::uintptr_t end);
  enum class Content : std::uint8_t {
    Followed,
    Known,       // all that it points to was added, too
    OtherStack,  // followed, but for what points to the same stack
  };
  void add(const Object& object, Content content = Content::Followed);
  // What the library of this code keeps to itself, and its thread-local memory of this thread.
  void add_library(std::uintptr_t code);
  // From here on everything counts as reachable.
  void give_up() { over_ = true; }
  bool gave_up() const { return over_; }

  // Follows everything. False: everything is reachable.
  bool run();
  const Object* objects() const;
  std::uint32_t count() const { return count_; }

 private:
  std::size_t slot_at(std::uintptr_t begin) const;
  bool follow_pointer(std::uintptr_t pointer);  // false: it leads nowhere
  bool follow_image(std::uintptr_t pointer, int depth);
  void follow_words(const Object& memory);
  void follow_content(std::uint32_t number);
  void scan_short(const Object& words);
  std::size_t cache(std::uintptr_t page);
  void scan_long(Object words);
  std::size_t copy(std::uintptr_t from, void* to, std::size_t bytes);
  Object stack_part(std::uintptr_t pointer);

  Scratch* scratch_;
  long pid_ = 0;
  std::uint32_t count_ = 0;
  std::size_t bytes_ = 0;
  bool over_ = false;
  Object not_followed_{};  // pointers to this lead nowhere
  static constexpr std::size_t kCode = 16;
  std::uintptr_t code_[kCode] = {};  // by page: whose libraries were added; the last ones
};

// Copies memory that may not be there. False: it is not.
bool read_memory(std::uintptr_t from, void* to, std::size_t bytes);

// Gives back what this thread used for scanning.
void free_scratch();

}  // namespace racecast::runtime
