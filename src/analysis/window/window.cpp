#include "analysis/window/window.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/window/changes.h"
#include "base/check.h"
#include "model/memory/interval_map.h"
#include "model/order/lanes.h"
#include "model/order/missing_order.h"
#include "program/program.h"
#include "trace/state.h"

namespace racecast::analysis::predict {

using trace::Event;
using trace::EventKind;
using trace::Group;

namespace {

bool has_object(const Event& e) {
  const trace::KindRow& row = trace::row_of(e.kind);
  return (row.group == Group::Lock || row.group == Group::Sync) && (row.fields & trace::A) != 0;
}

// What the program says about the content of global memory before the run (docs/semantics.md, section 3). Only programs
// of litmus files know it for certain (witness/memory.cpp, which decides the same for the judge, says why).
class Globals {
 public:
  explicit Globals(const program::Program* program) {
    if (program == nullptr || program->origin != program::Origin::Litmus) return;
    for (const program::Global& global : program->globals)
      if (global.kind == program::GlobalKind::Data || global.kind == program::GlobalKind::Atomic)
        by_address_[global.address] = &global;
  }
  bool content(const Cell& cell, std::uint64_t& value) const {
    auto it = by_address_.upper_bound(cell.address);
    if (cell.size > 8 || it == by_address_.begin()) return false;
    const program::Global& global = *std::prev(it)->second;
    if (cell.address + cell.size > global.address + global.size()) return false;
    value = 0;
    for (std::uint64_t i = 0; i < cell.size; ++i) {
      const std::uint64_t at = cell.address - global.address + i;
      std::uint64_t byte = 0;
      if (!global.bytes.empty())
        byte = at < global.bytes.size() ? global.bytes[at] : 0;
      else if (at % global.element_size < 8)
        byte = cut(global.initial, at % global.element_size, 1);
      value |= byte << (8 * i);
    }
    return true;
  }

 private:
  std::map<std::uint64_t, const program::Global*> by_address_;
};

}  // namespace

// The steps of building, in order; each fills in its part of the window.
struct Window::Builder {
  explicit Builder(Window& window, std::uint64_t fixed_events)
      : w(window), x(window.execution), fixed(fixed_events), threads(x.threads()) {
    cut_memory();
    choose_cells();
    choose_points(fixed);
    find_lanes();
    find_free_outcomes();
    find_objects();
    fill_accesses();
    find_demands();
    find_plain();
  }

  using Place = std::pair<std::uint32_t, std::uint64_t>;  // (life, address)

  const trace::ReachSet& reach_of(const model::SectionAt& at) const {
    return w.trace.definitions.reach[x.sections()[at.section].reach];
  }

  // Every address at which an access or a section begins or ends.
  void cut_memory() {
    const auto mention = [&](std::uint32_t life, std::uint64_t address, std::uint64_t size) {
      if (size == 0) return;
      cuts.emplace_back(life, address);
      cuts.emplace_back(life, address + size);
    };
    std::vector<char> seen;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Event& e = x.event(EventNo{i});
      if (trace::is_access(e.kind)) mention(x.life_of(EventNo{i}), e.address, e.size);
      if (!x.has_missing()) continue;
      for (const model::SectionAt& at : x.sections_of(EventNo{i})) {
        if (reach_of(at).everything) everything = true;
        if (at.pieces >= seen.size()) seen.resize(at.pieces + 1);
        if (std::exchange(seen[at.pieces], 1) != 0) continue;
        for (const model::Piece& piece : x.pieces(at)) mention(piece.life, piece.range.address, piece.range.size);
      }
    }
    std::ranges::sort(cuts);
    cuts.erase(std::ranges::unique(cuts).begin(), cuts.end());
  }
  std::pair<std::size_t, std::size_t> cuts_of(std::uint32_t life, std::uint64_t address, std::uint64_t size) const {
    const auto from = std::ranges::lower_bound(cuts, Place{life, address});
    auto to = from;
    while (to != cuts.end() && to->first == life && to->second < address + size) ++to;
    return {from - cuts.begin(), to - cuts.begin()};
  }

  // A cell matters if somebody writes it and either two threads touch it or missing code reaches it. To state outside
  // of memory anybody may append, as long as nobody reads it.
  void choose_cells() {
    std::vector<std::uint32_t> toucher(cuts.size(), kNone);
    std::vector<char> shared(cuts.size()), written(cuts.size()), read(cuts.size());
    reached.assign(cuts.size(), everything ? 1 : 0);
    std::vector<char> seen;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Event& e = x.event(EventNo{i});
      if (trace::is_access(e.kind)) {
        const auto [from, to] = cuts_of(x.life_of(EventNo{i}), e.address, e.size);
        const bool may_write = trace::writes(e) || (w.relaxed() && w.symbols->outcome(EventNo{i}) != nullptr);
        for (std::size_t c = from; c < to; ++c) {
          if (toucher[c] == kNone) toucher[c] = static_cast<std::uint32_t>(index(e.thread));
          if (toucher[c] != index(e.thread)) shared[c] = 1;
          if (may_write) written[c] = 1;
          if (trace::reads(e)) read[c] = 1;
        }
      }
      if (!x.has_missing()) continue;
      for (const model::SectionAt& at : x.sections_of(EventNo{i})) {
        if (at.pieces >= seen.size()) seen.resize(at.pieces + 1);
        if (std::exchange(seen[at.pieces], 1) != 0) continue;
        for (const model::Piece& piece : x.pieces(at)) {
          const auto [from, to] = cuts_of(piece.life, piece.range.address, piece.range.size);
          std::fill(reached.begin() + from, reached.begin() + to, 1);
        }
      }
    }
    std::vector<char> changes(cuts.size());
    for (std::size_t c = 0; c < cuts.size(); ++c)
      changes[c] = written[c] != 0 && (reached[c] != 0 || (shared[c] != 0 && (read[c] != 0 || !is_state(c)))) ? 1 : 0;
    for (std::size_t i = 0; w.relaxed() && w.symbols->is_variant() && i < x.size(); ++i) {
      const Event& e = x.event(EventNo{i});
      if (!trace::reads(e) || !e.has(trace::kByValue)) continue;
      const auto [from, to] = cuts_of(x.life_of(EventNo{i}), e.address, e.size);
      std::fill(changes.begin() + from, changes.begin() + to, 1);
    }
    if (w.relaxed()) {
      find_shared_locks();
      Changes memory{*this, changes};
      w.may_change = find_changes(*w.symbols, threads, memory);
    }
    const Globals globals(w.trace.definitions.program.get());
    cell_at.assign(cuts.size(), kNone);
    for (std::size_t c = 0; c + 1 < cuts.size(); ++c) {
      if (changes[c] == 0) continue;
      cell_at[c] = static_cast<CellNo>(w.cells.size());
      Cell cell{cuts[c].second, cuts[c + 1].second - cuts[c].second, cuts[c].first, is_state(c), false, 0};
      if (cell.life == model::kNoLife) cell.start_known = globals.content(cell, cell.start);
      w.cells.push_back(cell);
    }
    w.writers.resize(w.cells.size());
  }

  bool is_state(std::size_t cut) const { return trace::is_state(cuts[cut].second); }

  struct Changes {
    const Builder& builder;
    std::vector<char>& changing;  // by cut
    auto cuts_of(EventNo no) const {
      const Event& e = builder.x.event(no);
      const auto [from, to] = builder.cuts_of(builder.x.life_of(no), e.address, e.size);
      return std::span(changing).subspan(from, to - from);
    }
    bool changes(EventNo no) const {
      return std::ranges::any_of(cuts_of(no), [](char change) { return change != 0; });
    }
    void change(EventNo no) const { std::ranges::fill(cuts_of(no), 1); }
    bool is_shared(EventNo no) const {
      // Of a variant it is not known who used a lock before detours were taken.
      return builder.w.symbols->is_variant() ||
             builder.shared_locks.contains({builder.x.life_of(no), builder.x.event(no).address});
    }
    bool is_off(EventNo no) const { return builder.w.symbols->diverged(builder.x.event(no).thread) <= no; }
  };
  // Locks that more than one thread uses.
  void find_shared_locks() {
    if (w.symbols->outcomes().empty()) return;
    std::map<Place, ThreadId> users;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Event& e = x.event(EventNo{i});
      if (trace::row_of(e.kind).group != Group::Lock) continue;
      const bool sleeps = e.kind == EventKind::Wait || e.kind == EventKind::Wake;
      const Place lock = sleeps ? Place{x.mutex_life_of(EventNo{i}), e.aux} : Place{x.life_of(EventNo{i}), e.address};
      if (users.try_emplace(lock, e.thread).first->second != e.thread) shared_locks.insert(lock);
    }
  }
  bool has_changing_inputs(ThreadId thread) const {
    return predict::has_changing_inputs(*w.symbols, w.may_change, thread);
  }
  bool has_condition(EventNo no, bool deviates) const {
    for (const model::Condition& condition : w.symbols->conditions(no)) {
      if (condition.broken || (condition.node == model::kHistory ? deviates : w.may_change[condition.node] != 0))
        return true;
      if (condition.kind == model::ConditionKind::Cas && w.symbols->read(no) == model::kConstant) return true;
    }
    return false;
  }

  bool is_demand(const Event& e, bool own_point) const {
    if (w.keeps_writers) return false;
    return own_point || e.kind == EventKind::Branch || e.has(trace::kCas) || e.has(trace::kComputed) ||
           (e.kind == EventKind::Fork && passes_values) || gives_back(e);
  }
  // The value that it gives back is the recorded one only if all that it read is.
  bool gives_back(const Event& e) const { return passes_values && e.kind == EventKind::ThreadEnd; }

  // What an access means for the choice of points.
  struct Touched {
    bool matters = false;
    bool reads_cell = false;
  };
  Touched touched_by(EventNo no, const Event& e) const {
    Touched touched;
    const auto [from, to] = cuts_of(x.life_of(no), e.address, e.size);
    for (std::size_t c = from; c < to; ++c) {
      if (cell_at[c] != kNone) touched.reads_cell = trace::reads(e);
      if (cell_at[c] != kNone || (x.has_missing() && reached[c] != 0)) touched.matters = true;
    }
    if (x.has_missing() && e.size > model::kManyBytes) touched.matters = true;
    if (const std::uint32_t life = x.life_of(no); life != model::kNoLife) {
      const model::Life& object = x.lives()[life];
      if (x.event(object.alloc).thread != e.thread) touched.matters = true;
      if (object.free && x.event(*object.free).thread != e.thread) touched.matters = true;
    }
    return touched;
  }
  // Does an event that is no access matter, whatever was read before it?
  static bool always_matters(const Event& e) {
    switch (trace::row_of(e.kind).group) {
      case Group::Lock:
      case Group::Memory:
      case Group::Missing: return true;
      case Group::Sync: return e.kind != EventKind::Fence;
      case Group::Life: return e.kind == EventKind::Fork || e.kind == EventKind::Join;
      default: return false;
    }
  }

  PointNo add_point(EventNo no, std::size_t thread, bool demanding) {
    const auto point = static_cast<PointNo>(w.event_of.size());
    CHECK(point != kNone, "a window of more than 2^32 events");
    w.point_of[index(no)] = point;
    w.event_of.push_back(no);
    w.thread_of.push_back(static_cast<std::uint32_t>(thread));
    w.position_of.push_back(static_cast<std::uint32_t>(w.of_thread[thread].size()));
    w.of_thread[thread].push_back(point);
    w.demands.push_back(demanding ? 1 : 0);
    return point;
  }

  void choose_points(std::uint64_t fixed_events) {
    w.event_of.push_back(EventNo{});
    w.thread_of.push_back(kNone);
    w.position_of.push_back(kNone);
    w.demands.push_back(0);
    w.of_thread.resize(threads);
    w.diverges_at.assign(threads, kNone);
    w.point_of.assign(x.size(), kNone);
    std::vector<char> has_read(threads);  // a read that may deviate, since the last demand (relaxed: at all)
    for (std::size_t i = 0; i < x.size(); ++i) {
      const EventNo no{i};
      const Event& e = x.event(no);
      const std::size_t t = index(e.thread);
      const bool own_point = x.has_missing() && !x.sections_of(no).empty();
      const bool diverges = w.relaxed() && w.symbols->diverged(e.thread) == no;
      if (diverges) has_read[t] = 1;
      const bool demanding = w.relaxed() ? has_condition(no, has_read[t] != 0) || (gives_back(e) && has_read[t] != 0)
                                         : is_demand(e, own_point);
      const Touched touched = trace::is_access(e.kind) ? touched_by(no, e) : Touched{always_matters(e), false};
      const bool matters = touched.matters || own_point || diverges || (demanding && (w.relaxed() || has_read[t] != 0));
      if (demanding && !w.relaxed()) has_read[t] = 0;
      if (touched.reads_cell || (w.relaxed() && ends_otherwise(no))) has_read[t] = 1;
      if (w.relaxed() && e.kind == EventKind::Fork && index(e.child()) < threads && has_changing_inputs(e.child()))
        has_read[index(e.child())] = 1;
      if (!matters) continue;
      const PointNo point = add_point(no, t, demanding);
      if (i < fixed_events) w.fixed = point;
      if (diverges) w.diverges_at[t] = point;
    }
  }

  void find_lanes() {
    w.lane_of_thread = model::lanes_of(w.trace.events, threads);
    w.lanes = threads == 0 ? 0 : std::ranges::max(w.lane_of_thread) + 1;
    std::vector<std::uint32_t> points(w.lanes);
    w.before_in_lane.assign(threads, kNone);
    for (PointNo p = 1; p < w.event_of.size(); ++p) {
      const std::uint32_t t = w.thread_of[p];
      if (w.before_in_lane[t] == kNone) w.before_in_lane[t] = points[w.lane_of_thread[t]];
      ++points[w.lane_of_thread[t]];
    }
  }

  bool ends_otherwise(EventNo no) const {
    const model::Outcome* outcome = w.symbols->outcome(no);
    return outcome != nullptr && w.may_change[outcome->node] != 0;
  }
  void find_free_outcomes() {
    if (!w.relaxed()) return;
    for (const auto& [event, outcome] : w.symbols->outcomes()) {
      const PointNo point = w.point_of[event];
      if (point == kNone || point <= w.fixed || !ends_otherwise(EventNo{event})) continue;
      const Event& e = w.event(point);
      if ((e.kind == EventKind::RdLock || e.kind == EventKind::WrLock) && e.has(trace::kRecursive)) continue;
      const PointNo decided = outcome.decided == model::kUndecided ? kNone : w.point_of[index(outcome.decided)];
      w.free_of_.resize(w.event_of.size(), kNone);
      w.free_of_[point] = static_cast<std::uint32_t>(w.free_.size());
      w.free_.push_back({&outcome, decided});
    }
  }

  void find_objects() {
    const std::size_t n = w.event_of.size();
    w.object_of.assign(n, kNone);
    w.mutex_of.assign(n, kNone);
    w.life_of.assign(n, model::kNoLife);
    w.scope_of.assign(n, kNone);
    w.alloc_of.assign(x.lives().size(), kNone);
    w.free_of.assign(x.lives().size(), kNone);
    std::map<Place, std::uint32_t> known;
    const auto object_at = [&](std::uint32_t life, std::uint64_t address) {
      const auto [it, fresh] = known.try_emplace({life, address}, static_cast<std::uint32_t>(w.objects.size()));
      if (fresh) w.objects.emplace_back();
      return it->second;
    };
    std::map<std::uint32_t, std::int64_t> balance;
    for (PointNo p = 1; p < n; ++p) {
      const Event& e = w.event(p);
      w.life_of[p] = x.life_of(w.event_of[p]);
      if (!has_object(e)) continue;
      const std::uint32_t o = w.object_of[p] = object_at(w.life_of[p], e.address);
      w.objects[o].points.push_back(p);
      if (w.free_outcome(p) != nullptr) w.objects[o].tried = true;
      if (e.kind == EventKind::Wait || e.kind == EventKind::Wake)
        w.mutex_of[p] = object_at(x.mutex_life_of(w.event_of[p]), e.aux);
      if (e.kind == EventKind::BarrierArrive && e.has(trace::kHasValue))
        w.objects[o].parties = std::max<std::uint64_t>(1, e.value);
      if (e.kind == EventKind::SemPost || e.kind == EventKind::SemWait) {
        std::int64_t& now = balance[o];
        if (e.kind == EventKind::SemPost) ++now;
        if (e.kind == EventKind::SemWait && !e.has(trace::kFailed)) --now;
        w.objects[o].start =
            e.has(trace::kHasValue) ? static_cast<std::int64_t>(e.value) : std::max(w.objects[o].start, -now);
      }
    }
    for (std::size_t life = 0; life < x.lives().size(); ++life) {
      w.alloc_of[life] = w.point_of[index(x.lives()[life].alloc)];
      if (x.lives()[life].free) w.free_of[life] = w.point_of[index(*x.lives()[life].free)];
    }
    for (const model::LockScope& scope : x.scopes()) {
      const PointNo acquire = w.point_of[index(scope.acquire)];
      const bool wakes = w.event(acquire).kind == EventKind::Wake;
      const std::uint32_t o = wakes ? w.mutex_of[acquire] : w.object_of[acquire];
      w.scope_of[acquire] = static_cast<std::uint32_t>(w.scopes.size());
      w.objects[o].scopes.push_back(static_cast<std::uint32_t>(w.scopes.size()));
      const PointNo release = scope.release ? w.point_of[index(*scope.release)] : kNone;
      PointNo certain = acquire;
      if (const FreeOutcome* free = w.free_outcome(acquire)) {
        certain = free->decided < release ? free->decided : kNone;
        if (certain != kNone) w.certain_later.emplace_back(certain, w.scopes.size());
      }
      w.scopes.push_back({o, w.thread_of[acquire], scope.shared, acquire, release, certain});
    }
    std::ranges::sort(w.certain_later);
    find_users();
  }
  void find_users() {
    if (w.free_.empty()) return;
    for (PointNo p = 1; p < w.event_of.size(); ++p) {
      const std::uint32_t lock = w.mutex_of[p] != kNone ? w.mutex_of[p] : w.object_of[p];
      if (lock == kNone || !w.objects[lock].tried) continue;
      w.objects[lock].users.resize(threads);
      w.objects[lock].users[w.thread_of[p]].push_back(p);
      if (w.event(p).has(trace::kRecursive)) w.objects[lock].recursive = true;
    }
  }

  struct CellsOfPiece {
    CellNo from = 0, to = 0;
  };
  // How far the trace has come: who wrote each cell last, and which missing code could have.
  struct Passed {
    std::vector<PointNo> writer;                     // by cell
    model::IntervalMap<CellNo, PointNo> section;     // of cells: the last own point of missing code that reaches it
    std::vector<std::vector<CellsOfPiece>> reached;  // by number of pieces, when they are first met
    PointNo everything_section = kStart;             // the last that reaches everything
    PointNo section_of(CellNo cell) const {
      const PointNo* const found = section.find(cell);
      return found == nullptr ? kStart : *found;
    }
    std::map<std::uint32_t, const trace::ReachSet*> running;  // sections whose code runs
  };

  // Recorded writers, and the last own point of missing code on each cell.
  void fill_accesses() {
    Passed passed;
    passed.writer.assign(w.cells.size(), kStart);
    w.accesses_begin_.push_back(0);
    for (PointNo p = 1; p < w.event_of.size(); ++p) {
      w.accesses_begin_.push_back(static_cast<std::uint32_t>(w.accesses_.size()));
      const EventNo no = w.event_of[p];
      const Event& e = x.event(no);
      if (trace::is_access(e.kind)) {
        const auto [from, to] = cuts_of(x.life_of(no), e.address, e.size);
        for (std::size_t c = from; c < to; ++c)
          if (cell_at[c] != kNone) {
            w.accesses_.push_back(cell_access(e, cell_at[c], passed));
            if (!trace::writes(e) && w.may_write(p)) may_store(p, e, w.accesses_.back());
          }
      }
      if (x.has_missing()) pass_sections(p, no, e, passed);
      if (w.may_write(p))
        for (std::size_t k = w.accesses_begin_[p]; k < w.accesses_.size(); ++k) {
          if (trace::writes(e)) passed.writer[w.accesses_[k].cell] = p;
          w.writers[w.accesses_[k].cell].push_back(p);
        }
    }
    w.accesses_begin_.push_back(static_cast<std::uint32_t>(w.accesses_.size()));
    w.last_section.assign(w.cells.size(), kStart);
    passed.section.for_each(0, static_cast<CellNo>(w.cells.size()), [&](CellNo from, CellNo to, PointNo p) {
      std::fill(w.last_section.begin() + from, w.last_section.begin() + to, p);
    });
    for (CellNo c = 0; c < w.cells.size() && passed.everything_section != kStart; ++c)
      if (const std::uint32_t life = w.cells[c].life;
          life == model::kNoLife || w.alloc_of[life] < passed.everything_section)
        w.last_section[c] = std::max(w.last_section[c], passed.everything_section);
  }
  CellAccess cell_access(const Event& e, CellNo number, const Passed& passed) const {
    CellAccess access{
        .cell = number, .reads = trace::reads(e), .writes = trace::writes(e), .appends = trace::is_append(e)};
    Cell& cell = w.cells[number];
    const bool valued = e.has(trace::kHasValue) && e.size <= 8;
    const std::uint64_t offset = cell.address - e.address;
    access.read_known = access.reads && valued && !w.keeps_writers;
    access.written_known = access.writes && valued;
    if (access.read_known) access.read = cut(e.value, offset, cell.size);
    if (access.written_known) access.written = cut(trace::stored_value(e), offset, cell.size);
    if (!access.reads && !access.appends) return access;
    access.section = passed.section_of(number);
    const bool born_since = cell.life != model::kNoLife && w.alloc_of[cell.life] > passed.everything_section;
    if (!born_since) access.section = std::max(access.section, passed.everything_section);
    access.recorded = e.has(trace::kByValue) ? kNone : std::max(passed.writer[number], access.section);
    for (const auto& [id, reach] : passed.running)
      access.only_by_identity = access.only_by_identity || contains(*reach, cell.address);
    if (access.recorded == kStart && access.read_known && !cell.start_known) {
      cell.start_known = true;
      cell.start = access.read;
    }
    return access;
  }
  // A compare-and-swap that failed: what it would have stored.
  void may_store(PointNo p, const Event& e, CellAccess& access) const {
    const Cell& cell = w.cells[access.cell];
    access.writes = true;
    access.written_known = e.size <= 8;
    if (access.written_known)
      access.written = cut(w.free_outcome(p)->outcome->stores.value, cell.address - e.address, cell.size);
  }
  void pass_sections(PointNo p, EventNo no, const Event& e, Passed& passed) const {
    const std::span<const model::SectionAt> own = x.sections_of(no);
    for (const model::SectionAt& at : own) {
      if (reach_of(at).everything) passed.everything_section = p;
      // It goes on, unless it calls a recorded function or has come to its end.
      if (e.kind == EventKind::Call || (e.kind == EventKind::MissingEnd && at.section == own.back().section))
        passed.running.erase(at.section);
      else
        passed.running[at.section] = &reach_of(at);
      for (const CellsOfPiece& cells : cells_reached(at, passed)) passed.section.assign(cells.from, cells.to, p);
    }
  }
  // The cells of what it reaches; those of one piece have numbers in a row.
  std::span<const CellsOfPiece> cells_reached(const model::SectionAt& at, Passed& passed) const {
    while (at.pieces >= passed.reached.size()) {
      model::SectionAt next = at;
      next.pieces = static_cast<std::uint32_t>(passed.reached.size());
      std::vector<CellsOfPiece>& all = passed.reached.emplace_back();
      for (const model::Piece& piece : x.pieces(next)) {
        const auto [from, to] = cuts_of(piece.life, piece.range.address, piece.range.size);
        const auto cuts_with_cells = std::span(cell_at).subspan(from, to - from);
        const auto is_cell = [](CellNo cell) { return cell != kNone; };
        const auto first = std::ranges::find_if(cuts_with_cells, is_cell);
        if (first == cuts_with_cells.end()) continue;
        const CellNo count = static_cast<CellNo>(std::ranges::count_if(cuts_with_cells, is_cell));
        all.push_back({*first, *first + count});
      }
    }
    return passed.reached[at.pieces];
  }
  static bool contains(const trace::ReachSet& reach, std::uint64_t address) {
    if (reach.everything) return true;
    auto it = std::ranges::upper_bound(reach.ranges, address, {}, &trace::Range::address);
    return it != reach.ranges.begin() && address - std::prev(it)->address < std::prev(it)->size;
  }

  void find_plain() {
    std::vector<std::uint32_t> holder(w.objects.size(), kNone);
    w.plain.assign(w.objects.size(), 1);
    w.as_recorded = w.size();
    for (PointNo p = 1; p <= w.size(); ++p) {
      const Event& e = w.event(p);
      for (const CellAccess& access : w.accesses(p))
        if ((access.reads || access.appends) && access.recorded == kNone)
          w.as_recorded = std::min(w.as_recorded, p - 1);
      const std::uint32_t o = w.object_of[p], t = w.thread_of[p];
      if (o == kNone) continue;
      if (w.mutex_of[p] != kNone) w.plain[w.mutex_of[p]] = 0;
      if (e.kind == EventKind::Lock && e.has(trace::kFailed)) continue;
      const bool locks = e.kind == EventKind::Lock && holder[o] == kNone;
      const bool unlocks = e.kind == EventKind::Unlock && holder[o] == t;
      if (!locks && !unlocks) w.plain[o] = 0;
      holder[o] = locks ? t : kNone;
    }
    for (std::uint32_t o = 0; o < w.objects.size(); ++o)
      if (w.plain[o] == 0) w.not_plain.push_back(o);
    for (PointNo p = 1; p <= w.size(); ++p) {
      const std::uint32_t o = w.object_of[p];
      if (o != kNone && w.plain[o] == 0) w.not_plain_points.push_back(p);
    }
    for (const PointNo p : w.diverges_at)
      if (p != kNone) w.as_recorded = std::min(w.as_recorded, p - 1);
  }

  void find_demands() {
    const std::size_t n = w.event_of.size();
    w.every_read = w.keeps_writers || !w.trace.definitions.branches;
    w.demanded_by.assign(n, kNone);
    w.last_demand.assign(n, kNone);
    if (w.relaxed()) return;
    std::vector<std::vector<PointNo>> pending(threads);
    std::vector<std::uint32_t> last(threads, kNone);
    for (PointNo p = 1; p < n; ++p) {
      const std::uint32_t t = w.thread_of[p];
      const Event& e = w.event(p);
      if (w.demands[p] != 0) {
        for (const PointNo read : pending[t]) w.demanded_by[read] = w.position_of[p];
        pending[t].clear();
        last[t] = w.position_of[p];
      }
      w.last_demand[p] = last[t];
      if (!trace::reads(e) || w.accesses(p).empty()) continue;
      // A compare-and-swap that failed, without a value, must find what it found.
      if (w.every_read || w.is_own_point(p) ||
          (e.has(trace::kCas) && (!e.has(trace::kFailed) || !e.has(trace::kHasValue))))
        w.demanded_by[p] = w.position_of[p];
      else
        pending[t].push_back(p);
    }
  }

  Window& w;
  const model::Execution& x;
  const std::uint64_t fixed;
  const std::size_t threads;
  const bool passes_values = trace::threads_pass_values(w.trace.definitions);
  std::vector<Place> cuts;
  std::vector<char> reached;
  std::vector<CellNo> cell_at;  // by cut: the cell that begins there, or kNone
  std::set<Place> shared_locks;
  bool everything = false;  // some missing code reaches everything
};

Window::Window(const trace::Trace& t, std::uint64_t fixed_events, const model::SymbolicTrace* path, bool writers_only)
    : trace(t), execution(t), symbols(path), keeps_writers(writers_only) {
  Builder(*this, fixed_events);
}

model::NodeNo Window::written(PointNo write) const {
  const bool wrote = trace::writes(event(write));
  const model::NodeNo node = wrote ? symbols->written(event_of[write]) : free_outcome(write)->outcome->stores.node;
  return node == model::kHistory || may_change[node] != 0 ? node : model::kConstant;
}

const CellAccess& Window::access(PointNo point, CellNo cell) const {
  const std::span<const CellAccess> all = accesses(point);
  const auto it = std::ranges::lower_bound(all, cell, {}, &CellAccess::cell);
  CHECK(it != all.end() && it->cell == cell, "point {} does not touch cell {}", point, cell);
  return *it;
}

bool Window::reaches(PointNo own_point, CellNo cell) const {
  if (const std::uint32_t life = cells[cell].life; life != model::kNoLife) {
    const model::Life& object = execution.lives()[life];
    if (object.alloc > event_of[own_point] || (object.free && *object.free < event_of[own_point])) return false;
  }
  for (const model::SectionAt& at : execution.sections_of(event_of[own_point])) {
    if (trace.definitions.reach[execution.sections()[at.section].reach].everything) return true;
    for (const model::Piece& piece : execution.pieces(at))
      if (piece.life == cells[cell].life && cells[cell].address - piece.range.address < piece.range.size) return true;
  }
  return false;
}

bool Window::gives(PointNo writer, const CellAccess& read) const {
  if (writer == read.recorded) return true;
  if (read.only_by_identity || !read.read_known) return false;
  if (writer == kStart) return cells[read.cell].start_known && cells[read.cell].start == read.read;
  const std::span<const CellAccess> all = accesses(writer);
  const auto it = std::ranges::lower_bound(all, read.cell, {}, &CellAccess::cell);
  return it != all.end() && it->cell == read.cell && it->written_known && it->written == read.read;
}

}  // namespace racecast::analysis::predict
