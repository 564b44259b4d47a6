// A thread where nothing was recorded: it executes what needs no event, and then says what may come next, as the events
// that a recording would have had. What it reads is unknown to it, so an address or a test that is known is certain, as
// far as the branch itself decides that.
#include <algorithm>

#include "base/check.h"
#include "model/detour/branch_sides.h"
#include "model/walk/evaluation.h"
#include "model/walk/thread.h"
#include "program/evaluate.h"

namespace racecast::model {

using program::Op;
using trace::Event;
using trace::EventKind;

namespace {

constexpr int kMaxSteps = 100'000;  // between two events

FreeNext stopped(SideStop why) {
  return {FreeNext::Kind::Stopped, why, {}};
}
FreeNext goes(Event event) {
  return {FreeNext::Kind::Goes, SideStop::None, {{event}}};
}

FreeNext tries(Event event) {
  event.flags |= trace::kTry;
  Event failed = event;
  failed.flags |= trace::kFailed;
  return {FreeNext::Kind::Goes, SideStop::None, {{event}, {failed}}};
}

// What does one thing, to one object, and always ends.
bool is_plain_operation(program::Role role) {
  using program::Role;
  switch (role) {
    case Role::Lock:
    case Role::Unlock:
    case Role::RdLock:
    case Role::WrLock:
    case Role::RwUnlock:
    case Role::Notify:
    case Role::NotifyAll: return true;
    default: return false;
  }
}

}  // namespace

Event WalkThread::event_of(EventKind kind, const WalkStep& step, const FreeRules& rules) const {
  Event e;
  e.kind = kind;
  e.thread = id_;
  e.location = static_cast<LocationId>(index(step.source->id));
  if ((trace::row_of(kind).fields & trace::F) != 0 &&
      rules.sides->is_computed(static_cast<program::FunctionId>(step.function), *step.source))
    e.flags |= trace::kComputed;
  const bool plain = trace::is_access(kind) && !trace::is_atomic(kind);
  if (plain && code_.program().functions[step.function].unchecked) e.flags |= trace::kUnchecked;
  return e;
}

// Which part of an address is not known?
FreeNext WalkThread::uncertain_address(const WalkStep& step, const WalkOperand& address) const {
  for (std::uint32_t pc = code_.entry(step.function); pc < code_.size() && code_.step(pc).function == step.function;
       ++pc) {
    const WalkStep& definition = code_.step(pc);
    if (definition.result != address.reg || definition.op != Op::Index) continue;
    return stopped(value_of(code_.operands(definition)[0]).known ? SideStop::Index : SideStop::Base);
  }
  return stopped(SideStop::Base);
}

// A checked Index with a known element outside of its object.
bool WalkThread::is_outside(const WalkStep& step, const FreeRules& rules) const {
  if (step.op != Op::Index || !step.source->checked) return false;
  const WalkValue base = operand(step, 0), number = operand(step, 1);
  if (!base.known || !number.known) return false;
  auto it = rules.objects->upper_bound(base.value);
  if (it == rules.objects->begin()) return true;
  --it;
  if (base.value - it->first >= it->second) return true;
  std::int64_t wide = 0;
  if (__builtin_mul_overflow(static_cast<std::int64_t>(number.value), static_cast<std::int64_t>(step.source->imm),
                             &wide))
    return true;
  const std::uint64_t offset = base.value + static_cast<std::uint64_t>(wide) - it->first;
  return offset > it->second || step.source->imm > it->second - offset;
}

FreeNext WalkThread::next_free(const FreeRules& rules) {
  jumps_ = 0;
  for (int steps = 0; steps < kMaxSteps; ++steps) {
    if (watch_.met != Met::No) return {FreeNext::Kind::Joins, SideStop::None, {}};
    if (frames_.empty()) return stopped(SideStop::Opaque);
    const Frame& frame = frames_.back();
    const WalkStep& step = code_.step(frame.pc);
    bool decided = false;
    if (step.may_fault && (faults(step, decided) || is_outside(step, rules))) return stopped(SideStop::Fault);
    if (step.pace == Pace::Call && !frame.open) return free_call(step, rules);
    switch (step.pace == Pace::Call ? Op::Call : step.op) {
      case Op::Branch:
      case Op::Switch:
        if (step.pace == Pace::Landing) break;  // what throws is opaque
        return free_branch(step);
      case Op::Return: {
        const bool leaves = frames_.size() == watch_.depth && watch_.pc == kNone32;
        FreeNext next = goes(event_of(EventKind::Return, step, rules));
        if (!leaves) return next;
        next.kind = FreeNext::Kind::Leaves;
        if (from_begin_ && frames_.size() == 1) next.choices.clear();
        return next;
      }
      case Op::Call: break;  // over
      case Op::Opaque:
        if (code_.step(frame.pc + 1).pace == Pace::Landing) break;  // of an invoke that did not throw
        return stopped(SideStop::Opaque);
      case Op::Free:
      case Op::Unreachable: return stopped(step.op == Op::Free ? SideStop::Opaque : SideStop::Fault);
      case Op::Alloc:
      case Op::StackAlloc: {
        if (step.source->local) break;
        const WalkValue size = operand(step, 0);
        const auto address = size.known ? rules.make_object(step.source->id, size.value) : std::nullopt;
        if (!address) return stopped(SideStop::Opaque);
        Event e = event_of(EventKind::Alloc, step, rules);
        e.address = *address;
        e.size = static_cast<std::uint32_t>(size.value);
        return goes(e);
      }
      default:
        if (step.pace == Pace::Load && repeated(step) != nullptr) break;
        if (step.pace == Pace::LocalLoad || step.pace == Pace::LocalStore) break;
        if ((program::traits_of(step.op) & program::Access) != 0) return free_access(step, rules);
        if ((program::traits_of(step.op) & program::Sync) != 0) return free_sync(step, rules);
        break;
    }
    if (!pass(kNone32)) return stopped(SideStop::Opaque);
  }
  return stopped(SideStop::Size);
}

FreeNext WalkThread::free_branch(const WalkStep& step) const {
  FreeNext next{FreeNext::Kind::Goes, SideStop::None, {}};
  const WalkValue value = operand(step, 0);
  Event e;
  e.kind = EventKind::Branch;
  e.thread = id_;
  e.location = static_cast<LocationId>(index(step.source->id));
  const bool loop = program::loop_test_of(*step.source) != program::LoopTest::None;
  if (loop && !value.known) return stopped(SideStop::Loop);
  const std::uint64_t target = step.target_of(value.value);
  for (std::uint64_t t = 0; t < step.target_count; ++t) {
    // Where it depends on no read, or the rounds of a loop are certain, there is one way.
    if (value.known && (loop || value.node == 0) && t != target) continue;
    e.value = t;
    next.choices.push_back({e});
  }
  return next;
}

FreeNext WalkThread::free_access(const WalkStep& step, const FreeRules& rules) const {
  const WalkValue address = operand(step, 0);
  if (!address.known) return uncertain_address(step, code_.operands(step)[0]);
  if (address.value == 0) return stopped(SideStop::Fault);
  if (LocalMemory::is_local(address.value)) return stopped(SideStop::Opaque);
  EventKind kind = EventKind::None;
  switch (step.op) {
    case Op::Load: kind = EventKind::Read; break;
    case Op::Store: kind = EventKind::Write; break;
    case Op::AtomicLoad: kind = EventKind::AtomicRead; break;
    case Op::AtomicStore: kind = EventKind::AtomicWrite; break;
    default: kind = EventKind::AtomicRmw; break;
  }
  Event e = event_of(kind, step, rules);
  e.address = address.value;
  e.size = program::bytes_of(step.type);
  if (trace::is_atomic(kind)) e.order = step.source->order;
  if (step.op != Op::AtomicCas) return goes(e);
  e.flags |= trace::kCas;
  Event failed = e;
  failed.flags |= trace::kFailed;
  return {FreeNext::Kind::Goes, SideStop::None, {{e}, {failed}}};
}

FreeNext WalkThread::free_sync(const WalkStep& step, const FreeRules& rules) const {
  if (step.op == Op::Fence) {
    Event e = event_of(EventKind::Fence, step, rules);
    e.order = step.source->order;
    return goes(e);
  }
  if (step.op == Op::Fork || step.op == Op::Join) return free_thread(step, rules);
  const WalkValue address = operand(step, 0);
  if (!address.known) return uncertain_address(step, code_.operands(step)[0]);
  if (address.value == 0) return stopped(SideStop::Fault);
  const EventKind kind = first_event_of(step.op);
  switch (step.op) {
    case Op::Lock:
    case Op::Unlock:
    case Op::RdLock:
    case Op::WrLock:
    case Op::RwUnlock:
    case Op::Notify:
    case Op::NotifyAll: return goes(event_about(kind, step, address.value, rules));
    case Op::TryLock:
    case Op::TryRdLock:
    case Op::TryWrLock: return tries(event_about(kind, step, address.value, rules));
    case Op::SemPost:
    case Op::SemWait: return goes(with_initial(event_about(kind, step, address.value, rules)));
    case Op::TrySemWait: return tries(with_initial(event_about(kind, step, address.value, rules)));
    case Op::Wait: return free_wait(step, address.value, rules);
    case Op::Arrive: {
      const Event arrive = with_initial(event_about(kind, step, address.value, rules));
      if (!arrive.has(trace::kHasValue)) return stopped(SideStop::Opaque);
      const Event leave = event_about(EventKind::BarrierLeave, step, address.value, rules);
      return {FreeNext::Kind::Goes, SideStop::None, {{arrive, leave}}};
    }
    default: return stopped(SideStop::Opaque);
  }
}

// Fork, Join: of a thread that is known, as those of litmus files are.
FreeNext WalkThread::free_thread(const WalkStep& step, const FreeRules& rules) const {
  const program::Program& program = code_.program();
  Event e = event_of(first_event_of(step.op), step, rules);
  const program::Operand& who = step.source->operands[0];
  const WalkValue value = operand(step, 0);
  std::optional<ThreadId> child;
  if (who.kind == program::OperandKind::Function)
    child = program.functions[who.value].thread;
  else if (value.known && step.op == Op::Join && program.origin == program::Origin::Litmus)
    child = static_cast<ThreadId>(value.value);
  if (!child) return stopped(SideStop::Opaque);
  e.aux = index(*child);
  return goes(e);
}

FreeNext WalkThread::free_wait(const WalkStep& step, std::uint64_t condition, const FreeRules& rules) const {
  const WalkValue mutex = operand(step, 1);
  if (!mutex.known) return uncertain_address(step, code_.operands(step)[1]);
  Event wait = event_about(EventKind::Wait, step, condition, rules);
  Event wake = event_about(EventKind::Wake, step, condition, rules);
  wait.aux = wake.aux = mutex.value;
  return {FreeNext::Kind::Goes, SideStop::None, {{wait, wake}}};
}

Event WalkThread::event_about(EventKind kind, const WalkStep& step, std::uint64_t address,
                              const FreeRules& rules) const {
  Event e = event_of(kind, step, rules);
  e.address = address;
  if (step.source->recursive) e.flags |= trace::kRecursive;
  return e;
}

// What a semaphore or barrier of a litmus file begins with.
Event WalkThread::with_initial(Event e) const {
  for (const program::Global& g : code_.program().globals) {
    if (e.address - g.address >= g.size()) continue;
    e.flags |= trace::kHasValue;
    e.value = g.initial;
    break;
  }
  return e;
}

FreeNext WalkThread::free_call(const WalkStep& step, const FreeRules& rules) {
  std::optional<std::uint32_t> callee;
  if (step.callee != kNone32) {
    callee = step.callee;
  } else if (step.op == Op::Call) {
    const WalkValue target = operand(step, 0);
    if (target.known) callee = code_.function_at(target.value);
  }
  if (!callee) return stopped(SideStop::Callee);
  const program::Program& program = code_.program();
  const program::Function& function = program.functions[*callee];
  if (function.missing) return stopped(SideStop::Missing);
  if (code_.has_body(*callee)) {
    Event e = event_of(EventKind::Call, step, rules);
    if (step.callee == kNone32) e.location = static_cast<LocationId>(code_.entry(*callee));
    const auto& strings = shared_->definitions->strings;
    const std::string name = program.text(function.name);
    // In a trace of a litmus run the number of a function is that of its name.
    if (*callee < strings.size() && strings[*callee] == name)
      e.aux = *callee;
    else
      e.aux = static_cast<std::uint64_t>(std::ranges::find(strings, name) - strings.begin());
    return goes(e);
  }
  if (!is_plain_operation(step.role) || step.operand_count != 2) return stopped(SideStop::Opaque);
  const WalkValue address = operand(step, step.about[0]);
  if (!address.known) return stopped(SideStop::Base);
  if (LocalMemory::is_local(address.value)) return stopped(SideStop::Opaque);
  Event e;
  e.kind = step.sync;
  e.thread = id_;
  e.location = static_cast<LocationId>(index(step.source->id));
  e.address = address.value;
  e.flags = trace::kComputed;
  if (const auto it = rules.lock_flags->find(address.value); it != rules.lock_flags->end()) e.flags |= it->second;
  return goes(e);
}

std::optional<std::vector<WalkValue>> WalkThread::operands_at(const Event& event) {
  const auto pc = static_cast<std::uint32_t>(index(event.location));
  if (pc >= code_.size() || frames_.empty()) return std::nullopt;
  const WalkStep& step = code_.step(pc);
  const bool has_one =
      (program::traits_of(step.op) & program::Access) != 0 || step.op == Op::Branch || step.op == Op::Switch;
  if (!has_one || step.pace == Pace::Landing || frames_.back().function != step.function) return std::nullopt;
  jumps_ = 0;
  if (!can_reach(pc) || !advance_before(pc)) return std::nullopt;
  std::vector<WalkValue> values;
  for (const WalkOperand& o : code_.operands(step)) values.push_back(value_of(o));
  return values;
}

}  // namespace racecast::model
