// What memory holds while the judge executes a schedule: per byte of a life, who wrote it and, where that is known,
// what. Answers the one question of docs/semantics.md, section 3: is this read faithful?
#pragma once

#include <tsl/robin_map.h>

#include <array>
#include <cstdint>
#include <optional>

#include "base/hash.h"
#include "model/execution.h"

namespace racecast::witness {

// What the program or the trace says about memory before the first write.
class InitialContent {
 public:
  explicit InitialContent(const model::Execution& execution);
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
};

class Memory {
 public:
  Memory(const model::Execution& execution, const InitialContent& initial) : execution_(execution), initial_(initial) {}

  struct ReadResult {
    bool faithful = false;
    std::optional<std::uint64_t> value;  // what it returns, if every byte is known and there are at most 8
  };
  ReadResult read(EventNo read) const;
  // The event's recorded value is stored, or (unknown) something that is equal to no value.
  void write(EventNo write, bool unknown);
  // An event of missing code: writes the recorded content to all that its sections reach.
  void section_event(EventNo event);
  // Does any byte that the section reaches hold an unknown value?
  bool unknown_in_reach(const model::SectionAt& at) const;

  void begin_section(std::uint32_t section) { ++open_[section]; }
  void end_section(std::uint32_t section) { open_.erase(section); }

 private:
  enum class Kind : std::uint8_t { Known, ByIdentity, Unknown };
  struct Content {
    EventNo writer = model::kInitial;
    std::uint64_t at = 0;  // when, in writes; 0: not written yet
    Kind kind = Kind::ByIdentity;
    std::uint8_t value = 0;
  };
  using Granule = std::array<Content, 8>;
  using Key = InitialContent::Key;
  // What the byte holds; `granule` is its entry of granules_, or null.
  Content content(const Granule* granule, std::uint32_t life, std::uint64_t address) const;
  const Granule* find(std::uint32_t life, std::uint64_t address) const;
  bool in_progress(std::uint64_t address) const;
  // function(address, content) for bytes that are written now.
  template <typename Function>
  void for_bytes(std::uint32_t life, trace::Range range, Function&& function);

  const model::Execution& execution_;
  const InitialContent& initial_;
  tsl::robin_map<Key, Granule, InitialContent::Hash> granules_;
  HashMap<std::uint32_t, int> open_;   // sections in progress
  std::optional<EventNo> everything_;  // last event of a section that reaches everything
  std::uint64_t everything_at_ = 0;
  std::uint64_t order_ = 0;    // counts writes, to tell what is older than `everything_`
  std::uint64_t unknown_ = 0;  // bytes that were made unknown, ever: mostly none
};

}  // namespace racecast::witness
