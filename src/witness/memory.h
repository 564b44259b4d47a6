// What memory holds while the judge executes a schedule: per byte of a life, who wrote it and, where that is known,
// what. Answers the one question of docs/semantics.md, section 3: is this read faithful? A write stores what it stored
// in the recorded run, something unknown, or (where the judge runs the program model) another value that is known.
#pragma once

#include <tsl/robin_map.h>

#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "base/hash.h"
#include "model/order/execution.h"

namespace racecast::witness {

// What the program or the trace says about memory before the first write.
class InitialContent {
 public:
  // `zeroed_objects`: a new object holds zeros, where nothing else says what it holds.
  explicit InitialContent(const model::Execution& execution, bool zeroed_objects = false);
  std::optional<std::uint8_t> byte(std::uint32_t life, std::uint64_t address) const;

 private:
  friend class Memory;
  // Eight bytes of one life.
  struct Key {
    std::uint32_t life;
    std::uint64_t granule;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const { return MixHash()(key.granule ^ (std::uint64_t{key.life} << 40)); }
  };
  struct Bytes {
    std::uint8_t known = 0;  // a bit per byte
    std::array<std::uint8_t, 8> values{};
  };
  tsl::robin_map<Key, Bytes, Hash> granules_;
  bool zeroed_objects_;
};

// What a write stores.
struct Stored {
  enum class As : std::uint8_t {
    Recorded,  // what it stored in the recorded run
    Other,     // `value`
    Unknown,   // something that is equal to no value
  };
  As as = As::Recorded;
  std::uint64_t value = 0;
};

class Memory {
 public:
  Memory(const model::Execution& execution, const InitialContent& initial) : execution_(execution), initial_(initial) {}

  struct ReadResult {
    bool faithful = false;
    std::optional<std::uint64_t> value;  // what it returns, if every byte is known and there are at most 8
    bool same_writers = false;           // every byte is from its recorded writer
  };
  ReadResult read(EventNo read) const;
  // Who wrote a byte last: a write, an own point of missing code, or model::kInitial.
  EventNo writer(std::uint32_t life, std::uint64_t address) const {
    return content(find(life, address), life, address).writer;
  }
  void write(EventNo write, Stored stored);
  // A compare-and-swap that wrote in the recorded run, and does not now.
  void leave_out(EventNo write);
  // An own point of missing code: writes the recorded content to all that its sections reach, where the recorded
  // content was (altered_in_reach).
  void section_event(EventNo event);
  // Does any byte that the section of this own point reaches hold something else than recorded? What a section reaches
  // is tied to it, so the same writes as in the recorded run have been performed; another one may have been the last,
  // or stored something else.
  bool altered_in_reach(EventNo event, const model::SectionAt& at) const;

  // Does the missing code of this section run now? Then it may write what it reaches at any time.
  void set_running(std::uint32_t section, bool runs) {
    if (runs)
      running_.insert(section);
    else
      running_.erase(section);
  }

 private:
  // Other: known, and not what its writer stored in the recorded run.
  enum class Kind : std::uint8_t { Known, ByIdentity, Other, Unknown };
  struct Content {
    EventNo writer = model::kInitial;
    std::uint64_t at = 0;  // when, in writes; 0: not written yet
    Kind kind = Kind::ByIdentity;
    std::uint8_t value = 0;
    // Of all writes so far, the one that is last in the trace, and what it stored there.
    std::uint8_t latest_value = 0;
    bool latest_known = false;
    EventNo latest = model::kInitial;
  };
  // Is it something else than what its writer stored in the recorded run?
  static bool altered(const Content& c) { return c.kind == Kind::Unknown || c.kind == Kind::Other; }
  // Is it something else than after the same writes in the recorded run?
  static bool misplaced(const Content& c) {
    if (c.kind == Kind::Unknown || c.writer == c.latest) return altered(c);
    return !c.latest_known || c.kind == Kind::ByIdentity || c.value != c.latest_value;
  }
  using Granule = std::array<Content, 8>;
  using Key = InitialContent::Key;
  // What the byte holds; `granule` is its one of granules_, or null.
  Content content(const Granule* granule, std::uint32_t life, std::uint64_t address) const;
  const Granule* find(std::uint32_t life, std::uint64_t address) const;
  bool reached_by_running(std::uint64_t address) const;
  void remember_initial(Content& now, std::uint32_t life, std::uint64_t address) const;
  // function(address, content) for bytes that are written now.
  template <typename Function>
  void for_bytes(std::uint32_t life, trace::Range range, Function&& function);

  const model::Execution& execution_;
  const InitialContent& initial_;
  // Apart from the map, which moves its entries: a granule is large.
  tsl::robin_map<Key, std::uint32_t, InitialContent::Hash> numbers_;  // into granules_
  std::deque<Granule> granules_;
  HashSet<std::uint32_t> running_;     // sections
  std::optional<EventNo> everything_;  // last own point of a section that reaches everything
  std::uint64_t everything_at_ = 0;
  std::uint64_t order_ = 0;      // counts writes, to tell what is older than `everything_`
  std::uint64_t misplaced_ = 0;  // bytes that were misplaced, ever: mostly none
};

}  // namespace racecast::witness
