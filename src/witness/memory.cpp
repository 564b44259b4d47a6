#include "witness/memory.h"

#include <algorithm>

#include "program/program.h"

namespace racecast::witness {

using model::kInitial;
using trace::Event;

namespace {

bool value_known(const Event& e) {
  return e.has(trace::kHasValue) && e.size <= 8;
}
std::uint8_t byte_of(std::uint64_t value, std::uint64_t i) {
  return static_cast<std::uint8_t>(value >> (8 * i));
}

// The recorded writer of byte `i` of a read.
EventNo recorded_writer(std::span<const model::ReadFrom> reads, std::uint64_t i) {
  for (const model::ReadFrom& from : reads)
    if (i - from.offset < from.size) return from.writer;
  return kInitial;
}

}  // namespace

InitialContent::InitialContent(const model::Execution& execution, bool zeroed_objects)
    : zeroed_objects_(zeroed_objects) {
  // The model of a compiled program does not say what every global holds at the start (addresses, globals of other
  // files), and its globals may be large: there, what reads saw has to do.
  if (const auto& program = execution.trace().definitions.program;
      program != nullptr && program->origin == program::Origin::Litmus) {
    for (const program::Global& global : program->globals) {
      if (global.kind != program::GlobalKind::Data && global.kind != program::GlobalKind::Atomic) continue;
      for (std::uint64_t i = 0; i < global.size(); ++i) {
        const std::uint64_t in_element = i % global.element_size;
        const std::uint8_t value = !global.bytes.empty()
                                       ? (i < global.bytes.size() ? global.bytes[i] : std::uint8_t{0})
                                       : (in_element < 8 ? byte_of(global.initial, in_element) : std::uint8_t{0});
        const std::uint64_t at = global.address + i;
        Bytes& bytes = granules_[{model::kNoLife, at >> 3}];
        bytes.known |= static_cast<std::uint8_t>(1u << (at & 7));
        bytes.values[at & 7] = value;
      }
    }
  }
  for (std::size_t n = 0; n < execution.size(); ++n) {
    const Event& e = execution.trace().events[n];
    if (!trace::reads(e) || !value_known(e)) continue;
    for (const model::ReadFrom& from : execution.reads_from(EventNo{n})) {
      if (from.writer != kInitial) continue;
      for (std::uint64_t i = from.offset; i < from.offset + from.size; ++i) {
        const std::uint64_t at = e.address + i;
        Bytes& bytes = granules_[{execution.life_of(EventNo{n}), at >> 3}];
        if ((bytes.known >> (at & 7) & 1) != 0) continue;
        bytes.known |= static_cast<std::uint8_t>(1u << (at & 7));
        bytes.values[at & 7] = byte_of(e.value, i);
      }
    }
  }
}

std::optional<std::uint8_t> InitialContent::byte(std::uint32_t life, std::uint64_t address) const {
  auto it = granules_.find({life, address >> 3});
  if (it != granules_.end() && (it->second.known >> (address & 7) & 1) != 0) return it->second.values[address & 7];
  if (zeroed_objects_ && life != model::kNoLife) return std::uint8_t{0};
  return std::nullopt;
}

const Memory::Granule* Memory::find(std::uint32_t life, std::uint64_t address) const {
  const auto it = numbers_.find({life, address >> 3});
  return it == numbers_.end() ? nullptr : &granules_[it->second];
}

Memory::Content Memory::content(const Granule* granule, std::uint32_t life, std::uint64_t address) const {
  const Content now = granule == nullptr ? Content{} : (*granule)[address & 7];
  if (now.kind == Kind::Unknown) return now;  // stays so under missing code
  const bool born_since = everything_ && life != model::kNoLife && execution_.lives()[life].alloc > *everything_;
  if (everything_ && !born_since && now.at < everything_at_)
    return {*everything_, everything_at_, misplaced(now) ? Kind::Unknown : Kind::ByIdentity};
  if (now.at != 0) return now;
  const std::optional<std::uint8_t> initial = initial_.byte(life, address);
  return {kInitial, 0, initial ? Kind::Known : Kind::ByIdentity, initial.value_or(0)};
}

template <typename Function>
void Memory::for_bytes(std::uint32_t life, trace::Range range, Function&& function) {
  for (std::uint64_t at = range.address; at < range.address + range.size;) {
    const auto [it, fresh] = numbers_.try_emplace(Key{life, at >> 3}, static_cast<std::uint32_t>(granules_.size()));
    if (fresh) granules_.emplace_back();
    Granule& granule = granules_[it->second];
    do {
      function(at, granule[at & 7]);
      ++at;
    } while ((at & 7) != 0 && at < range.address + range.size);
  }
}

bool Memory::reached_by_running(std::uint64_t address) const {
  for (const std::uint32_t id : running_) {
    const trace::ReachSet& reach = execution_.trace().definitions.reach[execution_.sections()[id].reach];
    if (reach.everything) return true;
    for (const trace::Range& range : reach.ranges)
      if (address - range.address < range.size) return true;
  }
  return false;
}

Memory::ReadResult Memory::read(EventNo read) const {
  const Event& e = execution_.event(read);
  const std::uint32_t life = execution_.life_of(read);
  const std::span<const model::ReadFrom> recorded = execution_.reads_from(read);
  ReadResult result{true, 0, true};
  const Granule* granule = nullptr;
  for (std::uint64_t i = 0; i < e.size; ++i) {
    if (i == 0 || ((e.address + i) & 7) == 0) granule = find(life, e.address + i);
    const Content c = content(granule, life, e.address + i);
    const bool same_writer = !altered(c) && c.writer == recorded_writer(recorded, i);
    // What running missing code reaches, it may change at any time.
    const bool known =
        (c.kind == Kind::Known || c.kind == Kind::Other) && (running_.empty() || !reached_by_running(e.address + i));
    const bool same_value = known && value_known(e) && c.value == byte_of(e.value, i);
    if (!same_writer && !same_value) result.faithful = false;
    if (!same_writer) result.same_writers = false;
    if (i >= 8 || !result.value) {
      result.value.reset();
    } else if (same_writer && value_known(e)) {
      *result.value |= std::uint64_t{byte_of(e.value, i)} << (8 * i);
    } else if (known) {
      *result.value |= std::uint64_t{c.value} << (8 * i);
    } else {
      result.value.reset();
    }
  }
  return result;
}

void Memory::write(EventNo write, Stored stored) {
  const Event& e = execution_.event(write);
  ++order_;
  if (stored.as == Stored::As::Other && e.size > 8) stored.as = Stored::As::Unknown;
  const std::uint32_t life = execution_.life_of(write);
  const bool wrote = trace::writes(e);  // else: a compare-and-swap that failed in the recorded run
  for_bytes(life, {e.address, e.size}, [&](std::uint64_t at, Content& now) {
    const std::uint64_t i = at - e.address;
    if (!wrote && now.at == 0) remember_initial(now, life, at);
    now.writer = write;
    now.at = order_;
    now.kind = wrote && value_known(e) ? Kind::Known : Kind::ByIdentity;
    now.value = wrote && value_known(e) ? byte_of(trace::stored_value(e), i) : 0;
    if (wrote && (now.latest == kInitial || now.latest < write)) {
      now.latest = write;
      now.latest_known = now.kind == Kind::Known;
      now.latest_value = now.value;
    }
    if (stored.as == Stored::As::Unknown) {
      now.kind = Kind::Unknown;
      now.value = 0;
    } else if (stored.as == Stored::As::Other) {
      // Of another value some bytes may be those of the recorded one.
      const std::uint8_t value = byte_of(stored.value, i);
      if (now.kind != Kind::Known || now.value != value) now.kind = Kind::Other;
      now.value = value;
    }
    if (misplaced(now)) ++misplaced_;
  });
}

void Memory::leave_out(EventNo write) {
  const Event& e = execution_.event(write);
  const std::uint32_t life = execution_.life_of(write);
  for_bytes(life, {e.address, e.size}, [&](std::uint64_t at, Content& now) {
    if (now.at == 0) remember_initial(now, life, at);
    if (now.latest == kInitial || now.latest < write) {
      now.latest = write;
      now.latest_known = value_known(e);
      now.latest_value = value_known(e) ? byte_of(trace::stored_value(e), at - e.address) : 0;
    }
    if (misplaced(now)) ++misplaced_;
  });
}

// What was there before any write counts as what the recorded run stored.
void Memory::remember_initial(Content& now, std::uint32_t life, std::uint64_t address) const {
  if (now.latest != kInitial) return;
  const std::optional<std::uint8_t> initial = initial_.byte(life, address);
  now.kind = initial ? Kind::Known : Kind::ByIdentity;
  now.value = now.latest_value = initial.value_or(0);
  now.latest_known = initial.has_value();
}

void Memory::section_event(EventNo event) {
  ++order_;
  for (const model::SectionAt& at : execution_.sections_of(event)) {
    if (execution_.trace().definitions.reach[execution_.sections()[at.section].reach].everything) {
      everything_ = event;
      everything_at_ = order_;
    }
    for (const model::Piece& piece : execution_.pieces(at))
      for_bytes(piece.life, piece.range, [&](std::uint64_t, Content& now) {
        now = {event, order_, Kind::ByIdentity};
        now.latest = event;
      });
  }
}

bool Memory::altered_in_reach(EventNo event, const model::SectionAt& at) const {
  if (misplaced_ == 0) return false;
  const auto lives = [&](std::uint32_t life) {
    return life == model::kNoLife || (execution_.lives()[life].alloc < event &&
                                      !(execution_.lives()[life].free && *execution_.lives()[life].free < event));
  };
  if (execution_.trace().definitions.reach[execution_.sections()[at.section].reach].everything)
    return std::any_of(numbers_.begin(), numbers_.end(), [&](const auto& entry) {
      return lives(entry.first.life) && std::ranges::any_of(granules_[entry.second], misplaced);
    });
  for (const model::Piece& piece : execution_.pieces(at))
    for (std::uint64_t i = 0; i < piece.range.size; ++i)
      if (const Granule* granule = find(piece.life, piece.range.address + i);
          granule != nullptr && misplaced((*granule)[(piece.range.address + i) & 7]))
        return true;
  return false;
}

}  // namespace racecast::witness
