// The state of a run at one point, as events: what must be performed first, in recorded order, so that a piece of the
// trace can be executed by itself by the same rules. Most of it are recorded events: the allocs of live objects, the
// locks that are held, the last write of each byte, sleepers and the notifies that were for them, arrivals at barriers
// that somebody has yet to leave, guards, calls into missing code that have not come back (and calls of recorded
// functions in them), and reads that tell what memory held at the start. Where those would drag in more, an event
// stands for them: a `lock` for a `wake` that took a mutex again, a `write` without a value (on state outside of
// memory: an append) for missing code that wrote, a `begin` for a thread that only is joined.
//
// Only what the piece touches is carried. Semaphores are carried by their counts, which is what the events of the piece
// are told to have been there at the start.
//
// Memory: what is alive, and an entry for every granule that was touched. add() is a few look-ups per event, but for
// missing code, which walks what it reaches.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/ids.h"
#include "base/result.h"
#include "trace/event_codec.h"
#include "trace/trace.h"

namespace racecast::analysis::predict {

// Live objects by address, each with the number of its alloc.
class LiveObjects {
 public:
  struct Object {
    std::uint64_t size = 0;
    std::uint64_t number = 0;
    trace::Event alloc;
  };
  void add(const trace::Event& event, std::uint64_t number);
  // The one that the byte is in, and the one that begins there (it may have no byte); null if none.
  const Object* at(std::uint64_t address) const;
  const Object* beginning_at(std::uint64_t address) const;

  // carried_bytes.cpp; a reader that has failed (base/bytes.h) gives what must not be used.
  void write(ByteWriter& writer) const;
  static LiveObjects read(ByteReader& reader, const trace::IdBounds& bounds);

 private:
  std::map<std::uint64_t, Object> objects_;
};

// A semaphore: its address, and the alloc of its object (kNoObject if it is in none).
using SemaphoreKey = std::pair<std::uint64_t, std::uint64_t>;
inline constexpr std::uint64_t kNoObject = ~std::uint64_t{0};

// What semaphores had at the start of their lives (docs/semantics.md, section 2): as the trace says, or the smallest
// count for which the whole run is legal. To be fed the whole trace before it is asked.
class SemaphoreStarts {
 public:
  void add(const trace::Event& event);
  std::int64_t start(const SemaphoreKey& semaphore) const;

  // As bytes, and back. Bytes that are malformed are bad_input; `definitions` are those of the trace.
  std::vector<std::uint8_t> bytes() const;
  static Result<SemaphoreStarts> from_bytes(std::span<const std::uint8_t> bytes, const trace::Definitions& definitions);

 private:
  struct Counts {
    std::int64_t balance = 0, start = 0;
  };
  std::uint64_t next_ = 0;
  LiveObjects objects_;
  std::map<SemaphoreKey, Counts> counts_;
};

class CarriedState {
 public:
  // `definitions` are those of the trace, and may grow; both must outlive it.
  CarriedState(const trace::Definitions& definitions, const SemaphoreStarts& starts)
      : definitions_(definitions), starts_(starts) {}

  // The events of a valid trace, from its start.
  void add(const trace::Event& event);
  std::uint64_t events() const { return next_; }  // so far

  // What `piece`, the next events, needs. The two together are a valid trace (once say_counts was called).
  std::vector<trace::Event> carry(std::span<const trace::Event> piece);
  // Writes into the semaphore operations of `piece` what there is at its start (or at that of their object's life).
  void say_counts(std::span<trace::Event> piece) const;

  // As bytes, the same for the same state, and back, with `definitions` and `starts` as above. Bytes that are
  // malformed, or no state that events could lead to, are bad_input.
  std::vector<std::uint8_t> bytes() const;
  static Result<CarriedState> from_bytes(std::span<const std::uint8_t> bytes, const trace::Definitions& definitions,
                                         const SemaphoreStarts& starts);

 private:
  struct Codec;
  using StoreNo = std::uint32_t;  // into store_; 0: none
  struct Stored {
    std::uint64_t number = 0;  // of the event
    trace::Event event;
    bool by_missing = false;  // it belongs to missing code that writes the byte, whatever else it is
  };
  // Who gave each byte of a granule what it holds: a write, an own point of missing code, or a read that tells what was
  // there at the start.
  struct Bytes {
    StoreNo from[8] = {};
  };
  struct Held {
    std::uint64_t lock = 0;
    std::vector<Stored> acquires;  // a recursive one has several
  };
  struct Sleep {
    Stored wait;
    std::uint32_t depth = 1;         // how often the mutex was held
    std::optional<Stored> notified;  // by this notify
  };
  struct Thread {
    std::vector<Held> held;
    std::optional<Sleep> sleep;
    // Where it is in missing code: the begins of sections and the calls in them that have not returned, outermost
    // first. It is at own points of those sections that come after the last call.
    std::vector<Stored> inside;
  };
  struct Arrival {
    Stored event;
    bool left = false;
  };
  struct Round {
    std::uint64_t parties = 0;  // 0: not known; then there is but one round
    std::vector<Arrival> arrivals;
    bool complete() const { return parties != 0 && arrivals.size() >= parties; }
  };
  struct Guard {
    Stored enter;
    std::optional<Stored> done;
  };
  struct Chosen;  // what carry() has collected

  Thread& thread(ThreadId id);
  Stored stored(const trace::Event& event, bool by_missing = false) const { return {next_, event, by_missing}; }
  // Is what the byte holds older than what missing code may have put there?
  bool overwritten(StoreNo from, const LiveObjects::Object* object) const;
  void set_bytes(std::uint64_t address, std::uint64_t size, StoreNo from);
  void forget_unused();
  void on_access(const trace::Event& event);
  void on_lock(const trace::Event& event);
  void on_condition(const trace::Event& event);
  void on_barrier(const trace::Event& event);
  static void forget_rounds(std::vector<Round>& rounds);
  void on_object(const trace::Event& event);
  void on_missing(const trace::Event& event);
  void choose_memory(std::span<const trace::Event> piece, Chosen& chosen) const;
  void choose_threads(Chosen& chosen) const;
  void choose_sync(std::span<const trace::Event> piece, Chosen& chosen) const;
  void choose_objects(std::span<const trace::Event> piece, Chosen& chosen) const;

  const trace::Definitions& definitions_;
  const SemaphoreStarts& starts_;
  std::uint64_t next_ = 0;
  std::vector<Thread> threads_;
  HashMap<std::uint64_t, Bytes> bytes_;  // by granule
  std::vector<Stored> store_ = std::vector<Stored>(1);
  std::size_t used_ = 0;              // entries of store_ that were in use when that was last counted
  std::optional<Stored> everything_;  // the last own point of missing code that may reach everything
  LiveObjects objects_;
  std::map<std::uint64_t, std::vector<ThreadId>> sleepers_;  // by condition, not yet notified, longest first
  std::map<std::uint64_t, std::vector<Round>> barriers_;     // rounds that somebody may leave, or complete
  std::map<std::uint64_t, Guard> guards_;
  std::map<SemaphoreKey, std::int64_t> balances_;  // of semaphores: posts minus downs
};

}  // namespace racecast::analysis::predict
