#include "property/oracle_facts.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "program/program.h"

namespace racecast::oracle {

using trace::Event;
using trace::EventKind;
using trace::Group;

namespace {

bool is_sync_object(const Event& e) {
  const Group group = trace::row_of(e.kind).group;
  return (group == Group::Lock || group == Group::Sync) && e.kind != EventKind::Fence;
}

bool is_wait_or_wake(const Event& e) {
  return e.kind == EventKind::Wait || e.kind == EventKind::Wake;
}

// Bytes [offset, offset + size) of a little-endian value.
std::optional<std::uint64_t> cut(std::optional<std::uint64_t> value, std::uint64_t offset, std::uint64_t size) {
  if (!value) return std::nullopt;
  const std::uint64_t shifted = *value >> (8 * offset);
  return size == 8 ? shifted : shifted & ((std::uint64_t{1} << (8 * size)) - 1);
}

// What the program says about the content before the run of some bytes of global memory.
std::optional<std::uint64_t> content_of_global(const program::Program& program, std::uint64_t address,
                                               std::uint64_t size) {
  for (const program::Global& global : program.globals) {
    if (address < global.address || address + size > global.address + global.size()) continue;
    if (global.kind != program::GlobalKind::Data && global.kind != program::GlobalKind::Atomic) continue;
    std::uint64_t value = 0;
    if (size > 8) return std::nullopt;
    for (std::uint64_t i = 0; i < size; ++i) {
      const std::uint64_t at = address - global.address + i;
      std::uint64_t byte = 0;
      if (!global.bytes.empty()) {
        byte = at < global.bytes.size() ? global.bytes[at] : 0;
      } else {
        const std::uint64_t in_element = at % global.element_size;
        byte = in_element < 8 ? (global.initial >> (8 * in_element)) & 0xff : 0;
      }
      value |= byte << (8 * i);
    }
    return value;
  }
  return std::nullopt;
}

// Section 3, passed-on memory: all bytes of an alloc that gives a thread a byte which another one freed last, or of
// which no free was recorded; and the one behind them.
std::set<std::uint64_t> passed_on_addresses(const trace::Trace& trace) {
  struct Byte {
    bool freed = false;
    ThreadId by{};
  };
  std::map<std::uint64_t, Byte> given;
  std::set<std::uint64_t> found;
  for (const Event& e : trace.events) {
    if (e.kind != EventKind::Alloc && e.kind != EventKind::Free) continue;
    bool passed_on = false;
    for (std::uint64_t at = e.address; at < e.address + e.size; ++at) {
      const auto before = given.find(at);
      if (e.kind == EventKind::Alloc) {
        if (before != given.end() && (!before->second.freed || before->second.by != e.thread)) passed_on = true;
        given[at] = {};
      } else if (before != given.end()) {
        before->second = {true, e.thread};
      }
    }
    for (std::uint64_t at = e.address; passed_on && at <= e.address + e.size; ++at) found.insert(at);
  }
  return found;
}

// Such a value is known by its writer only, as if it had not been recorded.
bool known_by_writer_only(const Event& e, const std::set<std::uint64_t>& passed_on) {
  constexpr std::uint64_t kAddressBits = (std::uint64_t{1} << 48) - 1;
  if (e.size != 8) return false;
  return passed_on.contains(e.value & kAddressBits) ||
         (e.kind == EventKind::AtomicRmw && passed_on.contains(e.aux & kAddressBits));
}

}  // namespace

Facts::Facts(const trace::Trace& t) : trace(t) {
  find_threads();
  find_sections();
  cut_cells();
  walk_contents();
  find_objects();
  find_ties();
}

void Facts::find_threads() {
  std::size_t threads = trace.definitions.threads.size();
  for (const Event& e : trace.events) {
    threads = std::max(threads, index(e.thread) + 1);
    if (e.kind == EventKind::Fork || e.kind == EventKind::Join) threads = std::max<std::size_t>(threads, e.aux + 1);
  }
  of_thread.resize(threads);
  forked_by.assign(threads, -1);
  for (int e = 0; e < size(); ++e) {
    std::vector<int>& mine = of_thread[index(event(e).thread)];
    position.push_back(static_cast<int>(mine.size()));
    mine.push_back(e);
    if (event(e).kind == EventKind::Fork) forked_by[event(e).aux] = e;
  }
}

void Facts::find_sections() {
  own_point_of.resize(trace.events.size());
  for (const std::vector<int>& mine : of_thread) {
    constexpr int kCall = -1;
    std::vector<int> open;  // sections, and the calls in them that have not returned
    for (const int e : mine) {
      const EventKind kind = event(e).kind;
      if (kind == EventKind::MissingBegin) {
        open.push_back(static_cast<int>(sections.size()));
        sections.push_back({e, mine.back(), false, {}});
      }
      if (kind == EventKind::Return && !open.empty() && open.back() == kCall) open.pop_back();
      if (kind == EventKind::MissingEnd)
        while (!open.empty() && open.back() == kCall) open.pop_back();
      // Of these, every section that has no open call behind it.
      for (const int one : open) {
        if (one == kCall)
          own_point_of[e].clear();
        else
          own_point_of[e].push_back(one);
      }
      if (kind == EventKind::Call && !open.empty()) open.push_back(kCall);
      if (kind == EventKind::MissingEnd && !open.empty()) {
        sections[open.back()].end = e;
        sections[open.back()].returned = true;
        open.pop_back();
      }
    }
  }
}

// Cuts memory at every boundary that an event mentions, follows the lives through the trace, and gives every access its
// pieces and every section its cells.
void Facts::cut_cells() {
  std::set<std::uint64_t> cuts;
  const auto mention = [&](std::uint64_t address, std::uint64_t size) {
    if (size == 0) return;
    cuts.insert(address);
    cuts.insert(address + size);
  };
  for (const Event& e : trace.events) {
    if (trace::is_access(e.kind) || e.kind == EventKind::Alloc || e.kind == EventKind::Free) mention(e.address, e.size);
  }
  for (const trace::ReachSet& reach : trace.definitions.reach)
    for (const trace::Range& range : reach.ranges) mention(range.address, range.size);

  std::map<std::pair<std::uint64_t, int>, int> known;  // (address of the cut, alloc of the life) -> cell
  std::map<std::uint64_t, int> life;                   // address of the cut -> alloc of the life that is on now
  const auto for_cuts = [&](std::uint64_t address, std::uint64_t size, const auto& use) {
    if (size == 0) return;
    for (auto at = cuts.find(address); *at != address + size; ++at) use(*at, *std::next(at) - *at);
  };
  const auto cell_at = [&](std::uint64_t address, std::uint64_t size) {
    const auto on = life.find(address);
    const int alloc = on == life.end() ? -1 : on->second;
    const auto [place, is_new] = known.try_emplace({address, alloc}, static_cast<int>(cells.size()));
    if (is_new) {
      Cell cell{address, size, alloc, -1, std::nullopt};
      if (trace.definitions.program != nullptr && alloc < 0)
        cell.initial = content_of_global(*trace.definitions.program, address, size);
      cells.push_back(cell);
    }
    return place->second;
  };

  pieces.resize(trace.events.size());
  ended.resize(trace.events.size());
  const std::set<std::uint64_t> passed_on = passed_on_addresses(trace);
  for (int n = 0; n < size(); ++n) {
    const Event& e = event(n);
    if (e.kind == EventKind::Alloc) {
      for_cuts(e.address, e.size, [&](std::uint64_t at, std::uint64_t) { life[at] = n; });
    } else if (e.kind == EventKind::Free) {
      for_cuts(e.address, e.size, [&](std::uint64_t at, std::uint64_t bytes) {
        const int cell = cell_at(at, bytes);
        ended[n].push_back(cell);
        if (!life.contains(at)) return;  // memory without an alloc has one life, the whole run
        cells[cell].free = n;
        life.erase(at);
      });
    } else if (trace::is_access(e.kind)) {
      // A value has 8 bytes: that of a longer access cannot be recorded.
      const bool valued = e.has(trace::kHasValue) && e.size <= 8 && !known_by_writer_only(e, passed_on);
      std::optional<std::uint64_t> read, written;
      if (valued && trace::reads(e)) read = e.value;
      if (valued && trace::writes(e)) written = trace::stored_value(e);
      for_cuts(e.address, e.size, [&](std::uint64_t at, std::uint64_t bytes) {
        const std::uint64_t offset = at - e.address;
        pieces[n].push_back({cell_at(at, bytes), cut(read, offset, bytes), cut(written, offset, bytes), kInitial});
      });
    }
  }
  // What a section reaches are addresses; at each of its own points, whatever lives there.
  const auto lives_at = [&](const Cell& cell, int n) {
    if (cell.alloc >= 0) return cell.alloc <= n && (cell.free < 0 || n <= cell.free);
    return std::none_of(cells.begin(), cells.end(), [&](const Cell& other) {
      return other.address == cell.address && other.alloc >= 0 && other.alloc <= n &&
             (other.free < 0 || n <= other.free);
    });
  };
  for (Section& section : sections) {
    const trace::ReachSet& reach = trace.definitions.reach[event(section.begin).address];
    for (int c = 0; c < static_cast<int>(cells.size()); ++c)
      if (reach.everything || std::any_of(reach.ranges.begin(), reach.ranges.end(), [&](const trace::Range& range) {
            return range.address <= cells[c].address && cells[c].address < range.address + range.size;
          }))
        section.cells.push_back(c);
  }
  reached.resize(trace.events.size());
  for (int n = 0; n < size(); ++n) {
    std::set<int> all;
    for (const int s : own_point_of[n])
      for (const int c : sections[s].cells)
        if (lives_at(cells[c], n)) all.insert(c);
    reached[n].assign(all.begin(), all.end());
  }
}

// Recorded writers, and what reads tell about the content before the run.
void Facts::walk_contents() {
  std::vector<int> last(cells.size(), kInitial);
  last_needs.assign(of_thread.size(), std::vector<int>(cells.size(), -1));
  for (int n = 0; n < size(); ++n) {
    const Event& e = event(n);
    const auto thread = thread_of(n);
    for (Piece& piece : pieces[n]) {
      const auto cell = piece.cell;
      if (trace::reads(e) || trace::is_append(e)) {
        piece.recorded_writer = last[cell];
        last_needs[thread][cell] = position[n];
        if (last[cell] == kInitial && piece.read && !cells[cell].initial) cells[cell].initial = piece.read;
      }
      if (trace::writes(e)) last[cell] = n;
    }
    for (const int cell : reached[n]) {
      last[cell] = n;
      last_needs[thread][cell] = position[n];
    }
  }
}

// An object is an address in one life.
void Facts::find_objects() {
  std::map<std::uint64_t, std::pair<std::uint64_t, int>>
      living;                                          // address of an object in memory -> its size, its alloc
  std::map<std::pair<std::uint64_t, int>, int> known;  // (address, alloc of its life) -> object
  const auto object_at = [&](std::uint64_t address) {
    int alloc = -1;
    for (const auto& [start, life] : living)
      if (start <= address && address < start + life.first) alloc = life.second;
    const auto [place, is_new] = known.try_emplace({address, alloc}, static_cast<int>(objects.size()));
    if (is_new) objects.push_back(address);
    return place->second;
  };
  object.assign(trace.events.size(), -1);
  mutex.assign(trace.events.size(), -1);
  // A barrier that gets other parties is another one.
  std::map<std::pair<int, std::uint64_t>, std::pair<int, int>>
      arrived;                 // (thread, address) -> in memory, what it is now
  std::map<int, int> renewed;  // the same, of the last arrival
  std::map<int, std::uint64_t> said_parties;
  for (int n = 0; n < size(); ++n) {
    const Event& e = event(n);
    if (e.kind == EventKind::Alloc) living[e.address] = {e.size, n};
    if (e.kind == EventKind::Free) living.erase(e.address);
    if (!is_sync_object(e)) continue;
    object[n] = object_at(e.address);
    if (is_wait_or_wake(e)) mutex[n] = object_at(e.aux);
    const std::pair<int, std::uint64_t> mine{thread_of(n), e.address};
    if (e.kind == EventKind::BarrierArrive) {
      const std::uint64_t many = e.has(trace::kHasValue) ? e.value : 0;
      const int memory = object[n];
      int now = renewed.contains(memory) ? renewed[memory] : memory;
      if (said_parties.contains(now) && said_parties[now] != many) {
        now = static_cast<int>(objects.size());
        objects.push_back(e.address);
        renewed[memory] = now;
      }
      said_parties[now] = many;
      arrived[mine] = {memory, now};
      object[n] = now;
    }
    if (e.kind == EventKind::BarrierLeave && arrived.contains(mine) && arrived[mine].first == object[n])
      object[n] = arrived[mine].second;
  }

  parties.resize(objects.size());
  for (int n = 0; n < size(); ++n)
    if (event(n).kind == EventKind::BarrierArrive && event(n).has(trace::kHasValue))
      parties[object[n]] = std::max(1, static_cast<int>(event(n).value));

  // A semaphore's count at the start: what an event says, or the smallest for which the recorded run is legal.
  start_count.assign(objects.size(), 0);
  std::vector<std::int64_t> count(objects.size(), 0);
  std::vector<std::optional<std::int64_t>> said(objects.size());
  for (int n = 0; n < size(); ++n) {
    const Event& e = event(n);
    if (e.kind != EventKind::SemPost && e.kind != EventKind::SemWait) continue;
    const auto o = object[static_cast<std::size_t>(n)];
    if (e.has(trace::kHasValue)) said[o] = static_cast<std::int64_t>(e.value);
    if (e.kind == EventKind::SemPost) ++count[o];
    if (e.kind == EventKind::SemWait && !e.has(trace::kFailed))
      start_count[o] = std::max(start_count[o], -(--count[o]));
  }
  for (std::size_t o = 0; o < objects.size(); ++o)
    if (said[o]) start_count[o] = *said[o];
}

void Facts::find_ties() {
  const auto reaches = [&](int section, std::uint64_t address, std::uint64_t size) {
    const Event& begin = event(sections[section].begin);
    const trace::ReachSet& reach = trace.definitions.reach[begin.address];
    if (reach.everything) return true;
    return std::any_of(reach.ranges.begin(), reach.ranges.end(), [&](const trace::Range& range) {
      return range.address < address + size && address < range.address + range.size;
    });
  };
  const auto meet = [&](int a, int b) {
    const trace::ReachSet& x = trace.definitions.reach[event(sections[a].begin).address];
    const trace::ReachSet& y = trace.definitions.reach[event(sections[b].begin).address];
    if (x.everything) return y.everything || !y.ranges.empty();
    return std::any_of(x.ranges.begin(), x.ranges.end(), [&](const trace::Range& range) {
      return range.size > 0 && reaches(b, range.address, range.size);
    });
  };
  const auto is_on = [&](int n, int section) {
    const Event& e = event(n);
    if (trace::is_access(e.kind) || e.kind == EventKind::Alloc || e.kind == EventKind::Free)
      return reaches(section, e.address, e.size);
    if (!is_sync_object(e)) return false;
    return reaches(section, e.address, 1) || (is_wait_or_wake(e) && reaches(section, e.aux, 1));
  };
  const auto are_tied = [&](int e, int f) {
    for (const int s : own_point_of[e]) {
      if (is_on(f, s)) return true;
      for (const int r : own_point_of[f])
        if (meet(s, r)) return true;
    }
    for (const int r : own_point_of[f])
      if (is_on(e, r)) return true;
    return false;
  };
  tied.resize(trace.events.size());
  if (sections.empty()) return;
  for (int e = 0; e < size(); ++e)
    for (int f = 0; f < e; ++f)
      if (thread_of(e) != thread_of(f) && are_tied(e, f)) tied[e].push_back(f);
}

bool Facts::conflict(int a, int b) const {
  const Event& x = event(a);
  const Event& y = event(b);
  if (x.thread == y.thread || x.has(trace::kUnchecked) || y.has(trace::kUnchecked)) return false;
  const auto share = [&] {
    for (int cell = 0; cell < static_cast<int>(cells.size()); ++cell)
      if (covers(a, cell) && covers(b, cell)) return true;
    return false;
  };
  // A free conflicts with every access to the life that it ends.
  if (x.kind == EventKind::Free || y.kind == EventKind::Free)
    return (trace::is_access(x.kind) || trace::is_access(y.kind)) && share();
  if (!trace::is_access(x.kind) || !trace::is_access(y.kind)) return false;
  if (!trace::writes(x) && !trace::writes(y)) return false;
  if (trace::is_atomic(x.kind) && trace::is_atomic(y.kind)) return false;
  return share();
}

bool Facts::covers(int e, int cell) const {
  return std::ranges::find(ended[e], cell) != ended[e].end() ||
         std::ranges::any_of(pieces[e], [&](const Piece& piece) { return piece.cell == cell; });
}

}  // namespace racecast::oracle
