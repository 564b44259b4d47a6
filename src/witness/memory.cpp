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

// The recorded writer of byte `i` of a read. Bytes past the 64th are not told apart: they count with the 64th.
EventNo recorded_writer(const model::Execution& execution, EventNo read, std::uint64_t i) {
  const std::uint64_t bit = std::uint64_t{1} << std::min<std::uint64_t>(i, 63);
  for (const model::ReadFrom& from : execution.reads_from(read))
    if ((from.bytes & bit) != 0) return from.writer;
  return kInitial;
}

}  // namespace

InitialContent::InitialContent(const model::Execution& execution) {
  if (const auto& program = execution.trace().definitions.program) {
    for (const program::Global& global : program->globals) {
      if (global.kind != program::GlobalKind::Data && global.kind != program::GlobalKind::Atomic) continue;
      for (std::uint64_t i = 0; i < global.size(); ++i) {
        const std::uint64_t in_element = i % global.element_size;
        const std::uint8_t value = !global.bytes.empty()
                                       ? (i < global.bytes.size() ? global.bytes[i] : std::uint8_t{0})
                                       : (in_element < 8 ? byte_of(global.initial, in_element) : std::uint8_t{0});
        bytes_[{model::kNoLife, global.address + i}] = value;
      }
    }
  }
  for (std::size_t n = 0; n < execution.size(); ++n) {
    const Event& e = execution.trace().events[n];
    if (!trace::reads(e) || !value_known(e)) continue;
    for (std::uint64_t i = 0; i < e.size; ++i)
      if (recorded_writer(execution, EventNo{n}, i) == kInitial)
        bytes_.try_emplace({execution.life_of(EventNo{n}), e.address + i}, byte_of(e.value, i));
  }
}

std::optional<std::uint8_t> InitialContent::byte(std::uint32_t life, std::uint64_t address) const {
  auto it = bytes_.find({life, address});
  return it == bytes_.end() ? std::nullopt : std::optional(it->second);
}

Memory::Content Memory::content(std::uint32_t life, std::uint64_t address) const {
  auto it = bytes_.find({life, address});
  if (it != bytes_.end() && it->second.kind == Kind::Unknown) return it->second;  // stays so under missing code
  const bool born_since = everything_ && life != model::kNoLife && execution_.lives()[life].alloc > *everything_;
  if (everything_ && !born_since) {
    auto written = written_at_.find({life, address});
    if (written == written_at_.end() || written->second < everything_at_) return {*everything_, Kind::ByIdentity, 0};
  }
  if (it != bytes_.end()) return it->second;
  const std::optional<std::uint8_t> initial = initial_.byte(life, address);
  return {kInitial, initial ? Kind::Known : Kind::ByIdentity, initial.value_or(0)};
}

bool Memory::in_progress(std::uint64_t address) const {
  for (const auto& [id, count] : open_) {
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
  ReadResult result{true, 0};
  for (std::uint64_t i = 0; i < e.size; ++i) {
    const Content c = content(life, e.address + i);
    const bool same_writer = c.kind != Kind::Unknown && c.writer == recorded_writer(execution_, read, i);
    // What a section in progress reaches, it may change at any time.
    const bool known = c.kind == Kind::Known && (open_.empty() || !in_progress(e.address + i));
    const bool same_value = known && value_known(e) && c.value == byte_of(e.value, i);
    if (!same_writer && !same_value) result.faithful = false;
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

void Memory::write(EventNo write, bool unknown) {
  const Event& e = execution_.event(write);
  const std::uint32_t life = execution_.life_of(write);
  ++order_;
  for (std::uint64_t i = 0; i < e.size; ++i) {
    Content c{write, unknown ? Kind::Unknown : value_known(e) ? Kind::Known : Kind::ByIdentity, 0};
    if (c.kind == Kind::Known) c.value = byte_of(trace::stored_value(e), i);
    bytes_[{life, e.address + i}] = c;
    if (execution_.has_missing()) written_at_[{life, e.address + i}] = order_;
  }
}

void Memory::section_event(EventNo event) {
  ++order_;
  for (const model::SectionAt& at : execution_.sections_of(event)) {
    if (execution_.trace().definitions.reach[execution_.sections()[at.section].reach].everything) {
      everything_ = event;
      everything_at_ = order_;
    }
    for (const model::Piece& piece : execution_.pieces(at)) {
      for (std::uint64_t i = 0; i < piece.range.size; ++i) {
        Content& now = bytes_[{piece.life, piece.range.address + i}];
        now = {event, now.kind == Kind::Unknown ? Kind::Unknown : Kind::ByIdentity, 0};
        written_at_[{piece.life, piece.range.address + i}] = order_;
      }
    }
  }
}

bool Memory::unknown_in_reach(const model::SectionAt& at) const {
  if (execution_.trace().definitions.reach[execution_.sections()[at.section].reach].everything)
    return std::any_of(bytes_.begin(), bytes_.end(),
                       [](const auto& entry) { return entry.second.kind == Kind::Unknown; });
  for (const model::Piece& piece : execution_.pieces(at))
    for (std::uint64_t i = 0; i < piece.range.size; ++i)
      if (content(piece.life, piece.range.address + i).kind == Kind::Unknown) return true;
  return false;
}

}  // namespace racecast::witness
