// An event at its instruction: what the model computed is compared with it, and the registers take what it says.
#include <algorithm>

#include "model/path_thread.h"
#include "program/evaluate.h"

namespace racecast::model {

using program::Op;
using program::Type;
using program::TypeKind;
using trace::EventKind;

namespace {

bool both_nan(std::uint64_t a, std::uint64_t b, Type type) {
  if (type.kind != TypeKind::Float) return false;
  const auto nan = [&](std::uint64_t bits) {
    return type.bits == 32 ? (bits & 0x7fffffff) > 0x7f800000 : (bits & 0x7fffffffffffffff) > 0x7ff0000000000000;
  };
  return nan(a) && nan(b);
}

bool agree(PathValue expected, std::uint64_t recorded, Type type) {
  const unsigned bits = type.bits == 0 ? 64 : type.bits;
  const std::uint64_t a = program::low_bits(expected.value, bits);
  const std::uint64_t b = program::low_bits(recorded, bits);
  return a == b || both_nan(a, b, type);
}

// The model's own addresses of slots stand for real ones that it does not know.
bool is_comparable(PathValue value) {
  return value.known && !LocalMemory::is_local(value.value);
}

EventKind access_kind_of(Op op) {
  switch (op) {
    case Op::Load: return EventKind::Read;
    case Op::Store: return EventKind::Write;
    case Op::AtomicLoad: return EventKind::AtomicRead;
    case Op::AtomicStore: return EventKind::AtomicWrite;
    case Op::AtomicRmw:
    case Op::AtomicCas: return EventKind::AtomicRmw;
    default: return EventKind::None;
  }
}

// The event of a synchronisation operation; of those with two, the first.
bool is_sync_of(Op op, EventKind kind) {
  switch (op) {
    case Op::Fence: return kind == EventKind::Fence;
    case Op::Lock:
    case Op::TryLock: return kind == EventKind::Lock;
    case Op::Unlock: return kind == EventKind::Unlock;
    case Op::RdLock:
    case Op::TryRdLock: return kind == EventKind::RdLock;
    case Op::WrLock:
    case Op::TryWrLock: return kind == EventKind::WrLock;
    case Op::RwUnlock: return kind == EventKind::RwUnlock;
    case Op::Wait: return kind == EventKind::Wait;
    case Op::Notify: return kind == EventKind::Notify;
    case Op::NotifyAll: return kind == EventKind::NotifyAll;
    case Op::SemPost: return kind == EventKind::SemPost;
    case Op::SemWait:
    case Op::TrySemWait: return kind == EventKind::SemWait;
    case Op::Arrive: return kind == EventKind::BarrierArrive;
    case Op::OnceEnter: return kind == EventKind::OnceEnter || kind == EventKind::OnceSeen;
    case Op::OnceDone: return kind == EventKind::OnceDone;
    case Op::Fork: return kind == EventKind::Fork;
    case Op::Join: return kind == EventKind::Join;
    default: return false;
  }
}

}  // namespace

void PathThread::mismatch(MismatchKind kind, std::uint64_t expected, std::uint64_t recorded) {
  mismatch(kind, expected, recorded, static_cast<InstrId>(index(event_->location)));
}

void PathThread::mismatch(MismatchKind kind, std::uint64_t expected, std::uint64_t recorded, InstrId at) {
  shared_.client.mismatch({kind, id_, number_, at, expected, recorded});
}

void PathThread::compare_address(PathValue expected, std::uint64_t recorded) {
  if (!is_comparable(expected)) {
    ++shared_.counts.unknown_addresses;
    return;
  }
  ++shared_.counts.addresses;
  if (expected.value != recorded) mismatch(MismatchKind::Address, expected.value, recorded);
}

void PathThread::compare_value(PathValue expected, std::uint64_t recorded, Type type) {
  if (!is_comparable(expected)) {
    ++shared_.counts.unknown_values;
    return;
  }
  ++shared_.counts.values;
  if (!agree(expected, recorded, type)) mismatch(MismatchKind::Value, expected.value, recorded);
}

void PathThread::compare_result(PathValue expected, std::uint64_t recorded, Type type) {
  if (!is_comparable(expected)) {
    ++shared_.counts.unknown_results;
    return;
  }
  ++shared_.counts.results;
  if (!agree(expected, recorded, type)) mismatch(MismatchKind::Result, expected.value, recorded);
}

void PathThread::compare_size(std::uint64_t expected, std::uint64_t recorded) {
  if (expected != recorded) mismatch(MismatchKind::Size, expected, recorded);
}

void PathThread::finish_step(const PathStep& step, PathValue result) {
  set(step.result, result);
  tell(step, result, event_);
  ++frames_.back().pc;
  ++shared_.counts.instructions;
}

bool PathThread::meet() {
  const PathStep& step = code_.step(frames_.back().pc);
  const EventKind kind = event_->kind;
  if (kind == EventKind::Branch) {
    return step.op == Op::Branch || step.op == Op::Switch ? meet_branch(step) : meet_fault(step);
  }
  if (step.pace == Pace::Call || step.pace == Pace::Opaque) return meet_inside(step);
  if (kind == EventKind::Value) return meet_given_value(step);
  if (kind == EventKind::Return) {
    if (step.op != Op::Return) return false;
    const PathValue result = step.operand_count == 0 ? PathValue{} : operand(step, 0);
    tell(step, result, event_);
    ++shared_.counts.instructions;
    pop(result);
    return true;
  }
  if (const EventKind wanted = access_kind_of(step.op); wanted != EventKind::None)
    return wanted == kind && meet_access(step);
  if (step.op == Op::Alloc || step.op == Op::StackAlloc || step.op == Op::Free) return meet_object(step);
  return meet_sync(step);
}

bool PathThread::meet_access(const PathStep& step) {
  const trace::Event& e = *event_;
  const bool known = e.has(trace::kHasValue);
  const unsigned bits = step.type.bits;
  compare_address(operand(step, 0), e.address);
  compare_size(program::bytes_of(step.type), e.size);
  const PathValue read{known ? program::low_bits(e.value, bits) : 0, known};
  const PathOperand& address = code_.operands(step)[0];
  switch (step.op) {
    case Op::Load:
      repeats_.push_back({address, step.type, read});
      finish_step(step, read);
      return true;
    case Op::Store:
    case Op::AtomicStore:
      if (known) compare_value(operand(step, 1), e.value, step.type);
      repeats_.clear();
      finish_step(step, {});
      return true;
    case Op::AtomicRmw: {
      PathValue written = operand(step, 1);
      if (known) {
        if (written.known) written.value = program::apply(step.source->rmw, step.type, read.value, written.value);
        compare_value(written, e.aux, step.type);
      }
      break;
    }
    case Op::AtomicCas: {
      const PathValue expected = operand(step, 1);
      const bool failed = e.has(trace::kFailed);
      if (known) {
        // Failed: aux is what it had expected. A weak one may fail although it read that.
        if (failed)
          compare_value(expected, e.aux, step.type);
        else {
          compare_value(expected, e.value, step.type);
          compare_value(operand(step, 2), e.aux, step.type);
        }
      }
      set(step.result2, {failed ? 0u : 1u, true});
      break;
    }
    default: break;
  }
  repeats_.clear();
  finish_step(step, read);
  return true;
}

bool PathThread::meet_sync(const PathStep& step) {
  const trace::Event& e = *event_;
  Frame& frame = frames_.back();
  if (frame.asleep) {
    const EventKind second = step.op == Op::Wait ? EventKind::Wake : EventKind::BarrierLeave;
    if (e.kind != second) return false;
    compare_address(operand(step, 0), e.address);
    if (step.op == Op::Wait) compare_address(operand(step, 1), e.aux);
    frame.asleep = false;
    repeats_.clear();
    finish_step(step, {});
    return true;
  }
  if (!is_sync_of(step.op, e.kind)) return false;
  repeats_.clear();
  PathValue result{e.has(trace::kFailed) ? 0u : 1u, true};
  switch (step.op) {
    case Op::Fence: break;
    case Op::Fork: {
      std::vector<PathValue> arguments;
      for (std::size_t k = 1; k < step.operand_count; ++k) arguments.push_back(operand(step, k));
      if (!arguments.empty()) shared_.forked[static_cast<std::uint32_t>(e.aux)] = std::move(arguments);
      result = {e.aux, true};
      break;
    }
    case Op::Join: {
      const program::Operand& handle = step.source->operands[0];
      PathValue child = operand(step, 0);
      if (handle.kind == program::OperandKind::Function) {
        const auto thread = code_.program().functions[handle.value].thread;
        child = {thread ? index(*thread) : 0, thread.has_value()};
      }
      compare_value(child, e.aux, program::kI64);
      break;
    }
    case Op::Wait:
    case Op::Arrive:
      compare_address(operand(step, 0), e.address);
      if (step.op == Op::Wait) compare_address(operand(step, 1), e.aux);
      frame.asleep = true;
      return true;
    case Op::OnceEnter: result.value = e.kind == EventKind::OnceEnter ? 1 : 0; [[fallthrough]];
    default: compare_address(operand(step, 0), e.address); break;
  }
  finish_step(step, result);
  return true;
}

bool PathThread::meet_object(const PathStep& step) {
  const trace::Event& e = *event_;
  if (e.kind != (step.op == Op::Free ? EventKind::Free : EventKind::Alloc)) return false;
  const PathValue value = operand(step, 0);
  if (step.op == Op::Free) {
    compare_address(value, e.address);
  } else if (value.known && value.value <= 0xffffffff) {
    compare_size(value.value, e.size);
  }
  finish_step(step, {e.address, true});
  return true;
}

bool PathThread::meet_branch(const PathStep& step) {
  const auto targets = code_.targets(step);
  const PathValue value = operand(step, 0);
  std::uint64_t expected = 0;
  if (step.op == Op::Branch) {
    expected = value.value != 0 ? 0 : 1;
  } else {
    const auto& cases = step.source->cases;
    const auto it = std::find(cases.begin(), cases.end(), value.value);
    expected = it == cases.end() ? 0 : static_cast<std::uint64_t>(it - cases.begin()) + 1;
  }
  std::uint64_t taken = event_->value;
  if (!value.known) {
    ++shared_.counts.unknown_branches;
  } else {
    ++shared_.counts.branches;
  }
  if (taken >= targets.size()) {
    mismatch(MismatchKind::Branch, expected, taken);
    taken = expected;
  } else if (value.known && expected != taken) {
    mismatch(MismatchKind::Branch, expected, taken);
  }
  tell(step, {}, event_);
  enter_block(targets[taken]);
  return true;
}

// A Branch event at another instruction: 0 at a division says that it went well, 1 anywhere that the thread ended
// there.
bool PathThread::meet_fault(const PathStep& step) {
  if (event_->value > 1 || step.pace == Pace::Skip || step.pace == Pace::Jump) return false;
  bool decided = false;
  const bool expected = faults(step, decided);
  if (event_->value == 0) {
    if (step.pace != Pace::Pure) return false;
    if (decided)
      ++shared_.counts.branches;
    else
      ++shared_.counts.unknown_branches;
    const PathValue result = compute(step);  // which says it, if it faults
    finish_step(step, result);
    return true;
  }
  if (decided) {
    ++shared_.counts.branches;
    if (!expected) mismatch(MismatchKind::Fault, 0, 1);
  } else {
    ++shared_.counts.unknown_branches;
  }
  tell(step, {}, event_);
  ++shared_.counts.instructions;
  faulted_ = true;
  from_begin_ = false;
  while (!frames_.empty()) pop({});
  return true;
}

// The recorded result of an instruction that the model may have computed.
bool PathThread::meet_given_value(const PathStep& step) {
  if (step.result == kNone32 || step.op == Op::Phi) return false;
  if (step.pace == Pace::Pure) compare_result(compute(step), event_->value, step.type);
  const unsigned bits = step.type.bits == 0 ? 64 : step.type.bits;
  finish_step(step, {program::low_bits(event_->value, bits), true});
  return true;
}

bool PathThread::meet_inside(const PathStep& step) {
  const trace::Event& e = *event_;
  Frame& frame = frames_.back();
  if (e.kind == EventKind::Return) return false;
  // A call whose callee returned can still have its result recorded, and nothing else.
  if (frame.entered && e.kind != EventKind::Value) return false;
  if (!frame.open) {
    frame.open = true;
    frame.result = {};
  }
  switch (e.kind) {
    case EventKind::Value:
      if (frame.entered) compare_result(frame.result, e.value, step.type);
      frame.result = {e.value, true};
      frame.has_value = true;
      break;
    case EventKind::MissingBegin: ++frame.missing; break;
    case EventKind::MissingEnd:
      if (frame.missing > 0) --frame.missing;
      if (e.has(trace::kHasValue) && !frame.has_value) frame.result = {e.value, true};
      break;
    default:
      // Opaque: a wide or odd access; its value is the result unless a Value event says another.
      if (step.pace == Pace::Opaque && trace::reads(e) && e.has(trace::kHasValue) && !frame.has_value)
        frame.result = {e.value, true};
      break;
  }
  return true;
}

}  // namespace racecast::model
