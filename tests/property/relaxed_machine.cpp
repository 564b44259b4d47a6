// What a thread does between its steps: local computation, branches, calls, and where it leaves its recorded path. The
// steps themselves are in relaxed_steps.cpp.
#include "property/relaxed_machine.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace racecast::oracle {

using program::BlockId;
using program::FaultKind;
using program::FunctionId;
using program::Instruction;
using program::Op;
using program::Operand;
using program::OperandKind;
using program::RegId;
using trace::Event;
using trace::EventKind;

namespace {

constexpr int kMaxLocalInstructions = 100'000;
constexpr std::size_t kMaxDepth = 300;

// Is the event a step here, of its own? A call is one where missing code makes it, and so is its return. What is none
// belongs to the step before it, and changes no memory.
bool is_step_event(const RecordedPaths& paths, const trace::Trace& trace, int e) {
  const Event& event = trace.events[static_cast<std::size_t>(e)];
  switch (event.kind) {
    case EventKind::Branch:
    case EventKind::Alloc:
    case EventKind::ThreadBegin:
    case EventKind::ThreadEnd: return false;
    default: break;
  }
  return paths.items(index(event.thread))[static_cast<std::size_t>(paths.place(e))].event == e;
}

}  // namespace

Recorded::Recorded(const program::Program& p, const trace::Trace& t, const MissingFacts* m)
    : program(p), trace(t), facts(t), paths(p, t), code(p), missing(m), has_missing(!facts.sections.empty()) {
  for (const Section& section : facts.sections) {
    const trace::Event& begin = t.events[static_cast<std::size_t>(section.begin)];
    auto& addresses = reach.emplace_back();
    for (const trace::Range& range : t.definitions.reach[begin.address].ranges)
      for (std::uint64_t a = range.address; a < range.address + range.size; a += 8) addresses.push_back(a);
  }
  if (!has_missing) return;
  std::map<std::uint64_t, int> last;
  for (int e = 0; e < facts.size(); ++e) {
    const Event& event = facts.event(e);
    const auto writer = [&](std::uint64_t address) { return last.contains(address) ? last[address] : kInitial; };
    if (trace::reads(event)) writer_before[{e, event.address}] = writer(event.address);
    if (is_step_event(paths, t, e)) {
      for (const int s : facts.own_point_of[static_cast<std::size_t>(e)])
        for (const std::uint64_t a : reach[static_cast<std::size_t>(s)]) writer_before[{e, a}] = writer(a);
      for (const int s : facts.own_point_of[static_cast<std::size_t>(e)])
        for (const std::uint64_t a : reach[static_cast<std::size_t>(s)]) last[a] = e;
    }
    if (trace::writes(event)) last[event.address] = e;
  }
}

RelaxedMachine::RelaxedMachine(const program::Program& program, Relaxation relaxation, const Recorded* recorded)
    : program_(program), relaxation_(relaxation), recorded_(recorded), liveness_(program) {
  CHECK((relaxation == Relaxation::All) == (recorded == nullptr));
  for (const program::Global& g : program.globals) {
    const bool data = g.kind == program::GlobalKind::Data || g.kind == program::GlobalKind::Atomic;
    CHECK(g.element_size == 8);
    has_state_ = has_state_ || g.kind == program::GlobalKind::State;
    for (std::uint64_t a = g.address; a < g.address + g.size(); a += 8) {
      if (data) cells_.emplace(a, cells_.size());
      if (!data) sync_objects_[a] = &g;
    }
  }
  if (recorded != nullptr) objects_ = recorded->paths.objects();
}

State RelaxedMachine::start() {
  State state;
  std::size_t threads = 1;
  for (const program::Function& f : program_.functions)
    if (f.thread) threads = std::max(threads, index(*f.thread) + 1);
  state.threads.resize(threads);
  for (const program::Global& g : program_.globals)
    if (g.kind == program::GlobalKind::Data || g.kind == program::GlobalKind::Atomic)
      for (std::uint32_t k = 0; k < g.count; ++k) state.memory.push_back({g.initial, true, false, false, kInitial});
  begin_thread(state, 0, program_.main);
  while (program_.implicit_main) {
    const Next first = next(state, 0);
    if (first.kind == StepKind::None || first.instruction->op != Op::Fork) break;
    step(state, 0, 0);
  }
  return state;
}

std::optional<std::size_t> RelaxedMachine::cell(std::uint64_t address) const {
  const auto found = cells_.find(address);
  return found == cells_.end() ? std::nullopt : std::optional(found->second);
}

Word RelaxedMachine::value(const FrameState& frame, const Operand& operand) const {
  switch (operand.kind) {
    case OperandKind::Reg: return frame.registers[operand.value];
    case OperandKind::Const: return {operand.value};
    case OperandKind::Global: return {program_.globals[operand.value].address};
    case OperandKind::Function: return {operand.value};
  }
  return {};
}

void RelaxedMachine::set(ThreadState& t, RegId result, Word word) {
  if (result != program::kNoReg) t.frames.back().registers[index(result)] = word;
}

// ---- the recorded path

// The event that the recorded path has next; null: something else, or nothing.
const Event* RelaxedMachine::recorded_event(std::size_t thread, const ThreadState& t) const {
  const auto& path = items(thread);
  if (t.position >= path.size() || path[t.position].kind != ItemKind::Event) return nullptr;
  return &recorded_->trace.events[static_cast<std::size_t>(path[t.position].event)];
}

// Goes on by an item that is no event. In an unexecuted branch, and in an All run, there is nothing to follow. False:
// the recorded path does something else here; the thread has stopped.
bool RelaxedMachine::follow(int thread, ThreadState& t, ItemKind kind, BlockId block) {
  if (relaxation_ == Relaxation::All || t.detour) return true;
  const auto& path = items(static_cast<std::size_t>(thread));
  if (t.position < path.size() && path[t.position].kind == kind &&
      (kind != ItemKind::Block || path[t.position].block == block)) {
    if (kind == ItemKind::Enter) t.frames.back().activation = path[t.position].activation;
    ++t.position;
    return true;
  }
  t.life = Life::Stopped;
  return false;
}

// The end of an unexecuted branch: finds where the recorded path came here, in this activation, for the first time
// after the branch. If it never did, there is nothing to go on along.
void RelaxedMachine::rejoin(int thread, ThreadState& t, ItemKind kind, BlockId block) {
  const auto& path = items(static_cast<std::size_t>(thread));
  const int activation = t.frames.back().activation;
  std::size_t place = t.position;
  while (place < path.size() && (path[place].kind != kind || path[place].activation != activation ||
                                 (kind == ItemKind::Block && path[place].block != block))) {
    ++place;
  }
  if (recorded_->has_missing) t.skipped.emplace_back(t.position, place);
  t.position = place;
  t.detour.reset();
}

// ---- local computation

void RelaxedMachine::push(ThreadState& t, FunctionId function, std::span<const Word> arguments) {
  const program::Function& callee = program_.function(function);
  FrameState& frame = t.frames.emplace_back();
  frame.function = function;
  frame.registers.resize(callee.registers.size());
  for (std::size_t k = 0; k < callee.params.size() && k < arguments.size(); ++k)
    frame.registers[index(callee.params[k])] = arguments[k];
}

void RelaxedMachine::begin_thread(State& state, int thread, FunctionId function) {
  ThreadState& t = state.threads[static_cast<std::size_t>(thread)];
  t.life = Life::Running;
  push(t, function, {});
  // A thread that was not recorded does not run.
  if (follow(thread, t, ItemKind::Enter, {})) run_local(state, thread);
}

// Until the thread stands before its next step, has ended, or has stopped.
void RelaxedMachine::run_local(State& state, int thread) {
  for (int executed = 0;; ++executed) {
    ThreadState& t = state.threads[static_cast<std::size_t>(thread)];
    if (t.life != Life::Running || t.second_half) break;
    const FrameState& frame = t.frames.back();
    if (frame.section >= 0) break;
    const Instruction& i = here(frame);
    if (is_step(i.op)) break;
    if (i.op == Op::Call && relaxation_ != Relaxation::All && program_.functions[i.operands[0].value].missing) break;
    if (executed > kMaxLocalInstructions) {
      gave_up_ = true;
      t.life = Life::Stopped;
      break;
    }
    one_local(state, thread);
  }
  ThreadState& t = state.threads[static_cast<std::size_t>(thread)];
  if (t.life == Life::Stopped || t.life == Life::Ended) {
    t.frames.clear();
    t.allocations.clear();
    t.detour.reset();
  }
}

void RelaxedMachine::one_local(State& state, int thread) {
  ThreadState& t = state.threads[static_cast<std::size_t>(thread)];
  const Instruction& i = here(t.frames.back());
  if ((traits_of(i.op) & program::Pure) != 0) return pure(state, thread, i);
  switch (i.op) {
    case Op::Alloc: {
      const Word size = value(t.frames.back(), i.operands[0]);
      set(t, i.result, {allocate(t, thread, i, size.bits)});
      ++t.frames.back().at;
      return;
    }
    case Op::Mark: ++t.frames.back().at; return;
    case Op::Jump: return enter_block(state, thread, i.targets[0]);
    case Op::Branch: return branch(state, thread, i);
    case Op::Call: return call(state, thread, i);
    case Op::Return: return leave(state, thread, i);
    default: break;
  }
  CHECK(false, "{} is not in litmus programs", text_of(i.op));
}

std::uint64_t RelaxedMachine::allocate(ThreadState& t, int thread, const Instruction& i, std::uint64_t size) {
  const RecordedPaths::ObjectKey key{static_cast<std::size_t>(thread), i.id, t.allocations[i.id]++};
  const auto [found, fresh] = objects_.try_emplace(key, next_object_);
  if (fresh) next_object_ += size + 64;
  for (std::uint64_t a = found->second; a < found->second + size; a += 8) cells_.emplace(a, cells_.size());
  return found->second;
}

void RelaxedMachine::pure(State& state, int thread, const Instruction& i) {
  ThreadState& t = state.threads[static_cast<std::size_t>(thread)];
  std::array<std::uint64_t, 3> operands{};
  Word result;
  for (std::size_t k = 0; k < i.operands.size(); ++k) {
    const Word word = value(t.frames.back(), i.operands[k]);
    operands[k] = word.bits;
    result.known = result.known && word.known;
    result.uncertain = result.uncertain || word.uncertain;
  }
  const bool place = i.op == Op::Index || (i.op == Op::Offset && i.checked);
  // Whether a division faults is known where its divisor is, and is neither 0 nor -1.
  const bool divides = i.op == Op::SDiv || i.op == Op::SRem;
  const bool may_fault = divides && (!value(t.frames.back(), i.operands[1]).known || operands[1] + 1 <= 1);
  const bool stop = (place && t.detour && result.uncertain) || ((place || may_fault) && !result.known);
  if (stop) {
    t.life = Life::Stopped;
    return;
  }
  if (result.known) {
    program::Evaluation evaluation = program::evaluate(i, std::span(operands.data(), i.operands.size()));
    if (i.op == Op::Index) {
      CHECK(i.operands[0].kind == OperandKind::Global);
      if (operands[1] >= program_.globals[i.operands[0].value].count) evaluation.fault = FaultKind::OutOfRange;
    }
    if (evaluation.fault != FaultKind::None) return fault(state, thread, i);
    result.bits = evaluation.value;
  }
  set(t, i.result, result);
  ++t.frames.back().at;
}

// A fault ends its thread. Along a recorded path it is kept where it was recorded, and nowhere else.
void RelaxedMachine::fault(State& state, int thread, const Instruction& i) {
  ThreadState& t = state.threads[static_cast<std::size_t>(thread)];
  if (relaxation_ != Relaxation::All) {
    const Event* e = t.detour ? nullptr : recorded_event(static_cast<std::size_t>(thread), t);
    const bool fits = e != nullptr && e->kind == EventKind::Branch && index(e->location) == index(i.id);
    if (!fits || has_deviated(t)) {
      t.life = Life::Stopped;
      return;
    }
    ++t.position;
  }
  end(state, thread);
}

void RelaxedMachine::end(State& state, int thread) {
  ThreadState& t = state.threads[static_cast<std::size_t>(thread)];
  if (relaxation_ != Relaxation::All) {
    const Event* e = recorded_event(static_cast<std::size_t>(thread), t);
    if (e == nullptr || e->kind != EventKind::ThreadEnd) {
      t.life = Life::Stopped;
      return;
    }
    ++t.position;
  }
  t.life = Life::Ended;
}

void RelaxedMachine::enter_block(State& state, int thread, BlockId target) {
  ThreadState& t = state.threads[static_cast<std::size_t>(thread)];
  if (t.detour && t.frames.size() == t.detour->depth && t.detour->join == target)
    rejoin(thread, t, ItemKind::Block, target);
  if (!follow(thread, t, ItemKind::Block, target)) return;
  FrameState& frame = t.frames.back();
  const BlockId from = frame.block;
  frame.block = target;
  frame.at = 0;
  std::vector<std::pair<RegId, Word>> assignments;  // phis read before any of them is written
  while (here(frame).op == Op::Phi) {
    const Instruction& phi = here(frame);
    const auto way = std::find(phi.targets.begin(), phi.targets.end(), from) - phi.targets.begin();
    assignments.emplace_back(phi.result, value(frame, phi.operands[static_cast<std::size_t>(way)]));
    ++frame.at;
  }
  for (const auto& [result, word] : assignments) set(t, result, word);
}

void RelaxedMachine::branch(State& state, int thread, const Instruction& i) {
  ThreadState& t = state.threads[static_cast<std::size_t>(thread)];
  const Word condition = value(t.frames.back(), i.operands[0]);
  const std::size_t target = condition.bits != 0 ? 0 : 1;
  if (relaxation_ == Relaxation::All) return enter_block(state, thread, i.targets[target]);
  bool may = condition.known && !has_deviated(t);
  if (may && t.detour) {
    const auto loop = t.detour->rounds.find(t.frames.back().block);
    const bool mine = t.frames.size() == t.detour->depth && loop != t.detour->rounds.end();
    if (recorded_->code.test_kind(i) == TestKind::For && condition.uncertain) may = false;
    if (mine && target == 0) may = may && loop->second-- > 0;
    if (mine && target == 1) t.detour->rounds.erase(loop);  // what is entered anew was not under way
  } else if (may) {
    const Event* e = recorded_event(static_cast<std::size_t>(thread), t);
    if (e == nullptr || e->kind != EventKind::Branch || index(e->location) != index(i.id)) {
      may = false;
    } else if (e->value != target) {
      may = relaxation_ == Relaxation::Path && take_other_side(t, static_cast<std::size_t>(thread), i, target);
    } else {
      ++t.position;
    }
  }
  if (!may) {
    t.life = Life::Stopped;
    return;
  }
  enter_block(state, thread, i.targets[target]);
}

// Begins an unexecuted branch, if its side is modelled exactly.
bool RelaxedMachine::take_other_side(ThreadState& t, std::size_t thread, const Instruction& i, std::size_t target) {
  const CodeFacts& code = recorded_->code;
  const FrameState& frame = t.frames.back();
  // One round more than recorded.
  if (code.test_kind(i) != TestKind::Other && target == 0) return false;
  const std::optional<BlockId> join = code.join(frame.function, frame.block);
  if (!code.is_modelled(frame.function, i.targets[target], join)) return false;
  Detour detour{t.frames.size(), join, {}};
  const auto& path = items(thread);
  for (const BlockId test : code.for_tests_around(frame.function, frame.block)) {
    const Instruction& last = program_.function(frame.function).blocks[index(test)].instructions.back();
    int rounds = 0;
    for (std::size_t k = t.position + 1; k < path.size(); ++k) {
      if (path[k].activation != frame.activation || path[k].kind != ItemKind::Event) continue;
      const Event& e = recorded_->trace.events[static_cast<std::size_t>(path[k].event)];
      if (e.kind != EventKind::Branch || index(e.location) != index(last.id)) continue;
      if (e.value != 0) break;
      ++rounds;
    }
    detour.rounds[test] = rounds;
  }
  t.detour = std::move(detour);
  return true;
}

void RelaxedMachine::call(State& state, int thread, const Instruction& i) {
  ThreadState& t = state.threads[static_cast<std::size_t>(thread)];
  const auto callee = static_cast<FunctionId>(i.operands[0].value);
  std::vector<Word> arguments;
  for (std::size_t k = 1; k < i.operands.size(); ++k) arguments.push_back(value(t.frames.back(), i.operands[k]));
  if (t.frames.size() >= kMaxDepth) {
    gave_up_ = true;
    t.life = Life::Stopped;
    return;
  }
  const bool from_missing = program_.function(t.frames.back().function).missing;
  const bool to_missing = program_.function(callee).missing;
  int callback = -1;
  if (log_ != nullptr && from_missing != to_missing) {
    auto& calls = to_missing ? log_->missing[thread] : log_->callbacks[thread];
    if (from_missing) callback = static_cast<int>(calls.size());
    auto& one = calls.emplace_back();
    for (const Word& word : arguments) one.arguments.push_back(word.bits);
  }
  push(t, callee, arguments);
  t.frames.back().callback = callback;
  follow(thread, t, ItemKind::Enter, {});
}

void RelaxedMachine::leave(State& state, int thread, const Instruction& i) {
  ThreadState& t = state.threads[static_cast<std::size_t>(thread)];
  const Word result = i.operands.empty() ? Word{} : value(t.frames.back(), i.operands[0]);
  if (t.detour && t.frames.size() == t.detour->depth) rejoin(thread, t, ItemKind::Leave, {});
  if (!follow(thread, t, ItemKind::Leave, {})) return;
  if (t.frames.size() == 1) return end(state, thread);
  const int callback = t.frames.back().callback;
  t.frames.pop_back();
  if (callback >= 0) {
    // What a callback gives back is an argument of the missing code.
    if (log_ != nullptr) {
      log_->callbacks[thread][static_cast<std::size_t>(callback)].result = result.bits;
    } else if (relaxation_ != Relaxation::Maximal &&
               (!result.known || result.bits != recorded_->missing->calls.at(callback).result)) {
      t.life = Life::Stopped;
      return;
    }
  }
  if (t.frames.back().section >= 0) return;  // it goes on with the next step, which is the return
  set(t, here(t.frames.back()).result, result);
  ++t.frames.back().at;
}

// ---- telling states apart

namespace {

class Bytes {
 public:
  void number(std::uint64_t v) { text_.append(reinterpret_cast<const char*>(&v), sizeof v); }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace

std::string RelaxedMachine::key(const State& state) const {
  Bytes out;
  for (const ThreadState& t : state.threads) {
    out.number(static_cast<std::uint64_t>(t.life) | std::uint64_t{t.second_half} << 8 | std::uint64_t{t.released} << 9 |
               std::uint64_t{t.detour.has_value()} << 10 | std::uint64_t{t.deviated} << 11 |
               std::uint64_t{t.skipped.size()} << 16 | std::uint64_t{t.position} << 32);
    for (const auto& [from, to] : t.skipped) out.number(from << 32 | to);
    if (t.life != Life::Running) continue;
    out.number(t.frames.size());
    for (const FrameState& frame : t.frames) {
      if (frame.section >= 0) {
        out.number(static_cast<std::uint64_t>(frame.section) << 32 | 0xffffffffu);
        continue;
      }
      const Instruction& i = here(frame);
      out.number(index(i.id));
      const bool top = &frame == &t.frames.back();
      for (const RegId r : top ? liveness_.before(i.id) : liveness_.after_call(i.id)) {
        const Word& word = frame.registers[index(r)];
        out.number(word.bits);
        if (relaxation_ != Relaxation::All) out.number(word.known * 2 + word.uncertain);
      }
    }
    out.number(t.allocations.size());
    for (const auto& [site, count] : t.allocations) out.number(index(site) << 32 | count);
    if (!t.detour) continue;
    out.number(t.detour->depth << 32 | (t.detour->join ? index(*t.detour->join) : kNone32));
    for (const auto& [block, rounds] : t.detour->rounds)
      out.number(index(block) << 32 | static_cast<std::uint32_t>(rounds));
  }
  for (std::size_t c = 0; c < state.memory.size(); ++c) {
    const CellState& cell = state.memory[c];
    if (cell.bits == 0 && cell.known && !cell.foreign && cell.writer == kInitial) continue;
    out.number(c);
    out.number(cell.bits);
    out.number(static_cast<std::uint64_t>(cell.writer) << 3 | cell.hidden * 4u | cell.known * 2u | cell.foreign * 1u);
  }
  const auto table = [&](const auto& entries, const auto& one) {
    out.number(entries.size());
    for (const auto& [address, entry] : entries) {
      out.number(address);
      one(entry);
    }
  };
  const auto threads = [&](const std::vector<int>& list) {
    out.number(list.size());
    for (const int t : list) out.number(static_cast<std::uint64_t>(t));
  };
  table(state.mutexes, [&](int owner) { out.number(static_cast<std::uint64_t>(owner)); });
  table(state.rwlocks, [&](const RwState& lock) {
    out.number(static_cast<std::uint64_t>(lock.writer));
    out.number(lock.readers.size());
    for (const auto& [reader, count] : lock.readers) out.number(static_cast<std::uint64_t>(reader) << 32 | count);
  });
  table(state.sleepers, threads);
  table(state.semaphores, [&](std::uint64_t count) { out.number(count); });
  table(state.barriers, threads);
  table(state.outside, [&](const Outside& outside) {
    out.number(outside.bits);
    out.number(static_cast<std::uint64_t>(outside.writer) << 1 | outside.as_recorded * 1u);
  });
  return out.take();
}

std::map<std::uint64_t, std::uint64_t> RelaxedMachine::contents(const State& state) const {
  std::map<std::uint64_t, std::uint64_t> result;
  for (const auto& [address, number] : cells_)
    result[address] = number < state.memory.size() ? state.memory[number].bits : 0;
  return result;
}

}  // namespace racecast::oracle
