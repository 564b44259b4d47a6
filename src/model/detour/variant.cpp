#include "model/detour/variant.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/check.h"
#include "model/order/execution.h"
#include "model/order/missing_reach.h"
#include "model/order/open_sections.h"
#include "model/walk/thread.h"
#include "program/evaluate.h"
#include "trace/state.h"

namespace racecast::model {

using program::Op;
using trace::Event;
using trace::EventKind;

namespace {

constexpr EventNo kNew{~std::uint64_t{0}};  // an event of a detour
// What reads in a detour are said to return. Not 0, by which one cannot divide.
constexpr std::uint64_t kMadeUp = 1;

// An event of a thread of the variant.
struct Item {
  Event event;
  EventNo recorded = kNew;
};

bool is_semaphore(const Event& e) {
  return e.kind == EventKind::SemPost || e.kind == EventKind::SemWait;
}

}  // namespace

VariantMaker::VariantMaker(const trace::Trace& trace) : trace_(trace) {
  CHECK(trace.definitions.program != nullptr, "a trace without a program");
  Result<WalkCode> code = WalkCode::make(trace.definitions.program);
  CHECK(code.has_value(), "{}", code.error().message);
  code_ = std::make_shared<const WalkCode>(std::move(*code));
  constants_ = std::make_shared<const ConstantMemory>(*trace.definitions.program);
  by_thread_.resize(trace.definitions.threads.size());
  const MissingReach reach(trace);
  tied_.assign(trace.events.size(), 0);
  OpenSections<char> open;
  bool has_semaphores = false;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const Event& e = trace.events[i];
    by_thread_[index(e.thread)].push_back(EventNo{i});
    has_semaphores = has_semaphores || is_semaphore(e);
    if (reach.empty()) continue;
    tied_[i] = !open.add(e).empty() || reach.contains(e) ? 1 : 0;
  }
  if (!has_semaphores) return;
  // As analysis/window/window.cpp and witness/judge.cpp find it in a trace that is a run.
  const Execution execution(trace);
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::pair<std::int64_t, std::int64_t>> counts;  // now, at the start
  const auto object = [&](std::size_t i) { return std::pair(execution.life_of(EventNo{i}), trace.events[i].address); };
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const Event& e = trace.events[i];
    if (!is_semaphore(e)) continue;
    auto& [now, start] = counts[object(i)];
    if (e.kind == EventKind::SemPost) ++now;
    if (e.kind == EventKind::SemWait && !e.has(trace::kFailed)) --now;
    start = e.has(trace::kHasValue) ? static_cast<std::int64_t>(e.value) : std::max(start, -now);
  }
  semaphore_start_.resize(trace.events.size());
  for (std::size_t i = 0; i < trace.events.size(); ++i)
    if (is_semaphore(trace.events[i])) semaphore_start_[i] = static_cast<std::uint64_t>(counts[object(i)].second);
}

class VariantMaker::Splice {
 public:
  Splice(const VariantMaker& maker, std::span<const ThreadPath> paths)
      : m_(maker), trace_(maker.trace_), items_(maker.by_thread_.size()), complete_(items_.size(), 1) {
    for (std::size_t t = 0; t < items_.size(); ++t) {
      for (const EventNo no : m_.by_thread_[t]) items_[t].push_back({trace_.events[index(no)], no});
      complete_[t] = 1;
    }
    for (const ThreadPath& path : paths) detour(path);
  }

  std::optional<Variant> run() {
    if (!possible_) return std::nullopt;
    for (std::size_t t = 0; t < items_.size(); ++t) drop_mistakes(t);
    for (const auto& [t, first] : first_detour_) make_up_values(t, first);
    drop_what_waits();
    if (!possible_) return std::nullopt;
    return put_together();
  }

 private:
  void detour(const ThreadPath& path) {
    const std::size_t t = index(path.thread);
    const std::vector<EventNo>& own = m_.by_thread_[t];
    std::vector<Item>& items = items_[t];
    items.clear();
    std::size_t at = 0;
    const auto keep = [&](std::size_t end) {
      for (; at < end; ++at) items.push_back({trace_.events[index(own[at])], own[at]});
    };
    for (const Detour& d : path.detours) {
      keep(d.branch);
      first_detour_.try_emplace(t, items.size());
      items.push_back({trace_.events[index(own[d.branch])], own[d.branch]});
      turns_.push_back({own[d.branch], {}, d.target});
      items.back().event.value = d.target;
      for (const Event& e : d.events) items.push_back({e, kNew});
      at = d.branch + 1;
      const std::size_t resume = d.resume.value_or(own.size());
      for (; at < resume; ++at) removed(own[at]);
      if (!d.resume) complete_[t] = 0;
    }
    keep(own.size());
    count_objects(t);
  }

  void removed(EventNo no) {
    const Event& e = trace_.events[index(no)];
    if (e.kind == EventKind::BarrierArrive && !e.has(trace::kHasValue)) possible_ = false;
    note_untied(no);
    note_change(e);
    if (trace::is_append(e)) {
      const auto [first, fresh] = first_skipped_.try_emplace(e.address, no);
      if (!fresh) first->second = std::min(first->second, no);
    }
  }
  void note_untied(EventNo no) {
    if (m_.tied_[index(no)] == 0) return;
    std::size_t& first = first_untied_.try_emplace(index(trace_.events[index(no)].thread), index(no)).first->second;
    first = std::min(first, index(no));
  }
  void note_change(const Event& e) {
    if (trace::is_append(e)) return;
    if (trace::writes(e) || e.kind == EventKind::Alloc || e.kind == EventKind::Free)
      changed_.push_back({e.address, e.size});
  }

  // Objects of a litmus program are told apart by how often they were made.
  void count_objects(std::size_t t) {
    if (trace_.definitions.program->origin != program::Origin::Litmus) return;
    std::map<LocationId, std::uint64_t> counts;
    for (Item& item : items_[t]) {
      Event& e = item.event;
      if (e.kind != EventKind::Alloc) continue;
      const auto site = static_cast<InstrId>(index(e.location));
      if (const auto address =
              program::object_address(ThreadId{static_cast<std::uint32_t>(t)}, site, counts[e.location]++, e.size))
        e.address = *address;
    }
  }

  void cut(std::size_t t, std::size_t size) {
    std::vector<Item>& items = items_[t];
    if (size >= items.size()) return;
    for (std::size_t k = size; k < items.size(); ++k)
      if (items[k].recorded != kNew) removed(items[k].recorded);
    items.resize(size);
    complete_[t] = 0;
    changed_threads_ = true;
  }

  // How often a thread holds a lock: where tries may end either way, at least and at most.
  struct Held {
    int least = 0, most = 0;
    void take() {
      ++least;
      ++most;
    }
    void give_back() {
      least = std::max(least, 1) - 1;
      most = std::max(most, 1) - 1;
    }
  };
  // May this one of a thread that is past its first detour end otherwise than the event says? In detours there is a
  // variant for each way.
  bool is_free_try(const Item& item) const {
    return item.recorded != kNew && index(item.event.location) < m_.code_->size() &&
           m_.code_->step(static_cast<std::uint32_t>(index(item.event.location))).tries;
  }

  // A thread that is not on its recorded path may come to give back what it does not hold, or to take what it holds.
  void drop_mistakes(std::size_t t) {
    const auto first = first_detour_.find(t);
    if (first == first_detour_.end()) return;
    std::map<std::uint64_t, Held> owned, read, at_wait;
    const std::vector<Item>& items = items_[t];
    for (std::size_t k = 0; k < items.size(); ++k) {
      const Event& e = items[k].event;
      if (e.kind != EventKind::Branch && trace::row_of(e.kind).group != trace::Group::Lock) continue;
      bool mistake = false;
      const bool takes = e.kind == EventKind::Lock || e.kind == EventKind::WrLock || e.kind == EventKind::RdLock;
      const bool again = e.has(trace::kRecursive);
      Held& own = e.kind == EventKind::RdLock ? read[e.address] : owned[e.address];
      if (takes && is_free_try(items[k])) {
        const bool must_fail = owned[e.address].least > 0 || (e.kind == EventKind::WrLock && read[e.address].least > 0);
        if (again && own.least > 0)
          own.take();
        else if (!must_fail)
          ++own.most;
        continue;
      }
      if (takes && e.has(trace::kFailed)) continue;
      switch (e.kind) {
        case EventKind::Lock:
        case EventKind::WrLock:
          mistake = (own.least > 0 && !again) || (e.kind == EventKind::WrLock && read[e.address].least > 0);
          if (!again) own = {};
          own.take();
          break;
        case EventKind::RdLock:
          mistake = owned[e.address].least > 0 && !again;
          own.take();
          break;
        case EventKind::Unlock:
          mistake = own.most <= 0;
          own.give_back();
          break;
        case EventKind::RwUnlock: {
          Held& shared = read[e.address];
          mistake = own.most <= 0 && shared.most <= 0;
          if (own.least > 0 || shared.most <= 0)
            own.give_back();
          else if (own.most <= 0)
            shared.give_back();
          else
            shared.least = 0;  // it may be either
          break;
        }
        case EventKind::Wait:
          mistake = owned[e.aux].most <= 0;
          at_wait[e.aux] = {std::max(owned[e.aux].least, 1), std::max(owned[e.aux].most, 1)};
          owned[e.aux] = {};
          break;
        case EventKind::Wake: owned[e.aux] = at_wait[e.aux]; break;
        case EventKind::Branch:
          // A fault that was recorded; the code may not fault now.
          if (k > first->second && items[k].recorded != kNew && e.value != 0 && index(e.location) < m_.code_->size()) {
            const Op op = m_.code_->step(static_cast<std::uint32_t>(index(e.location))).op;
            mistake = op != Op::Branch && op != Op::Switch;
          }
          break;
        default: break;
      }
      if (mistake && k >= first->second) return cut(t, k);
    }
  }

  // To a fixpoint: threads that nobody forks, or forks twice; joins of threads that do not end; what is tied to what is
  // not there.
  void drop_what_waits() {
    do {
      changed_threads_ = false;
      std::map<std::size_t, int> forks;
      std::set<std::size_t> forked_at_first;
      for (const Event& e : trace_.events)
        if (e.kind == EventKind::Fork) forked_at_first.insert(index(e.child()));
      for (std::size_t t = 0; t < items_.size(); ++t)
        for (std::size_t k = 0; k < items_[t].size(); ++k) {
          const Event& e = items_[t][k].event;
          if (e.kind != EventKind::Fork) continue;
          if (index(e.child()) >= items_.size()) {
            cut(t, k);
            break;
          }
          ++forks[index(e.child())];
        }
      // A detour forks a thread that somebody else forks as well.
      for (const auto& [t, first] : first_detour_)
        for (std::size_t k = first; k < items_[t].size(); ++k) {
          const Item& item = items_[t][k];
          if (item.event.kind == EventKind::Fork && item.recorded == kNew && forks[index(item.event.child())] > 1) {
            cut(t, k);
            break;
          }
        }
      if (changed_threads_) continue;
      for (const std::size_t child : forked_at_first)
        if (forks[child] == 0) cut(child, 0);
      for (std::size_t t = 0; t < items_.size(); ++t)
        for (std::size_t k = 0; k < items_[t].size(); ++k) {
          const Event& e = items_[t][k].event;
          const bool never_ends = e.kind == EventKind::Join && index(e.child()) < items_.size() &&
                                  (complete_[index(e.child())] == 0 || !ends(index(e.child())));
          const bool waits = items_[t][k].recorded != kNew && m_.tied_[index(items_[t][k].recorded)] != 0 &&
                             is_after_removed(t, index(items_[t][k].recorded));
          if (!never_ends && !waits) continue;
          cut(t, k);
          break;
        }
    } while (changed_threads_);
  }
  // A thread that was not recorded to its end is not joined.
  bool ends(std::size_t t) const {
    return !items_[t].empty() && (items_[t].back().event.kind == EventKind::ThreadEnd || m_.by_thread_[t].empty() ||
                                  trace_.events[index(m_.by_thread_[t].back())].kind != EventKind::ThreadEnd);
  }
  // Ties are between threads: what a thread has skipped does not hold up its own events.
  bool is_after_removed(std::size_t t, std::size_t recorded) const {
    return std::ranges::any_of(first_untied_,
                               [&](const auto& entry) { return entry.first != t && entry.second < recorded; });
  }

  // What the thread's reads and writes say from its first detour on.
  void make_up_values(std::size_t t, std::size_t first) {
    WalkClient client;
    WalkShared shared;
    shared.code = m_.code_;
    shared.constants = m_.constants_;
    shared.definitions = &trace_.definitions;
    shared.client = &client;
    WalkThread walker(shared, ThreadId{static_cast<std::uint32_t>(t)});
    std::vector<Item>& items = items_[t];
    for (std::size_t k = 0; k < items.size(); ++k) {
      Event& e = items[k].event;
      if (k < first) {
        walker.add(e, EventNo{k}, true);
        continue;
      }
      const Event before = e;
      if (trace::is_access(e.kind)) make_up(walker, e, items[k].recorded == kNew);
      const bool same = items[k].recorded != kNew && e == before;
      if (trace::writes(e) && !same) {
        note_change(e);
        if (items[k].recorded != kNew) note_untied(items[k].recorded);  // missing code would find something else there
      }
      // What the model does not know is not as recorded any more.
      const bool told = e.kind == EventKind::Value || e.kind == EventKind::MissingEnd ||
                        (trace::reads(e) && !e.has(trace::kHasValue));
      walker.add(e, EventNo{k}, !told);
    }
  }

  void make_up(WalkThread& walker, Event& e, bool in_detour) const {
    const auto operands = walker.operands_at(e);
    if (in_detour && trace::reads(e)) {
      e.flags |= trace::kHasValue | trace::kByValue;
      e.value = kMadeUp;
    }
    if (!operands) {
      if (trace::writes(e)) e.clear(trace::kHasValue);
      return;
    }
    const program::Instruction& i = *m_.code_->step(static_cast<std::uint32_t>(index(e.location))).source;
    const auto known = [&](std::size_t k) {
      return k < operands->size() && (*operands)[k].known && !LocalMemory::is_local((*operands)[k].value);
    };
    const auto value = [&](std::size_t k) { return program::low_bits((*operands)[k].value, i.type.bits); };
    if (i.op == Op::AtomicCas) {
      // The trace must say what it ended with.
      e.flags |= trace::kByValue;
      if (!known(1) || !known(2)) {
        e.clear(trace::kHasValue);
        return;
      }
      e.flags |= trace::kHasValue;
      if (e.has(trace::kFailed)) {
        if (in_detour || program::low_bits(e.value, i.type.bits) == value(1))
          e.value = program::low_bits(value(1) + 1, i.type.bits);
        e.aux = value(1);
      } else {
        e.value = value(1);
        e.aux = value(2);
      }
      return;
    }
    if (!trace::writes(e)) return;
    if (!known(1)) {
      e.clear(trace::kHasValue);
      return;
    }
    if (i.op == Op::AtomicRmw) {
      if (!e.has(trace::kHasValue)) return;
      e.aux = program::low_bits(program::apply(i.rmw, i.type, program::low_bits(e.value, i.type.bits), value(1)),
                                i.type.bits);
    } else {
      e.flags |= trace::kHasValue;
      e.value = value(1);
    }
  }

  Variant put_together() {
    Variant variant;
    variant.divergences.resize(items_.size());
    MissingReach::merge(changed_);
    std::vector<std::size_t> next(items_.size());
    std::size_t first_turn = trace_.events.size();
    for (const Turn& turn : turns_) first_turn = std::min<std::size_t>(first_turn, index(turn.recorded));
    std::vector<Event>& out = variant.trace.events;
    const auto emit = [&](std::size_t t) {
      const Item& item = items_[t][next[t]++];
      out.push_back(item.event);
      Event& e = out.back();
      if (is_semaphore(e) && item.recorded != kNew && m_.semaphore_start_[index(item.recorded)]) {
        e.flags |= trace::kHasValue;
        e.value = *m_.semaphore_start_[index(item.recorded)];
      }
      if (trace::is_state(e)) {
        // What was recorded after an append that is left out will never find what it found.
        const auto skipped = first_skipped_.find(e.address);
        if (skipped != first_skipped_.end() && skipped->second < item.recorded) e.flags |= trace::kByValue;
      } else if (trace::reads(e) && (item.recorded == kNew || index(item.recorded) > first_turn) &&
                 MissingReach::touches(changed_, e.address, e.size))
        e.flags |= trace::kByValue;
    };
    // A join waits for the end of its thread; what its own thread does next comes later then than it was recorded.
    const auto waits = [&](const Item& item) {
      const std::size_t child = index(item.event.child());
      return item.event.kind == EventKind::Join && child < items_.size() && next[child] < items_[child].size();
    };
    const auto go_on = [&](std::size_t t, EventNo until) {
      std::size_t count = 0;
      while (next[t] < items_[t].size()) {
        const Item& item = items_[t][next[t]];
        if ((item.recorded != kNew && item.recorded > until) || waits(item)) break;
        note_place(t, next[t], EventNo{out.size()}, variant);
        emit(t);
        ++count;
      }
      return count;
    };
    std::set<std::size_t> behind;  // threads that wait
    for (std::size_t i = 0; i < trace_.events.size(); ++i) {
      const std::size_t t = index(trace_.events[i].thread);
      go_on(t, EventNo{i});
      if (next[t] < items_[t].size() && waits(items_[t][next[t]])) behind.insert(t);
      for (bool moved = next[t] == items_[t].size(); moved && !behind.empty();) {
        moved = false;
        for (const std::size_t u : behind) moved = go_on(u, EventNo{i}) != 0 || moved;
        std::erase_if(behind, [&](std::size_t u) { return next[u] == items_[u].size() || !waits(items_[u][next[u]]); });
      }
    }
    return variant;
  }

  // Item number k of thread t comes to this place of the variant.
  void note_place(std::size_t t, std::size_t k, EventNo no, Variant& variant) const {
    const auto first = first_detour_.find(t);
    if (first == first_detour_.end() || k < first->second) return;
    Divergence& divergence = variant.divergences[t];
    if (k == first->second) divergence.from = no;
    const EventNo recorded = items_[t][k].recorded;
    if (recorded == kNew) {
      const EventNo end{index(no) + 1};
      if (items_[t][k - 1].recorded == kNew)
        divergence.detours.back().second = end;
      else
        divergence.detours.emplace_back(no, end);
    } else if (const auto turn = std::ranges::find(turns_, recorded, &Turn::recorded); turn != turns_.end()) {
      variant.turns.push_back(*turn);
      variant.turns.back().event = no;
    }
  }

  const VariantMaker& m_;
  const trace::Trace& trace_;
  std::vector<std::vector<Item>> items_;  // by thread
  std::vector<char> complete_;            // by thread: it does all that it does in the recorded run after its detours
  std::map<std::size_t, std::size_t> first_detour_;  // by thread: position of the branch
  std::vector<Turn> turns_;
  std::vector<trace::Range> changed_;                // written otherwise than recorded
  std::map<std::uint64_t, EventNo> first_skipped_;   // by object of state: the first append that is left out
  std::map<std::size_t, std::size_t> first_untied_;  // by thread: the first event that is tied to others and not there
  bool possible_ = true, changed_threads_ = false;
};

bool VariantMaker::can_make(const ThreadPath& path) const {
  const std::vector<EventNo>& own = by_thread_[index(path.thread)];
  for (const Detour& d : path.detours) {
    for (std::size_t at = d.branch + 1; at < d.resume.value_or(own.size()); ++at) {
      const Event& e = trace_.events[index(own[at])];
      if (e.kind == EventKind::BarrierArrive && !e.has(trace::kHasValue)) return false;
    }
  }
  return true;
}

std::optional<Variant> VariantMaker::make(std::span<const ThreadPath> paths) const {
  return Splice(*this, paths).run();
}

}  // namespace racecast::model
