// Control: which activation an event belongs to. See walk.h and thread.h.
//
// A Call event is explained by the next call that can be reached without an event, if that call may enter the function;
// otherwise it is a callback or a handler, and the activation below stays exactly where it was.
#include "model/walk/thread.h"

#include <algorithm>

#include "model/symbolic/builder.h"
#include "program/evaluate.h"
#include "trace/annotations.h"
#include "trace/state.h"

namespace racecast::model {

using program::Op;
using trace::EventKind;
using trace::Group;

namespace {

// A damaged trace must not make the stack grow for ever.
constexpr std::size_t kMaxDepth = std::size_t{1} << 18;

std::uint32_t place_of(const trace::Event& event) {
  return static_cast<std::uint32_t>(index(event.location));
}

// Events that decide neither control nor a register: lost ones do not make the walker lose its way.
bool is_bystander(const trace::Event& event) {
  // They say what orders threads, as a lock does.
  if (trace::is_annotation(event) || trace::is_state(event)) return true;
  const Group group = trace::row_of(event.kind).group;
  return group != Group::Access && group != Group::Control && group != Group::Missing;
}

}  // namespace

void WalkThread::add(const trace::Event& event, EventNo number, bool known, bool free) {
  event_ = &event;
  number_ = number;
  known_ = known;
  free_ = free;
  jumps_ = 0;
  ++count_;
  ++shared_->counts.events;
  if (shared_->symbols == nullptr) {
    follow();
    return;
  }
  met_ = false;
  shared_->symbols->begin(event, number);
  follow();
  shared_->symbols->end(met_);
}

void WalkThread::follow() {
  const trace::Event& event = *event_;
  switch (event.kind) {
    case EventKind::ThreadBegin: begin_ = place_of(event); return;
    case EventKind::ThreadEnd: on_end(); return;
    case EventKind::Marker: return;
    case EventKind::Call: on_call(); return;
    case EventKind::Return: on_return(); return;
    case EventKind::Value:
      if (event.aux != 0)
        on_parameter();
      else
        on_located();
      return;
    default: on_located(); return;
  }
}

// The recorder of litmus runs starts a thread without a Call event: its function is where its ThreadBegin is.
bool WalkThread::begin_function(std::uint32_t function) {
  if (begin_ >= code_.size() || faulted_ || !code_.is_entry(begin_) || code_.step(begin_).function != function)
    return false;
  if (code_.program().functions[function].address != 0) return false;
  const auto it = shared_->forked.find(static_cast<std::uint32_t>(index(id_)));
  if (it != shared_->forked.end()) {
    push(function, it->second.arguments, false);
    shared_->forked.erase(it);
  } else {
    push(function, {}, false);
  }
  from_begin_ = true;
  begin_ = kNone32;
  return true;
}

void WalkThread::on_located() {
  const trace::Event& e = *event_;
  const std::uint32_t pc = place_of(e);
  if (pc >= code_.size()) {
    ++shared_->counts.outside;
    return;
  }
  const WalkStep& step = code_.step(pc);
  // A handler begins with one, before the call of its function.
  if (trace::is_annotation(e) && !frames_.empty() && frames_.back().function != step.function) {
    ++shared_->counts.outside;
    return;
  }
  // A stack object dies with its activation; the model frees nothing there.
  if (e.kind == EventKind::Free && step.op != Op::Free && step.pace != Pace::Call && step.pace != Pace::Opaque) return;
  if (frames_.empty() && !begin_function(step.function)) {
    if (is_bystander(e))
      ++shared_->counts.outside;
    else
      resync(pc);
    return;
  }
  // Of missing code that an exception left, the end comes after the landing.
  if (e.kind == EventKind::MissingEnd && frames_.back().left_missing == pc) {
    frames_.back().left_missing = kNone32;
    return;
  }
  if (joins_inside(pc)) move_to(pc);
  // What is executed on the way is executed: so it is asked first whether there is a way, where control may stay here.
  const bool again = e.kind == EventKind::Value && step.pace == Pace::Call && step.returns_twice();
  const bool way = frames_.back().function == step.function && (!(again || is_bystander(e)) || can_reach(pc));
  if (way && advance(pc)) return;
  if (is_bystander(e)) {
    // The callee has returned, or was left by an exception, and the call is not over: the unwinder locks, too.
    if (frames_.back().pc != pc || step.pace != Pace::Call) mismatch(MismatchKind::Resync, frames_.back().pc, pc);
    return;
  }
  if (jump_back(pc)) return;
  resync(pc);
}

// Control goes on in an activation further out without returns: an exception was caught there, or setjmp returns again.
bool WalkThread::jump_back(std::uint32_t pc) {
  const trace::Event& e = *event_;
  const WalkStep& step = code_.step(pc);
  const bool lands = e.kind == EventKind::Branch && step.pace == Pace::Landing && e.value == 0;
  const bool leaves_missing = e.kind == EventKind::MissingEnd && step.pace == Pace::Call;
  const bool returns_again = e.kind == EventKind::Value && step.pace == Pace::Call && step.returns_twice();
  if (!lands && !leaves_missing && !returns_again) return false;
  for (std::size_t k = frames_.size(); k-- > 0;) {
    Frame& frame = frames_[k];
    if (frame.function != step.function) continue;
    if (lands && !(frame.open && frame.pc + 2 == pc)) continue;
    if (leaves_missing && !(frame.open && frame.pc == pc && frame.missing > 0)) continue;
    pop_above(k);
    need_history(ConditionKind::Branch);
    if (returns_again) {
      ++shared_->counts.second_returns;
      begun_inside_ = begun_inside_ || step.role == program::Role::ProcessFork;
      stand_at(pc);
    }
    return advance(pc);
  }
  return false;
}

void WalkThread::resync(std::uint32_t pc) {
  mismatch(MismatchKind::Resync, frames_.empty() ? kNone32 : frames_.back().pc, pc);
  const std::uint32_t function = code_.step(pc).function;
  std::size_t k = frames_.size();
  while (k > 0 && frames_[k - 1].function != function) --k;
  if (k > 0)
    pop_above(k - 1);
  else
    push(function, {}, false);
  move_to(pc);
  if (!meet())
    mismatch(MismatchKind::Event, static_cast<std::uint64_t>(code_.step(pc).op),
             static_cast<std::uint64_t>(event_->kind));
}

void WalkThread::stand_at(std::uint32_t pc) {
  Frame& frame = frames_.back();
  frame.pc = pc;
  frame.open = frame.entered = frame.has_value = frame.asleep = false;
  frame.missing = 0;
  frame.missing_since = 0;
  frame.allocated = 0;
  frame.looked = false;
  frame.done = frame.refused = frame.tried = frame.free = false;
  repeats_.clear();
}

void WalkThread::move_to(std::uint32_t pc) {
  std::fill(registers_.begin() + frames_.back().first_register, registers_.end(), WalkValue{});
  memory_.forget_since(frames_.back().locals);
  stand_at(pc);
}

// The trace of a forked child begins inside of its functions: each shows as entered when control is first seen in it.
bool WalkThread::joins_inside(std::uint32_t pc) const {
  if (!begun_inside_ || frames_.size() != 1) return false;
  const Frame& frame = frames_.back();
  return frame.function == code_.step(pc).function && frame.pc == code_.entry(frame.function) && !frame.open &&
         !can_reach(pc);
}

// A Call event stands at the call, or else at the callee's first instruction; where both could be meant, the name tells
// them apart (a recorded one then means the function that it is in).
std::optional<std::uint32_t> WalkThread::callee_of_event() const {
  const std::uint32_t pc = place_of(*event_);
  if (pc >= code_.size()) return std::nullopt;
  const std::uint64_t key = std::uint64_t{pc} << 32 | (event_->aux & 0xffffffff);
  if (const auto it = shared_->callees.find(key); it != shared_->callees.end())
    return it->second == kNone32 ? std::nullopt : std::optional(it->second);
  const program::Program& p = code_.program();
  const std::vector<std::string>& strings = shared_->definitions->strings;
  const std::string name = event_->aux < strings.size() ? strings[event_->aux] : "";
  const auto named = [&](std::uint32_t f) { return p.text(p.functions[f].name) == name; };
  const WalkStep& step = code_.step(pc);
  std::uint32_t callee = kNone32;
  if (code_.is_entry(pc) && named(step.function)) {
    callee = step.function;
  } else if (step.pace == Pace::Call && step.callee != kNone32 && named(step.callee)) {
    callee = step.callee;
  } else if (code_.is_entry(pc)) {
    callee = step.function;
  } else if (step.pace == Pace::Call && step.callee != kNone32) {
    callee = step.callee;  // recorded names are demangled
  } else if (step.pace == Pace::Call) {
    for (std::uint32_t f = 0; f < p.functions.size() && callee == kNone32; ++f)
      if (named(f)) callee = f;
  }
  if (callee != kNone32 && !code_.has_body(callee)) callee = kNone32;
  shared_->callees[key] = callee;
  return callee == kNone32 ? std::nullopt : std::optional(callee);
}

void WalkThread::on_call() {
  const std::uint32_t pc = place_of(*event_);
  const auto callee = callee_of_event();
  if (!callee) {
    ++shared_->counts.outside;
    return;
  }
  if (frames_.empty()) {
    const bool first_of_callee = code_.is_entry(pc) && code_.step(pc).function == *callee;
    if (first_of_callee || !begin_function(code_.step(pc).function)) {
      if (!first_of_callee) mismatch(MismatchKind::Resync, kNone32, pc);
      if (asked()) note_start(*callee);
      push(*callee, {}, false);
      return;
    }
  }
  if (const auto at = find_call(*callee); at && advance_before(*at) && may_enter(code_.step(*at), *callee)) {
    const WalkStep& call = code_.step(*at);
    if (asked()) note_call(call);
    met_ = true;
    tell_call(call);
    std::vector<WalkValue>& arguments = scratch_;
    arguments.clear();
    for (std::size_t k = 0; k < call.operand_count; ++k)
      if (k != call.callee_operand) arguments.push_back(operand(call, k));
    Frame& caller = frames_.back();
    caller.open = caller.entered = true;
    caller.result = {};
    push(*callee, arguments, true);
    return;
  }
  ++shared_->counts.callbacks;
  if (asked()) note_start(*callee);
  push(*callee, {}, false);
}

std::optional<std::uint32_t> WalkThread::find_call(std::uint32_t callee) const {
  const Frame& frame = frames_.back();
  std::uint32_t pc = frame.pc;
  if (frame.missing > 0) return std::nullopt;
  // Code without a model may have called the function, too, if control can be in there.
  bool others = false;
  if (frame.open && code_.step(pc).pace == Pace::Call) {
    // Something happened in this call. It may yet enter its callee, unless that has returned or its result is known.
    const std::uint32_t own = code_.step(pc).callee;
    if (!frame.entered && !frame.has_value && own != kNone32 && code_.same_code(own, callee)) return pc;
    others = !frame.entered;
    ++pc;
  }
  for (std::uint32_t jumps = 0;;) {
    const WalkStep& step = code_.step(pc);
    switch (step.pace) {
      case Pace::Jump:
      case Pace::Landing:
        // More jumps than there are blocks: it goes in circles.
        if (++jumps > code_.program().functions[step.function].blocks.size() + 1) return std::nullopt;
        pc = code_.targets(step)[step.pace == Pace::Jump ? 0 : 1];
        continue;
      case Pace::Call:
        if (step.callee != kNone32) {
          if (code_.same_code(step.callee, callee)) return pc;
          if (code_.has_body(step.callee)) return std::nullopt;
          others = true;
          break;
        }
        // If it was others, the pointer must be the function already; a register of an earlier round may mislead here.
        if (others && !(operand(step, 0).known && may_enter(step, callee))) return std::nullopt;
        return pc;
      case Pace::Load:
        if (repeated(step) == nullptr) return std::nullopt;
        break;
      case Pace::Event:
      case Pace::Free: return std::nullopt;
      default: break;
    }
    ++pc;
  }
}

bool WalkThread::can_reach(std::uint32_t target) const {
  const Frame& frame = frames_.back();
  std::uint32_t pc = frame.pc;
  if (pc == target && !frame.entered) return true;
  if (frame.missing > 0) return false;
  if (frame.open) ++pc;
  for (std::uint32_t jumps = 0; pc != target;) {
    const WalkStep& step = code_.step(pc);
    if (step.pace == Pace::Event || (step.pace == Pace::Load && repeated(step) == nullptr)) return false;
    if (step.pace == Pace::Call && step.callee != kNone32 && code_.has_body(step.callee)) return false;
    if (step.pace == Pace::Jump || step.pace == Pace::Landing) {
      if (++jumps > code_.program().functions[step.function].blocks.size() + 1) return false;
      pc = code_.targets(step)[step.pace == Pace::Jump ? 0 : 1];
    } else {
      ++pc;
    }
  }
  return true;
}

bool WalkThread::may_enter(const WalkStep& call, std::uint32_t callee) const {
  if (call.callee != kNone32) return code_.same_code(call.callee, callee);
  if (call.op == Op::VirtualCall) return true;
  const WalkValue target = operand(call, 0);
  if (!target.known) return true;
  const auto function = code_.function_at(target.value);
  return function && code_.same_code(*function, callee);
}

void WalkThread::on_parameter() {
  const std::uint32_t pc = place_of(*event_);
  if (frames_.empty() || pc >= code_.size() || frames_.back().function != code_.step(pc).function) {
    ++shared_->counts.outside;
    return;
  }
  const program::Function& function = code_.program().functions[frames_.back().function];
  const std::uint64_t number = event_->aux - 1;
  if (frames_.back().pc != pc || !code_.is_entry(pc) || number >= function.params.size()) {
    mismatch(MismatchKind::Resync, frames_.back().pc, pc);
    return;
  }
  const auto reg = static_cast<std::uint32_t>(index(function.params[number]));
  const program::Type type = function.registers[reg];
  if (frames_.back().called)
    set(reg, given_value(registers_[frames_.back().first_register + reg], true, type));
  else
    set(reg, recorded_parameter(number, type));
}

void WalkThread::on_return() {
  if (frames_.empty()) {
    ++shared_->counts.outside;
    return;
  }
  const std::uint32_t pc = place_of(*event_);
  if (pc >= code_.size() || code_.step(pc).op != Op::Return) {  // unwound
    need_history(ConditionKind::Branch);
    pop({});
    return;
  }
  const std::uint32_t function = code_.step(pc).function;
  if (joins_inside(pc)) move_to(pc);
  if (frames_.back().function == function && advance(pc)) return;
  mismatch(MismatchKind::Resync, frames_.back().pc, pc);
  std::size_t k = frames_.size();
  while (k > 0 && frames_[k - 1].function != function) --k;
  if (k > 0) pop_above(k - 1);
  pop({});
}

// A thread may end inside of a call (exit, pthread_exit) or of missing code; else where the model does.
void WalkThread::on_end() {
  const std::uint32_t at = place_of(*event_);
  if (frames_.empty() && begin_ < code_.size()) begin_function(code_.step(begin_).function);
  if (from_begin_ && !frames_.empty()) {
    bool in_missing_code = false;
    for (const Frame& frame : frames_) in_missing_code = in_missing_code || frame.missing > 0;
    if (!in_missing_code) {
      while (pass(kNone32)) {
      }
      if (frames_.size() != 1 || code_.step(frames_.back().pc).op != Op::Return)
        mismatch(MismatchKind::Resync, frames_.back().pc, at);
    }
  }
  while (!frames_.empty()) pop({});
  from_begin_ = false;
  begin_ = kNone32;
}

void WalkThread::push(std::uint32_t function, std::span<const WalkValue> arguments, bool called) {
  if (frames_.size() >= kMaxDepth) {
    while (!frames_.empty()) pop({});
  }
  const program::Function& f = code_.program().functions[function];
  if (frames_.empty()) {
    in_first_ = !has_begun_;
    has_begun_ = true;
  }
  Frame frame;
  frame.function = function;
  frame.pc = code_.entry(function);
  frame.first_register = static_cast<std::uint32_t>(registers_.size());
  frame.locals = memory_.mark();
  frame.called = called && !frames_.empty();
  registers_.resize(registers_.size() + f.registers.size());
  frames_.push_back(frame);
  for (std::size_t k = 0; k < f.params.size() && k < arguments.size(); ++k)
    set(static_cast<std::uint32_t>(index(f.params[k])), arguments[k]);
  repeats_.clear();
  ++shared_->counts.activations;
  shared_->client->entered(id_, program::FunctionId{function}, frame.called, arguments);
}

void WalkThread::pop(WalkValue result) {
  const Frame frame = frames_.back();
  if (watch_.pc == kNone32 && watch_.depth == frames_.size() && watch_.met == Met::No)
    watch_.met = event_->kind == EventKind::Return ? Met::By : Met::Before;
  shared_->client->left(id_, program::FunctionId{frame.function}, result);
  memory_.release(frame.locals);
  registers_.resize(frame.first_register);
  frames_.pop_back();
  repeats_.clear();
  if (frame.called) frames_.back().result = result;
}

void WalkThread::pop_above(std::size_t frame) {
  while (frames_.size() > frame + 1) pop({});
}

}  // namespace racecast::model
