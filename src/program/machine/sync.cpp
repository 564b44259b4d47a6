// Steps that synchronise: when they can go on, and what they do. Each primitive is a few lines on its table in
// MachineState; entries of objects that are back in their first state are removed, so that equal states are equal.
#include <fmt/format.h>

#include "base/check.h"
#include "program/calls.h"
#include "program/machine/stepper.h"

namespace racecast::program {
namespace {

void insert_sorted(std::vector<ThreadId>& threads, ThreadId id) {
  threads.insert(std::lower_bound(threads.begin(), threads.end(), id), id);
}

bool has_object(Op op) {
  return op != Op::Fence && op != Op::Fork && op != Op::Join;
}

bool can_take(const MachineState& state, ThreadId id, std::uint64_t mutex, bool recursive) {
  const MutexState* m = state.mutexes.find(mutex);
  return m == nullptr || (recursive && m->owner == id);
}
bool can_read_lock(const MachineState& state, std::uint64_t lock) {
  const RwLockState* l = state.rwlocks.find(lock);
  return l == nullptr || l->writer == kNoThread;
}

}  // namespace

std::uint64_t MachineState::semaphore_count(std::uint64_t address) const {
  const SemaphoreState* s = semaphores.find(address);
  return s != nullptr ? s->count : context->initial_of(address);
}

std::optional<ThreadId> MachineState::joined_thread(const Thread& joiner, const Instruction& join) const {
  const Operand& handle = join.operands[0];
  if (handle.kind == OperandKind::Function) return program().functions[handle.value].thread;
  const std::uint64_t value = value_of(joiner, handle);
  if (value >= threads.size()) return std::nullopt;
  return static_cast<ThreadId>(value);
}

bool MachineState::sync_enabled(ThreadId id, const Instruction& i) const {
  const Thread& t = thread(id);
  if (i.op == Op::Join) {
    const auto other = joined_thread(t, i);
    return !other || thread(*other).life == Life::Ended;
  }
  if (!has_object(i.op)) return true;
  const std::uint64_t address = value_of(t, i.operands[0]);
  switch (i.op) {
    case Op::Lock: return can_take(*this, id, address, i.recursive);
    case Op::RdLock: return can_read_lock(*this, address);
    case Op::WrLock: return rwlocks.find(address) == nullptr;
    case Op::Wait: return !t.second_half || (t.released && mutexes.find(value_of(t, i.operands[1])) == nullptr);
    case Op::Arrive: return !t.second_half || t.released;
    case Op::SemWait: return semaphore_count(address) > 0 || !object_at(address);
    case Op::OnceEnter: {
      const OnceState* guard = guards.find(address);
      return guard == nullptr || guard->runner == kNoThread;
    }
    default: return true;
  }
}

Status Stepper::perform_sync(ThreadId id, const Instruction& i, std::size_t wake) {
  Thread& thread = state_.own_thread(id);
  CHECK(state_.sync_enabled(id, i), "thread {} is not enabled", index(id));
  Effect effect = effect_of(thread.second_half ? EffectKind::SecondHalf : EffectKind::Step, id, &i);
  effect.computed = state_.context->computed(i.id);
  if (has_object(i.op)) {
    effect.address = state_.value_of(thread, i.operands[0]);
    if (!state_.object_at(effect.address)) {
      fault(id, i, effect.address == 0 ? FaultKind::Null : FaultKind::OutOfBounds);
      return {};
    }
  }
  switch (i.op) {
    case Op::Fence: break;
    case Op::Lock:
    case Op::TryLock:
    case Op::Unlock: RC_TRY_STATUS(perform_lock(id, i, effect)); break;
    case Op::RdLock:
    case Op::TryRdLock:
    case Op::WrLock:
    case Op::TryWrLock:
    case Op::RwUnlock: RC_TRY_STATUS(perform_rwlock(id, i, effect)); break;
    case Op::Wait:
    case Op::Notify:
    case Op::NotifyAll: RC_TRY_STATUS(perform_condition(id, i, effect, wake)); break;
    case Op::SemPost:
    case Op::SemWait:
    case Op::TrySemWait: perform_semaphore(id, i, effect); break;
    case Op::Arrive: perform_barrier(id, i, effect); break;
    case Op::Put:
    case Op::Get: perform_state(id, i, effect); break;
    case Op::OnceEnter:
    case Op::OnceDone: RC_TRY_STATUS(perform_once(id, i, effect)); break;
    case Op::Fork: return perform_fork(id, i, std::move(effect));
    case Op::Join: {
      const auto other = state_.joined_thread(thread, i);
      if (!other) {
        fault(id, i, FaultKind::BadJoin);
        return {};
      }
      effect.value2 = index(*other);
      break;
    }
    default: CHECK(false, "{} does not synchronise", text_of(i.op));
  }
  if (!thread.second_half) {
    // What a library function returns: 0, or that the object is busy.
    constexpr std::uint64_t kBusy = 16;
    if (i.result != kNoReg && i.op != Op::OnceEnter && callee_operand(i))
      set_result(thread, i.result, effect.failed ? kBusy : 0, false);
    ++thread.frames.back().here;
  }
  emit(effect);
  return {};
}

Status Stepper::perform_lock(ThreadId id, const Instruction& i, Effect& effect) {
  Thread& thread = state_.own_thread(id);
  if (i.op == Op::Unlock) {
    MutexState* m = state_.mutexes.find(effect.address);
    if (m == nullptr || m->owner != id) {
      return mistake(
          id, i, fmt::format("unlocks {}, which it does not hold", state_.context->name_of_address(effect.address)));
    }
    if (--m->depth == 0) state_.mutexes.erase(effect.address);
    return {};
  }
  const bool taken = can_take(state_, id, effect.address, i.recursive);
  if (taken) {
    MutexState& m = state_.mutexes.obtain(effect.address);
    m.owner = id;
    ++m.depth;
  }
  effect.failed = !taken;
  effect.value = taken ? 1 : 0;
  if (i.op == Op::TryLock) set_result(thread, i.result, effect.value, false);
  return {};
}

Status Stepper::perform_rwlock(ThreadId id, const Instruction& i, Effect& effect) {
  Thread& thread = state_.own_thread(id);
  if (i.op == Op::RwUnlock) {
    RwLockState* l = state_.rwlocks.find(effect.address);
    const auto mine =
        l == nullptr ? std::vector<ThreadId>::iterator{} : std::find(l->readers.begin(), l->readers.end(), id);
    if (l != nullptr && l->writer == id) {
      l->writer = kNoThread;
    } else if (l != nullptr && mine != l->readers.end()) {
      l->readers.erase(mine);
    } else {
      return mistake(
          id, i, fmt::format("unlocks {}, which it does not hold", state_.context->name_of_address(effect.address)));
    }
    if (l->writer == kNoThread && l->readers.empty()) state_.rwlocks.erase(effect.address);
    return {};
  }
  const bool reading = i.op == Op::RdLock || i.op == Op::TryRdLock;
  const bool taken = reading ? can_read_lock(state_, effect.address) : state_.rwlocks.find(effect.address) == nullptr;
  if (taken) {
    RwLockState& l = state_.rwlocks.obtain(effect.address);
    if (reading) {
      insert_sorted(l.readers, id);
    } else {
      l.writer = id;
    }
  }
  effect.failed = !taken;
  effect.value = taken ? 1 : 0;
  if (i.op == Op::TryRdLock || i.op == Op::TryWrLock) set_result(thread, i.result, effect.value, false);
  return {};
}

Status Stepper::perform_condition(ThreadId id, const Instruction& i, Effect& effect, std::size_t wake) {
  Thread& thread = state_.own_thread(id);
  if (i.op == Op::Wait) {
    effect.value2 = state_.value_of(thread, i.operands[1]);
    if (!thread.second_half) {
      const MutexState* m = state_.mutexes.find(effect.value2);
      if (m == nullptr || m->owner != id) {
        return mistake(id, i,
                       fmt::format("waits on {} without holding {}", state_.context->name_of_address(effect.address),
                                   state_.context->name_of_address(effect.value2)));
      }
      thread.wait_depth = m->depth;
      state_.mutexes.erase(effect.value2);
      state_.conditions.obtain(effect.address).sleepers.push_back(id);
      thread.second_half = true;
    } else {
      MutexState& m = state_.mutexes.obtain(effect.value2);
      m.owner = id;
      m.depth = thread.wait_depth;
      thread.wait_depth = 0;
      thread.second_half = thread.released = false;
    }
    return {};
  }
  ConditionState* c = state_.conditions.find(effect.address);
  if (c == nullptr) return {};  // a notify without a sleeper is lost
  if (i.op == Op::NotifyAll) {
    effect.value = c->sleepers.size();
    for (const ThreadId sleeper : c->sleepers) state_.own_thread(sleeper).released = true;
    c->sleepers.clear();
  } else {
    CHECK(wake < c->sleepers.size(), "sleeper {} of {}", wake, c->sleepers.size());
    effect.value = 1;
    state_.own_thread(c->sleepers[wake]).released = true;
    c->sleepers.erase(c->sleepers.begin() + static_cast<std::ptrdiff_t>(wake));
  }
  if (c->sleepers.empty()) state_.conditions.erase(effect.address);
  return {};
}

void Stepper::perform_semaphore(ThreadId id, const Instruction& i, Effect& effect) {
  Thread& thread = state_.own_thread(id);
  std::uint64_t count = state_.semaphore_count(effect.address);
  const bool taken = i.op != Op::SemPost && count > 0;
  if (i.op == Op::SemPost) {
    ++count;
  } else {
    effect.failed = !taken;
    count -= taken ? 1 : 0;
  }
  if (i.op == Op::TrySemWait) set_result(thread, i.result, taken ? 1 : 0, false);
  effect.value = state_.context->initial_of(effect.address);
  if (count == state_.context->initial_of(effect.address)) {
    state_.semaphores.erase(effect.address);
  } else {
    state_.semaphores.obtain(effect.address).count = count;
  }
}

void Stepper::perform_barrier(ThreadId id, const Instruction&, Effect& effect) {
  Thread& thread = state_.own_thread(id);
  if (thread.second_half) {
    thread.second_half = thread.released = false;
    return;
  }
  thread.second_half = true;
  effect.value = state_.context->initial_of(effect.address);
  BarrierState& b = state_.barriers.obtain(effect.address);
  insert_sorted(b.arrived, id);
  if (b.arrived.size() < state_.context->initial_of(effect.address)) return;
  for (const ThreadId arrived : b.arrived) state_.own_thread(arrived).released = true;
  state_.barriers.erase(effect.address);
}

// The state is kept as a number that is another one for every other sequence of puts (or nearly so: it wraps around).
void Stepper::perform_state(ThreadId id, const Instruction& i, Effect& effect) {
  Thread& thread = state_.own_thread(id);
  const std::uint64_t now = state_.load(effect.address, kI64).value_or(0);
  effect.size = 1;
  if (i.op == Op::Put) {
    state_.store(effect.address, kI64, 31 * now + state_.value_of(thread, i.operands[1]) + 1);
  } else {
    effect.value = now;
    set_result(thread, i.result, now, true);
  }
}

Status Stepper::perform_once(ThreadId id, const Instruction& i, Effect& effect) {
  Thread& thread = state_.own_thread(id);
  OnceState* guard = state_.guards.find(effect.address);
  if (i.op == Op::OnceDone) {
    if (guard == nullptr || guard->runner != id) {
      return mistake(id, i,
                     fmt::format("completes {}, whose initialiser it does not run",
                                 state_.context->name_of_address(effect.address)));
    }
    guard->runner = kNoThread;
    return {};
  }
  effect.value = guard == nullptr ? 1 : 0;
  if (guard == nullptr) state_.guards.obtain(effect.address).runner = id;
  set_result(thread, i.result, effect.value, false);
  return {};
}

Status Stepper::perform_fork(ThreadId id, const Instruction& i, Effect effect) {
  Thread& thread = state_.own_thread(id);
  const auto callee = state_.callee_of(thread, i);
  if (!callee.function) {
    fault(id, i, callee.fault);
    return {};
  }
  const Function& function = state_.program().function(*callee.function);
  const std::string& name = state_.program().text(function.name);
  if (function.blocks.empty()) return mistake(id, i, fmt::format("forks {}, which has no body", name));
  ThreadId child{static_cast<std::uint32_t>(state_.threads.size())};
  if (function.thread) {
    child = *function.thread;
    if (state_.thread(child).life != Life::NotStarted)
      return mistake(id, i, fmt::format("forks {} a second time", name));
  } else {
    if (state_.threads.size() >= kMaxThreads)
      return mistake(id, i, fmt::format("forks more than {} threads", kMaxThreads));
    state_.threads.push_back(std::make_shared<Thread>());
  }
  std::vector<std::uint64_t> arguments;
  std::vector<std::uint8_t> tainted;
  for (std::size_t k = 1; k < i.operands.size(); ++k) {
    arguments.push_back(state_.value_of(thread, i.operands[k]));
    tainted.push_back(state_.tainted(thread, i.operands[k]) ? 1 : 0);
  }
  set_result(thread, i.result, index(child), false);
  ++thread.frames.back().here;
  effect.value2 = index(child);
  emit(effect);
  return begin_thread(child, *callee.function, arguments, tainted);
}

std::string MachineState::describe_wait(ThreadId id) const {
  const Thread& t = thread(id);
  const Instruction& i = *t.frames.back().here;
  std::string what = "is stuck";
  const auto named = [&](std::string_view text, std::size_t operand) {
    return fmt::format("{} {}", text, context->name_of_address(value_of(t, i.operands[operand])));
  };
  switch (i.op) {
    case Op::Lock: what = named("waits for lock", 0); break;
    case Op::RdLock: what = named("waits to read under lock", 0); break;
    case Op::WrLock: what = named("waits to write under lock", 0); break;
    case Op::Wait: what = t.released ? named("waits for lock", 1) : named("sleeps on condition", 0); break;
    case Op::SemWait: what = named("waits for semaphore", 0); break;
    case Op::Arrive: what = named("waits at barrier", 0); break;
    case Op::OnceEnter: what = named("waits for guard", 0); break;
    case Op::Join: {
      const auto other = joined_thread(t, i);
      what = fmt::format("waits for the end of {}", other ? context->name_of_thread(*other) : "nobody");
      break;
    }
    default: break;
  }
  return fmt::format("{} {} at {}", context->name_of_thread(id), what, context->place(&i));
}

}  // namespace racecast::program
