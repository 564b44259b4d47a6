// See recorder.h. One table row (event.def) says which members an event kind uses; the others stay zero.
#include "trace/recorder.h"

#include "base/check.h"

namespace racecast::trace {
namespace {

using program::Effect;
using program::EffectKind;
using program::Op;

EventKind kind_of_step(const Effect& effect) {
  const bool second = effect.kind == EffectKind::SecondHalf;
  switch (effect.instruction->op) {
    case Op::Load: return EventKind::Read;
    case Op::Store: return EventKind::Write;
    case Op::AtomicLoad: return EventKind::AtomicRead;
    case Op::AtomicStore: return EventKind::AtomicWrite;
    case Op::AtomicRmw:
    case Op::AtomicCas: return EventKind::AtomicRmw;
    case Op::Fence: return EventKind::Fence;
    case Op::Lock:
    case Op::TryLock: return EventKind::Lock;
    case Op::Unlock: return EventKind::Unlock;
    case Op::RdLock:
    case Op::TryRdLock: return EventKind::RdLock;
    case Op::WrLock:
    case Op::TryWrLock: return EventKind::WrLock;
    case Op::RwUnlock: return EventKind::RwUnlock;
    case Op::Wait: return second ? EventKind::Wake : EventKind::Wait;
    case Op::Notify: return EventKind::Notify;
    case Op::NotifyAll: return EventKind::NotifyAll;
    case Op::SemPost: return EventKind::SemPost;
    case Op::SemWait:
    case Op::TrySemWait: return EventKind::SemWait;
    case Op::Arrive: return second ? EventKind::BarrierLeave : EventKind::BarrierArrive;
    case Op::OnceEnter: return effect.value != 0 ? EventKind::OnceEnter : EventKind::OnceSeen;
    case Op::OnceDone: return EventKind::OnceDone;
    case Op::Put: return EventKind::AtomicRmw;
    case Op::Get: return EventKind::AtomicRead;
    case Op::Fork: return EventKind::Fork;
    case Op::Join: return EventKind::Join;
    default: break;
  }
  CHECK(false, "{} is not a step", text_of(effect.instruction->op));
}

EventKind kind_of(const Effect& effect) {
  switch (effect.kind) {
    case EffectKind::ThreadBegin: return EventKind::ThreadBegin;
    case EffectKind::ThreadEnd: return EventKind::ThreadEnd;
    case EffectKind::Step:
    case EffectKind::SecondHalf: return kind_of_step(effect);
    case EffectKind::Branch: return EventKind::Branch;
    case EffectKind::Call: return EventKind::Call;
    case EffectKind::Return: return EventKind::Return;
    case EffectKind::Alloc: return EventKind::Alloc;
    case EffectKind::Free: return EventKind::Free;
    case EffectKind::MissingBegin: return EventKind::MissingBegin;
    case EffectKind::MissingEnd: return EventKind::MissingEnd;
    case EffectKind::Fault: return EventKind::Branch;  // what was read decided that the thread ends here
  }
  return EventKind::None;
}

Flags flags_of(const Effect& effect, EventKind kind) {
  if (kind == EventKind::MissingEnd || is_access(kind)) {
    unsigned flags = kHasValue;
    if (effect.kind == EffectKind::Step && effect.instruction->op == Op::Put) flags = kAppend;
    if (effect.kind == EffectKind::Step && effect.instruction->op == Op::Get) flags = 0;
    if (effect.computed) flags |= kComputed;
    if (effect.kind == EffectKind::Step && effect.instruction->op == Op::AtomicCas) flags |= kCas;
    if (effect.failed) flags |= kFailed;
    return static_cast<Flags>(flags);
  }
  const bool has_value = kind == EventKind::SemPost || kind == EventKind::SemWait || kind == EventKind::BarrierArrive;
  unsigned flags = has_value ? kHasValue : 0;
  if (effect.computed) flags |= kComputed;
  if (effect.kind == EffectKind::Step) {
    switch (effect.instruction->op) {
      case Op::TryLock:
      case Op::TryRdLock:
      case Op::TryWrLock:
      case Op::TrySemWait: flags |= kTry; break;
      default: break;
    }
    if (effect.failed) flags |= kFailed;
    if (effect.instruction->recursive) flags |= kRecursive;
  }
  return static_cast<Flags>(flags);
}

}  // namespace

Recorder::Recorder(std::shared_ptr<const program::Program> program, Definitions& definitions, EventSink& sink)
    : program_(std::move(program)), definitions_(definitions), sink_(sink) {
  const program::Program& p = *program_;
  definitions_ = Definitions{};
  definitions_.program = program_;
  definitions_.branches = true;
  definitions_.threads.emplace_back(p.text(p.function(p.main).name));
  definitions_.locations.resize(p.instruction_count);
  for (const program::Function& function : p.functions) {
    definitions_.strings.push_back(p.text(function.name));
    if (function.thread) {
      if (definitions_.threads.size() <= index(*function.thread))
        definitions_.threads.resize(index(*function.thread) + 1);
      definitions_.threads[index(*function.thread)] = p.text(function.name);
    }
    for (const program::Block& block : function.blocks) {
      for (const program::Instruction& i : block.instructions) {
        if (function.unchecked) unchecked_.insert(i.id);
        definitions_.locations[index(i.id)] = {p.text(i.position.file), i.position.line, i.position.column,
                                               p.text(function.name), p.text(i.label)};
      }
    }
  }
  for (const program::Global& g : p.globals) {
    definitions_.symbols.push_back({g.address, g.size(), g.count > 1 ? g.element_size : 0, p.text(g.name)});
  }
}

std::uint64_t Recorder::intern(const std::vector<program::Reach>& reach) {
  ReachSet set;
  for (const program::Reach& r : reach) set.ranges.push_back({r.address, r.size});
  const auto [it, fresh] = reach_.try_emplace(set.ranges, definitions_.reach.size());
  if (fresh) definitions_.reach.push_back(std::move(set));
  return it->second;
}

LocationId Recorder::location_of(const Effect& effect) const {
  if (effect.instruction != nullptr) return static_cast<LocationId>(index(effect.instruction->id));
  return begin_[index(effect.thread)];
}

Event Recorder::event_of(const Effect& effect) const {
  Event event;
  event.kind = kind_of(effect);
  event.thread = effect.thread;
  event.location = location_of(effect);
  const std::uint8_t fields = row_of(event.kind).fields;
  if ((fields & A) != 0) event.address = effect.address;
  if ((fields & S) != 0) event.size = static_cast<std::uint32_t>(effect.size);
  if ((fields & V) != 0) event.value = effect.value;
  if ((fields & X) != 0) event.aux = effect.value2;
  if ((fields & O) != 0) event.order = effect.instruction->order;
  if ((fields & F) != 0) event.flags = flags_of(effect, event.kind);
  const bool plain = is_access(event.kind) && !is_atomic(event.kind);
  if (plain && unchecked_.contains(effect.instruction->id)) event.flags |= kUnchecked;
  return event;
}

void Recorder::observe(const Effect& effect) {
  if (!effect.recorded || !status_) return;
  if (effect.kind == EffectKind::ThreadBegin) {
    const std::size_t id = index(effect.thread);
    const program::Function& function = program_->function(effect.callee);
    if (definitions_.threads.size() <= id) definitions_.threads.resize(id + 1);
    if (definitions_.threads[id].empty()) definitions_.threads[id] = program_->text(function.name);
    if (begin_.size() <= id) begin_.resize(id + 1);
    begin_[id] = static_cast<LocationId>(index(function.blocks.front().instructions.front().id));
  }
  Event event = event_of(effect);
  if (effect.kind == EffectKind::Step && effect.instruction->op == Op::Get) {
    event.value = 0;
    status_ = sink_.add(event);
    // What it gives is not what it reads: the model does not know how the one follows from the other.
    Event result;
    result.kind = EventKind::Value;
    result.thread = event.thread;
    result.location = event.location;
    result.value = effect.value;
    event = result;
    if (!status_) return;
  }
  if (effect.kind == EffectKind::Fault) event.value = 1;
  if (effect.kind == EffectKind::Call) event.aux = index(effect.callee);
  if (effect.kind == EffectKind::MissingBegin) {
    event.address = intern(effect.reach);
    event.aux = index(effect.callee);
  }
  status_ = sink_.add(event);
}

Result<Trace> record(const program::LitmusFile& file, const RecordOptions& options, program::RunOutcome* outcome) {
  Trace trace;
  VectorSink sink(trace.events);
  Recorder recorder(file.program, trace.definitions, sink);
  const program::Observer observer = recorder.observer();
  RC_TRY(program::Machine machine, program::Machine::start(file.program, observer));
  RC_TRY(program::RunOutcome ended,
         options.seed ? program::run_random(machine, *options.seed, observer, options.limits)
                      : program::run_schedule(machine, options.schedule ? *options.schedule : file.run, observer,
                                              options.limits));
  RC_TRY_STATUS(recorder.status());
  if (outcome != nullptr) *outcome = std::move(ended);
  return trace;
}

}  // namespace racecast::trace
