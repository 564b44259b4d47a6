// The orders of docs/semantics.md, section 6: every edge that the text names, one function per sentence, then the
// transitive closure. Every edge goes forward in the trace, so one pass in recorded order closes the set.
#include <algorithm>
#include <deque>
#include <map>

#include "property/oracle_order.h"

namespace racecast::oracle {

using trace::Event;
using trace::EventKind;

Order::Order(const Facts& facts, Locks lock_edges) : facts_(facts), into_(facts.trace.events.size()) {
  program_order_and_threads();
  if (lock_edges == Locks::Count) locks();
  conditions();
  semaphores_barriers_once();
  synchronises_with();
  for (int e = 0; e < facts_.size(); ++e)
    for (const int f : facts_.tied[e]) edge(f, e);
}

void Order::add_execution_edges() {
  read_from_.resize(into_.size());
  for (int e = 0; e < facts_.size(); ++e) {
    for (const Piece& piece : facts_.pieces[e]) {
      if (trace::reads(event(e)) && piece.recorded_writer != kInitial) read_from_[e].push_back(piece.recorded_writer);
      if (trace::reads(event(e)) && facts_.cells[piece.cell].is_state())
        for (int f = 0; f < e; ++f)
          if (trace::is_append(event(f)) && facts_.pieces[f].front().cell == piece.cell) read_from_[e].push_back(f);
      if (facts_.cells[piece.cell].alloc >= 0) edge(facts_.cells[piece.cell].alloc, e);
    }
  }
  for (const Cell& cell : facts_.cells)
    if (cell.alloc >= 0 && cell.free >= 0) edge(cell.alloc, cell.free);
  failed_tries();
  for_pairs([&](int f, int e) {
    if (event(f).kind != EventKind::BarrierArrive || event(e).kind != EventKind::BarrierArrive) return;
    if (facts_.object[f] != facts_.object[e] || !facts_.parties[facts_.object[e]]) return;
    if (round_of(f) < round_of(e)) edge(f, e);
  });
}

// Every edge goes forward, so what follows an event is complete before anything earlier asks for it.
Relation Order::closure() const {
  Relation before(facts_.size());
  std::vector<std::vector<int>> out(into_.size());
  for (int e = 0; e < facts_.size(); ++e)
    for (const int f : into_[e]) out[f].push_back(e);
  for (int f = facts_.size() - 1; f >= 0; --f)
    for (const int e : out[f]) {
      before.add(f, e);
      before.add_row(f, before, e);
    }
  return before;
}

// Every pair of events, the first earlier.
template <typename Use>
void Order::for_pairs(const Use& use) {
  for (int e = 0; e < facts_.size(); ++e)
    for (int f = 0; f < e; ++f) use(f, e);
}

// The conflicting pairs that are left unordered.
std::set<Pair> Order::unordered() const {
  const auto n = into_.size();
  std::vector<std::vector<bool>> before(n, std::vector<bool>(n, false));
  const auto take_in = [&](std::vector<bool>& set, int f) {
    set[f] = true;
    for (std::size_t i = 0; i < n; ++i)
      if (before[f][i]) set[i] = true;
  };
  std::set<Pair> result;
  for (int b = 0; b < facts_.size(); ++b) {
    for (const int f : into_[b]) take_in(before[b], f);
    for (int a = 0; a < b; ++a)
      if (!before[b][a] && facts_.conflict(a, b)) result.insert({static_cast<EventNo>(a), static_cast<EventNo>(b)});
    if (!read_from_.empty())
      for (const int f : read_from_[b]) take_in(before[b], f);
  }
  return result;
}

void Order::program_order_and_threads() {
  for_pairs([&](int f, int e) {
    if (event(f).thread == event(e).thread) edge(f, e);
    if (event(f).kind == EventKind::Fork && event(f).child() == event(e).thread) edge(f, e);
    if (event(e).kind == EventKind::Join && event(e).child() == event(f).thread) edge(f, e);
  });
}

// Which lock an event gave back, which it took; -1: none. A failed try took nothing; a wake that timed out took its
// mutex all the same.
int Order::gave_mutex(int e) const {
  if (event(e).kind == EventKind::Unlock) return facts_.object[e];
  return event(e).kind == EventKind::Wait ? facts_.mutex[e] : -1;
}

int Order::took_mutex(int e) const {
  if (event(e).kind == EventKind::Lock && !event(e).has(trace::kFailed)) return facts_.object[e];
  return event(e).kind == EventKind::Wake ? facts_.mutex[e] : -1;
}

// Does the rwunlock `e` end a writer's scope? The last lock of its thread on that object that is not yet given back.
bool Order::gives_back_writing(int e) const {
  std::vector<bool> open;
  for (const int f : facts_.of_thread[facts_.thread_of(e)]) {
    if (f == e) break;
    if (facts_.object[f] != facts_.object[e] || event(f).has(trace::kFailed)) continue;
    if (event(f).kind == EventKind::RdLock) open.push_back(false);
    if (event(f).kind == EventKind::WrLock) open.push_back(true);
    if (event(f).kind == EventKind::RwUnlock && !open.empty()) open.pop_back();
  }
  return !open.empty() && open.back();
}

void Order::locks() {
  for_pairs([&](int f, int e) {
    if (gave_mutex(f) >= 0 && gave_mutex(f) == took_mutex(e)) edge(f, e);
    if (event(f).kind != EventKind::RwUnlock || facts_.object[f] != facts_.object[e]) return;
    if (event(e).has(trace::kFailed)) return;
    if (event(e).kind == EventKind::WrLock) edge(f, e);
    if (event(e).kind == EventKind::RdLock && gives_back_writing(f)) edge(f, e);
  });
}

// notify -> the wake that it caused; the longest sleeper is taken to be woken first.
void Order::conditions() {
  std::map<int, std::deque<int>> sleepers;       // condition -> threads that no notify has reached
  std::map<std::pair<int, int>, int> caused_by;  // (condition, thread) -> notify
  for (int e = 0; e < facts_.size(); ++e) {
    const int condition = facts_.object[e];
    const int thread = facts_.thread_of(e);
    std::deque<int>& queue = sleepers[condition];
    if (event(e).kind == EventKind::Wait) queue.push_back(thread);
    if (event(e).kind == EventKind::Notify && !queue.empty()) {
      caused_by[{condition, queue.front()}] = e;
      queue.pop_front();
    }
    if (event(e).kind == EventKind::NotifyAll) {
      for (const int sleeper : queue) caused_by[{condition, sleeper}] = e;
      queue.clear();
    }
    if (event(e).kind == EventKind::Wake) {
      const auto cause = caused_by.find({condition, thread});
      const bool by_itself = event(e).has(trace::kSpurious) || event(e).has(trace::kFailed);
      if (cause != caused_by.end() && !by_itself) edge(cause->second, e);
      if (cause != caused_by.end()) caused_by.erase(cause);
      queue.erase(std::remove(queue.begin(), queue.end(), thread), queue.end());
    }
  }
}

void Order::semaphores_barriers_once() {
  for_pairs([&](int f, int e) {
    if (facts_.object[f] < 0 || facts_.object[f] != facts_.object[e]) return;
    const EventKind from = event(f).kind, to = event(e).kind;
    if (from == EventKind::SemPost && to == EventKind::SemWait && !event(e).has(trace::kFailed)) edge(f, e);
    if (from == EventKind::OnceDone && to == EventKind::OnceSeen) edge(f, e);
    const bool known = facts_.parties[facts_.object[e]].has_value();
    if (from == EventKind::BarrierArrive && to == EventKind::BarrierLeave && (!known || round_of(f) == round_of(e)))
      edge(f, e);
  });
}

// The round of an arrival, or of a leave: that of its thread's last arrival.
int Order::round_of(int e) const {
  int arrival = e;
  if (event(e).kind == EventKind::BarrierLeave)
    for (int f = 0; f < e; ++f)
      if (facts_.object[f] == facts_.object[e] && event(f).kind == EventKind::BarrierArrive &&
          event(f).thread == event(e).thread)
        arrival = f;
  int earlier = 0;
  for (int f = 0; f < arrival; ++f)
    if (facts_.object[f] == facts_.object[e] && event(f).kind == EventKind::BarrierArrive) ++earlier;
  return earlier / *facts_.parties[facts_.object[e]];
}

// C++20 synchronises-with. For every atomic write: what an acquire that reads it synchronises with. A release write
// itself; the release fences before it; and, if it is a rmw, what the write that it read from would give (that
// write's release sequence goes on).
void Order::synchronises_with() {
  std::vector<std::set<int>> sources(into_.size());
  for (int e = 0; e < facts_.size(); ++e) {
    if (!trace::is_atomic(event(e).kind)) continue;
    std::set<int> reached;
    if (trace::reads(event(e)) || trace::is_append(event(e)))
      for (const Piece& piece : facts_.pieces[e])
        if (wrote_itself(piece.recorded_writer, piece.cell))
          reached.insert(sources[piece.recorded_writer].begin(), sources[piece.recorded_writer].end());
    for (const int source : reached) {
      if (trace::is_append(event(e))) break;  // it goes on from what it found, but does not know it
      if (acquires(event(e).order)) edge(source, e);
      for (const int later : facts_.of_thread[facts_.thread_of(e)])
        if (later > e && event(later).kind == EventKind::Fence && acquires(event(later).order)) edge(source, later);
    }
    if (!trace::writes(event(e))) continue;
    if (event(e).kind == EventKind::AtomicRmw) sources[e] = reached;
    if (releases(event(e).order)) sources[e].insert(e);
    for (const int earlier : facts_.of_thread[facts_.thread_of(e)])
      if (earlier < e && event(earlier).kind == EventKind::Fence && releases(event(earlier).order))
        sources[e].insert(earlier);
  }
}

// Not only because it belongs to missing code that reaches the cell.
bool Order::wrote_itself(int writer, int cell) const {
  if (writer == kInitial || !trace::writes(event(writer))) return false;
  const std::vector<Piece>& pieces = facts_.pieces[writer];
  return std::any_of(pieces.begin(), pieces.end(), [&](const Piece& piece) { return piece.cell == cell; });
}

// The operation that made a try fail -> the try: the oldest hold of the lock; of a semaphore, every post and down.
void Order::failed_tries() {
  for (int e = 0; e < facts_.size(); ++e) {
    if (!event(e).has(trace::kTry) || !event(e).has(trace::kFailed)) continue;
    std::map<int, std::vector<int>> holds;  // thread -> its operations that hold the lock now
    for (int f = 0; f < e; ++f) {
      std::vector<int>& mine = holds[facts_.thread_of(f)];
      if (took_mutex(f) == facts_.object[e]) mine.push_back(f);
      if (event(f).kind == EventKind::Wait && gave_mutex(f) == facts_.object[e]) mine.clear();
      if (facts_.object[f] != facts_.object[e] || event(f).has(trace::kFailed)) continue;
      if (event(f).kind == EventKind::SemPost || event(f).kind == EventKind::SemWait) edge(f, e);
      if (event(f).kind == EventKind::RdLock || event(f).kind == EventKind::WrLock) mine.push_back(f);
      if (event(f).kind == EventKind::Unlock || event(f).kind == EventKind::RwUnlock) mine.pop_back();
    }
    int oldest = facts_.size();
    for (const auto& [thread, mine] : holds)
      if (!mine.empty()) oldest = std::min(oldest, mine.front());
    if (oldest < e) edge(oldest, e);
  }
}

std::set<Pair> hb_pairs(const trace::Trace& trace) {
  const Facts facts(trace);
  return Order(facts, Order::Locks::Count).unordered();
}

std::set<Pair> shb_pairs(const trace::Trace& trace) {
  const Facts facts(trace);
  Order order(facts, Order::Locks::Count);
  order.add_execution_edges();
  return order.unordered();
}

}  // namespace racecast::oracle
