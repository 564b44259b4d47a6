#include "recording/place.h"

#include <algorithm>
#include <string>

#include "trace/annotations.h"

namespace racecast::recording {
namespace {

using trace::Event;
using trace::EventKind;

// A lane that is let go on may itself need another one, so many times.
constexpr int kMaxDepth = 2;
// Looks at pending events, on average for each event that was written; and what is free.
constexpr std::uint64_t kEffort = 16;
constexpr std::uint64_t kFreeEffort = 1'000'000;

bool knows_read(const Event& e) {
  return trace::reads(e) && e.has(trace::kHasValue);
}
bool knows_write(const Event& e) {
  return trace::writes(e) && e.has(trace::kHasValue);
}

// Do a and b, which overlap, say the same of their common bytes?
bool same_bytes(const Event& a, std::uint64_t a_value, const Event& b, std::uint64_t b_value) {
  const std::uint64_t from = std::max(a.address, b.address);
  const std::uint64_t to = std::min(a.address + a.size, b.address + b.size);
  for (std::uint64_t at = from; at < to; ++at) {
    if (static_cast<std::uint8_t>(a_value >> (8 * (at - a.address))) !=
        static_cast<std::uint8_t>(b_value >> (8 * (at - b.address))))
      return false;
  }
  return true;
}

}  // namespace

bool Placer::agrees(const Event& e) const {
  return !knows_read(e) || values_.could_be(e.address, e.size, e.value);
}

// Is it known that memory holds what this read? What nobody has written yet may hold anything, but if another lane is
// about to write just that, the read saw it rather than an initial content that happened to be the same.
bool Placer::is_explained(const Event& e) const {
  return !knows_read(e) || (agrees(e) && values_.knows(e.address, e.size));
}

// May others have this lane go on?
bool Placer::is_allowed(const Lane& lane) {
  return !lane.busy && lane.interrupted == 0;
}

std::uint64_t Placer::max_effort() const {
  return kFreeEffort + kEffort * output_.events();
}

bool Placer::is_exhausted() const {
  return effort_ > max_effort() || output_.failed();
}

void Placer::run(Lane& lane) {
  if (lane.busy) return;
  lane.busy = true;
  while (!lane.plain().empty() && !output_.failed()) step(lane, 0);
  lane.busy = false;
}

void Placer::run_while_consistent(Lane& lane) {
  if (lane.busy) return;
  lane.busy = true;
  while (!lane.plain().empty() && agrees(lane.plain().front()) && !output_.failed()) step(lane, 0);
  lane.busy = false;
}

void Placer::add(Lane& lane, const Event& e) {
  lane.busy = true;
  prepare(lane, e, 0);
  if (e.kind == EventKind::Free) finish_object(lane, e.address, 0);
  apply(e);
  lane.busy = false;
  write(lane, e);
  if (output_.is_missing_code_beside(e.thread)) run_half(lane);
}

void Placer::run_half(Lane& lane) {
  lane.busy = true;
  for (std::size_t left = lane.plain().size() / 2; left > 0 && !output_.failed(); --left) {
    if (!agrees(lane.plain().front())) break;
    step(lane, 0);
  }
  lane.busy = false;
}

void Placer::step(Lane& lane, int depth) {
  const Event e = lane.plain().front();
  if (trace::is_access(e.kind)) prepare(lane, e, depth);
  if (e.kind == EventKind::Free) finish_object(lane, e.address, depth);
  apply(e);
  lane.pop();
  write(lane, e);
}

// Sections of missing code among them stand for no code: nobody hands them anything.
void Placer::add_all(std::span<const Event> events, bool handler) {
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].kind == EventKind::MissingBegin)
      output_.add_alone(events[i], events[i + 1]);
    else if (events[i].kind != EventKind::MissingEnd)
      output_.add(events[i], handler);
  }
}

void Placer::write(const Lane& lane, Event e) {
  if (e.kind == EventKind::Free) shared_.unmap(e.address);
  if (shared_.empty()) [[likely]]
    return output_.add(e, lane.is_handler);
  before_.clear();
  after_.clear();
  shared_.surround(e, before_, after_);
  add_all(before_, lane.is_handler);
  output_.add(e, lane.is_handler);
  add_all(after_, lane.is_handler);
}

// Lets other lanes go on, so that the read of `e` sees what it read and its write takes nothing away from them.
void Placer::prepare(Lane& lane, const Event& e, int depth) {
  if (depth >= kMaxDepth || e.size == 0 || !e.has(trace::kHasValue)) return;
  const auto is_source = [&](const Event& other) {
    return knows_write(other) && trace::overlap(other, e) && same_bytes(other, trace::stored_value(other), e, e.value);
  };
  if (!is_explained(e)) {
    const bool written = lane.look_ahead().others_write(e, lane.number());
    if (written) let_others(lane, depth, is_source, &e, kLookAhead);
    if (written && !agrees(e)) take_turns(lane, e, depth);
    // Memory that nobody knows is searched for less eagerly: it may well have held this from the start.
    if (!agrees(e) || (written && !is_explained(e) && 2 * effort_ < max_effort())) {
      look_further(lane);
      if (lane.look_ahead().others_write(e, lane.number())) let_others(lane, depth, is_source, &e, kFarAhead);
      if (!agrees(e) && !written && lane.look_ahead().others_write(e, lane.number())) take_turns(lane, e, depth);
    }
  }
  if (knows_write(e) && lane.look_ahead().others_read(e, lane.number())) {
    let_others(
        lane, depth,
        [&](const Event& other) {
          return knows_read(other) && trace::overlap(other, e) && agrees(other) &&
                 !same_bytes(other, other.value, e, trace::stored_value(e));
        },
        nullptr, kLookAhead);
  }
}

void Placer::look_further(Lane& lane) {
  for (const auto& other : lanes_) {
    if (is_exhausted()) return;
    if (other.get() != &lane && is_allowed(*other)) effort_ += 1 + other->look_further();
  }
}

// Every other lane goes on up to and with the first event that is wanted, so far ahead at the most, if its reads agree
// on the way. Stops as soon as `read`, if given, is explained.
template <typename Wanted>
bool Placer::let_others(Lane& lane, int depth, const Wanted& wanted, const Event* read, std::size_t ahead) {
  if (is_exhausted()) return false;
  for (const auto& candidate : lanes_) {
    Lane& other = *candidate;
    ++effort_;
    if (&other == &lane || !is_allowed(other)) continue;
    std::span<const Event> events = other.plain();
    events = events.first(std::min(events.size(), ahead));
    const auto found = std::ranges::find_if(events, wanted);
    effort_ += static_cast<std::uint64_t>(found - events.begin());
    if (found == events.end()) continue;
    other.busy = true;
    for (auto steps = found - events.begin() + 1; steps > 0; --steps) {
      const Event& next = other.plain().front();
      if (!agrees(next)) prepare(other, Event(next), depth + 1);
      if (!agrees(other.plain().front())) break;
      step(other, depth + 1);
      if (read != nullptr && is_explained(*read)) break;
    }
    other.busy = false;
    if (read != nullptr && is_explained(*read)) return true;
  }
  return false;
}

// An object dies: other lanes first do what they can still do with it, or it would be taken for another life.
void Placer::finish_object(Lane& lane, std::uint64_t address, int depth) {
  constexpr std::uint64_t kMaxProbed = 512;  // bytes of an object: more than that is looked for in every lane
  const std::uint64_t size = output_.size_of_object(address);
  if (size == 0 || depth >= kMaxDepth || is_exhausted()) return;
  if (size <= kMaxProbed) {
    bool found = false;
    Event granule;
    granule.size = 1;
    for (granule.address = address & ~std::uint64_t{7}; granule.address < address + size && !found;
         granule.address += 8) {
      found = lane.look_ahead().others_read(granule, lane.number()) ||
              lane.look_ahead().others_write(granule, lane.number());
    }
    if (!found) return;
  }
  const auto wanted = [&](const Event& other) {
    return trace::is_access(other.kind) && other.address < address + size && address < other.address + other.size;
  };
  for (const auto& candidate : lanes_) {
    Lane& other = *candidate;
    ++effort_;
    if (&other == &lane || !is_allowed(other)) continue;
    other.busy = true;
    bool more = true;
    while (more && !is_exhausted()) {
      std::span<const Event> events = other.plain();
      events = events.first(std::min(events.size(), kLookAhead));
      const auto found = std::ranges::find_if(events, wanted);
      effort_ += static_cast<std::uint64_t>(found - events.begin());
      more = found != events.end();
      for (auto steps = more ? found - events.begin() + 1 : 0; steps > 0 && more; --steps) {
        more = agrees(other.plain().front());
        if (more) step(other, depth + 1);
      }
    }
    other.busy = false;
  }
}

// The write that `e` saw is beyond the look ahead. Where threads took turns at one place, it is the turn of a lane that
// reads there what memory holds: it goes on until its reads disagree, and then perhaps another one.
void Placer::take_turns(Lane& lane, const Event& e, int depth) {
  const auto has_turn = [&](Lane& other) {
    for (const Event& next : other.plain()) {
      ++effort_;
      if (!agrees(next)) return false;
      if (trace::is_access(next.kind) && trace::overlap(next, e)) return knows_read(next);
    }
    return false;
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (const auto& candidate : lanes_) {
      Lane& other = *candidate;
      if (is_exhausted()) return;
      if (&other == &lane || !is_allowed(other) || !has_turn(other)) continue;
      other.busy = true;
      while (!other.plain().empty() && agrees(other.plain().front()) && !agrees(e)) {
        step(other, depth + 1);
        progress = true;
      }
      other.busy = false;
      if (agrees(e)) return;
    }
  }
}

// ---- what memory holds

void Placer::apply(const Event& e) {
  switch (e.kind) {
    case EventKind::Read:
    case EventKind::AtomicRead:
    case EventKind::Write:
    case EventKind::AtomicWrite:
    case EventKind::AtomicRmw: {
      if (knows_read(e)) {
        // What is read for the first time may have been there from the start; but another process may be the one that
        // an atomic read waits for.
        const bool from_other = e.kind != EventKind::Read && shared_.is_outside(e.address) && !is_explained(e);
        if ((!agrees(e) || from_other) && !output_.may_be_written(e)) add_unseen_write(e);
        values_.set(e.address, e.size, e.value);
      }
      if (!trace::writes(e)) return;
      if (e.has(trace::kHasValue))
        values_.set(e.address, e.size, trace::stored_value(e));
      else
        values_.forget(e.address, e.size);
      return;
    }
    case EventKind::Alloc: values_.forget(e.address, e.size); return;
    default: return;  // what missing code may have written is forgotten when it is written (missing_code.h)
  }
}

// Where a read did not see what the trace shows, something that is not in the trace wrote there, or a racy write was
// placed wrongly. Analyses must not take the writer that the trace shows for the true one: missing code that reaches
// just these bytes, right before the read, says so. Memory that other processes have was written by one of them, which
// may know anything that was done before.
void Placer::add_unseen_write(const Event& read) {
  ++inconsistent_;
  const bool by_other = shared_.is_outside(read.address);
  outside_memory_ = outside_memory_ || by_other;
  std::vector<trace::Range> bytes{{read.address, read.size}};
  Event begin, end;
  begin.kind = EventKind::MissingBegin;
  end.kind = EventKind::MissingEnd;
  begin.thread = end.thread = read.thread;
  begin.location = end.location = vocabulary_.nowhere();
  begin.address = vocabulary_.reach(bytes, by_other);
  begin.aux = vocabulary_.text(by_other ? "another process" + std::string(trace::kOrdersEverything)
                                        : std::string(trace::kUnseenWrite));
  output_.add_alone(begin, end);
}

}  // namespace racecast::recording
