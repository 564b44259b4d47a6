// An event at its instruction: what the model computed is compared with it, and the registers take what it says.
#include <algorithm>

#include "model/walk/thread.h"
#include "program/evaluate.h"
#include "trace/state.h"

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

bool same_bits(std::uint64_t a, std::uint64_t b, Type type) {
  const unsigned bits = type.bits == 0 ? 64 : type.bits;
  return program::low_bits(a, bits) == program::low_bits(b, bits);
}

bool agree(WalkValue expected, std::uint64_t recorded, Type type) {
  return same_bits(expected.value, recorded, type) || both_nan(expected.value, recorded, type);
}

// The model's own addresses of slots stand for real ones that it does not know.
bool is_comparable(WalkValue value) {
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

bool is_sync_of(Op op, EventKind kind) {
  return kind != EventKind::None &&
         (kind == first_event_of(op) || (op == Op::OnceEnter && kind == EventKind::OnceSeen));
}

}  // namespace

void WalkThread::mismatch(MismatchKind kind, std::uint64_t expected, std::uint64_t recorded) {
  mismatch(kind, expected, recorded, static_cast<InstrId>(index(event_->location)));
}

void WalkThread::mismatch(MismatchKind kind, std::uint64_t expected, std::uint64_t recorded, InstrId at) {
  shared_->client->mismatch({kind, id_, number_, at, expected, recorded});
  if (asked()) note_mismatch(kind);
}

void WalkThread::compare_address(WalkValue expected, std::uint64_t recorded) {
  if (!is_comparable(expected)) {
    ++shared_->counts.unknown_addresses;
    if (asked()) note_unknown_address(expected);
    return;
  }
  ++shared_->counts.addresses;
  if (expected.value != recorded && !is_forced())
    mismatch(MismatchKind::Address, expected.value, recorded);
  else if (asked()) [[unlikely]]
    note_address(expected, recorded);
}

bool WalkThread::compare_value(WalkValue expected, std::uint64_t recorded, Type type) {
  if (!is_comparable(expected)) {
    ++shared_->counts.unknown_values;
    return false;
  }
  ++shared_->counts.values;
  if (!agree(expected, recorded, type)) mismatch(MismatchKind::Value, expected.value, recorded);
  return same_bits(expected.value, recorded, type);
}

bool WalkThread::compare_result(WalkValue expected, std::uint64_t recorded, Type type) {
  if (!is_comparable(expected)) {
    ++shared_->counts.unknown_results;
    return false;
  }
  ++shared_->counts.results;
  if (!agree(expected, recorded, type)) mismatch(MismatchKind::Result, expected.value, recorded);
  return same_bits(expected.value, recorded, type);
}

void WalkThread::compare_size(std::uint64_t expected, std::uint64_t recorded) {
  if (expected != recorded) mismatch(MismatchKind::Size, expected, recorded);
}

void WalkThread::finish_step(const WalkStep& step, WalkValue result) {
  set(step.result, result);
  tell(step, result, event_);
  ++frames_.back().pc;
  ++shared_->counts.instructions;
}

bool WalkThread::meet() {
  const WalkStep& step = code_.step(frames_.back().pc);
  const EventKind kind = event_->kind;
  if (kind == EventKind::Branch) {
    return step.op == Op::Branch || step.op == Op::Switch ? meet_branch(step) : meet_fault(step);
  }
  if (step.pace == Pace::Call || step.pace == Pace::Opaque) return meet_inside(step);
  if (kind == EventKind::Value) return meet_given_value(step);
  if (kind == EventKind::Return) {
    if (step.op != Op::Return) return false;
    const WalkValue result = step.operand_count == 0 ? WalkValue{} : operand(step, 0);
    tell(step, result, event_);
    ++shared_->counts.instructions;
    pop(result);
    return true;
  }
  if (const EventKind wanted = access_kind_of(step.op); wanted != EventKind::None)
    return wanted == kind && meet_access(step);
  if (step.op == Op::Alloc || step.op == Op::StackAlloc || step.op == Op::Free) return meet_object(step);
  return meet_sync(step);
}

bool WalkThread::meet_access(const WalkStep& step) {
  const trace::Event& e = *event_;
  met_ = true;
  compare_address(operand(step, 0), e.address);
  compare_size(program::bytes_of(step.type), e.size);
  WalkValue read;
  if (known_ && e.has(trace::kHasValue) && trace::reads(e)) {
    read = {program::low_bits(e.value, step.type.bits), true};
    if (asked())
      read.node = node_of_read(read.value, step.type);
    else if (shared_->mark_reads)
      read.node = kDependent;
  }
  const WalkOperand& address = code_.operands(step)[0];
  bool same = false;
  switch (step.op) {
    case Op::Load:
      repeats_.push_back({address, step.type, read});
      finish_step(step, read);
      return true;
    case Op::Store:
    case Op::AtomicStore:
      same = e.has(trace::kHasValue) && compare_value(operand(step, 1), e.value, step.type);
      if (asked()) note_store(operand(step, 1), same);
      repeats_.clear();
      finish_step(step, {});
      return true;
    case Op::AtomicRmw: {
      WalkValue written = operand(step, 1);
      if (read.known) {
        if (written.known) written.value = program::apply(step.source->rmw, step.type, read.value, written.value);
        same = compare_value(written, e.aux, step.type);
      }
      if (same && asked()) note_rmw(step, read, written.value);
      break;
    }
    case Op::AtomicCas: {
      const WalkValue expected = operand(step, 1);
      bool failed = e.has(trace::kFailed), stores = false;
      if (read.known && free_ && is_comparable(expected)) {
        failed = !same_bits(expected.value, read.value, step.type);
      } else if (read.known) {
        // Failed: aux is what it had expected. A weak one may fail although it read that.
        same = compare_value(expected, failed ? e.aux : e.value, step.type);
        stores = failed ? is_comparable(operand(step, 2)) : compare_value(operand(step, 2), e.aux, step.type);
        if (!failed && asked()) note_store(operand(step, 2), stores);
      }
      WalkValue success{failed ? 0u : 1u, true};
      if (asked())
        success.node = note_cas(step, read, same, stores);
      else if (read.known)
        success.node = read.node | expected.node;
      set(step.result2, success);
      break;
    }
    default: break;
  }
  repeats_.clear();
  finish_step(step, read);
  return true;
}

bool WalkThread::meet_sync(const WalkStep& step) {
  const trace::Event& e = *event_;
  Frame& frame = frames_.back();
  if (frame.asleep) {
    const EventKind second = step.op == Op::Wait ? EventKind::Wake : EventKind::BarrierLeave;
    if (e.kind != second) return false;
    met_ = true;
    compare_address(operand(step, 0), e.address);
    if (step.op == Op::Wait) compare_address(operand(step, 1), e.aux);
    frame.asleep = false;
    repeats_.clear();
    finish_step(step, {});
    return true;
  }
  if (!is_sync_of(step.op, e.kind)) return false;
  met_ = true;
  repeats_.clear();
  WalkValue result{e.has(trace::kFailed) ? 0u : 1u, true};
  if (step.tries) result = outcome_of_try(step);
  switch (step.op) {
    case Op::Fence: break;
    case Op::Fork:
      note_fork(step);
      result = {e.aux, true};
      break;
    case Op::Join: {
      const program::Operand& handle = step.source->operands[0];
      WalkValue child = operand(step, 0);
      if (handle.kind == program::OperandKind::Function) {
        const auto thread = code_.program().functions[handle.value].thread;
        child = {thread ? index(*thread) : 0, thread.has_value()};
      }
      if (!compare_value(child, e.aux, program::kI64)) child = {};
      pin(ConditionKind::Address, child, Unknown::NeedsHistory);
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

bool WalkThread::meet_object(const WalkStep& step) {
  const trace::Event& e = *event_;
  if (e.kind != (step.op == Op::Free ? EventKind::Free : EventKind::Alloc)) return false;
  met_ = true;
  const WalkValue value = operand(step, 0);
  if (step.op == Op::Free) {
    compare_address(value, e.address);
  } else {
    if (value.known && value.value <= 0xffffffff) compare_size(value.value, e.size);
    pin(ConditionKind::Size, value, Unknown::NeedsHistory);
  }
  finish_step(step, {e.address, true});
  return true;
}

bool WalkThread::meet_branch(const WalkStep& step) {
  met_ = true;
  const auto targets = code_.targets(step);
  const WalkValue value = operand(step, 0);
  const std::uint64_t expected = step.target_of(value.value);
  std::uint64_t taken = event_->value;
  if (!value.known) {
    ++shared_->counts.unknown_branches;
  } else {
    ++shared_->counts.branches;
  }
  if (taken >= targets.size()) {
    mismatch(MismatchKind::Branch, expected, taken);
    taken = expected;
  } else if (value.known && expected != taken && !is_forced()) {
    mismatch(MismatchKind::Branch, expected, taken);
  }
  if (asked() && (expected == taken || !value.known || is_forced()))
    note_branch(step, value, taken, value.known && expected != taken);
  tell(step, {}, event_);
  meeting_branch_ = true;
  enter_block(targets[taken]);
  meeting_branch_ = false;
  return true;
}

// A Branch event at another instruction: 0 at a division says that it went well, 1 anywhere that the thread ended
// there.
bool WalkThread::meet_fault(const WalkStep& step) {
  if (event_->value > 1 || step.pace == Pace::Skip || step.pace == Pace::Jump) return false;
  bool decided = false;
  const bool expected = faults(step, decided);
  if (event_->value == 0 && step.pace != Pace::Pure) return false;
  met_ = true;
  if (event_->value == 0) {
    if (decided)
      ++shared_->counts.branches;
    else
      ++shared_->counts.unknown_branches;
    const WalkValue result = compute(step);  // which says it, if it faults
    finish_step(step, result);
    return true;
  }
  if (decided) {
    ++shared_->counts.branches;
    if (!expected) mismatch(MismatchKind::Fault, 0, 1);
  } else {
    ++shared_->counts.unknown_branches;
  }
  if (asked()) need_fault(step);
  tell(step, {}, event_);
  ++shared_->counts.instructions;
  faulted_ = true;
  from_begin_ = false;
  while (!frames_.empty()) pop({});
  return true;
}

// What a Value event says, of something that the model computed itself, if it did (`compared`).
WalkValue WalkThread::given_value(WalkValue computed, bool compared, Type type) {
  if (!known_) return computed;
  if (compared && compare_result(computed, event_->value, type)) {
    // Arguments may be wider than the parameters that they become; a node is as wide as its value.
    const std::uint64_t value = program::low_bits(event_->value, type.bits == 0 ? 64 : type.bits);
    if (computed.node == 0 || computed.value == value) return {value, true, computed.node};
  }
  return recorded(event_->value, type, false);
}

// Missing code is kept only where it gives its recorded result.
WalkValue WalkThread::result_of_missing(Type type) const {
  if (!known_) return {};
  return {program::low_bits(event_->value, type.bits == 0 ? 64 : type.bits), true};
}

// The recorded result of an instruction that the model may have computed.
bool WalkThread::meet_given_value(const WalkStep& step) {
  if (step.result == kNone32 || step.op == Op::Phi) return false;
  const WalkValue computed = step.pace == Pace::Pure ? compute(step) : WalkValue{};
  finish_step(step, given_value(computed, step.pace == Pace::Pure, step.type));
  return true;
}

// What a try gives back, by how its event ended.
WalkValue WalkThread::outcome_of_try(const WalkStep& step) {
  const bool failed = event_->has(trace::kFailed);
  WalkValue result{failed ? step.refused : step.taken, true};
  if (asked())
    result.node = note_try(step, result.value, failed ? step.taken : step.refused);
  else if (shared_->mark_reads && known_)
    result.node = kDependent;
  return result;
}

// An operation that is kept is on its recorded objects. It ends as recorded, but for tries.
void WalkThread::meet_sync_inside(const WalkStep& call) {
  const trace::Event& e = *event_;
  const bool waits = call.sync == EventKind::Wait;
  if (e.kind != call.sync && !(waits && e.kind == EventKind::Wake)) return;  // the unwinder locks, too
  Frame& frame = frames_.back();
  met_ = true;
  compare_address(operand(call, call.about[0]), e.address);
  if (waits) compare_address(operand(call, call.about[1]), e.aux);
  frame.refused = e.has(trace::kFailed) && e.has(trace::kTry);
  frame.done = !e.has(trace::kFailed);
  const WalkValue object = operand(call, call.about[0]);
  if (call.tries && !frame.tried && object.known && object.value == e.address) {
    frame.tried = true;
    frame.free = free_;
    frame.result = outcome_of_try(call);
  } else if (frame.done && !waits) {
    frame.result = {0, true};  // unless a Value event says otherwise
  }
}

// Is it the result that the try's event tells already?
bool WalkThread::is_result_of_try(const WalkStep& call) {
  const Frame& frame = frames_.back();
  if (!frame.tried) return false;
  if (frame.free || same_bits(frame.result.value, event_->value, call.type)) return true;
  if (asked()) note_no_try(frame.result);
  return false;
}

// Of one that was done it is 0 (else it is an error that its event does not tell).
bool WalkThread::is_result_of_sync(const WalkStep& call) const {
  const Frame& frame = frames_.back();
  if (frame.refused) return true;
  return frame.done && program::low_bits(event_->value, call.type.bits) == 0;
}

bool WalkThread::meet_inside(const WalkStep& step) {
  const trace::Event& e = *event_;
  Frame& frame = frames_.back();
  if (e.kind == EventKind::Return) return false;
  // A call whose callee returned can still have its result recorded, and nothing else.
  if (frame.entered && e.kind != EventKind::Value) return false;
  if (!frame.open) {
    frame.open = true;
    frame.result = {};
  }
  note_inside(step);
  tell_call(step);
  if (step.sync != EventKind::None && frame.missing == 0) meet_sync_inside(step);
  switch (e.kind) {
    case EventKind::Value:
      if (frame.missing_since != 0 && frame.missing == 0 && !frame.entered)
        frame.result = result_of_missing(step.type);
      else if (frame.allocated != 0 && frame.allocated == e.value && !frame.entered && !frame.looked)
        frame.result = {e.value, true};  // where objects are is as recorded, whatever was read
      else if (is_result_of_try(step))
        break;
      else if (is_result_of_sync(step))
        frame.result = {program::low_bits(e.value, step.type.bits), true};  // so the operation ends wherever it is kept
      else
        frame.result = given_value(frame.entered ? frame.result : WalkValue{}, frame.entered, step.type);
      frame.has_value = true;
      break;
    case EventKind::Alloc:
      if (frame.missing == 0 && step.pace == Pace::Call) frame.allocated = e.address;
      break;
    case EventKind::MissingBegin:
      ++frame.missing;
      frame.missing_since = count_;
      break;
    case EventKind::MissingEnd:
      if (frame.missing > 0) --frame.missing;
      // Nothing happened in between: no callback gave it anything.
      met_ = frame.missing_since + 1 == count_;
      if (known_ && e.has(trace::kHasValue) && !frame.has_value) frame.result = result_of_missing(step.type);
      break;
    default:
      // Whether there is an object may hang on what it finds there.
      frame.looked = frame.looked || (trace::is_state(e) && trace::reads(e));
      // Opaque: a wide or odd access; its value is the result unless a Value event says another.
      if (step.pace == Pace::Opaque && trace::reads(e) && !frame.has_value)
        frame.result = known_ && e.has(trace::kHasValue) ? recorded(e.value, step.type, true) : WalkValue{};
      break;
  }
  return true;
}

}  // namespace racecast::model
