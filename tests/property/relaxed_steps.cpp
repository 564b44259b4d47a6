// The steps of the oracle's interpreter (relaxed_machine.h): accesses, synchronisation, and missing code, which has no
// code here but its begin, its end, the calls that it makes and their returns.
#include <algorithm>

#include "base/check.h"
#include "property/relaxed_machine.h"

namespace racecast::oracle {

using program::FunctionId;
using program::Instruction;
using program::Op;
using trace::Event;
using trace::EventKind;

namespace {

bool is_access(const Instruction& i) {
  return (traits_of(i.op) & program::Access) != 0;
}
bool has_object(const Instruction& i) {
  return i.op != Op::Fence && i.op != Op::Fork && i.op != Op::Join;
}
bool reads(Op op) {
  return op != Op::Store && op != Op::AtomicStore;
}

}  // namespace

// ---- what is next

RelaxedMachine::Next RelaxedMachine::next(const State& state, int thread) const {
  const ThreadState& t = state.threads[static_cast<std::size_t>(thread)];
  if (t.life != Life::Running) return {};
  const FrameState& frame = t.frames.back();
  if (frame.section >= 0) return next_missing(state, thread, t, frame);
  const Instruction& i = here(frame);
  if (i.op == Op::Call) return next_missing(state, thread, t, frame);
  Next next{is_access(i) ? StepKind::Access : StepKind::Sync, &i, 0, -1, false};
  if (has_object(i)) {
    const Word address = value(frame, i.operands[0]);
    if (!address.known) return {};
    next.address = address.bits;
    next.faults = is_access(i) ? !cell(next.address) : !sync_objects_.contains(next.address);
  }
  if (relaxation_ == Relaxation::All) return next;
  // What they give and leave in an unexecuted branch is not known.
  if (t.detour && (i.op == Op::Put || i.op == Op::Get)) return {};
  if (t.detour) return next.faults || missing_code_reaches(next.address) ? Next{} : next;
  const Event* e = recorded_event(static_cast<std::size_t>(thread), t);
  if (e == nullptr || index(e->location) != index(i.id) || !fits(t, i, *e, next)) return {};
  if (has_deviated(t) && (e->has(trace::kComputed) || e->has(trace::kCas))) return {};
  next.event = items(static_cast<std::size_t>(thread))[t.position].event;
  return ties_are_kept(state, next.event) ? next : Next{};
}

// Is this step the recorded event, as far as can be said before it is performed?
bool RelaxedMachine::fits(const ThreadState& t, const Instruction& i, const Event& e, const Next& next) const {
  if (next.faults) return e.kind == EventKind::Branch;
  if (e.kind == EventKind::Branch) return false;
  if (has_object(i) && e.address != next.address) return false;
  if (i.op == Op::Wait && e.aux != value(t.frames.back(), i.operands[1]).bits) return false;
  return true;
}

RelaxedMachine::Next RelaxedMachine::next_missing(const State& state, int thread, const ThreadState& t,
                                                  const FrameState& frame) const {
  const Event* e = t.detour ? nullptr : recorded_event(static_cast<std::size_t>(thread), t);
  if (e == nullptr || recorded_->missing == nullptr || has_deviated(t)) return {};
  Next next;
  next.event = items(static_cast<std::size_t>(thread))[t.position].event;
  if (!ties_are_kept(state, next.event)) return {};
  if (frame.section >= 0) {
    next.kind = e->kind == EventKind::MissingEnd ? StepKind::MissingEnd
                : e->kind == EventKind::Return   ? StepKind::MissingReturn
                                                 : StepKind::MissingCall;
    return contents_are_recorded(state, next.event, frame.section) ? next : Next{};
  }
  const Instruction& i = here(frame);
  if (e->kind != EventKind::MissingBegin || index(e->location) != index(i.id)) return {};
  next.kind = StepKind::MissingBegin;
  next.instruction = &i;
  const MissingFacts::Call& call = recorded_->missing->calls.at(next.event);
  for (std::size_t k = 1; k < i.operands.size(); ++k) {
    const Word argument = value(frame, i.operands[k]);
    if (relaxation_ == Relaxation::Maximal) continue;
    if (!argument.known || argument.bits != call.arguments[k - 1]) return {};
  }
  const auto& sections = recorded_->facts.sections;
  for (std::size_t s = 0; s < sections.size(); ++s)
    if (sections[s].begin == next.event && !contents_are_recorded(state, next.event, static_cast<int>(s))) return {};
  return next;
}

// missing-order: all earlier events that this one is tied to were performed.
bool RelaxedMachine::ties_are_kept(const State& state, int event) const {
  for (const int other : recorded_->facts.tied[static_cast<std::size_t>(event)]) {
    const ThreadState& t = state.threads[index(recorded_->facts.event(other).thread)];
    const int place = recorded_->paths.place(other);
    if (t.life == Life::NotStarted || place >= static_cast<int>(t.position)) return false;
    for (const auto& [from, to] : t.skipped)
      if (static_cast<int>(from) <= place && place < static_cast<int>(to)) return false;
  }
  return true;
}

// Does everything that a section reaches hold what it held in the recorded run when `event`, of the section, happened?
// Where missing code has been running, that can only be told by who wrote last.
bool RelaxedMachine::contents_are_recorded(const State& state, int event, int section) const {
  const bool begins = recorded_->facts.sections[static_cast<std::size_t>(section)].begin == event;
  const bool returns = recorded_->facts.event(event).kind == EventKind::Return;
  const auto& contents = recorded_->missing->contents.at(event);
  for (const std::uint64_t address : recorded_->reach[static_cast<std::size_t>(section)]) {
    const auto number = cell(address);
    if (const auto outside = state.outside.find(address); outside != state.outside.end()) {
      const bool same = outside->second.writer == recorded_->writer_before.at({event, address});
      if (!outside->second.as_recorded || !same) return false;
    }
    if (!number) continue;  // a synchronisation object
    const CellState now = *number < state.memory.size() ? state.memory[*number] : CellState{};
    if (!now.known) return false;
    if (relaxation_ == Relaxation::Maximal) continue;
    const bool by_writer = !(begins || returns) || now.hidden || running_code_reaches(state, address);
    if (by_writer && (now.foreign || now.writer != recorded_->writer_before.at({event, address}))) return false;
    if (!by_writer && now.bits != contents.at(address)) return false;
  }
  return true;
}

// Is missing code running that reaches this address?
bool RelaxedMachine::running_code_reaches(const State& state, std::uint64_t address) const {
  for (const ThreadState& t : state.threads) {
    for (const FrameState& frame : t.frames) {
      if (frame.section < 0 || !frame.runs) continue;
      const auto& reach = recorded_->reach[static_cast<std::size_t>(frame.section)];
      if (std::find(reach.begin(), reach.end(), address) != reach.end()) return true;
    }
  }
  return false;
}

bool RelaxedMachine::missing_code_reaches(std::uint64_t address) const {
  return std::any_of(recorded_->reach.begin(), recorded_->reach.end(),
                     [&](const auto& reach) { return std::find(reach.begin(), reach.end(), address) != reach.end(); });
}

std::optional<RelaxedMachine::Access> RelaxedMachine::next_access(const State& state, int thread) const {
  const Next n = next(state, thread);
  if (n.kind != StepKind::Access || n.faults) return std::nullopt;
  const Op op = n.instruction->op;
  const auto function = state.threads[static_cast<std::size_t>(thread)].frames.back().function;
  if ((op == Op::Load || op == Op::Store) && program_.function(function).unchecked) return std::nullopt;
  const bool cas_failed = op == Op::AtomicCas && n.event >= 0 && recorded_->facts.event(n.event).has(trace::kFailed);
  return Access{n.instruction->id, n.address, op != Op::Load && op != Op::AtomicLoad && !cas_failed,
                op != Op::Load && op != Op::Store, n.event};
}

std::size_t RelaxedMachine::wake_choices(const State& state, int thread) const {
  const Next n = next(state, thread);
  if (n.kind != StepKind::Sync || n.instruction->op != Op::Notify) return 1;
  const auto found = state.sleepers.find(n.address);
  return found == state.sleepers.end() ? 1 : found->second.size();
}

// ---- what can be performed

bool RelaxedMachine::can_step(const State& state, int thread) const {
  const Next n = next(state, thread);
  if (n.kind == StepKind::None) return false;
  if (n.faults || (n.kind != StepKind::Access && n.kind != StepKind::Sync)) return true;
  return (n.kind == StepKind::Access || is_enabled(state, thread, n)) && keeps_outcome(state, thread, n);
}

bool RelaxedMachine::is_enabled(const State& state, int thread, const Next& n) const {
  const ThreadState& t = state.threads[static_cast<std::size_t>(thread)];
  const Instruction& i = *n.instruction;
  const bool all = relaxation_ == Relaxation::All;
  const auto holds = [&](std::uint64_t mutex) {
    const auto found = state.mutexes.find(mutex);
    return found != state.mutexes.end() && found->second == thread;
  };
  switch (i.op) {
    case Op::Lock: return !state.mutexes.contains(n.address);
    // A mistake of the program: a thread stops before it, a free run gives up at it.
    case Op::Unlock: return holds(n.address) || all;
    case Op::RwUnlock: {
      const auto found = state.rwlocks.find(n.address);
      return all || (found != state.rwlocks.end() &&
                     (found->second.writer == thread || found->second.readers.contains(thread)));
    }
    case Op::RdLock: {
      const auto found = state.rwlocks.find(n.address);
      return found == state.rwlocks.end() || found->second.writer < 0;
    }
    case Op::WrLock: return !state.rwlocks.contains(n.address);
    case Op::Wait: {
      const std::uint64_t mutex = value(t.frames.back(), i.operands[1]).bits;
      if (t.second_half) return t.released && !state.mutexes.contains(mutex);
      return holds(mutex) || all;
    }
    case Op::Arrive: return !t.second_half || t.released;
    case Op::SemWait: {
      const auto found = state.semaphores.find(n.address);
      return (found != state.semaphores.end() ? found->second : sync_objects_.at(n.address)->initial) > 0;
    }
    case Op::Fork: {
      const program::Function& function = program_.functions[i.operands[0].value];
      return all || state.threads[index(*function.thread)].life == Life::NotStarted;
    }
    case Op::Join: {
      const std::uint64_t child = i.operands[0].kind == program::OperandKind::Function
                                      ? index(*program_.functions[i.operands[0].value].thread)
                                      : i.operands[0].value;
      return state.threads[child].life == Life::Ended;
    }
    default: return true;
  }
}

// Maximal: a try and a compare-and-swap are kept only with their recorded outcome. Otherwise any outcome will do, but a
// compare-and-swap must know it.
bool RelaxedMachine::keeps_outcome(const State& state, int thread, const Next& n) const {
  if (relaxation_ == Relaxation::All) return true;
  const bool as_recorded = relaxation_ == Relaxation::Maximal && n.event >= 0;
  const bool failed = n.event >= 0 && recorded_->facts.event(n.event).has(trace::kFailed);
  if (n.instruction->op == Op::TryLock) return !as_recorded || state.mutexes.contains(n.address) == failed;
  if (n.instruction->op != Op::AtomicCas) return true;
  const FrameState& frame = state.threads[static_cast<std::size_t>(thread)].frames.back();
  const Word now = read(state, n.address, n.event);
  const Word expected = value(frame, n.instruction->operands[1]);
  return now.known && expected.known && (!as_recorded || (now.bits != expected.bits) == failed);
}

// ---- performing it

void RelaxedMachine::step(State& state, int thread, std::size_t wake) {
  const Next n = next(state, thread);
  CHECK(n.kind != StepKind::None);
  ThreadState& t = state.threads[static_cast<std::size_t>(thread)];
  if (n.faults) {
    fault(state, thread, *n.instruction);
    return run_local(state, thread);
  }
  if (n.event >= 0) ++t.position;
  if (n.event >= 0 && recorded_->has_missing) leave_recorded_contents(state, n.event);
  switch (n.kind) {
    case StepKind::Access: perform_access(state, thread, n); break;
    case StepKind::Sync: perform_sync(state, thread, n, wake); break;
    default: perform_missing(state, thread, n); break;
  }
  run_local(state, thread);
}

Word RelaxedMachine::read(const State& state, std::uint64_t address, int event) const {
  const auto number = cell(address);
  CHECK(number.has_value());
  const CellState now = *number < state.memory.size() ? state.memory[*number] : CellState{};
  Word word{now.bits, now.known, false};
  if (event < 0 || !recorded_->has_missing || !(now.hidden || running_code_reaches(state, address))) return word;
  const bool faithful = now.known && !now.foreign && now.writer == recorded_->writer_before.at({event, address});
  return faithful ? Word{recorded_->facts.event(event).value} : Word{0, false, true};
}

void RelaxedMachine::write(State& state, int thread, std::uint64_t address, Word value, int event) {
  if (has_deviated(state.threads[static_cast<std::size_t>(thread)])) value.known = false;
  const auto number = cell(address);
  CHECK(number.has_value());
  if (*number >= state.memory.size()) state.memory.resize(*number + 1);
  CellState& now = state.memory[*number];
  now = {value.known ? value.bits : 0, value.known, false, false, kInitial};
  if (recorded_ == nullptr || !recorded_->has_missing) return;
  now.writer = event;
  now.foreign = event < 0 || !value.known || !trace::writes(recorded_->facts.event(event)) ||
                value.bits != trace::stored_value(recorded_->facts.event(event));
}

void RelaxedMachine::perform_access(State& state, int thread, const Next& n) {
  ThreadState& t = state.threads[static_cast<std::size_t>(thread)];
  const Instruction& i = *n.instruction;
  Word old;
  if (reads(i.op)) {
    old = read(state, n.address, n.event);
    const bool faithful = n.event >= 0 && old.known && old.bits == recorded_->facts.event(n.event).value;
    old.uncertain = relaxation_ != Relaxation::All && !faithful;
    if (relaxation_ == Relaxation::Maximal || has_state_) t.deviated = t.deviated || !faithful;
    if (relaxation_ == Relaxation::Maximal && !faithful) old.known = false;
  }
  const auto operand = [&](std::size_t k) { return value(t.frames.back(), i.operands[k]); };
  switch (i.op) {
    case Op::Load:
    case Op::AtomicLoad: set(t, i.result, old); break;
    case Op::Store:
    case Op::AtomicStore: write(state, thread, n.address, operand(1), n.event); break;
    case Op::AtomicRmw: {
      const Word other = operand(1);
      Word sum = old;
      sum.known = old.known && other.known;
      if (sum.known) sum.bits = program::apply(i.rmw, i.type, old.bits, other.bits);
      write(state, thread, n.address, sum, n.event);
      set(t, i.result, old);
      break;
    }
    case Op::AtomicCas: {
      const Word expected = operand(1);
      Word success = old;
      success.known = old.known && expected.known;
      success.uncertain = old.uncertain || expected.uncertain;
      success.bits = old.bits == expected.bits ? 1 : 0;
      if (success.known && success.bits != 0) write(state, thread, n.address, operand(2), n.event);
      set(t, i.result, old);
      set(t, i.result2, success);
      break;
    }
    default: CHECK(false, "{} is not an access", text_of(i.op));
  }
  ++t.frames.back().at;
}

void RelaxedMachine::perform_sync(State& state, int thread, const Next& n, std::size_t wake) {
  ThreadState& t = state.threads[static_cast<std::size_t>(thread)];
  const Instruction& i = *n.instruction;
  const auto mistake = [&] {
    gave_up_ = true;
    t.life = Life::Stopped;
  };
  switch (i.op) {
    case Op::Lock: state.mutexes[n.address] = thread; break;
    case Op::TryLock: {
      const bool taken = state.mutexes.try_emplace(n.address, thread).second;
      const bool other = n.event >= 0 && recorded_->facts.event(n.event).has(trace::kFailed) == taken;
      if (other && has_state_) t.deviated = true;
      set(t, i.result, {taken ? 1u : 0u, true, other});
      break;
    }
    case Op::Unlock: {
      const auto found = state.mutexes.find(n.address);
      if (found == state.mutexes.end() || found->second != thread) return mistake();
      state.mutexes.erase(found);
      break;
    }
    case Op::RdLock: ++state.rwlocks[n.address].readers[thread]; break;
    case Op::WrLock: state.rwlocks[n.address].writer = thread; break;
    case Op::RwUnlock: {
      const auto found = state.rwlocks.find(n.address);
      if (found == state.rwlocks.end()) return mistake();
      RwState& lock = found->second;
      if (lock.writer == thread) {
        lock.writer = -1;
      } else if (lock.readers.contains(thread)) {
        if (--lock.readers[thread] == 0) lock.readers.erase(thread);
      } else {
        return mistake();
      }
      if (lock.writer < 0 && lock.readers.empty()) state.rwlocks.erase(found);
      break;
    }
    case Op::Wait: {
      const std::uint64_t mutex = value(t.frames.back(), i.operands[1]).bits;
      if (!t.second_half) {
        const auto found = state.mutexes.find(mutex);
        if (found == state.mutexes.end() || found->second != thread) return mistake();
        state.mutexes.erase(found);
        state.sleepers[n.address].push_back(thread);
        t.second_half = true;
        return;
      }
      state.mutexes[mutex] = thread;
      t.second_half = t.released = false;
      break;
    }
    case Op::Notify:
    case Op::NotifyAll: {
      const auto found = state.sleepers.find(n.address);
      if (found == state.sleepers.end()) break;
      std::vector<int>& sleepers = found->second;
      for (std::size_t k = 0; k < sleepers.size(); ++k)
        if (i.op == Op::NotifyAll || k == wake) state.threads[static_cast<std::size_t>(sleepers[k])].released = true;
      if (i.op == Op::Notify) sleepers.erase(sleepers.begin() + static_cast<std::ptrdiff_t>(wake));
      if (i.op == Op::NotifyAll || sleepers.empty()) state.sleepers.erase(found);
      break;
    }
    case Op::SemPost:
    case Op::SemWait: {
      const std::uint64_t initial = sync_objects_.at(n.address)->initial;
      std::uint64_t& count = state.semaphores.try_emplace(n.address, initial).first->second;
      count += i.op == Op::SemPost ? 1 : std::uint64_t(-1);
      if (count == initial) state.semaphores.erase(n.address);
      break;
    }
    case Op::Put:
    case Op::Get: perform_state(state, thread, n); break;
    case Op::Arrive: {
      if (!t.second_half) {
        std::vector<int>& arrived = state.barriers[n.address];
        arrived.push_back(thread);
        std::sort(arrived.begin(), arrived.end());
        t.second_half = true;
        if (arrived.size() < sync_objects_.at(n.address)->initial) return;
        for (const int other : arrived) state.threads[static_cast<std::size_t>(other)].released = true;
        state.barriers.erase(n.address);
        return;
      }
      t.second_half = t.released = false;
      break;
    }
    case Op::Fork: {
      const auto function = static_cast<FunctionId>(i.operands[0].value);
      const std::size_t child = index(*program_.function(function).thread);
      if (state.threads[child].life != Life::NotStarted) return mistake();
      ++t.frames.back().at;
      begin_thread(state, static_cast<int>(child), function);
      return;
    }
    case Op::Fence:
    case Op::Join: break;
    default: CHECK(false, "{} is not in litmus programs", text_of(i.op));
  }
  ++t.frames.back().at;
}

// A read of state is faithful if what the recorded run found there is there; then, and if all that the thread read
// before was faithful, it gives what it gave. An append leaves what it left under the same conditions.
void RelaxedMachine::perform_state(State& state, int thread, const Next& n) {
  ThreadState& t = state.threads[static_cast<std::size_t>(thread)];
  const Instruction& i = *n.instruction;
  Outside& outside = state.outside[n.address];
  if (relaxation_ == Relaxation::All) {
    if (i.op == Op::Get) return set(t, i.result, {outside.bits});
    outside.bits = 31 * outside.bits + value(t.frames.back(), i.operands[1]).bits + 1;
    return;
  }
  const Facts& facts = recorded_->facts;
  const auto e = static_cast<std::size_t>(n.event);
  const bool found = outside.as_recorded && outside.writer == facts.pieces[e].front().recorded_writer;
  if (i.op == Op::Put) {
    outside = {0, n.event, found && !t.deviated};
    return;
  }
  if (!found) t.deviated = true;
  const int result = facts.of_thread[static_cast<std::size_t>(thread)][static_cast<std::size_t>(facts.position[e]) + 1];
  CHECK(facts.event(result).kind == EventKind::Value);
  set(t, i.result, t.deviated ? Word{0, false, true} : Word{facts.event(result).value});
}

void RelaxedMachine::perform_missing(State& state, int thread, const Next& n) {
  ThreadState& t = state.threads[static_cast<std::size_t>(thread)];
  const Event& e = recorded_->facts.event(n.event);
  if (n.kind == StepKind::MissingBegin) {
    const auto& sections = recorded_->facts.sections;
    FrameState& frame = t.frames.emplace_back();
    for (std::size_t s = 0; s < sections.size(); ++s)
      if (sections[s].begin == n.event) frame.section = static_cast<int>(s);
    CHECK(frame.section >= 0);
    return;
  }
  if (n.kind == StepKind::MissingEnd) {
    t.frames.pop_back();
    set(t, here(t.frames.back()).result, {e.value});
    ++t.frames.back().at;
    return;
  }
  t.frames.back().runs = n.kind == StepKind::MissingReturn;
  if (n.kind == StepKind::MissingReturn) return;
  std::vector<Word> arguments;
  for (const std::uint64_t argument : recorded_->missing->calls.at(n.event).arguments) arguments.push_back({argument});
  push(t, static_cast<FunctionId>(e.aux), arguments);
  t.frames.back().callback = n.event;
  follow(thread, t, ItemKind::Enter, {});
}

// What a section leaves behind: an own point counts as a write of the recorded content to all that it reaches. (In
// litmus programs no access is one.)
void RelaxedMachine::leave_recorded_contents(State& state, int event) {
  for (const int s : recorded_->facts.own_point_of[static_cast<std::size_t>(event)]) {
    for (const std::uint64_t address : recorded_->reach[static_cast<std::size_t>(s)]) {
      if (const auto outside = state.outside.find(address); outside != state.outside.end()) {
        const bool same = outside->second.writer == recorded_->writer_before.at({event, address});
        outside->second = {0, event, outside->second.as_recorded && same};
      }
      const auto number = cell(address);
      if (!number) continue;
      if (*number >= state.memory.size()) state.memory.resize(*number + 1);
      state.memory[*number] = {recorded_->missing->contents.at(event).at(address), true, false, true, event};
    }
  }
}

}  // namespace racecast::oracle
