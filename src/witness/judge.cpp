// The judge's rules, one function per group, in the order of docs/semantics.md. State is what a machine would have: who
// holds what, who sleeps where, what memory holds. Deliberately plain; the oracle of the tests checks that it accepts
// exactly the correct reorderings.
#include "witness/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "model/order/execution.h"
#include "model/order/missing_order.h"
#include "program/program.h"
#include "witness/memory.h"
#include "witness/model_run.h"

namespace racecast::witness {

using model::Execution;
using trace::Event;
using trace::EventKind;

namespace {

// A lock, condition, semaphore, barrier or guard: an address in one life.
using Object = std::pair<std::uint32_t, std::uint64_t>;

}  // namespace

struct Judge::Prepared {
  Prepared(const trace::Trace& trace, Values values, const ModelStart& start)
      : execution(trace),
        path(values == Values::Model ? RecordedWalk::make(execution, start) : nullptr),
        initial(execution, path != nullptr && trace.definitions.program->origin == program::Origin::Litmus),
        diverged(start.diverged) {
    find_ties();
    find_semaphore_counts();
    find_barrier_needs();
  }

  Object object_of(EventNo no) const { return {execution.life_of(no), execution.event(no).address}; }
  Object mutex_of(EventNo no) const { return {execution.mutex_life_of(no), execution.event(no).aux}; }

  // Section 4: for each event that is tied to earlier ones, how much of every other thread it needs. Direct ties are
  // enough, because each of those has been checked in its turn.
  void find_ties() {
    if (!execution.has_missing()) return;
    model::MissingOrder order(execution.trace().definitions);
    for (std::size_t i = 0; i < execution.size(); ++i) {
      const Event& e = execution.event(EventNo{i});
      model::VectorClock needs, own;
      const std::vector<std::uint32_t> sets = execution.reach_sets_of(EventNo{i});
      order.before(e, sets, needs);
      own.set(e.thread, execution.position(EventNo{i}) + 1);
      order.after(e, sets, own);
      if (!needs.empty()) ties.emplace(EventNo{i}, std::move(needs));
    }
  }

  // The smallest start for which the recorded run is legal, where the trace does not say it.
  void find_semaphore_counts() {
    std::map<Object, std::int64_t> balance;
    for (std::size_t i = 0; i < execution.size(); ++i) {
      const EventNo no{i};
      const Event& e = execution.event(no);
      if (e.kind != EventKind::SemPost && e.kind != EventKind::SemWait) continue;
      const Object semaphore = object_of(no);
      std::int64_t& now = balance[semaphore];
      if (e.kind == EventKind::SemPost) ++now;
      if (e.kind == EventKind::SemWait && !e.has(trace::kFailed)) --now;
      std::int64_t& start = semaphore_start[semaphore];
      start = e.has(trace::kHasValue) ? static_cast<std::int64_t>(e.value) : std::max(start, -now);
    }
  }

  // Where the parties of a barrier are not known, a leave needs every arrival that is before it in the trace.
  void find_barrier_needs() {
    std::map<Object, model::VectorClock> arrived;
    for (std::size_t i = 0; i < execution.size(); ++i) {
      const EventNo no{i};
      const Event& e = execution.event(no);
      if (e.kind == EventKind::BarrierArrive && !e.has(trace::kHasValue))
        arrived[object_of(no)].set(e.thread, execution.position(no) + 1);
      if (e.kind != EventKind::BarrierLeave) continue;
      if (auto needs = arrived.find(object_of(no)); needs != arrived.end()) barrier_needs.emplace(no, needs->second);
    }
  }

  Execution execution;
  std::unique_ptr<const RecordedWalk> path;  // Values::Model
  InitialContent initial;                    // a litmus file says what new objects hold, and only the model asks
  std::map<EventNo, model::VectorClock> ties, barrier_needs;
  std::map<Object, std::int64_t> semaphore_start;
  std::vector<EventNo> diverged;  // by thread: ModelStart::diverged
};

namespace {

template <typename Prepared>
class Run {
 public:
  Run(const Prepared& prepared, const finding::Schedule& schedule)
      : prepared_(prepared),
        execution_(prepared.execution),
        memory_(prepared.execution, prepared.initial),
        threads_(prepared.execution.threads()) {
    if (prepared.path != nullptr) model_ = std::make_unique<ModelRun>(*prepared.path);
    // When each sleeper wakes in this schedule: a notify goes to the one that needs it first (earliest deadline first
    // is optimal, so if any assignment of notifies to wakes exists, this one does).
    for (std::size_t i = 0; i < schedule.size(); ++i) {
      if (index(schedule[i].event) >= execution_.size()) continue;
      const Event& e = execution_.event(schedule[i].event);
      if (e.kind == EventKind::Wake) wakes_at_.emplace(schedule[i].event, i);
    }
  }

  Check step(const finding::ScheduleStep& step) {
    if (index(step.event) >= execution_.size()) return Broken{"prefix", "there is no such event in the trace"};
    if (Check broken = can_append(step.event, false)) return broken;
    return perform(step);
  }

  Judgement accepted(std::size_t steps) {
    return {true, {}, steps, {}, std::move(deviating_), std::move(stored_), std::move(ended_)};
  }

  // The same, if the read reads from its recorded writers (section 7).
  Check faithful_step(const finding::ScheduleStep& step) {
    if (Check broken = this->step(step)) return broken;
    if (!kept_writers_)
      return Broken{"nondet", fmt::format("event {} does not read from its recorded write", index(step.event))};
    return {};
  }

  // The read is next, and would get a byte from `writer`, or at least from another write than recorded.
  Check other_write(EventNo no, std::optional<EventNo> writer) {
    if (index(no) >= execution_.size() || !trace::reads(execution_.event(no)))
      return Broken{"nondet", "there is no such read in the trace"};
    if (Check broken = can_append(no, true)) return broken;
    const Event& e = execution_.event(no);
    for (const model::ReadFrom& from : execution_.reads_from(no))
      for (std::uint64_t at = e.address + from.offset; at < e.address + from.offset + from.size; ++at)
        if (is_other(memory_.writer(execution_.life_of(no), at), from.writer, writer)) return {};
    return Broken{"nondet", fmt::format("event {} would not read from another write", index(no))};
  }

  Check other_content(std::uint32_t life, std::uint64_t address, std::optional<EventNo> writer) {
    for (std::size_t t = 0; t < threads_.size(); ++t)
      if (threads_[t].done < execution_.events_of(ThreadId{static_cast<std::uint32_t>(t)}).size())
        return Broken{"nondet", "the schedule does not end with the run"};
    Memory recorded(execution_, prepared_.initial);
    for (std::size_t i = 0; i < execution_.size(); ++i) {
      if (!execution_.sections_of(EventNo{i}).empty()) recorded.section_event(EventNo{i});
      if (trace::writes(execution_.event(EventNo{i}))) recorded.write(EventNo{i}, {});
    }
    if (is_other(memory_.writer(life, address), recorded.writer(life, address), writer)) return {};
    return Broken{"nondet", fmt::format("at the end, {:#x} does not hold what another write stored", address)};
  }

  // Both accesses are next (section 5).
  Check race(EventNo a, EventNo b) {
    for (const EventNo no : {a, b})
      if (index(no) >= execution_.size()) return Broken{"race", "there is no such event in the trace"};
    if (!trace::conflict(execution_.event(a), execution_.event(b)) || execution_.life_of(a) != execution_.life_of(b))
      return Broken{"race", "the two events do not conflict"};
    for (const EventNo no : {a, b})
      if (Check broken = can_append(no, true)) return broken;
    return {};
  }

 private:
  struct ThreadState {
    std::uint32_t done = 0;      // events performed
    bool deviated = false;       // a read of this thread was not faithful
    bool notified = false;       // while asleep
    unsigned depth_at_wait = 1;  // a wait gives a recursive mutex back altogether, the wake takes it as often again
  };
  struct LockState {
    std::map<ThreadId, unsigned> readers;
    std::optional<ThreadId> owner;  // mutex, or writer
    unsigned depth = 0;
  };
  struct BarrierState {
    std::uint64_t arrivals = 0;
    std::uint64_t parties = 1;
    std::map<ThreadId, std::uint64_t> round_of;  // of each thread's last arrival
  };
  enum class Guard { Untouched, Entered, Done };

  static bool is_other(EventNo now, EventNo recorded, std::optional<EventNo> claimed) {
    return now != recorded && (!claimed || now == *claimed);
  }

  ThreadState& thread(ThreadId id) { return threads_[index(id)]; }

  Check can_append(EventNo no, bool racing) {
    const Event& e = execution_.event(no);
    if (has_diverged(no, e)) thread(e.thread).deviated = true;
    if (execution_.position(no) != thread(e.thread).done)
      return Broken{"prefix", fmt::format("event {} is not the next one of its thread", index(no))};
    if (Check broken = thread_life(no, e)) return broken;
    if (Check broken = locks(no, e)) return broken;
    if (Check broken = other_sync(no, e)) return broken;
    if (Check broken = object_life(no, e)) return broken;
    if (Check broken = missing_order(no)) return broken;
    return values(no, e, racing);
  }

  bool has_diverged(EventNo no, const Event& e) const {
    return index(e.thread) < prepared_.diverged.size() && no >= prepared_.diverged[index(e.thread)];
  }

  Check thread_life(EventNo no, const Event& e) {
    if (auto fork = execution_.fork_of(e.thread);
        fork && execution_.position(*fork) >= thread(execution_.event(*fork).thread).done)
      return Broken{"life-of-threads", fmt::format("event {}: its thread has not been forked", index(no))};
    if (e.kind == EventKind::Join && thread(e.child()).done < execution_.events_of(e.child()).size())
      return Broken{"life-of-threads", fmt::format("event {}: the joined thread has not ended", index(no))};
    return {};
  }

  bool is_free(EventNo no) const { return model_ != nullptr && prepared_.path->is_free(no); }

  // A try whose outcome is free: can it take its lock now?
  bool can_take(EventNo no, const Event& e) {
    const LockState& lock = locks_[prepared_.object_of(no)];
    if (lock.owner) return lock.owner == e.thread && e.has(trace::kRecursive);
    return e.kind != EventKind::WrLock || lock.readers.empty();
  }

  Check locks(EventNo no, const Event& e) {
    if (is_free(no)) return {};
    const bool failed = e.has(trace::kFailed);
    const bool must_take = !failed;
    auto held = [&](std::string_view rule) {
      return Broken{failed ? "try" : rule,
                    fmt::format("event {}: the lock is {}", index(no), failed ? "free" : "held")};
    };
    switch (e.kind) {
      case EventKind::Lock: {
        const LockState& lock = locks_[prepared_.object_of(no)];
        const bool own = lock.owner == e.thread;
        // Only another outcome of a try brings a thread here that is not allowed to.
        if (must_take && own && model_ != nullptr && !e.has(trace::kRecursive)) return held("mutex");
        if (must_take ? (lock.owner && !own) : (!lock.owner || (own && e.has(trace::kRecursive)))) return held("mutex");
        return {};
      }
      case EventKind::RdLock: {
        const LockState& lock = locks_[prepared_.object_of(no)];
        if (must_take && lock.owner == e.thread && e.has(trace::kRecursive)) return {};
        if (lock.owner.has_value() == must_take) return held("rwlock");
        return {};
      }
      case EventKind::WrLock: {
        const LockState& lock = locks_[prepared_.object_of(no)];
        if (must_take && lock.owner == e.thread && e.has(trace::kRecursive)) return {};
        if ((lock.owner || !lock.readers.empty()) == must_take) return held("rwlock");
        return {};
      }
      case EventKind::Unlock:
        if (locks_[prepared_.object_of(no)].owner != e.thread)
          return Broken{"mutex", fmt::format("event {}: its thread does not hold the mutex", index(no))};
        return {};
      case EventKind::RwUnlock: {
        const LockState& lock = locks_[prepared_.object_of(no)];
        if (lock.owner != e.thread && !lock.readers.contains(e.thread))
          return Broken{"rwlock", fmt::format("event {}: its thread does not hold the lock", index(no))};
        return {};
      }
      case EventKind::Wait:
        if (locks_[prepared_.mutex_of(no)].owner != e.thread)
          return Broken{"wait", fmt::format("event {}: its thread does not hold the mutex", index(no))};
        return {};
      case EventKind::Wake:
        if (locks_[prepared_.mutex_of(no)].owner)
          return Broken{"wait", fmt::format("event {}: the mutex is held", index(no))};
        if (!failed && !e.has(trace::kSpurious) && !thread(e.thread).notified)
          return Broken{"wait", fmt::format("event {}: no notify is left for it", index(no))};
        return {};
      default: return {};
    }
  }

  Check other_sync(EventNo no, const Event& e) {
    switch (e.kind) {
      case EventKind::SemWait: {
        const bool positive = semaphore(prepared_.object_of(no)) > 0;
        if (positive == e.has(trace::kFailed))
          return Broken{e.has(trace::kFailed) ? "try" : "semaphore",
                        fmt::format("event {}: the count is {}", index(no), semaphore(prepared_.object_of(no)))};
        return {};
      }
      case EventKind::BarrierLeave: {
        auto incomplete = Broken{"barrier", fmt::format("event {}: its round is not complete", index(no))};
        BarrierState& barrier = barriers_[prepared_.object_of(no)];
        if (auto needs = prepared_.barrier_needs.find(no); needs != prepared_.barrier_needs.end()) {
          if (!done_up_to(needs->second, e.thread)) return incomplete;
        } else if (barrier.arrivals < (barrier.round_of[e.thread] + 1) * barrier.parties) {
          return incomplete;
        }
        return {};
      }
      case EventKind::OnceEnter:
      case EventKind::OnceSeen:
      case EventKind::OnceDone: {
        const Guard needed = e.kind == EventKind::OnceEnter  ? Guard::Untouched
                             : e.kind == EventKind::OnceDone ? Guard::Entered
                                                             : Guard::Done;
        const auto& [guard, by] = guards_[prepared_.object_of(no)];
        if (guard != needed || (e.kind == EventKind::OnceDone && by != e.thread))
          return Broken{"once", fmt::format("event {}: the guard is in another state", index(no))};
        return {};
      }
      default: return {};
    }
  }

  Check object_life(EventNo no, const Event& e) {
    const std::uint32_t id = execution_.life_of(no);
    if (id == model::kNoLife || (!trace::is_access(e.kind) && e.kind != EventKind::Free)) return {};
    const model::Life& life = execution_.lives()[id];
    auto done = [&](EventNo event) { return execution_.position(event) < thread(execution_.event(event).thread).done; };
    if (!done(life.alloc))
      return Broken{"object-life", fmt::format("event {}: its object is not there yet", index(no))};
    if (life.free && *life.free != no && done(*life.free))
      return Broken{"object-life", fmt::format("event {}: its object is gone", index(no))};
    return {};
  }

  // "event 7 (of frob, not recorded)": of which missing code it is an own point.
  std::string told(EventNo no) const {
    const std::span<const model::SectionAt> own = execution_.sections_of(no);
    if (own.empty()) return fmt::format("event {}", index(no));
    const std::uint64_t name = execution_.event(execution_.sections()[own.back().section].begin).aux;
    const std::vector<std::string>& strings = execution_.trace().definitions.strings;
    return fmt::format("event {} (of {}, not recorded)", index(no), name < strings.size() ? strings[name] : "a call");
  }

  Check missing_order(EventNo no) {
    auto tied = prepared_.ties.find(no);
    if (tied == prepared_.ties.end()) return {};
    const ThreadId self = execution_.event(no).thread;
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      const ThreadId other{static_cast<std::uint32_t>(t)};
      if (other == self || tied->second[other] <= threads_[t].done) continue;
      const EventNo last = execution_.events_of(other)[tied->second[other] - 1];
      return Broken{"missing-order", fmt::format("{} is tied to {}, which is not there", told(no), told(last))};
    }
    return {};
  }

  // Has every other thread done as much as `needs` says?
  bool done_up_to(const model::VectorClock& needs, ThreadId self) const {
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      const ThreadId other{static_cast<std::uint32_t>(t)};
      if (other != self && needs[other] > threads_[t].done) return false;
    }
    return true;
  }

  Check values(EventNo no, const Event& e, bool racing) {
    const std::span<const model::SectionAt> own = execution_.sections_of(no);  // of which it is an own point
    if (thread(e.thread).deviated) {
      const auto broken = [&](std::string_view rule) {
        return Broken{rule, fmt::format("event {}: an earlier read of its thread deviates", index(no))};
      };
      if (model_ == nullptr) {
        if (e.kind == EventKind::Branch || e.has(trace::kCas)) return broken("value-branch");
        const bool argument = e.kind == EventKind::Call || e.kind == EventKind::Join || e.kind == EventKind::Alloc ||
                              e.kind == EventKind::Free;
        if (e.has(trace::kComputed)) return broken(argument ? "value-call" : "value-address");
      }
      if (passes_values_ && (e.kind == EventKind::ThreadEnd || (e.kind == EventKind::Fork && model_ == nullptr)))
        return broken("value-thread");
      if (!own.empty()) return broken("missing-value");
    }
    for (const model::SectionAt& at : own)
      if (memory_.altered_in_reach(no, at))
        return Broken{"missing-value", fmt::format("{}: it can reach what is not as recorded", told(no))};
    if (!own.empty() && !racing && trace::reads(e) && !memory_.read(no).faithful)
      return Broken{"missing-value", fmt::format("{} deviates", told(no))};
    if (model_ != nullptr) return model_values(no, e, racing);
    if (racing || !trace::reads(e)) return {};

    const Memory::ReadResult read = memory_.read(no);
    if (!execution_.trace().definitions.branches && !read.faithful)
      return Broken{"value-all", fmt::format("event {} deviates, and the trace has no branches", index(no))};
    if (e.has(trace::kCas)) {
      const bool could_succeed = !read.faithful && (!e.has(trace::kHasValue) || !read.value || *read.value == e.aux);
      if (e.has(trace::kFailed) ? could_succeed : !read.faithful)
        return Broken{"value-cas", fmt::format("event {}: the compare-and-swap would end otherwise", index(no))};
    }
    return {};
  }

  // The model goes on to the event. It cannot go back, so this is the last of all checks.
  Check model_values(EventNo no, const Event& e, bool racing) {
    ModelStep step{no, thread(e.thread).deviated, racing, {}};
    if (!racing && trace::finds(e)) step.read = memory_.read(no);
    if (is_free(no) && !trace::is_access(e.kind)) step.takes = can_take(no, e);
    outcome_ = model_->add(step);
    return outcome_.broken;
  }

  Check perform(const finding::ScheduleStep& step) {
    const EventNo no = step.event;
    const Event& e = execution_.event(no);
    ThreadState& self = thread(e.thread);
    if (trace::reads(e)) {
      const Memory::ReadResult read = memory_.read(no);
      if (step.value && read.value != step.value)
        return Broken{"value", fmt::format("event {} does not return the value claimed, {}", index(no), *step.value)};
      if (!read.faithful) self.deviated = true;
      kept_writers_ = kept_writers_ && read.same_writers;
      // What the trace says of a read in a detour is made up.
      if (!read.faithful || (has_diverged(no, e) && e.has(trace::kByValue))) deviating_.push_back({no, read.value});
    }
    const bool finds_recorded = !trace::is_append(e) || memory_.read(no).faithful;
    const std::span<const model::SectionAt> own = execution_.sections_of(no);
    if (!own.empty()) memory_.section_event(no);
    const bool otherwise = outcome_.ends_otherwise;
    if (otherwise) {
      ended_.push_back(no);
      self.deviated = true;
    }
    const bool is_access = trace::is_access(e.kind);
    if (trace::writes(e) != (otherwise && is_access))
      perform_write(no, finds_recorded);  // after the former: what it wrote itself stands
    else if (trace::writes(e))
      memory_.leave_out(no);
    if (outcome_.child_deviates) thread(e.child()).deviated = true;
    perform_locks(no, e, e.has(trace::kFailed) != (otherwise && !is_access));
    perform_other_sync(no, e);
    // Missing code goes on from here, unless it calls a recorded function or has come to its end.
    for (const model::SectionAt& at : own) {
      const bool ended = e.kind == EventKind::MissingEnd && at.section == own.back().section;
      memory_.set_running(at.section, e.kind != EventKind::Call && !ended);
    }
    ++self.done;
    return {};
  }

  // `finds_recorded`: an append finds what it found in the recorded run.
  void perform_write(EventNo no, bool finds_recorded) {
    if (model_ == nullptr) {
      const bool deviated = thread(execution_.event(no).thread).deviated;
      memory_.write(no, {deviated || !finds_recorded ? Stored::As::Unknown : Stored::As::Recorded, 0});
      return;
    }
    memory_.write(no, outcome_.stored);
    if (outcome_.stored.as == Stored::As::Other) stored_.push_back({no, outcome_.stored.value});
    if (outcome_.stored.as == Stored::As::Unknown) stored_.push_back({no, std::nullopt});
  }

  void perform_locks(EventNo no, const Event& e, bool failed) {
    if (failed && e.kind != EventKind::Wake) return;
    switch (e.kind) {
      case EventKind::Lock:
      case EventKind::WrLock: take(locks_[prepared_.object_of(no)], e.thread); break;
      case EventKind::RdLock: ++locks_[prepared_.object_of(no)].readers[e.thread]; break;
      case EventKind::Unlock:
      case EventKind::RwUnlock: give_back(locks_[prepared_.object_of(no)], e.thread); break;
      case EventKind::Wait: {
        LockState& lock = locks_[prepared_.mutex_of(no)];
        thread(e.thread).depth_at_wait = lock.depth;
        lock.owner.reset();
        lock.depth = 0;
        asleep_[prepared_.object_of(no)].insert(e.thread);
        thread(e.thread).notified = false;
        break;
      }
      case EventKind::Wake:
        take(locks_[prepared_.mutex_of(no)], e.thread);
        locks_[prepared_.mutex_of(no)].depth = thread(e.thread).depth_at_wait;
        asleep_[prepared_.object_of(no)].erase(e.thread);
        thread(e.thread).notified = false;
        break;
      case EventKind::Notify: notify_one(prepared_.object_of(no)); break;
      case EventKind::NotifyAll:
        for (const ThreadId sleeper : asleep_[prepared_.object_of(no)]) thread(sleeper).notified = true;
        asleep_[prepared_.object_of(no)].clear();
        break;
      default: break;
    }
  }

  static void take(LockState& lock, ThreadId thread) {
    lock.owner = thread;
    ++lock.depth;
  }
  static void give_back(LockState& lock, ThreadId thread) {
    if (lock.owner == thread) {
      if (--lock.depth == 0) lock.owner.reset();
    } else if (auto reader = lock.readers.find(thread); reader != lock.readers.end() && --reader->second == 0) {
      lock.readers.erase(reader);
    }
  }

  void notify_one(const Object& condition) {
    std::set<ThreadId>& sleepers = asleep_[condition];
    std::optional<ThreadId> chosen;
    std::size_t soonest = 0;
    for (const ThreadId sleeper : sleepers) {
      const std::size_t at = wakes_when(sleeper);
      if (!chosen || at < soonest) {
        chosen = sleeper;
        soonest = at;
      }
    }
    if (!chosen) return;
    thread(*chosen).notified = true;
    sleepers.erase(*chosen);
  }

  // The step at which a sleeper wakes for want of nothing but a notify; the largest number if it never does.
  std::size_t wakes_when(ThreadId sleeper) {
    const auto events = execution_.events_of(sleeper);
    const std::uint32_t next = thread(sleeper).done;
    if (next >= events.size()) return ~std::size_t{0};
    const Event& e = execution_.event(events[next]);
    auto at = wakes_at_.find(events[next]);
    if (at == wakes_at_.end() || e.has(trace::kSpurious) || e.has(trace::kFailed)) return ~std::size_t{0};
    return at->second;
  }

  std::int64_t& semaphore(const Object& object) {
    auto [it, fresh] = semaphores_.try_emplace(object, 0);
    if (fresh) it->second = prepared_.semaphore_start.at(object);
    return it->second;
  }

  void perform_other_sync(EventNo no, const Event& e) {
    switch (e.kind) {
      case EventKind::SemPost: ++semaphore(prepared_.object_of(no)); break;
      case EventKind::SemWait:
        if (!e.has(trace::kFailed)) --semaphore(prepared_.object_of(no));
        break;
      case EventKind::BarrierArrive: {
        BarrierState& barrier = barriers_[prepared_.object_of(no)];
        barrier.parties = std::max<std::uint64_t>(e.value, 1);
        barrier.round_of[e.thread] = barrier.arrivals++ / barrier.parties;
        break;
      }
      case EventKind::OnceEnter: guards_[prepared_.object_of(no)] = {Guard::Entered, e.thread}; break;
      case EventKind::OnceDone: guards_[prepared_.object_of(no)] = {Guard::Done, e.thread}; break;
      default: break;
    }
  }

  const Prepared& prepared_;
  const Execution& execution_;
  Memory memory_;
  const bool passes_values_ = trace::threads_pass_values(execution_.trace().definitions);
  std::unique_ptr<ModelRun> model_;  // Values::Model
  ModelOutcome outcome_;             // of its last event
  finding::Schedule deviating_, stored_;
  std::vector<EventNo> ended_;
  bool kept_writers_ = true;  // every read so far read from its recorded writers
  std::vector<ThreadState> threads_;
  std::map<EventNo, std::size_t> wakes_at_;
  std::map<Object, LockState> locks_;
  std::map<Object, std::set<ThreadId>> asleep_;
  std::map<Object, std::int64_t> semaphores_;
  std::map<Object, BarrierState> barriers_;
  std::map<Object, std::pair<Guard, ThreadId>> guards_;
};

Judgement rejected(std::size_t step, const Broken& broken) {
  return {false, broken.rule, step, broken.detail, {}, {}};
}

}  // namespace

Judge::Judge(const trace::Trace& trace, Values values, const ModelStart& start)
    : prepared_(std::make_unique<Prepared>(trace, values, start)) {}
Judge::~Judge() = default;

const model::Execution& Judge::execution() const {
  return prepared_->execution;
}

namespace {

// Executes the schedule with `step`, then asks `end`.
template <typename Run, typename Step, typename End>
Judgement judge(Run& run, const finding::Schedule& schedule, const Step& step, const End& end) {
  for (std::size_t i = 0; i < schedule.size(); ++i)
    if (Check broken = step(schedule[i])) return rejected(i, *broken);
  if (Check broken = end()) return rejected(schedule.size(), *broken);
  return run.accepted(schedule.size());
}

}  // namespace

Judgement Judge::reordering(const finding::Schedule& schedule) const {
  Run run(*prepared_, schedule);
  return judge(run, schedule, [&](const auto& step) { return run.step(step); }, [] { return Check(); });
}

Judgement Judge::race(const finding::Schedule& schedule, EventNo a, EventNo b) const {
  Run run(*prepared_, schedule);
  return judge(run, schedule, [&](const auto& step) { return run.step(step); }, [&] { return run.race(a, b); });
}

Judgement Judge::other_write(const finding::Schedule& schedule, EventNo read, std::optional<EventNo> writer) const {
  Run run(*prepared_, schedule);
  return judge(
      run, schedule, [&](const auto& step) { return run.faithful_step(step); },
      [&] { return run.other_write(read, writer); });
}

Judgement Judge::other_content(const finding::Schedule& schedule, std::uint32_t life, std::uint64_t address,
                               std::optional<EventNo> writer) const {
  Run run(*prepared_, schedule);
  return judge(
      run, schedule, [&](const auto& step) { return run.faithful_step(step); },
      [&] { return run.other_content(life, address, writer); });
}

}  // namespace racecast::witness
