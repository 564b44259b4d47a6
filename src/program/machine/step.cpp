// Local computation: everything between two steps of a thread.
#include <array>

#include <fmt/format.h>

#include "base/check.h"
#include "program/machine/stepper.h"

namespace racecast::program {

Effect Stepper::effect_of(EffectKind kind, ThreadId id, const Instruction* i) const {
  Effect effect;
  effect.kind = kind;
  effect.thread = id;
  effect.instruction = i;
  const Thread& thread = state_.thread(id);
  effect.recorded = thread.frames.empty() || thread.frames.back().recorded;
  return effect;
}

std::unexpected<Error> Stepper::mistake(ThreadId id, const Instruction& i, const std::string& what) const {
  return bad_input(fmt::format("{}: {} {}", state_.context->place(&i), state_.context->name_of_thread(id), what));
}

void Stepper::set_result(Thread& thread, RegId result, std::uint64_t value, bool tainted) {
  if (result == kNoReg) return;
  const std::size_t at = thread.frames.back().first_register + index(result);
  thread.registers[at] = value;
  thread.tainted[at] = tainted ? 1 : 0;
}

Status Stepper::begin_thread(ThreadId id, FunctionId function, const std::vector<std::uint64_t>& arguments,
                             const std::vector<std::uint8_t>& tainted) {
  Thread& thread = state_.own_thread(id);
  CHECK(thread.life == Life::NotStarted, "thread {} starts twice", index(id));
  thread.life = Life::Running;
  thread.function = function;
  thread.marks.clear();
  push_frame(thread, function, arguments, tainted);
  Effect effect = effect_of(EffectKind::ThreadBegin, id, nullptr);
  effect.callee = function;
  effect.recorded = true;
  emit(effect);
  return advance(id);
}

Status Stepper::step(ThreadId id, std::size_t wake) {
  Thread& thread = state_.own_thread(id);
  CHECK(thread.life == Life::Running, "thread {} does not run", index(id));
  thread.marks.clear();
  const Instruction& i = *thread.frames.back().here;
  if (has_trait(i.op, Access)) {
    perform_access(id, i);
  } else if (has_trait(i.op, Sync)) {
    RC_TRY_STATUS(perform_sync(id, i, wake));
  } else if (i.op == Op::Return) {
    leave_missing(id, i);
  } else {
    RC_TRY_STATUS(enter_missing(id, i));
  }
  return advance(id);
}

Status Stepper::advance(ThreadId id) {
  for (std::uint64_t executed = 0;; ++executed) {
    // Looked up anew each time: a fork inside clones nothing of this thread, but frames move when they grow.
    const Thread& thread = state_.thread(id);
    if (thread.life == Life::Ended || thread.second_half || state_.stands_before_step(thread)) return {};
    const Instruction& i = *thread.frames.back().here;
    if (executed >= kMaxLocalInstructions) {
      return mistake(
          id, i,
          fmt::format("computes too long: more than {} instructions without an access or a synchronisation operation",
                      kMaxLocalInstructions));
    }
    RC_TRY_STATUS(execute_local(id, i));
  }
}

Status Stepper::execute_local(ThreadId id, const Instruction& i) {
  Thread& thread = state_.own_thread(id);
  Frame& frame = thread.frames.back();
  if (has_trait(i.op, Pure)) {
    execute_pure(id, i);
    return {};
  }
  const auto branch = [&](std::size_t target) {
    CHECK(target < i.targets.size());
    Effect effect = effect_of(EffectKind::Branch, id, &i);
    effect.value = target;
    emit(effect);
    enter_block(thread, i.targets[target]);
  };
  switch (i.op) {
    case Op::Alloc:
    case Op::StackAlloc:
    case Op::Free: execute_object(id, i); return {};
    case Op::Call:
    case Op::VirtualCall: return call(id, i);
    case Op::Return: leave_function(id, i); return {};
    case Op::Jump: enter_block(thread, i.targets[0]); return {};
    case Op::Branch: branch(state_.value_of(thread, i.operands[0]) != 0 ? 0 : 1); return {};
    case Op::Switch: {
      const std::uint64_t value = state_.value_of(thread, i.operands[0]);
      const auto it = std::find(i.cases.begin(), i.cases.end(), value);
      branch(it == i.cases.end() ? 0 : static_cast<std::size_t>(it - i.cases.begin()) + 1);
      return {};
    }
    case Op::Unreachable: fault(id, i, FaultKind::Unreachable); return {};
    case Op::Opaque:
      return mistake(id, i,
                     fmt::format("meets opaque code, which only a recorded run can pass{}{}",
                                 i.imm < state_.program().strings.size() && i.imm != 0 ? ": " : "",
                                 i.imm < state_.program().strings.size() ? state_.program().strings[i.imm] : ""));
    case Op::Mark:
      if (i.label != kNoString) {
        const auto number = state_.context->label_number(i.label);
        CHECK(number.has_value());
        if (thread.completed.size() <= *number) thread.completed.resize(*number + 1);
        ++thread.completed[*number];
        thread.marks.push_back(i.label);
      }
      ++frame.here;
      return {};
    case Op::Phi: CHECK(false, "a phi is executed on entry to its block");
    default: break;
  }
  CHECK(false, "{} is not local", text_of(i.op));
}

void Stepper::execute_pure(ThreadId id, const Instruction& i) {
  Thread& thread = state_.own_thread(id);
  std::array<std::uint64_t, 3> operands{};
  const std::size_t count = std::min(i.operands.size(), operands.size());
  bool tainted = false;
  for (std::size_t k = 0; k < count; ++k) {
    operands[k] = state_.value_of(thread, i.operands[k]);
    tainted = tainted || state_.tainted(thread, i.operands[k]);
  }
  Evaluation result;
  if (i.op == Op::ArrayLength || i.op == Op::InstanceOf) {
    const auto object = state_.object_at(operands[0]);
    if (i.op == Op::InstanceOf) {
      const auto& structs = state_.program().structs;
      std::uint64_t s = object ? object->struct_plus_1 : 0;
      // Bounded, so that a program whose structs derive from each other in a circle does not hang us.
      for (std::size_t depth = 0; s != 0 && s <= structs.size() && depth <= structs.size(); ++depth) {
        if (s - 1 == i.imm) result.value = 1;
        const std::optional<StructId>& base = structs[s - 1].base;
        s = base ? index(*base) + 1 : 0;
      }
    } else if (!object) {
      result.fault = operands[0] == 0 ? FaultKind::Null : FaultKind::OutOfBounds;
    } else {
      result.value = low_bits(object->size / std::max<std::uint64_t>(i.imm, 1), i.type.bits == 0 ? 64 : i.type.bits);
    }
  } else {
    result = evaluate(i, std::span(operands.data(), count));
    if (i.op == Op::Index && i.checked && result.fault == FaultKind::None) {
      const auto object = state_.object_at(operands[0]);
      const std::uint64_t offset = object ? result.value - object->address : 0;
      if (!object || offset > object->size || i.imm > object->size - offset) result.fault = FaultKind::OutOfRange;
      // A product that wrapped around and landed inside is out of range all the same.
      std::int64_t wide = 0;
      if (__builtin_mul_overflow(static_cast<std::int64_t>(operands[1]), static_cast<std::int64_t>(i.imm), &wide)) {
        result.fault = FaultKind::OutOfRange;
      }
    }
  }
  if (result.fault != FaultKind::None) {
    fault(id, i, result.fault);
    return;
  }
  const bool divides = i.op == Op::SDiv || i.op == Op::UDiv || i.op == Op::SRem || i.op == Op::URem;
  if (divides && state_.tainted(thread, i.operands[1])) emit(effect_of(EffectKind::Branch, id, &i));
  set_result(thread, i.result, result.value, tainted);
  ++thread.frames.back().here;
}

void Stepper::execute_object(ThreadId id, const Instruction& i) {
  Thread& thread = state_.own_thread(id);
  const std::uint64_t operand = state_.value_of(thread, i.operands[0]);
  Effect effect = effect_of(i.op == Op::Free ? EffectKind::Free : EffectKind::Alloc, id, &i);
  if (i.op == Op::Free) {
    const auto object = state_.object_at(operand);
    if (operand != 0) {
      if (!object || object->global || object->address != operand || state_.heap[object->heap_index].object->on_stack) {
        fault(id, i, FaultKind::BadFree);
        return;
      }
      effect.address = operand;
      effect.size = object->size;
      state_.release(operand);
      emit(effect);
    }
  } else {
    const auto address = state_.allocate(id, i, operand);
    if (!address) {
      fault(id, i, FaultKind::OutOfMemory);
      return;
    }
    if (i.op == Op::StackAlloc) {
      thread.stack_objects.push_back({static_cast<std::uint32_t>(thread.frames.size() - 1), *address});
    }
    set_result(thread, i.result, *address, false);
    effect.address = *address;
    effect.size = operand;
    emit(effect);
  }
  ++thread.frames.back().here;
}

void Stepper::enter_block(Thread& thread, BlockId target) {
  Frame& frame = thread.frames.back();
  const BlockId from = frame.block;
  const auto& instructions = state_.program().function(frame.function).blocks[index(target)].instructions;
  frame.block = target;
  frame.here = instructions.data();
  if (frame.here->op != Op::Phi) return;
  // All phis read before any is written: they may swap values.
  struct Assignment {
    RegId result;
    std::uint64_t value;
    bool tainted;
  };
  static thread_local std::vector<Assignment> assignments;
  assignments.clear();
  while (frame.here->op == Op::Phi) {
    const Instruction& phi = *frame.here++;
    const auto it = std::find(phi.targets.begin(), phi.targets.end(), from);
    CHECK(it != phi.targets.end(), "a phi does not know block {}", index(from));
    const Operand& operand = phi.operands[static_cast<std::size_t>(it - phi.targets.begin())];
    assignments.push_back({phi.result, state_.value_of(thread, operand), state_.tainted(thread, operand)});
  }
  for (const Assignment& a : assignments) set_result(thread, a.result, a.value, a.tainted);
}

void Stepper::push_frame(Thread& thread, FunctionId id, const std::vector<std::uint64_t>& arguments,
                         const std::vector<std::uint8_t>& tainted) {
  const Function& function = state_.program().function(id);
  Frame frame;
  frame.function = id;
  frame.here = function.blocks.front().instructions.data();
  frame.first_register = static_cast<std::uint32_t>(thread.registers.size());
  frame.recorded = !function.missing;
  thread.registers.resize(thread.registers.size() + function.registers.size());
  thread.tainted.resize(thread.registers.size());
  thread.frames.push_back(frame);
  for (std::size_t k = 0; k < function.params.size() && k < arguments.size(); ++k) {
    set_result(thread, function.params[k], arguments[k], tainted[k] != 0);
  }
}

Status Stepper::call(ThreadId id, const Instruction& i) {
  Thread& thread = state_.own_thread(id);
  const auto callee = state_.callee_of(thread, i);
  if (!callee.function) {
    fault(id, i, callee.fault);
    return {};
  }
  const Function& function = state_.program().function(*callee.function);
  if (function.blocks.empty()) {
    return mistake(id, i, fmt::format("calls {}, which has no body", state_.program().text(function.name)));
  }
  if (thread.frames.size() >= kMaxCallDepth ||
      thread.registers.size() + function.registers.size() > kMaxStackRegisters) {
    fault(id, i, FaultKind::StackOverflow);
    return {};
  }
  std::vector<std::uint64_t> arguments;
  std::vector<std::uint8_t> tainted;
  for (std::size_t k = i.op == Op::Call ? 1 : 0; k < i.operands.size(); ++k) {
    arguments.push_back(state_.value_of(thread, i.operands[k]));
    tainted.push_back(state_.tainted(thread, i.operands[k]) ? 1 : 0);
  }
  if (!function.missing) {
    Effect effect = effect_of(EffectKind::Call, id, &i);
    effect.callee = *callee.function;
    effect.recorded = true;  // a callback is seen, whoever calls it
    emit(effect);
  }
  push_frame(thread, *callee.function, arguments, tainted);
  return {};
}

void Stepper::leave_function(ThreadId id, const Instruction& i) {
  Thread& thread = state_.own_thread(id);
  const std::uint64_t value = i.operands.empty() ? 0 : state_.value_of(thread, i.operands[0]);
  const bool tainted = !i.operands.empty() && state_.tainted(thread, i.operands[0]);
  while (!thread.stack_objects.empty() && thread.stack_objects.back().frame + 1 == thread.frames.size()) {
    Effect effect = effect_of(EffectKind::Free, id, &i);
    effect.address = thread.stack_objects.back().address;
    const auto object = state_.object_at(effect.address);
    CHECK(object.has_value(), "stack object {:#x} is gone", effect.address);
    effect.size = object ? object->size : 0;
    thread.stack_objects.pop_back();
    state_.release(effect.address);
    emit(effect);
  }
  if (thread.frames.size() == 1) {
    end_thread(id, i.position.line != 0 ? &i : nullptr);
    return;
  }
  if (thread.frames.back().recorded) {
    Effect effect = effect_of(EffectKind::Return, id, &i);
    effect.callee = thread.frames.back().function;
    effect.value = value;
    emit(effect);
  }
  thread.registers.resize(thread.frames.back().first_register);
  thread.tainted.resize(thread.registers.size());
  thread.frames.pop_back();
  set_result(thread, thread.frames.back().here->result, value, tainted);
  ++thread.frames.back().here;
}

Status Stepper::enter_missing(ThreadId id, const Instruction& i) {
  Thread& thread = state_.own_thread(id);
  const auto callee = state_.callee_of(thread, i);
  CHECK(callee.function.has_value());
  if (observer_) {
    Effect effect = effect_of(EffectKind::MissingBegin, id, &i);
    effect.callee = *callee.function;
    std::vector<std::uint64_t> roots;
    for (std::size_t k = i.op == Op::Call ? 1 : 0; k < i.operands.size(); ++k) {
      roots.push_back(state_.value_of(thread, i.operands[k]));
    }
    effect.reach = state_.reachable_from(roots);
    emit(effect);
  }
  RC_TRY_STATUS(call(id, i));
  if (thread.life == Life::Running) thread.frames.back().leaving_is_step = true;
  return {};
}

void Stepper::leave_missing(ThreadId id, const Instruction& i) {
  Thread& thread = state_.own_thread(id);
  Effect effect = effect_of(EffectKind::MissingEnd, id, thread.frames[thread.frames.size() - 2].here);
  effect.callee = thread.frames.back().function;
  effect.value = i.operands.empty() ? 0 : state_.value_of(thread, i.operands[0]);
  effect.recorded = true;
  leave_function(id, i);
  emit(effect);
}

void Stepper::end_thread(ThreadId id, const Instruction* at) {
  Thread& thread = state_.own_thread(id);
  Effect effect = effect_of(EffectKind::ThreadEnd, id, at);
  effect.callee = thread.function;
  effect.recorded = true;
  thread.life = Life::Ended;
  thread.frames.clear();
  thread.registers.clear();
  thread.tainted.clear();
  thread.stack_objects.clear();
  thread.allocations.clear();
  emit(effect);
}

void Stepper::fault(ThreadId id, const Instruction& i, FaultKind kind) {
  Thread& thread = state_.own_thread(id);
  thread.fault = kind;
  thread.fault_at = &i;
  Effect effect = effect_of(EffectKind::Fault, id, &i);
  effect.detail = text_of(kind);
  emit(effect);
  end_thread(id, &i);
}

}  // namespace racecast::program
