// See model_run.h.
#include "witness/model_run.h"

#include <fmt/format.h>

#include <bit>

#include "base/check.h"
#include "model/walk/memory.h"
#include "program/calls.h"
#include "program/evaluate.h"

namespace racecast::witness {

using model::MismatchKind;
using model::WalkValue;
using program::Instruction;
using program::Op;
using trace::Event;
using trace::EventKind;

namespace {

constexpr std::uint32_t bit(MismatchKind kind) {
  return 1u << static_cast<unsigned>(kind);
}

constexpr unsigned width_of(program::Type type) {
  return type.bits == 0 ? 64 : type.bits;
}

bool is_nan(std::uint64_t bits, program::Type type) {
  if (type.kind != program::TypeKind::Float) return false;
  return type.bits == 32 ? (bits & 0x7fffffff) > 0x7f800000 : (bits & 0x7fffffffffffffff) > 0x7ff0000000000000;
}

// The model's own addresses of slots stand for real ones that it does not know.
bool is_value(WalkValue value) {
  return value.known && !model::LocalMemory::is_local(value.value);
}

// Could a division with these operands fault, as far as they are known? (If they all are, the walker says it.)
bool may_fault(const Instruction& i, std::span<const WalkValue> operands) {
  const bool is_signed = i.op == Op::SDiv || i.op == Op::SRem;
  if ((!is_signed && i.op != Op::UDiv && i.op != Op::URem) || operands.size() < 2) return false;
  const unsigned bits = width_of(i.type);
  if (!operands[1].known) return true;
  const std::uint64_t divisor = program::low_bits(operands[1].value, bits);
  return divisor == 0 || (is_signed && !operands[0].known && divisor == program::low_bits(~std::uint64_t{0}, bits));
}

// A Branch event at an instruction that is no branch: the thread ended there.
bool is_fault(const Event& e, const Instruction& i) {
  return e.kind == EventKind::Branch && i.op != Op::Branch && i.op != Op::Switch && e.value != 0;
}

// An index so large that the address wraps around is outside of any object, whatever address comes out.
bool wraps_around(const Instruction& i, std::span<const WalkValue> operands) {
  if (i.op != Op::Index || !i.checked || operands.size() < 2 || !operands[1].known) return false;
  std::int64_t product = 0;
  return __builtin_mul_overflow(static_cast<std::int64_t>(operands[1].value), static_cast<std::int64_t>(i.imm),
                                &product);
}

// A compare-and-swap of which the model knows what it expects and what it stores, and that did not fail for no reason,
// as a weak one may.
bool is_free_cas(const Event& e, const Instruction& i, std::span<const WalkValue> operands) {
  if (i.op != Op::AtomicCas || !e.has(trace::kCas) || !e.has(trace::kHasValue) || operands.size() < 3) return false;
  if (!is_value(operands[1]) || !is_value(operands[2])) return false;
  const auto low = [&](std::uint64_t value) { return program::low_bits(value, width_of(i.type)); };
  const std::uint64_t expected = low(operands[1].value);
  if (e.has(trace::kFailed)) return low(e.aux) == expected && low(e.value) != expected;
  return low(e.value) == expected && low(e.aux) == low(operands[2].value);
}

// The kinds of mismatches that break a path. Another value is what a write stores; but a join waits for a thread.
std::uint32_t decisive_at(const Event& e) {
  return e.kind == EventKind::Join ? ~0u : ~bit(MismatchKind::Value);
}

std::string_view rule_of(MismatchKind kind) {
  switch (kind) {
    case MismatchKind::Address: return "value-address";
    case MismatchKind::Size: return "value-size";
    case MismatchKind::Branch: return "value-branch";
    case MismatchKind::Fault: return "value-fault";
    default: return "value-path";
  }
}

Broken deviates(std::string_view rule, const ModelStep& step, std::string_view what) {
  return {rule, fmt::format("event {}: its thread deviates, and {} is not known any more", index(step.event), what)};
}

}  // namespace

// --- the recorded run

RecordedWalk::RecordedWalk(const model::Execution& execution, const ModelStart& start)
    : execution_(execution),
      fixed_(start.fixed),
      diverged_(start.diverged),
      instructions_(*execution.trace().definitions.program) {}

std::unique_ptr<const RecordedWalk> RecordedWalk::make(const model::Execution& execution, const ModelStart& start) {
  const trace::Definitions& definitions = execution.trace().definitions;
  if (definitions.program == nullptr || !definitions.branches) return nullptr;
  std::unique_ptr<RecordedWalk> made(new RecordedWalk(execution, start));
  if (!made->walk(start)) return nullptr;
  return made;
}

bool RecordedWalk::walk(const ModelStart& start) {
  const trace::Trace& trace = execution_.trace();
  if (start.walker != nullptr) {
    start_.emplace(start.walker->copy(*this));
  } else {
    Result<model::Walker> made = model::Walker::make(trace.definitions, *this, true);
    if (!made) return false;
    start_.emplace(std::move(*made));
  }
  model::Walker walker = start_->copy(*this);
  const std::uint64_t before = walker.counts().instructions;
  for (std::uint64_t i = fixed_; i < trace.events.size(); ++i) {
    now_ = EventNo{i};
    const Status status = walker.add(std::span(&trace.events[i], 1));
    CHECK(status.has_value(), "{}", status.error().message);
  }
  CHECK(tells_ || walker.counts().instructions == before, "the walker does not tell instructions");
  return true;
}

void RecordedWalk::mismatch(const model::Mismatch& mismatch) {
  const std::size_t t = index(mismatch.thread);
  if (t < diverged_.size() && now_ >= diverged_[t]) return;
  mismatches_[index(now_)] |= bit(mismatch.kind);
}

void RecordedWalk::entered(ThreadId, program::FunctionId, bool called, std::span<const WalkValue>) {
  if (called) called_.insert(index(now_));
}

void RecordedWalk::executed(const model::Executed& executed) {
  tells_ = true;
  if (executed.event == nullptr) return;
  const EventKind kind = executed.event->kind;
  const Instruction& i = *instructions_[executed.instruction].instruction;
  if (kind == EventKind::Fork || is_fault(*executed.event, i))
    operands_[now_].assign(executed.operands.begin(), executed.operands.end());
  if (i.op == Op::TryLock || i.op == Op::TryRdLock || i.op == Op::TryWrLock ||
      is_free_cas(*executed.event, i, executed.operands))
    free_.insert(index(now_));
}

void RecordedWalk::at_call(ThreadId, InstrId instruction, std::span<const WalkValue> operands) {
  const EventKind kind = execution_.event(now_).kind;
  note_try(instruction, operands);
  if (kind == EventKind::Fork || kind == EventKind::Join || kind == EventKind::Alloc || kind == EventKind::Free)
    operands_[now_].assign(operands.begin(), operands.end());
}

// A call of a function that takes a lock or fails, on the lock that it is given, and says so as its row has it.
void RecordedWalk::note_try(InstrId instruction, std::span<const WalkValue> operands) {
  const Event& e = execution_.event(now_);
  const auto thread = static_cast<std::uint32_t>(index(e.thread));
  const Instruction& call = *instructions_[instruction].instruction;
  if (e.kind == EventKind::Value) {
    const auto it = tries_.find(thread);
    if (it == tries_.end() || it->second.call != instruction) return;
    const unsigned bits = width_of(call.type);
    if (program::low_bits(e.value, bits) != program::low_bits(it->second.result, bits))
      free_.erase(index(it->second.event));
    tries_.erase(it);
    return;
  }
  if (e.kind != EventKind::Lock && e.kind != EventKind::RdLock && e.kind != EventKind::WrLock) return;
  const auto callee = program::named_callee(call);
  const auto at = program::callee_operand(call);
  if (!callee || !at) return;
  const program::Program& p = *execution_.trace().definitions.program;
  const program::Function& function = p.function(*callee);
  const program::LibraryFunction* row =
      function.blocks.empty() ? program::Library::builtin().find(p.text(function.name)) : nullptr;
  if (row == nullptr || !row->fails || row->arguments.empty()) return;
  const std::size_t lock = row->arguments[0] + (row->arguments[0] >= *at ? 1u : 0u);
  if (lock >= operands.size() || !operands[lock].known || operands[lock].value != e.address) return;
  free_.insert(index(now_));
  tries_[thread] = {now_, instruction, e.has(trace::kFailed) ? *row->fails : 0};
}

// --- a run along a schedule

ModelRun::ModelRun(const RecordedWalk& recorded) : recorded_(recorded), walker_(recorded.start_->copy(*this)) {}

void ModelRun::mismatch(const model::Mismatch& mismatch) {
  const std::uint32_t news = bit(mismatch.kind) & told_.decisive;
  if (news != 0 && !told_.first) told_.first = mismatch;
}

void ModelRun::entered(ThreadId, program::FunctionId, bool called, std::span<const WalkValue>) {
  told_.called = called;
}

void ModelRun::left(ThreadId, program::FunctionId, WalkValue) {
  told_.left = true;
}

void ModelRun::executed(const model::Executed& executed) {
  const Instruction& i = *recorded_.instructions_[executed.instruction].instruction;
  if (executed.event == nullptr || !is_fault(*executed.event, i)) {
    told_.may_fault = told_.may_fault || may_fault(i, executed.operands);
    told_.faults = told_.faults || wraps_around(i, executed.operands);
  }
  if (executed.event == nullptr) return;
  told_.met = &i;
  told_.operands.assign(executed.operands.begin(), executed.operands.end());
}

void ModelRun::at_call(ThreadId, InstrId instruction, std::span<const WalkValue> operands) {
  told_.call = recorded_.instructions_[instruction].instruction;
  told_.operands.assign(operands.begin(), operands.end());
}

const Instruction* ModelRun::instruction_of(const Event& e) const {
  const std::size_t at = index(e.location);
  return at < recorded_.instructions_.size()
             ? recorded_.instructions_[InstrId{static_cast<std::uint32_t>(at)}].instruction
             : nullptr;
}

// The event as it is in this schedule: reads return what they return here; what the model is told but cannot compute is
// as recorded, or unknown.
void ModelRun::feed(const ModelStep& step) {
  Event e = event(step);
  bool known = !step.racing && !(e.kind == EventKind::Value && step.deviated);
  if (known && trace::reads(e) && !(step.read.faithful && !step.deviated)) {
    // What opaque code makes of a value that it reads is for the recorded run to say.
    const Instruction* i = instruction_of(e);
    known = step.read.faithful || (step.read.value && i != nullptr && i->op != Op::Opaque);
    if (step.read.value) {
      e.flags |= trace::kHasValue;
      e.value = *step.read.value;
    }
  }
  if (step.racing) e.clear(trace::kHasValue);
  // How it ends, this schedule says.
  bool free = known && recorded_.is_free(step.event);
  if (free && trace::is_access(e.kind))
    free = step.read.value && (step.deviated || !step.read.faithful);
  else if (free && step.takes)
    e.clear(trace::kFailed);
  else if (free)
    e.flags = static_cast<trace::Flags>(e.flags | trace::kFailed);
  const model::WalkCounts before = walker_.counts();
  const Status status = !known ? walker_.add_unknown(e) : free ? walker_.add_free(e) : walker_.add(std::span(&e, 1));
  CHECK(status.has_value(), "{}", status.error().message);
  const model::WalkCounts& after = walker_.counts();
  told_.addresses = after.addresses - before.addresses;
  told_.unknown_addresses = after.unknown_addresses - before.unknown_addresses;
  told_.branches = after.branches - before.branches;
  told_.unwinds = after.second_returns != before.second_returns ||
                  (e.kind == EventKind::Return && told_.left && told_.met == nullptr);
}

ModelOutcome ModelRun::add(const ModelStep& step) {
  ModelOutcome outcome;
  if (index(step.event) < recorded_.fixed_) return outcome;
  std::vector<WalkValue> operands = std::move(told_.operands);  // keeps its memory
  operands.clear();
  told_ = {};
  told_.operands = std::move(operands);
  told_.decisive = decisive_at(event(step)) & ~recorded_mismatches(step.event);
  feed(step);
  for (const auto check : {&ModelRun::path, &ModelRun::address, &ModelRun::branch, &ModelRun::call,
                           &ModelRun::inside_call, &ModelRun::cas})
    if ((outcome.broken = (this->*check)(step))) return outcome;
  if (event(step).kind != EventKind::ThreadBegin) begun_.insert(static_cast<std::uint32_t>(index(event(step).thread)));
  if (!step.racing && recorded_.is_free(step.event))
    outcome.ends_otherwise =
        trace::is_access(event(step).kind) ? cas_ends_otherwise(step) : step.takes == event(step).has(trace::kFailed);
  if (trace::writes(event(step)) != (outcome.ends_otherwise && trace::is_access(event(step).kind)))
    outcome.stored = stored(step);
  outcome.child_deviates = event(step).kind == EventKind::Fork && step.deviated && child_deviates(step);
  return outcome;
}

std::uint32_t ModelRun::recorded_mismatches(EventNo event) const {
  const auto it = recorded_.mismatches_.find(index(event));
  return it == recorded_.mismatches_.end() ? 0 : it->second;
}

// Does control get to the event, and does it do there what was recorded? What the model gets wrong in the recorded run
// already is no news, and not known once the thread deviates.
Check ModelRun::path(const ModelStep& step) const {
  if (const std::uint32_t known = recorded_mismatches(step.event) & decisive_at(event(step));
      step.deviated && known != 0)
    return deviates(rule_of(static_cast<MismatchKind>(std::countr_zero(known))), step,
                    "what the model gets wrong here");
  if (told_.first) {
    const model::Mismatch& m = *told_.first;
    return Broken{rule_of(m.kind), fmt::format("event {}: the model goes another way ({}: {} instead of {})",
                                               index(step.event), text_of(m.kind), m.expected, m.recorded)};
  }
  if (told_.faults)
    return Broken{"value-fault", fmt::format("event {}: its thread faults before it", index(step.event))};
  if (told_.may_fault && step.deviated) return deviates("value-fault", step, "a divisor before it");
  if (told_.unwinds && step.deviated) return deviates("value-path", step, "what unwinds its stack");
  return {};
}

Check ModelRun::address(const ModelStep& step) const {
  const Event& e = event(step);
  if (!step.deviated) return {};
  // What else may be computed is for call() and inside_call() to look at.
  const bool has_address =
      e.kind != EventKind::Call && e.kind != EventKind::Join && e.kind != EventKind::Alloc && e.kind != EventKind::Free;
  if (has_address && e.has(trace::kComputed) && (told_.addresses == 0 || told_.unknown_addresses != 0))
    return deviates("value-address", step, "its address");
  if (told_.met == nullptr || told_.operands.empty() || told_.operands[0].known) return {};
  if (told_.met->op == Op::Free) return deviates("value-address", step, "the object");
  if (told_.met->op == Op::Alloc || told_.met->op == Op::StackAlloc) return deviates("value-size", step, "the size");
  return {};
}

Check ModelRun::branch(const ModelStep& step) const {
  const Event& e = event(step);
  if (e.kind != EventKind::Branch || !step.deviated || told_.branches != 0) return {};
  if (told_.met != nullptr && told_.met->op != Op::Branch && told_.met->op != Op::Switch) {
    if (e.value == 0) return {};  // a division that goes well: path() has seen to it
    // Whether it faults is more than the walker can tell; the same operands do it again.
    const bool access = (program::traits_of(told_.met->op) & program::Access) != 0;
    if (same_operands(step.event, 0, access ? 1 : told_.operands.size())) return {};
  }
  return deviates("value-branch", step, "where it goes");
}

// A call event is met before its instruction is over: that the callee is the recorded one shows in `called`.
Check ModelRun::call(const ModelStep& step) const {
  const Event& e = event(step);
  if (e.kind != EventKind::Call) return {};
  const bool called = recorded_.called_.contains(index(step.event));
  if (told_.called != called)
    return Broken{"value-branch", fmt::format("event {}: another function is called", index(step.event))};
  if (!step.deviated) return {};
  const auto unknown = [&] { return deviates("value-branch", step, "the function that is called"); };
  // Code without a model calls what it was recorded to call. (Its fork has seen to what a thread begins with.)
  if (!called) return begun_.contains(static_cast<std::uint32_t>(index(e.thread))) ? Check(unknown()) : Check();
  const Instruction* i = told_.call != nullptr ? told_.call : instruction_of(e);
  if (i == nullptr || !program::callee_operand(*i)) return unknown();
  if (!program::named_callee(*i) && (told_.call == nullptr || !is_value(told_.operands[0]))) return unknown();
  return {};
}

// Objects and threads that are made and end inside of a call without a model: what it was given says which.
Check ModelRun::inside_call(const ModelStep& step) const {
  const Event& e = event(step);
  const auto it = recorded_.operands_.find(step.event);
  if (!step.deviated) return {};
  if (told_.call == nullptr || it == recorded_.operands_.end()) {
    if (told_.met != nullptr || !e.has(trace::kComputed)) return {};
    if (e.kind == EventKind::Join) return deviates("value-call", step, "the thread");
    if (e.kind == EventKind::Alloc || e.kind == EventKind::Free) return deviates("value-call", step, "the object");
    return {};
  }
  const std::vector<WalkValue>& recorded = it->second;
  const auto callee = program::callee_operand(*told_.call);
  const program::LibraryFunction* creates = creates_thread();
  if (e.kind == EventKind::Fork && creates != nullptr && !same_operand(step.event, creates->arguments[1] + 1u))
    return deviates("value-branch", step, "the function of the new thread");
  if (e.kind == EventKind::Join) {
    const program::LibraryFunction* row = row_of_call();
    const bool joins =
        row != nullptr && (row->role == program::Role::ThreadJoin || row->role == program::Role::TryThreadJoin ||
                           row->role == program::Role::TimedThreadJoin);
    const std::size_t handle = joins ? row->arguments[0] + (row->arguments[0] >= callee ? 1u : 0u) : recorded.size();
    if (e.has(trace::kComputed) && !same_operand(step.event, handle)) return deviates("value-call", step, "the thread");
    for (std::size_t k = 0; k < recorded.size(); ++k)
      if (recorded[k].known && !same_operand(step.event, k)) return deviates("value-call", step, "the thread");
  }
  if (e.kind != EventKind::Alloc && e.kind != EventKind::Free) return {};
  // What it was given says how large a new object is, and which one dies.
  for (std::size_t k = 0; k < recorded.size(); ++k)
    if (k != callee && !same_operand(step.event, k)) return deviates("value-call", step, "the object");
  return {};
}

// A compare-and-swap ends as recorded, unless it is free: then it is enough to know how it ends.
Check ModelRun::cas(const ModelStep& step) const {
  const Event& e = event(step);
  if (!e.has(trace::kCas) || step.racing) return {};
  if (step.read.faithful && !step.deviated) return {};
  const bool met = told_.met != nullptr && told_.met->op == Op::AtomicCas && told_.operands.size() >= 2 &&
                   (recorded_mismatches(step.event) & bit(MismatchKind::Value)) == 0;
  const unsigned bits = met ? width_of(told_.met->type) : 64;
  const bool failed = e.has(trace::kFailed);
  const auto low = [&](std::uint64_t value) { return program::low_bits(value, bits); };
  // A weak one may fail although it read what it expected; so it may in any schedule.
  if (failed && met && e.has(trace::kHasValue) && low(e.value) == low(e.aux)) return {};
  std::optional<std::uint64_t> expected;
  if (met && is_value(told_.operands[1]))
    expected = low(told_.operands[1].value);
  else if (!step.deviated && e.has(trace::kHasValue))
    expected = low(failed ? e.aux : e.value);
  const bool decided = expected && step.read.value;
  if (decided && (recorded_.is_free(step.event) || (low(*step.read.value) == *expected) == !failed)) return {};
  return Broken{"value-cas", fmt::format("event {}: the compare-and-swap {} end otherwise", index(step.event),
                                         decided ? "would" : "could")};
}

bool ModelRun::cas_ends_otherwise(const ModelStep& step) const {
  if (step.read.faithful && !step.deviated) return false;
  const unsigned bits = width_of(told_.met->type);
  const bool succeeds = program::low_bits(*step.read.value, bits) == program::low_bits(told_.operands[1].value, bits);
  return succeeds == event(step).has(trace::kFailed);
}

Stored ModelRun::stored(const ModelStep& step) const {
  const Event& e = event(step);
  const bool deviated = step.deviated || (trace::finds(e) && !step.read.faithful);
  const Stored by_history{deviated ? Stored::As::Unknown : Stored::As::Recorded, 0};
  if (told_.met == nullptr || (recorded_mismatches(step.event) & bit(MismatchKind::Value)) != 0) return by_history;
  const Instruction& i = *told_.met;
  const std::size_t operand = i.op == Op::AtomicCas ? 2 : 1;
  if ((program::traits_of(i.op) & program::Access) == 0 || told_.operands.size() <= operand) return by_history;
  WalkValue value = told_.operands[operand];
  if (!is_value(value)) return by_history;
  if (i.op == Op::AtomicRmw && i.rmw != program::Rmw::Exchange) {
    if (!step.read.value) return by_history;
    value.value = program::apply(i.rmw, i.type, program::low_bits(*step.read.value, width_of(i.type)), value.value);
  }
  value.value = program::low_bits(value.value, width_of(i.type));
  // Which bits a NaN has is not for the model to say.
  if (is_nan(value.value, i.type)) return by_history;
  if (!trace::writes(e)) return {Stored::As::Other, value.value};
  const bool recorded = e.has(trace::kHasValue) && e.size <= 8;
  if (recorded ? program::low_bits(trace::stored_value(e), width_of(i.type)) == value.value : !deviated) return {};
  return {Stored::As::Other, value.value};
}

// What a thread is given may depend on what its parent read. A fork inside of some other code may give it anything.
bool ModelRun::child_deviates(const ModelStep& step) const {
  if (told_.met != nullptr && told_.met->op == Op::Fork) return !same_operands(step.event, 1, told_.operands.size());
  const program::LibraryFunction* creates = creates_thread();
  return creates == nullptr || !same_operand(step.event, creates->arguments[2] + 1u);
}

const program::LibraryFunction* ModelRun::creates_thread() const {
  if (told_.call == nullptr || told_.call->op != Op::Call) return nullptr;
  const program::LibraryFunction* row = row_of_call();
  return row != nullptr && row->role == program::Role::ThreadCreate ? row : nullptr;
}

const program::LibraryFunction* ModelRun::row_of_call() const {
  const auto callee = told_.call == nullptr ? std::nullopt : program::named_callee(*told_.call);
  if (!callee) return nullptr;
  const program::Program& p = *recorded_.execution_.trace().definitions.program;
  const program::Function& function = p.function(*callee);
  if (!function.blocks.empty()) return nullptr;  // the program's own
  return program::Library::builtin().find(p.text(function.name));
}

// Is this operand of the event's instruction known, and that of the recorded run?
bool ModelRun::same_operand(EventNo event, std::size_t operand) const {
  const auto it = recorded_.operands_.find(event);
  if (it == recorded_.operands_.end() || it->second.size() <= operand || told_.operands.size() <= operand) return false;
  const WalkValue recorded = it->second[operand], now = told_.operands[operand];
  return now.known && recorded.known && now.value == recorded.value;
}

bool ModelRun::same_operands(EventNo event, std::size_t first, std::size_t end) const {
  for (std::size_t k = first; k < end; ++k)
    if (!same_operand(event, k)) return false;
  return true;
}

}  // namespace racecast::witness
