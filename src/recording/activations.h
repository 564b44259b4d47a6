// Makes events of the records of one stream. What a record means depends on where its thread is: the functions that it
// has entered and not left. They are a stack of activations; a record of a function that is not the innermost one shows
// that those inside were left without a word (an exception, longjmp, exit of the thread), and they end there.
//
// A Call event stands at the call, where that is a call by name in a function that is recorded, else at the first
// instruction of the function that was entered. The Call and the Return of a callback of missing code have stamps: its
// records are between two of the runtime's.
//
// Stack objects that others can see live from their Alloca record until their activation ends. Events of the runtime
// (a lock, an allocation) stand at the call that the innermost activation was about to make.
//
// Order in the stream is order in the thread; this knows nothing of other streams or stamps.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/hash.h"
#include "recording/code.h"
#include "recording/stream.h"
#include "recording/vocabulary.h"
#include "trace/event.h"

namespace racecast::recording {

class Activations {
 public:
  // `code` is linked; both must outlive it. `home`: where events stand before the first function is entered.
  // `forked`: the stream is a thread's own, not that of its handlers, so what begins it was said by its fork.
  Activations(ThreadId thread, LocationId home, Code& code, Vocabulary& vocabulary, bool forked = true)
      : thread_(thread), outside_(home), code_(&code), vocabulary_(&vocabulary), begins_(forked) {}

  // Appends the events of a record without a stamp.
  void add(const Record& record, std::vector<trace::Event>& out);
  // The event of a record with a stamp; nullopt: it has none, or makes no sense. Appends to `before` what comes before
  // it in its thread: a thread or a handler that ends leaves its functions.
  std::optional<trace::Event> add_stamped(const Record& record, std::vector<trace::Event>& before);
  // Ends all activations: what is left of them when a handler jumps away.
  void leave_all(std::vector<trace::Event>& out) { leave_to(0, out); }

  std::uint64_t cut() const { return cut_; }  // bytes of accesses so large that they were not believed

 private:
  struct Activation {
    std::uint32_t function = 0;
    LocationId call{};        // what was called last
    LocationId last{};        // where it was last
    LocationId at{};          // where its next call is looked for
    std::uint64_t frame = 0;  // 0: not known
    std::size_t first_alloca = 0;
    bool unchecked = false;     // its function
    bool is_callback = false;   // missing code called it: a record of the runtime says when it is over
    bool is_announced = false;  // and that it began; its own first record is still to come
  };

  struct StackObject {
    std::uint64_t address = 0, size = 0;
    bool sized = false;  // at run time: below the others, and gone when the stack is cut back
  };

  trace::Event event(trace::EventKind kind, LocationId location) const;
  // The Call or the Return; `out` gets what comes before it.
  trace::Event enter(const CodeShape& shape);
  trace::Event leave(LocationId location, std::vector<trace::Event>& out);
  std::optional<trace::Event> begin_callback(std::uint32_t id);
  std::optional<trace::Event> end_callback(std::vector<trace::Event>& before);
  void leave_to(std::size_t depth, std::vector<trace::Event>& out);
  void find_activation(const CodeShape& shape, std::optional<std::uint64_t> frame, std::vector<trace::Event>& out);
  void add_items(const Record& record, std::vector<trace::Event>& out);
  void add_alloca(LocationId location, const StackObject& object, std::vector<trace::Event>& out);
  void end_last_alloca(LocationId location, std::vector<trace::Event>& out);
  void add_bulk(bool write, LocationId location, bool computed, std::uint64_t address, std::uint64_t bytes,
                std::vector<trace::Event>& out);
  void add_known_effect(const Numbers& n, std::vector<trace::Event>& out);
  void add_string(LocationId location, std::uint64_t address, std::uint64_t bytes, std::vector<trace::Event>& out);
  void add_nothing(LocationId location, std::vector<trace::Event>& out);
  std::optional<trace::Event> sync(const Numbers& n) const;
  trace::Event atomic(abi::Tag tag, const Numbers& n) const;
  trace::Event missing_begin(const Numbers& n, std::span<const std::uint8_t> ranges);
  LocationId call_site() const { return stack_.empty() ? outside_ : stack_.back().call; }
  // What Ignore records say: begins that have no end yet.
  void ignore(std::uint64_t what);
  // Of a plain access: unchecked are those of an unchecked function, and those that are to be ignored.
  trace::Flags flags_of_access(bool write, bool computed) const;
  // Of an access that the runtime records, and of missing code: outside of any activation (a host that reallocates, a
  // thread that begins in missing code) it is that of no instruction.
  LocationId access_site() const { return stack_.empty() ? vocabulary_->nowhere() : stack_.back().call; }

  ThreadId thread_;
  LocationId outside_;  // of runtime events outside of any activation
  Code* code_;
  Code::Hint hint_;
  Vocabulary* vocabulary_;
  std::vector<Activation> stack_;
  std::vector<StackObject> allocas_;      // of all activations, in order of allocation
  std::vector<std::uint64_t> addresses_;  // of the items of the record at hand
  std::vector<trace::Range> ranges_;
  HashMap<std::uint64_t, LocationId> call_sites_;  // by Activation::at and function
  std::uint64_t ignored_reads_ = 0, ignored_writes_ = 0;
  std::uint64_t cut_ = 0;
  bool begins_;  // nothing was entered yet in a thread's own stream
};

}  // namespace racecast::recording
