// Steps that read or write memory.
#include "base/check.h"
#include "program/machine/stepper.h"

namespace racecast::program {

void Stepper::perform_access(ThreadId id, const Instruction& i) {
  Thread& thread = state_.own_thread(id);
  Effect effect = effect_of(EffectKind::Step, id, &i);
  const std::uint64_t address = state_.value_of(thread, i.operands[0]);
  effect.address = address;
  effect.size = bytes_of(i.type);
  effect.computed = state_.context->computed(i.id);
  const auto old = state_.load(address, i.type);
  if (!old) {
    fault(id, i, address == 0 ? FaultKind::Null : FaultKind::OutOfBounds);
    return;
  }
  const auto operand = [&](std::size_t k) { return low_bits(state_.value_of(thread, i.operands[k]), i.type.bits); };
  const auto write = [&](std::uint64_t value) { CHECK(state_.store(address, i.type, value)); };
  switch (i.op) {
    case Op::Load:
    case Op::AtomicLoad:
      effect.value = *old;
      set_result(thread, i.result, *old, true);
      break;
    case Op::Store:
    case Op::AtomicStore:
      effect.value = operand(1);
      write(effect.value);
      break;
    case Op::AtomicRmw:
      effect.value = *old;
      effect.value2 = apply(i.rmw, i.type, *old, operand(1));
      write(effect.value2);
      set_result(thread, i.result, *old, true);
      break;
    case Op::AtomicCas: {
      effect.value = *old;
      effect.failed = *old != operand(1);
      effect.value2 = effect.failed ? operand(1) : operand(2);
      if (!effect.failed) write(effect.value2);
      set_result(thread, i.result, *old, true);
      set_result(thread, i.result2, effect.failed ? 0 : 1, true);
      break;
    }
    default: CHECK(false, "{} is not an access", text_of(i.op));
  }
  ++thread.frames.back().here;
  emit(effect);
}

}  // namespace racecast::program
