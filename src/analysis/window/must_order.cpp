#include "analysis/window/must_order.h"

#include <algorithm>
#include <map>

#include "model/order/missing_order.h"

namespace racecast::analysis::predict {

using trace::Event;
using trace::EventKind;

namespace {

constexpr int kRounds = 3;

// Barriers of which every round is forced: as many threads as parties, each arriving and leaving in turn. Then the k-th
// leave of a thread needs the k-th arrival of each.
bool rounds_are_forced(const Window& window, const Object& object) {
  if (object.parties == 0 || window.fixed != 0) return false;
  std::map<std::uint32_t, bool> inside;  // thread → it has arrived and not left
  for (const PointNo p : object.points) {
    const EventKind kind = window.event(p).kind;
    if (kind != EventKind::BarrierArrive && kind != EventKind::BarrierLeave) return false;
    bool& in = inside[window.thread_of[p]];
    if (in == (kind == EventKind::BarrierArrive)) return false;
    in = !in;
  }
  return inside.size() == object.parties;
}

}  // namespace

// One round: a pass over all points, in order. Threads are lanes here.
struct MustOrder::Pass {
  Pass(MustOrder& order, const MustOrder* earlier)
      : m(order),
        w(order.window_),
        previous(earlier),
        current(order.lanes_, std::vector<std::uint32_t>(order.lanes_)),
        row_id(order.lanes_, 0),
        seen(order.lanes_, 0),
        held(order.lanes_),
        pending(w.of_thread.size()),
        missing(w.trace.definitions),
        unknown_arrivals(w.objects.size()),
        forced(w.objects.size()),
        arrivals(w.objects.size()),
        leaves(w.objects.size()),
        done_once(w.objects.size(), kStart) {
    for (PointNo p = 1; p <= w.fixed; ++p)
      for (auto& row : current) row[w.lane_of(p)] = w.place_of(p) + 1;
    for (std::size_t o = 0; o < w.objects.size(); ++o) {
      forced[o] = rounds_are_forced(w, w.objects[o]) ? 1 : 0;
      for (const PointNo p : w.objects[o].points)
        if (w.event(p).kind == EventKind::OnceDone) done_once[o] = done_once[o] == kStart ? p : kNone;
    }
    m.rows_.clear();
    m.limit_.assign(m.lanes_, kNone);
    m.needs_.assign(w.event_of.size(), 0);
    m.clock_.assign(w.event_of.size(), 0);
    for (std::size_t t = 0; t < m.lanes_; ++t) {
      row_id[t] = static_cast<std::uint32_t>(t);
      m.rows_.insert(m.rows_.end(), current[t].begin(), current[t].end());
    }
  }

  void run() {
    for (PointNo p = 1; p <= w.size(); ++p) {
      const std::uint32_t t = w.lane_of(p);
      const Event& e = w.event(p);
      changed = false;
      at = p;
      enter(p, t, e);
      store(t, m.needs_[p]);
      if (w.demanded_by[p] == w.position_of[p])
        for (const CellAccess& access : w.accesses(p)) join_sources(t, p, access);
      store(t, m.clock_[p]);
      leave(p, t, e);
      ++seen[t];
    }
  }

 private:
  void store(std::uint32_t t, std::uint32_t& id) {
    if (changed) {
      row_id[t] = static_cast<std::uint32_t>(m.rows_.size() / m.lanes_);
      m.rows_.insert(m.rows_.end(), current[t].begin(), current[t].end());
      changed = false;
    }
    id = row_id[t];
  }

  void join(std::uint32_t t, std::span<const std::uint32_t> row) {
    std::vector<std::uint32_t>& mine = current[t];
    for (std::size_t k = 0; k < row.size(); ++k)
      if (row[k] > mine[k] && k != t) {
        mine[k] = row[k];
        changed = true;
      }
  }
  void join(std::uint32_t t, PointNo point) {
    const std::uint32_t other = w.lane_of(point);
    if (other == t || current[t][other] > w.place_of(point)) return;
    const std::span<const std::uint32_t> known = m.row(m.clock_[point]);
    const std::vector<std::uint32_t> row(known.begin(), known.end());  // rows_ may grow
    join(t, row);
    current[t][other] = w.place_of(point) + 1;
    changed = true;
  }

  void enter(PointNo p, std::uint32_t t, const Event& e) {
    if (e.kind == EventKind::Join && index(e.child()) < w.of_thread.size()) {
      const std::size_t child = index(e.child());
      join(t, current[w.lane_of_thread[child]]);
      if (!w.of_thread[child].empty()) join(t, w.of_thread[child].back());
    }
    if (const std::uint32_t life = w.life_of[p]; life != model::kNoLife &&
                                                 trace::row_of(e.kind).group != trace::Group::Lock &&
                                                 trace::row_of(e.kind).group != trace::Group::Sync)
      if (w.alloc_of[life] != kNone && w.alloc_of[life] < p) join(t, w.alloc_of[life]);
    if (w.execution.has_missing()) {
      model::VectorClock clock{std::span<const std::uint32_t>(current[t])};
      clock.set(ThreadId{t}, 0);
      missing.before(e, w.execution.reach_sets_of(w.event_of[p]), clock);
      join(t, clock.times());
    }
    const std::uint32_t o = w.object_of[p];
    if (e.kind == EventKind::OnceSeen && done_once[o] != kStart && done_once[o] != kNone && done_once[o] < p)
      join(t, done_once[o]);
    if (e.kind == EventKind::BarrierLeave) {
      if (!unknown_arrivals[o].empty()) join(t, unknown_arrivals[o]);
      if (forced[o] != 0) {
        const std::size_t round = leaves[o][w.thread_of[p]]++;
        for (const auto& [thread, points] : arrivals[o])
          if (round < points.size()) join(t, points[round]);
      }
    }
    if (w.demands[p] != 0) {
      for (const PointNo read : pending[w.thread_of[p]])
        for (const CellAccess& access : w.accesses(read)) join_sources(t, read, access);
      pending[w.thread_of[p]].clear();
    }
    bool begins = false;
    if (const std::uint32_t s = w.scope_of[p]; s != kNone && w.scopes[s].certain == p) {
      held[t].push_back(s);
      begins = true;
    }
    for (; certain_later < w.certain_later.size() && w.certain_later[certain_later].first == p; ++certain_later) {
      held[t].push_back(w.certain_later[certain_later].second);
      begins = true;
    }
    if (changed || begins) close_scopes(t);
  }

  // A demanded read is after whatever all writes that it may read from have in common: of each thread, the first that
  // is not overwritten for certain stands for its later ones. (Rounds over a flag, back and forth, are ordered by
  // this.)
  void join_sources(std::uint32_t t, PointNo read, const CellAccess& access) {
    if (!access.reads) return;
    if (w.cells[access.cell].is_state) return join_appends(t, read, access.cell);
    const std::span<const std::uint32_t> past =
        read == at ? std::span<const std::uint32_t>(current[t]) : m.row(m.clock_[read]);
    std::vector<PointNo> latest;  // writes that must be before the read
    for (std::uint32_t u = 0; u < m.lanes_; ++u) {
      const PointNo p = m.last_write(access.cell, u, u == t ? w.place_of(read) : past[u]);
      if (p != kNone && p >= access.section) latest.push_back(p);
    }
    const bool section_writes =
        access.section != kStart && std::ranges::binary_search(w.writers[access.cell], access.section);
    if (!section_writes && latest.empty() && w.gives(access.section, access)) return;
    std::vector<std::uint32_t> common;
    for (std::uint32_t u = 0; u < m.lanes_; ++u) {
      const PointNo source = first_source(read, access, u, latest);
      if (source == kNone) continue;
      if (u == t) return;  // its own write: nothing of others follows
      const std::vector<std::uint32_t> row = source < at ? m.copy_of_row(m.clock_[source]) : current[u];
      if (common.empty()) common.assign(m.lanes_, kNone);
      for (std::uint32_t k = 0; k < m.lanes_; ++k)
        common[k] = std::min(common[k], k != u ? row[k] : source < at ? w.place_of(source) + 1 : seen[u]);
    }
    if (common.empty()) return;
    join(t, common);
    if (changed) close_scopes(t);
  }
  void join_appends(std::uint32_t t, PointNo read, CellNo cell) {
    for (std::uint32_t u = 0; u < m.lanes_; ++u) {
      const std::span<const PointNo> appends = m.writes_of_lane(cell, u);
      const auto end = std::ranges::lower_bound(appends, read);
      if (end != appends.begin()) join(t, *std::prev(end));
    }
    if (changed) close_scopes(t);
  }
  // The first write of lane u that the read may find in the cell; kNone.
  PointNo first_source(PointNo read, const CellAccess& access, std::uint32_t u,
                       const std::vector<PointNo>& latest) const {
    const auto overwritten = [&](PointNo p) {
      return p < at && std::ranges::any_of(latest, [&](PointNo later) { return p != later && m.before(p, later); });
    };
    const auto possible = [&](PointNo p) {
      return p != read && !(u == w.lane_of(read) && p > read) && p >= access.section && !overwritten(p) &&
             !(previous != nullptr && p > read && previous->before(read, p));
    };
    PointNo first = kNone;
    if (access.recorded != kStart && w.lane_of(access.recorded) == u && possible(access.recorded))
      first = access.recorded;
    if (!access.read_known || access.only_by_identity) return first;
    const auto same = m.writers_->by_value.find({access.cell, access.read});
    if (same == m.writers_->by_value.end()) return first;
    PointNo from = access.section;
    for (const PointNo p : latest)
      if (w.lane_of(p) == u) from = p;
    auto it = std::ranges::lower_bound(same->second, std::pair(u, from), {},
                                       [&](PointNo p) { return std::pair(w.lane_of(p), p); });
    for (; it != same->second.end() && w.lane_of(*it) == u && *it < first; ++it)
      if (possible(*it))
        return *it;
      else if (*it > read && previous != nullptr && previous->before(read, *it))
        break;  // as are the later ones
    return first;
  }

  // The thread is inside its held scopes. Of another thread's scope of such a lock that has begun, the end is in the
  // past, too.
  void close_scopes(std::uint32_t t) {
    for (bool again = true; again;) {
      again = false;
      for (const std::uint32_t s : held[t]) {
        const Scope& mine = w.scopes[s];
        for (std::uint32_t u = 0; u < m.lanes_; ++u) {
          if (u == t || current[t][u] == 0) continue;
          const Scope* other = last_begun(mine, u, current[t][u]);
          if (other == nullptr || other->certain > at) continue;
          if (other->release == kNone) {
            m.limit_[t] = std::min(m.limit_[t], w.place_of(at));
          } else if (w.place_of(other->release) >= current[t][u]) {
            join(t, other->release);
            again = true;
          }
        }
      }
    }
  }
  // The last scope of `lane` that excludes `mine` and is certain to begin among its first `count` points.
  const Scope* last_begun(const Scope& mine, std::uint32_t lane, std::uint32_t count) const {
    const auto& lists = scopes_by_lane(mine.object);
    const auto it = lists.find(lane);
    if (it == lists.end()) return nullptr;
    const std::vector<std::uint32_t>& list = mine.shared ? it->second.exclusive : it->second.all;
    const auto end =
        std::ranges::partition_point(list, [&](std::uint32_t s) { return w.place_of(w.scopes[s].certain) < count; });
    return end == list.begin() ? nullptr : &w.scopes[*std::prev(end)];
  }
  struct Scopes {
    std::vector<std::uint32_t> all, exclusive;  // in order
  };
  const std::map<std::uint32_t, Scopes>& scopes_by_lane(std::uint32_t object) const {
    auto [it, fresh] = scopes_of_.try_emplace(object);
    if (fresh)
      for (const std::uint32_t s : w.objects[object].scopes) {
        if (w.scopes[s].certain == kNone) continue;
        Scopes& scopes = it->second[w.lane_of_thread[w.scopes[s].thread]];
        scopes.all.push_back(s);
        if (!w.scopes[s].shared) scopes.exclusive.push_back(s);
      }
    return it->second;
  }

  void leave(PointNo p, std::uint32_t t, const Event& e) {
    if (w.execution.has_missing()) {
      model::VectorClock clock{std::span<const std::uint32_t>(current[t])};
      clock.set(ThreadId{t}, w.place_of(p) + 1);
      missing.after(e, w.execution.reach_sets_of(w.event_of[p]), clock);
    }
    if (trace::reads(e) && w.demanded_by[p] != kNone && w.demanded_by[p] != w.position_of[p])
      pending[w.thread_of[p]].push_back(p);
    if (e.kind == EventKind::Fork && index(e.child()) < w.of_thread.size()) {
      const std::uint32_t child = w.lane_of_thread[index(e.child())];
      for (std::size_t k = 0; k < m.lanes_; ++k)
        if (k != child) current[child][k] = std::max(current[child][k], current[t][k]);
      current[child][t] = std::max(current[child][t], w.place_of(p) + 1);
      // A thread has no points before its fork: its first row is made here.
      row_id[child] = static_cast<std::uint32_t>(m.rows_.size() / m.lanes_);
      m.rows_.insert(m.rows_.end(), current[child].begin(), current[child].end());
    }
    const std::uint32_t o = w.object_of[p];
    if (e.kind == EventKind::BarrierArrive) {
      if (!e.has(trace::kHasValue)) {
        std::vector<std::uint32_t>& all = unknown_arrivals[o];
        all.resize(m.lanes_);
        for (std::size_t k = 0; k < m.lanes_; ++k)
          if (k != t) all[k] = std::max(all[k], current[t][k]);
        all[t] = std::max(all[t], w.place_of(p) + 1);
      }
      if (forced[o] != 0) arrivals[o][w.thread_of[p]].push_back(p);
    }
    std::erase_if(held[t], [&](std::uint32_t s) { return w.scopes[s].release == p; });
  }

  MustOrder& m;
  const Window& w;
  const MustOrder* previous;
  std::vector<std::vector<std::uint32_t>> current;  // by lane; its own component means nothing
  std::vector<std::uint32_t> row_id;
  std::vector<std::uint32_t> seen;  // points of each lane so far
  PointNo at = 0;                   // the point that the pass is at
  bool changed = false;
  std::vector<std::vector<std::uint32_t>> held;  // scopes
  std::vector<std::vector<PointNo>> pending;     // by thread: reads that the next demand will demand
  model::MissingOrder missing;
  std::vector<std::vector<std::uint32_t>> unknown_arrivals;
  std::vector<char> forced;
  std::vector<std::map<std::uint32_t, std::vector<PointNo>>> arrivals;
  std::vector<std::map<std::uint32_t, std::size_t>> leaves;
  std::vector<PointNo> done_once;  // the only one of the window; kNone: there are several
  std::size_t certain_later = 0;   // of Window::certain_later, so many are behind
  mutable std::map<std::uint32_t, std::map<std::uint32_t, Scopes>> scopes_of_;
};

MustOrder::MustOrder(const Window& window) : window_(window), lanes_(window.lanes) {
  auto writers = std::make_shared<Writers>();
  for (CellNo c = 0; c < window.cells.size(); ++c) {
    std::vector<PointNo> all = window.writers[c];
    std::ranges::sort(all, {}, [&](PointNo p) { return std::pair(window.lane_of(p), p); });
    writers->by_lane.push_back(std::move(all));
    for (const PointNo p : writers->by_lane.back())
      if (const CellAccess& access = window.access(p, c); access.written_known)
        writers->by_value[{c, access.written}].push_back(p);
  }
  writers_ = std::move(writers);
  Pass(*this, nullptr).run();
  for (int round = 1; round < kRounds; ++round) {
    const MustOrder earlier = *this;
    Pass(*this, &earlier).run();
    if (rows_ == earlier.rows_ && clock_ == earlier.clock_) break;
  }
}

std::uint32_t MustOrder::first_after(PointNo point, std::uint32_t thread) const {
  const std::uint32_t own = window_.thread_of[point], position = window_.position_of[point];
  if (own == thread) return position;
  const std::vector<PointNo>& points = window_.of_thread[thread];
  if (points.empty() || points.back() < point) return kNone;
  const auto it =
      std::ranges::partition_point(points, [&](PointNo p) { return p < point || clock(p)[own] <= position; });
  return it == points.end() ? kNone : static_cast<std::uint32_t>(it - points.begin());
}

std::span<const PointNo> MustOrder::writes_of(CellNo cell, std::uint32_t thread) const {
  // Of a lane, one thread comes after the other.
  const std::span<const PointNo> lane = writes_of_lane(cell, window_.lane_of_thread[thread]);
  const std::uint32_t from = window_.before_in_lane[thread];
  const auto to = static_cast<std::uint32_t>(from + window_.of_thread[thread].size());
  const auto first = std::ranges::partition_point(lane, [&](PointNo p) { return window_.place_of(p) < from; });
  const auto last = std::partition_point(first, lane.end(), [&](PointNo p) { return window_.place_of(p) < to; });
  return {first, last};
}

std::span<const PointNo> MustOrder::writes_of_lane(CellNo cell, std::uint32_t lane) const {
  const std::vector<PointNo>& all = writers_->by_lane[cell];
  const auto [first, last] = std::ranges::equal_range(all, lane, {}, [&](PointNo p) { return window_.lane_of(p); });
  return {first, last};
}

PointNo MustOrder::last_write(CellNo cell, std::uint32_t lane, std::uint32_t count) const {
  const std::vector<PointNo>& all = writers_->by_lane[cell];
  const auto end = std::ranges::partition_point(all, [&](PointNo p) {
    return window_.lane_of(p) < lane || (window_.lane_of(p) == lane && window_.place_of(p) < count);
  });
  if (end == all.begin() || window_.lane_of(*std::prev(end)) != lane) return kNone;
  return *std::prev(end);
}

std::vector<PointNo> MustOrder::latest_before(PointNo reader, CellNo cell, PointNo section) const {
  std::vector<PointNo> latest;
  for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
    const std::uint32_t count = window_.lane_of(reader) == lane ? window_.place_of(reader) : row(clock_[reader])[lane];
    // A compare-and-swap that may fail writes for certain only if what decides that it does is before the reader, too.
    PointNo p = last_write(cell, lane, count);
    while (p != kNone && !is_certain_write(p, count)) p = last_write(cell, lane, window_.place_of(p));
    if (p != kNone && p >= section) latest.push_back(p);
  }
  return latest;
}

bool MustOrder::is_certain_write(PointNo write, std::uint32_t count) const {
  const FreeOutcome* free = window_.free_outcome(write);
  if (free == nullptr) return true;
  return trace::writes(window_.event(write)) && free->decided != kNone && window_.place_of(free->decided) < count;
}

std::vector<PointNo> MustOrder::possible(PointNo reader, CellNo cell, PointNo section,
                                         std::span<const PointNo> candidates) const {
  // What must be before one of these is overwritten.
  const std::vector<PointNo> latest = latest_before(reader, cell, section);
  std::vector<PointNo> result;
  for (const PointNo writer : candidates) {
    if (writer == reader) continue;
    if (writer == section && (writer == kStart || !std::ranges::binary_search(window_.writers[cell], writer))) {
      if (latest.empty()) result.push_back(writer);
      continue;
    }
    if (writer < section || before(reader, writer)) continue;
    if (std::ranges::none_of(latest, [&](PointNo later) { return later != writer && before(writer, later); }))
      result.push_back(writer);
  }
  return result;
}

std::vector<PointNo> MustOrder::sources(PointNo read, const CellAccess& access) const {
  std::vector<PointNo> candidates;
  const auto consider = [&](PointNo writer) {
    if (window_.gives(writer, access)) candidates.push_back(writer);
  };
  consider(access.section);
  if (access.recorded != access.section) consider(access.recorded);
  if (access.read_known && !access.only_by_identity)
    if (const auto same = writers_->by_value.find({access.cell, access.read}); same != writers_->by_value.end())
      for (const PointNo writer : same->second)
        if (writer != access.recorded && writer != access.section) consider(writer);
  return possible(read, access.cell, access.section, candidates);
}

MustOrder::PossibleWriters MustOrder::writers(PointNo reader, CellNo cell, PointNo section) const {
  const std::vector<PointNo> latest = latest_before(reader, cell, section);
  PossibleWriters result;
  result.before_all =
      latest.empty() && (section == kStart || !std::ranges::binary_search(window_.writers[cell], section));
  // Of each lane, what is overwritten comes first, and what must be after the reader last.
  const auto overwritten = [&](PointNo p) {
    return p < section || std::ranges::any_of(latest, [&](PointNo later) { return later != p && before(p, later); });
  };
  const std::span<const PointNo> all = writers_->by_lane[cell];
  for (auto begin = all.begin(); begin != all.end();) {
    const std::uint32_t lane = window_.lane_of(*begin);
    const auto end = std::partition_point(begin, all.end(), [&](PointNo p) { return window_.lane_of(p) == lane; });
    const auto first = std::partition_point(begin, end, overwritten);
    const auto last = std::partition_point(first, end, [&](PointNo p) { return p == reader || !before(reader, p); });
    if (first != last) result.by_lane.emplace_back(first, last);
    begin = end;
  }
  return result;
}

}  // namespace racecast::analysis::predict
