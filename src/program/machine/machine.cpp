// The outside of the interpreter; see machine.h. State and context: state.h. What a step does: stepper.h.
#include "program/machine/machine.h"

#include <cstring>

#include <fmt/format.h>

#include "base/check.h"
#include "program/machine/state.h"
#include "program/machine/stepper.h"

namespace racecast::program {

MachineState::Callee MachineState::callee_of(const Thread& t, const Instruction& call) const {
  const std::uint64_t value = value_of(t, call.operands[0]);
  if (call.op != Op::VirtualCall) {
    const auto function = function_at(value, program().functions.size());
    return {function, function ? FaultKind::None : value == 0 ? FaultKind::Null : FaultKind::BadCall};
  }
  if (value == 0) return {std::nullopt, FaultKind::Null};
  const auto object = object_at(value);
  if (!object || object->struct_plus_1 == 0 || object->struct_plus_1 > program().structs.size()) {
    return {std::nullopt, FaultKind::BadCall};
  }
  const Struct& type = program().structs[object->struct_plus_1 - 1];
  if (call.imm >= type.methods.size() || index(type.methods[call.imm]) >= program().functions.size()) {
    return {std::nullopt, FaultKind::BadCall};
  }
  return {type.methods[call.imm], FaultKind::None};
}

bool MachineState::stands_before_step(const Thread& t) const {
  const Frame& frame = t.frames.back();
  const Instruction& i = *frame.here;
  if (has_trait(i.op, Access | Sync)) return true;
  if (i.op == Op::Return) return frame.leaving_is_step;
  if (!frame.recorded || (i.op != Op::Call && i.op != Op::VirtualCall)) return false;
  const Callee callee = callee_of(t, i);
  return callee.function && program().function(*callee.function).missing;
}

NextStep MachineState::next(ThreadId id) const {
  NextStep step;
  const Thread& t = thread(id);
  if (t.life != Life::Running) return step;
  const Frame& frame = t.frames.back();
  const Instruction& i = *frame.here;
  step.instruction = &i;
  step.second_half = t.second_half;
  step.enabled = true;
  step.recorded = frame.recorded;
  if (has_trait(i.op, Access)) {
    step.address = value_of(t, i.operands[0]);
    step.size = bytes_of(i.type);
    step.reads = i.op != Op::Store && i.op != Op::AtomicStore;
    step.writes = i.op != Op::Load && i.op != Op::AtomicLoad;
    step.atomic = i.op != Op::Load && i.op != Op::Store;
    step.unchecked = !step.atomic && program().function(frame.function).unchecked;
  } else if (has_trait(i.op, Sync)) {
    step.enabled = sync_enabled(id, i);
    if (i.op != Op::Fence && i.op != Op::Fork && i.op != Op::Join) step.address = value_of(t, i.operands[0]);
  } else if (i.op == Op::Return) {
    // Leaving missing code is the second half of the call.
    step.instruction = t.frames[t.frames.size() - 2].here;
    step.second_half = true;
    step.recorded = true;
  }
  return step;
}

Machine::Machine(std::unique_ptr<State> state) : state_(std::move(state)) {}
Machine::Machine(const Machine& other) : state_(std::make_unique<State>(*other.state_)) {}
Machine::Machine(Machine&&) noexcept = default;
Machine& Machine::operator=(const Machine& other) {
  if (this != &other) state_ = std::make_unique<State>(*other.state_);
  return *this;
}
Machine& Machine::operator=(Machine&&) noexcept = default;
Machine::~Machine() = default;

Result<Machine> Machine::start(std::shared_ptr<const Program> program, const Observer& observer) {
  RC_TRY(auto context, MachineContext::make(std::move(program)));
  auto state = std::make_unique<State>();
  state->context = context;
  state->globals = std::make_shared<std::vector<std::uint8_t>>(context->initial_bytes());
  for (std::size_t t = 0; t < context->litmus_threads(); ++t) state->threads.push_back(std::make_shared<Thread>());
  Stepper stepper(*state, observer);
  const ThreadId main{0};
  RC_TRY_STATUS(stepper.begin_thread(main, state->program().main, {}, {}));
  if (state->program().implicit_main) {
    for (;;) {
      const NextStep next = state->next(main);
      if (next.instruction == nullptr || next.instruction->op != Op::Fork) break;
      RC_TRY_STATUS(stepper.step(main, 0));
    }
  }
  return Machine(std::move(state));
}

std::size_t Machine::threads() const {
  return state_->threads.size();
}
bool Machine::ended(ThreadId thread) const {
  return state_->thread(thread).life == Life::Ended;
}
bool Machine::started(ThreadId thread) const {
  return state_->thread(thread).life != Life::NotStarted;
}
bool Machine::all_ended() const {
  return std::none_of(state_->threads.begin(), state_->threads.end(),
                      [](const auto& t) { return t->life == Life::Running; });
}
NextStep Machine::next(ThreadId thread) const {
  return state_->next(thread);
}

bool Machine::enabled(ThreadId thread) const {
  return state_->enabled(thread);
}

std::vector<ThreadId> Machine::enabled() const {
  std::vector<ThreadId> threads;
  for (std::uint32_t t = 0; t < state_->threads.size(); ++t) {
    if (state_->enabled(ThreadId{t})) threads.push_back(ThreadId{t});
  }
  return threads;
}

Status Machine::step(ThreadId thread, const Observer& observer, std::size_t wake) {
  return Stepper(*state_, observer).step(thread, wake);
}

std::size_t Machine::wake_choices(ThreadId thread) const {
  const NextStep step = state_->next(thread);
  if (step.instruction == nullptr || step.instruction->op != Op::Notify) return 1;
  const ConditionState* condition = state_->conditions.find(step.address);
  return condition == nullptr ? 1 : condition->sleepers.size();
}

std::uint64_t Machine::completed(ThreadId thread, StringId label) const {
  const auto number = state_->context->label_number(label);
  const auto& counts = state_->thread(thread).completed;
  return number && *number < counts.size() ? counts[*number] : 0;
}

std::span<const StringId> Machine::marks(ThreadId thread) const {
  return state_->thread(thread).marks;
}

std::optional<std::uint64_t> Machine::peek(std::uint64_t address, std::uint32_t size) const {
  const std::uint8_t* bytes = state_->bytes_at(address, size);
  if (bytes == nullptr || size > 8) return std::nullopt;
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, size);
  return value;
}

Machine::Fingerprint Machine::fingerprint() const {
  return state_->fingerprint();
}

std::string Machine::describe_blocked(bool spinning) const {
  std::string text;
  for (std::uint32_t t = 0; t < state_->threads.size(); ++t) {
    const NextStep step = state_->next(ThreadId{t});
    if (step.instruction == nullptr) continue;
    if (step.enabled && !spinning) return "";  // what this thread does may free the others
    if (!text.empty()) text += '\n';
    text += step.enabled ? fmt::format("{} repeats itself for ever at {}", state_->context->name_of_thread(ThreadId{t}),
                                       state_->context->place(step.instruction))
                         : state_->describe_wait(ThreadId{t});
  }
  return text;
}

std::string Machine::fault(ThreadId thread) const {
  const Thread& t = state_->thread(thread);
  if (t.fault == FaultKind::None) return "";
  return fmt::format("{}: {} at {}", state_->context->name_of_thread(thread), text_of(t.fault),
                     state_->context->place(t.fault_at));
}

const Program& Machine::program() const {
  return state_->program();
}

}  // namespace racecast::program
