#include "model/detour/detours.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/check.h"
#include "model/order/missing_reach.h"
#include "model/walk/thread.h"

namespace racecast::model {

using program::BlockId;
using program::FunctionId;
using program::LoopTest;
using program::Op;
using trace::Event;
using trace::EventKind;

struct DetourFinder::State {
  explicit State(const trace::Trace& t) : trace(t), sides(*t.definitions.program), reached(t) {}

  const trace::Trace& trace;
  WalkClient client;
  WalkShared shared;
  BranchSides sides;
  std::map<std::uint64_t, trace::Flags> lock_flags;
  std::map<std::uint64_t, std::uint64_t> objects;
  MissingReach reached;
  std::vector<std::vector<EventNo>> by_thread;
  Counts counts;
  std::uint64_t next_object = std::uint64_t{1} << 60;  // of objects that nobody else knows

  void prepare() {
    const program::Program& program = *trace.definitions.program;
    for (const program::Global& g : program.globals)
      if (g.address != 0) objects[g.address] = g.size();
    by_thread.resize(trace.definitions.threads.size());
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
      const Event& e = trace.events[i];
      by_thread[index(e.thread)].push_back(EventNo{i});
      if (e.kind == EventKind::Alloc) objects[e.address] = e.size;
      if (trace::row_of(e.kind).group == trace::Group::Lock && e.has(trace::kRecursive))
        lock_flags[e.address] = trace::kRecursive;
    }
  }
};

// The ways of one thread. Walkers are copied where ways part.
class DetourFinder::Explorer {
 public:
  Explorer(State& state, ThreadId thread, const DetourLimits& limits, const std::function<bool(EventNo)>& wanted)
      : s_(state), thread_(thread), limits_(limits), wanted_(wanted), events_(state.by_thread[index(thread)]) {}

  std::vector<ThreadPath> run() {
    follow(std::make_unique<WalkThread>(s_.shared, thread_), 0, {}, {});
    return std::move(paths_);
  }

 private:
  using Allocations = std::map<InstrId, std::uint64_t>;
  using Walker = std::unique_ptr<WalkThread>;
  Walker copy_of(const WalkThread& walker) const { return std::make_unique<WalkThread>(walker, s_.shared); }

  const Event& event(std::size_t position) const { return s_.trace.events[index(events_[position])]; }

  // Along the recorded path from `position` on, after these detours.
  void follow(Walker walker, std::size_t position, const std::vector<Detour>& detours, Allocations allocations) {
    for (; position < events_.size(); ++position) {
      const Event& e = event(position);
      if (e.kind == EventKind::Branch && (detours.empty() ? wanted_(events_[position]) : true)) {
        const std::optional<std::uint64_t> only = only_target(*walker, e);
        if (!only || *only != e.value) {
          const bool deeper = detours.size() >= limits_.most_detours;
          if (deeper || paths_.size() >= limits_.most_paths) {
            ++(deeper ? s_.counts.deeper : s_.counts.cut);
            return;
          }
          turn(*walker, position, detours, allocations);
          if (only) return;  // the recorded side cannot be taken any more
        }
      }
      if (e.kind == EventKind::Alloc) ++allocations[static_cast<InstrId>(index(e.location))];
      walker->add(e, events_[position], true);
    }
  }

  // Where the branch goes, if no read decides that.
  std::optional<std::uint64_t> only_target(WalkThread& walker, const Event& e) const {
    const auto operands = walker.operands_at(e);
    if (!operands || !operands->front().known || operands->front().node != 0) return std::nullopt;
    const WalkStep& step = s_.shared.code->step(static_cast<std::uint32_t>(index(e.location)));
    return step.target_of(operands->front().value);
  }

  // The other sides of the branch at `position`, before which the walker stands.
  void turn(const WalkThread& walker, std::size_t position, const std::vector<Detour>& detours,
            const Allocations& allocations) {
    const Event& e = event(position);
    const std::uint32_t pc = static_cast<std::uint32_t>(index(e.location));
    if (pc >= s_.shared.code->size()) return;
    const WalkStep& step = s_.shared.code->step(pc);
    if ((step.op != Op::Branch && step.op != Op::Switch) || step.pace == Pace::Landing) return;
    const LoopTest test = program::loop_test_of(*step.source);
    const auto function = static_cast<FunctionId>(step.function);
    const auto join = s_.sides.join(function, static_cast<BlockId>(step.block));
    for (std::uint64_t target = 0; target < step.target_count; ++target) {
      if (target == e.value || s_.shared.code->targets(step)[target] == s_.shared.code->targets(step)[e.value])
        continue;
      // One round more than recorded.
      if (test != LoopTest::None && target == program::body_of(test)) continue;
      const SideStop unmodelled = s_.sides.unmodelled(function, step.source->targets[target], join);
      if (unmodelled != SideStop::None) {
        ++s_.counts.unmodelled[static_cast<std::size_t>(unmodelled)];
        continue;
      }
      ++s_.counts.sides;
      explore(walker, position, target, join, detours, allocations);
    }
  }

  struct Way {
    Walker walker;
    Detour detour;
    Allocations allocations;
    std::map<std::uint32_t, int> rounds;  // by the test of a loop that was under way: rounds left
  };

  void explore(const WalkThread& before, std::size_t position, std::uint64_t target, std::optional<BlockId> join,
               const std::vector<Detour>& detours, const Allocations& allocations) {
    const WalkCode& code = *s_.shared.code;
    Event turned = event(position);
    const WalkStep& step = code.step(static_cast<std::uint32_t>(index(turned.location)));
    const std::uint32_t watched = join ? block_start(step, *join) : kNone32;
    // Which activation it is, is known when the walker has come to the branch.
    const Walker probe = copy_of(before);
    probe->add(turned, events_[position], true);
    const std::size_t depth = probe->depth();
    Recorded recorded = recorded_way(before, position, depth, watched);
    turned.value = target;
    Way first{
        copy_of(before), {position, target, {}, std::nullopt, SideStop::None}, allocations, std::move(recorded.rounds)};
    first.walker->watch(depth, watched);
    first.walker->add(turned, events_[position], false);
    std::vector<Way> open;
    open.push_back(std::move(first));
    std::size_t ways = 0;
    while (!open.empty()) {
      Way way = std::move(open.back());
      open.pop_back();
      if (ways >= limits_.most_ways || paths_.size() >= limits_.most_paths) {
        ++s_.counts.cut;
        return;
      }
      if (go_on(way, depth, recorded, open)) {
        ++ways;
        ++s_.counts.ways;
        finish(std::move(way), detours);
      }
    }
  }

  std::uint32_t block_start(const WalkStep& branch, BlockId block) const {
    const program::Function& function = s_.trace.definitions.program->functions[branch.function];
    return static_cast<std::uint32_t>(index(function.blocks[index(block)].instructions.front().id));
  }

  // Where the recorded path comes to the join point, and how many rounds loops around the branch make until then.
  struct Recorded {
    std::optional<std::size_t> resume;
    bool frees = false;  // on the way there, an object that was not made there
    std::map<std::uint32_t, int> rounds;
  };
  Recorded recorded_way(const WalkThread& before, std::size_t position, std::size_t depth, std::uint32_t watched) {
    const WalkStep& step = s_.shared.code->step(static_cast<std::uint32_t>(index(event(position).location)));
    Recorded found;
    for (const InstrId test :
         s_.sides.loops_around(static_cast<FunctionId>(step.function), static_cast<BlockId>(step.block)))
      found.rounds[static_cast<std::uint32_t>(index(test))] = 0;
    std::map<std::uint32_t, bool> left;
    std::set<std::uint64_t> made;
    const Walker walker = copy_of(before);
    walker->watch(depth, watched);
    for (std::size_t at = position; at < events_.size(); ++at) {
      const Event& e = event(at);
      const std::size_t own_depth = walker->depth();
      const bool freed_before = found.frees;
      if (e.kind == EventKind::Alloc) made.insert(e.address);
      if (e.kind == EventKind::Free && !made.contains(e.address)) found.frees = true;
      walker->add(e, events_[at], true);
      const auto pc = static_cast<std::uint32_t>(index(e.location));
      if (const auto rounds = found.rounds.find(pc);
          e.kind == EventKind::Branch && rounds != found.rounds.end() && at != position && own_depth == depth) {
        const bool goes_round = e.value == program::body_of(program::loop_test_of(*s_.shared.code->step(pc).source));
        if (goes_round && !left[pc]) ++rounds->second;
        if (!goes_round) left[pc] = true;
      }
      if (walker->met_watched() == WalkThread::Met::No) continue;
      const bool by = walker->met_watched() == WalkThread::Met::By;
      found.resume = by ? at + 1 : at;
      if (!by) found.frees = freed_before;  // this event is behind the join point
      break;
    }
    return found;
  }

  // Until ways part (the others go to `open`), or this one ends: true.
  bool go_on(Way& way, std::size_t depth, const Recorded& recorded, std::vector<Way>& open) {
    for (;;) {
      if (way.detour.events.size() > limits_.most_events) {
        ++s_.counts.cut;
        way.detour.stop = SideStop::Size;
        return true;
      }
      FreeRules rules{&s_.sides, &s_.lock_flags, &s_.objects,
                      [&](InstrId site, std::uint64_t size) { return make_object(way, site, size); }};
      FreeNext next = way.walker->next_free(rules);
      if (next.kind == FreeNext::Kind::Stopped) {
        way.detour.stop = next.why;
        return true;
      }
      if (next.kind == FreeNext::Kind::Joins || next.kind == FreeNext::Kind::Leaves) {
        for (const auto& events : next.choices)
          for (const Event& e : events) perform(way, e);
        if (recorded.frees && recorded.resume)
          way.detour.stop = SideStop::Free;
        else
          way.detour.resume = recorded.resume;
        return true;
      }
      std::erase_if(next.choices, [&](const auto& events) { return is_one_round_more(way, depth, events.front()); });
      if (next.choices.empty()) {
        way.detour.stop = SideStop::Loop;
        return true;
      }
      if (s_.reached.contains(next.choices.front().front())) {
        way.detour.stop = SideStop::Missing;
        return true;
      }
      for (std::size_t k = 1; k < next.choices.size(); ++k) {
        Way other{copy_of(*way.walker), way.detour, way.allocations, way.rounds};
        take(other, depth, next.choices[k]);
        open.push_back(std::move(other));
      }
      take(way, depth, next.choices.front());
    }
  }

  // Of a loop that was under way when the branch was taken.
  bool is_one_round_more(const Way& way, std::size_t depth, const Event& e) const {
    if (e.kind != EventKind::Branch || way.walker->depth() != depth) return false;
    const auto pc = static_cast<std::uint32_t>(index(e.location));
    const LoopTest test = program::loop_test_of(*s_.shared.code->step(pc).source);
    const auto rounds = way.rounds.find(pc);
    return test != LoopTest::None && rounds != way.rounds.end() && e.value == program::body_of(test) &&
           rounds->second == 0;
  }

  void take(Way& way, std::size_t depth, const std::vector<Event>& events) {
    for (const Event& e : events) {
      if (e.kind == EventKind::Branch && way.walker->depth() == depth) {
        const auto pc = static_cast<std::uint32_t>(index(e.location));
        const LoopTest test = program::loop_test_of(*s_.shared.code->step(pc).source);
        if (const auto rounds = way.rounds.find(pc); test != LoopTest::None && rounds != way.rounds.end()) {
          if (e.value == program::body_of(test))
            --rounds->second;
          else
            way.rounds.erase(rounds);  // what is entered anew was not under way
        }
      }
      perform(way, e);
    }
  }

  void perform(Way& way, const Event& e) {
    if (e.kind == EventKind::Alloc) ++way.allocations[static_cast<InstrId>(index(e.location))];
    way.detour.events.push_back(e);
    way.walker->add(e, EventNo{0}, false);
  }

  std::optional<std::uint64_t> make_object(Way& way, InstrId site, std::uint64_t size) {
    if (size > 0xffffffff) return std::nullopt;
    std::optional<std::uint64_t> address;
    if (s_.trace.definitions.program->origin != program::Origin::Litmus) {
      address = s_.next_object;
      s_.next_object += size + 64;
    } else {
      address = program::object_address(thread_, site, way.allocations[site], size);
    }
    if (address) s_.objects[*address] = size;
    return address;
  }

  void finish(Way way, std::vector<Detour> detours) {
    ++s_.counts.stopped[static_cast<std::size_t>(way.detour.stop)];
    const std::optional<std::size_t> resume = way.detour.resume;
    detours.push_back(std::move(way.detour));
    paths_.push_back({thread_, detours});
    if (resume && limits_.most_detours > 1) follow(std::move(way.walker), *resume, detours, std::move(way.allocations));
  }

  State& s_;
  ThreadId thread_;
  const DetourLimits& limits_;
  const std::function<bool(EventNo)>& wanted_;
  const std::vector<EventNo>& events_;
  std::vector<ThreadPath> paths_;
};

DetourFinder::DetourFinder(std::unique_ptr<State> state) : state_(std::move(state)) {}
DetourFinder::DetourFinder(DetourFinder&&) noexcept = default;
DetourFinder::~DetourFinder() = default;

Result<DetourFinder> DetourFinder::make(const trace::Trace& trace) {
  if (trace.definitions.program == nullptr) return bad_input("the trace came without a program");
  auto state = std::make_unique<State>(trace);
  RC_TRY(WalkCode code, WalkCode::make(trace.definitions.program));
  state->shared.code = std::make_shared<const WalkCode>(std::move(code));
  state->shared.constants = std::make_shared<const ConstantMemory>(*trace.definitions.program);
  state->shared.definitions = &trace.definitions;
  state->shared.client = &state->client;
  state->shared.mark_reads = true;
  state->prepare();
  return DetourFinder(std::move(state));
}

std::vector<ThreadPath> DetourFinder::paths(ThreadId thread, const DetourLimits& limits,
                                            const std::function<bool(EventNo branch)>& wanted) {
  if (index(thread) >= state_->by_thread.size()) return {};
  return Explorer(*state_, thread, limits, wanted).run();
}

const DetourFinder::Counts& DetourFinder::counts() const {
  return state_->counts;
}

void DetourFinder::reset_counts() {
  state_->counts = {};
}

SideStop DetourFinder::unmodelled(EventNo branch) {
  const Event& e = state_->trace.events[index(branch)];
  if (e.kind != EventKind::Branch || index(e.location) >= state_->shared.code->size()) return SideStop::None;
  const WalkStep& step = state_->shared.code->step(static_cast<std::uint32_t>(index(e.location)));
  if ((step.op != Op::Branch && step.op != Op::Switch) || step.pace == Pace::Landing) return SideStop::None;
  const auto function = static_cast<FunctionId>(step.function);
  const auto join = state_->sides.join(function, static_cast<BlockId>(step.block));
  for (std::uint64_t target = 0; target < step.target_count; ++target)
    if (target != e.value) {
      const LoopTest test = program::loop_test_of(*step.source);
      if (test != LoopTest::None && target == program::body_of(test)) return SideStop::Loop;
      if (const SideStop stop = state_->sides.unmodelled(function, step.source->targets[target], join);
          stop != SideStop::None)
        return stop;
    }
  return SideStop::None;
}

}  // namespace racecast::model
