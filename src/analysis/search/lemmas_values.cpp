// What is learned where values are relaxed: a condition failed because certain reads read from certain writes, and
// those stored what they did because of other reads, and so on. As long as all of them do, it fails.
//
// A chain of reads and writes may lead back to the start of a long trace. It is followed to the writes that store what
// was recorded, and no further: that they do is a variable of its own. Only if the search gives one of them up, the
// solver learns what makes it store that: its own reads, and again no further than to writes of recorded values.
//
// Unknown values need little explaining: as long as one of the reads that a value is computed from is unknown, it is
// unknown, too, and nothing that is unknown satisfies a condition. For the same reason a write of the recorded value
// that would turn unknown if its thread deviated (the history rule) explains itself.
#include <algorithm>

#include "analysis/search/lemmas.h"

namespace racecast::analysis::predict {

using model::Node;
using model::NodeKind;
using model::NodeNo;
using smt::kFalse;
using smt::kTrue;

namespace {

// The reads and histories that a node is computed from, of those that can change. Valid until the next call.
const std::vector<NodeNo>& leaves_of(const Window& window, LemmaScratch& scratch, NodeNo root) {
  constexpr std::size_t kMany = 100'000;
  if (scratch.leaves.size() > kMany) scratch.leaves.clear();
  const auto [it, fresh] = scratch.leaves.try_emplace(root);
  std::vector<NodeNo>& leaves = it.value();
  if (!fresh) return leaves;
  std::vector<NodeNo> open{root};
  HashSet<NodeNo> seen{root};
  while (!open.empty()) {
    const NodeNo n = open.back();
    open.pop_back();
    if (window.may_change[n] == 0) continue;
    const Node& node = window.symbols->nodes()[n];
    if (node.kind == NodeKind::Read || node.kind == NodeKind::Outcome || node.kind == NodeKind::History) {
      leaves.push_back(n);
      continue;
    }
    for (const model::NodeOperand& operand : window.symbols->operands(node))
      if (seen.insert(operand.node).second) open.push_back(operand.node);
  }
  return leaves;
}

// Does a write always store what was recorded, because each read that it is computed from has one write to read from,
// of which the same is true? A counter that one thread alone writes is a chain of these.
class AlwaysRecorded {
 public:
  AlwaysRecorded(const Window& window, const MustOrder& must, LemmaScratch& scratch)
      : window_(window), must_(must), scratch_(scratch) {}

  bool operator()(PointNo write) {
    open_.assign(1, write);
    while (!open_.empty()) {
      const PointNo now = open_.back();
      if (scratch_.always_recorded.contains(now)) {
        open_.pop_back();
        continue;
      }
      const std::size_t size = open_.size();
      const bool so_far = look_at(now);
      if (so_far && open_.size() > size) continue;
      open_.resize(size - 1);
      scratch_.always_recorded[now] = so_far;
    }
    return scratch_.always_recorded[write];
  }

 private:
  // Opens the writes that it depends on and that are not decided yet. False: it does not.
  bool look_at(PointNo write) {
    if (write == kStart) return true;
    if (!trace::writes(window_.event(write))) return false;
    const NodeNo node = window_.written(write);
    if (node == model::kConstant) return true;
    if (node == model::kHistory) return false;
    for (const NodeNo leaf : leaves_of(window_, scratch_, node)) {
      const Node& read = window_.symbols->nodes()[leaf];
      if (read.kind != NodeKind::Read) return false;
      const PointNo reader = window_.point_of[index(read.event)];
      if (reader == kNone) continue;
      for (const CellAccess& access : window_.accesses(reader)) {
        NearestWriters writers(must_, reader, access.cell, access.section);
        const std::optional<PointNo> only = writers.next();
        if (!only || *only >= reader || writers.next()) return false;
        const auto known = scratch_.always_recorded.find(*only);
        if (known == scratch_.always_recorded.end())
          open_.push_back(*only);
        else if (!known->second)
          return false;
      }
    }
    return true;
  }

  const Window& window_;
  const MustOrder& must_;
  LemmaScratch& scratch_;
  std::vector<PointNo> open_;
};

}  // namespace

// Why values of an attempt are what they are.
class Lemmas::Reasons {
 public:
  Reasons(const Window& window, const MustOrder& must, const Attempt& attempt, LemmaScratch& scratch)
      : window_(window), attempt_(attempt), scratch_(scratch), always_recorded_(window, must, scratch) {}

  struct Source {
    PointNo reader = 0;
    CellNo cell = 0;
    PointNo section = kStart, writer = kStart;
  };
  const std::vector<Source>& sources() const { return sources_; }
  // And the first of these is not before the second.
  const std::vector<std::pair<PointNo, PointNo>>& orders() const { return orders_; }
  // And these writes store what was recorded; that is not followed.
  const std::vector<PointNo>& recorded() const { return recorded_; }
  // And these tries end as they did.
  const std::vector<PointNo>& tries() const { return tries_; }

  void add_value(NodeNo node) {
    if (node != model::kConstant) add_leaves(node);
    close();
  }
  void add_read(PointNo read) {
    open(read);
    close();
  }
  // What the last write before `reader` left in the cell.
  void add_content(PointNo reader, CellNo cell, PointNo section) {
    if (window_.cells[cell].is_state) {
      add_state(reader, cell);
      close();
      return;
    }
    const PointNo writer = std::max(attempt_.writer(cell), section);
    sources_.push_back({reader, cell, section, writer});
    add_writer(writer);
    close();
  }

 private:
  void open(PointNo read) {
    if (seen_.insert(read).second) open_.push_back(read);
  }
  void add_state(PointNo reader, CellNo cell) {
    const StateCause cause = why_not_as_recorded(window_, attempt_, reader, cell);
    if (cause.deviating != kNone) open(cause.deviating);
    if (cause.first != kNone) orders_.emplace_back(cause.first, cause.second);
  }
  void add_leaves(NodeNo node) {
    const std::vector<NodeNo>& leaves = leaves_of(window_, scratch_, node);
    if (!attempt_.values().value(node))
      for (const NodeNo leaf : leaves)
        if (!attempt_.values().value(leaf)) return add_leaf(leaf);
    for (const NodeNo leaf : leaves) add_leaf(leaf);
  }
  void add_leaf(NodeNo leaf) {
    const Node& node = window_.symbols->nodes()[leaf];
    if (node.kind != NodeKind::History) {
      if (const PointNo read = window_.point_of[index(node.event)]; read != kNone) open(read);
      return;
    }
    const PointNo read = attempt_.deviated(static_cast<std::uint32_t>(index(node.thread)));
    if (read != kStart && index(window_.event_of[read]) < index(node.event)) open(read);
  }
  void add_writer(PointNo writer) {
    if (writer == kStart || !window_.may_write(writer)) return;
    const NodeNo node = window_.written(writer);
    if (node == model::kConstant) return;
    if (node == model::kHistory) {
      if (attempt_.poisoned(writer)) open(attempt_.deviated(window_.thread_of[writer]));
      return;
    }
    if (always_recorded_(writer)) return;
    if (attempt_.values().is_recorded(node) && depends_on_reads_only(node)) {
      if (seen_writes_.insert(writer).second) recorded_.push_back(writer);
      return;
    }
    add_leaves(node);
  }
  bool depends_on_reads_only(NodeNo node) {
    return std::ranges::all_of(leaves_of(window_, scratch_, node),
                               [&](NodeNo leaf) { return window_.symbols->nodes()[leaf].kind == NodeKind::Read; });
  }
  void close() {
    while (!open_.empty()) {
      const PointNo read = open_.back();
      open_.pop_back();
      const trace::Event& e = window_.event(read);
      if (!trace::is_access(e.kind) && window_.free_outcome(read) != nullptr) tries_.push_back(read);
      if (e.kind == trace::EventKind::Fork)
        for (const NodeNo input : window_.symbols->inputs(e.child()))
          if (!attempt_.values().is_recorded(input)) add_leaves(input);
      const std::span<const CellAccess> accesses = window_.accesses(read);
      for (std::uint32_t k = 0; k < accesses.size(); ++k) {
        if (window_.cells[accesses[k].cell].is_state) {
          add_state(read, accesses[k].cell);
          continue;
        }
        const PointNo writer = attempt_.performed(read)
                                   ? attempt_.read_from(read, k)
                                   : std::max(attempt_.writer(accesses[k].cell), accesses[k].section);
        sources_.push_back({read, accesses[k].cell, accesses[k].section, writer});
        add_writer(writer);
      }
    }
  }

  const Window& window_;
  const Attempt& attempt_;
  LemmaScratch& scratch_;
  AlwaysRecorded always_recorded_;
  std::vector<Source> sources_;
  std::vector<std::pair<PointNo, PointNo>> orders_;
  std::vector<PointNo> recorded_, tries_;
  std::vector<PointNo> open_;
  HashSet<PointNo> seen_, seen_writes_;
};

smt::Literal Lemmas::stores_recorded(PointNo write) {
  const auto [it, fresh] = stores_recorded_.try_emplace(write);
  if (fresh) {
    it->second = solver_.new_variable();
    solver_.prefer(it->second);
  }
  return it->second;
}

// Not all of these again, if the point is kept (a racing access: it is).
void Lemmas::add_reasons(const Attempt& attempt, PointNo point, const Reasons& reasons) {
  add_reasons(attempt, is_racing(point) ? Clause{} : Clause{not_kept(point)}, reasons);
}
// The clause, or not all of these again.
void Lemmas::add_reasons(const Attempt& attempt, Clause clause, const Reasons& reasons) {
  // Writes that the model has storing something else, though they store what was recorded as long as their reads do
  // not change.
  std::vector<PointNo> given_up;
  HashSet<PointNo> seen;
  const auto look_at = [&](const std::vector<PointNo>& writes) {
    for (const PointNo write : writes)
      if (!explained_.contains(write) && solver_.holds(~stores_recorded(write)) && seen.insert(write).second)
        given_up.push_back(write);
  };
  look_at(reasons.recorded());
  add_broken(attempt, std::move(clause), reasons);
  while (!given_up.empty()) {
    const PointNo write = given_up.back();
    given_up.pop_back();
    Reasons why(window_, must_, attempt, scratch_);
    why.add_value(window_.written(write));
    look_at(why.recorded());
    add_broken(attempt, {stores_recorded(write)}, why);
    // Where its reads have no choice, and no try or append has one, all that can be given up is the writes before it.
    const bool reads_have = std::ranges::any_of(why.sources(), [&](const Reasons::Source& source) {
      return choice(source.reader, source.cell, source.section).is_free();
    });
    if (reads_have || !why.tries().empty() || !why.orders().empty()) continue;
    explained_.insert(write);
    for (const PointNo earlier : why.recorded())
      if (!explained_.contains(earlier) && seen.insert(earlier).second) given_up.push_back(earlier);
  }
}
void Lemmas::add_broken(const Attempt& attempt, Clause clause, const Reasons& reasons) {
  for (const PointNo write : reasons.recorded()) clause.push_back(~stores_recorded(write));
  for (const auto& [first, second] : reasons.orders()) clause.push_back(before(first, second));
  for (const PointNo tries : reasons.tries()) clause.push_back(other_outcome(attempt, tries));
  for (const Reasons::Source& source : reasons.sources()) {
    Choice& writers = choice(source.reader, source.cell, source.section);
    if (!writers.is_free()) continue;  // it cannot read from another
    if (std::ranges::find(writers.listed, source.writer) == writers.listed.end())
      list_more(source.reader, source.cell, writers, source.writer);
    else if (solver_.holds(writers.rest))
      list_more(source.reader, source.cell, writers, std::nullopt);
    clause.push_back(~last_write(source.reader, source.cell, source.writer));
    // Where the model is wrong about who wrote at all, it learns why.
    for (const PointNo writer : writers.listed)
      if (writer != kStart && window_.free_outcome(writer) != nullptr && attempt.performed(writer) &&
          (writer == source.writer || solver_.holds(last_write(source.reader, source.cell, writer))))
        static_cast<void>(other_outcome(attempt, writer));
    // The model may say that another one is the last. Then the next that it thinks of should not be in vain, too.
    const bool is_other = std::ranges::any_of(writers.listed, [&](PointNo writer) {
      return writer != source.writer && solver_.holds(last_write(source.reader, source.cell, writer));
    });
    if (is_other)
      for (const PointNo writer : writers.listed)
        if (writer != source.writer && source.writer != kStart)
          intruders_.push_back({source.reader, source.cell, source.section, writer, source.writer});
  }
  add(clause);
  for (const Intruder& i : intruders_)
    if (between_.insert({i.reader, i.cell, i.writer, i.intruder}).second)
      add_between(i.reader, i.cell, i.section, i.writer, i.intruder);
  intruders_.clear();
}

Lemmas::Choice& Lemmas::choice(PointNo reader, CellNo cell, PointNo section) {
  const auto [it, fresh] = choices_.try_emplace({reader, cell});
  if (fresh) {
    it->second.writers = NearestWriters(must_, reader, cell, section);
    it->second.next = it->second.writers.next();
    it->second.rest = kFalse;
    const std::span<const CellAccess> accesses = window_.accesses(reader);
    const auto access = std::ranges::lower_bound(accesses, cell, {}, &CellAccess::cell);
    const bool has_recorded =
        access != accesses.end() && access->cell == cell && access->reads && access->recorded != kNone;
    list_more(reader, cell, it->second, has_recorded ? std::optional(access->recorded) : std::nullopt);
  }
  return it->second;
}

// Lists `wanted` and the next few: as many as there are already, up to some.
void Lemmas::list_more(PointNo reader, CellNo cell, Choice& choice, std::optional<PointNo> wanted) {
  constexpr std::size_t kFirst = 4, kMost = 64;
  const std::size_t before = choice.listed.size();
  const auto is_listed = [&](PointNo p) { return std::ranges::find(choice.listed, p) != choice.listed.end(); };
  const auto skip_listed = [&] {
    while (choice.next && is_listed(*choice.next)) choice.next = choice.writers.next();
  };
  if (wanted && !is_listed(*wanted)) choice.listed.push_back(*wanted);
  const std::size_t until = std::max(kFirst, before + std::min(before, kMost));
  for (skip_listed(); choice.next && choice.listed.size() < until; skip_listed()) choice.listed.push_back(*choice.next);

  const Literal without = before == 0 ? kTrue : choice.rest;
  if (choice.is_free()) {
    Clause clause;
    if (before != 0)
      clause.push_back(~without);
    else if (!is_racing(reader))
      clause.push_back(not_kept(reader));
    for (const PointNo writer : std::span(choice.listed).subspan(before))
      clause.push_back(last_write(reader, cell, writer));
    choice.rest = choice.next ? solver_.new_variable() : kFalse;
    clause.push_back(choice.rest);
    add(clause);
  }
  // Else the search would rather say of each that it is not the one, to be done with what follows from it.
  for (const PointNo writer : std::span(choice.listed).subspan(before))
    if (std::ranges::all_of(choice.demands, [&](Demanded& demand) {
          return meets(reader, window_.access(reader, cell), demand, writer);
        }))
      solver_.prefer(last_write(reader, cell, writer));
  for (Demanded& demand : choice.demands)
    add_demanded(reader, window_.access(reader, cell), demand, std::span(choice.listed).subspan(before), without,
                 choice.rest);
}

// If the point is kept, the read finds in the cell a write whose value will do, or one of which nobody knows yet what
// it stores.
void Lemmas::add_demand(PointNo reader, const CellAccess& access, PointNo point, const model::Condition* condition) {
  Choice& writers = choice(reader, access.cell, access.section);
  const auto same = [&](const Demanded& demand) { return demand.point == point && demand.condition == condition; };
  if (std::ranges::any_of(writers.demands, same)) return;
  Demanded& demand = writers.demands.emplace_back(point, condition, HashMap<std::uint64_t, bool>());
  add_demanded(reader, access, demand, writers.listed, kTrue, writers.rest);
}
// Of these writers, or of the rest; `without`: only if it is none of those that are listed already.
void Lemmas::add_demanded(PointNo reader, const CellAccess& access, Demanded& demand, std::span<const PointNo> writers,
                          Literal without, Literal rest) {
  Clause clause{~without, rest};
  if (!is_racing(demand.point)) clause.push_back(not_kept(demand.point));
  for (const PointNo writer : writers)
    if (meets(reader, access, demand, writer)) clause.push_back(last_write(reader, access.cell, writer));
  add(clause);
}

bool Lemmas::meets(PointNo reader, const CellAccess& access, Demanded& demand, PointNo writer) {
  const bool is_write = writer != kStart && window_.may_write(writer);
  const NodeNo node = is_write ? window_.written(writer) : model::kConstant;
  if (node != model::kConstant && node != model::kHistory) return true;
  const bool gives = window_.gives(writer, access);
  if (demand.condition == nullptr) return gives;
  if (gives) return satisfies(demand, reader, access.read);
  if (writer == kStart) {
    const Cell& cell = window_.cells[access.cell];
    return cell.start_known && satisfies(demand, reader, cell.start);
  }
  if (!is_write) return false;
  const CellAccess& stored = window_.access(writer, access.cell);
  return stored.written_known && satisfies(demand, reader, stored.written);
}
bool Lemmas::satisfies(Demanded& demand, PointNo reader, std::uint64_t value) {
  const auto [it, fresh] = demand.satisfies.try_emplace(value, false);
  if (fresh) {
    std::unique_ptr<model::SymbolicValues>& trial = scratch_.trial;
    if (!trial) trial = std::make_unique<model::SymbolicValues>(*window_.symbols);
    trial->reset();
    trial->set_read(window_.event_of[reader], value, false);
    it.value() = trial->holds(*demand.condition).value_or(false);
  }
  return it->second;
}

// The point needs the read to be faithful (or the try to end as recorded).
void Lemmas::explain_unfaithful(const Attempt& attempt, PointNo point, PointNo read) {
  const Clause head = is_racing(point) ? Clause{} : Clause{not_kept(point)};
  for (const CellAccess& access : window_.accesses(read)) {
    if (!window_.cells[access.cell].is_state) {
      add_demand(read, access, point, nullptr);
    } else {
      add_appends(head, point, read, access.cell);
      add_order_of_appends(attempt, head, read, access.cell);
    }
  }
  Reasons reasons(window_, must_, attempt, scratch_);
  reasons.add_read(read);
  add_reasons(attempt, point, reasons);
}

void Lemmas::explain_condition(const Attempt& attempt, const Blocked& blocked) {
  const EventNo no = window_.event_of[blocked.point];
  explain_condition(attempt, blocked.point, window_.symbols->conditions(no)[blocked.other]);
}
void Lemmas::explain_condition(const Attempt& attempt, PointNo point, const model::Condition& condition) {
  const std::vector<NodeNo>& leaves = leaves_of(window_, scratch_, condition.node);
  if (leaves.size() == 1 && window_.symbols->nodes()[leaves[0]].kind == NodeKind::Read)
    explain_by_value(point, condition, window_.symbols->nodes()[leaves[0]].event);
  Reasons reasons(window_, must_, attempt, scratch_);
  reasons.add_value(condition.node);
  add_reasons(attempt, point, reasons);
}

// What it read and what it expected. Where its thread goes on only if it ends as recorded, that is a condition.
void Lemmas::explain_cas_outcome(const Attempt& attempt, PointNo point) {
  const FreeOutcome& free = *window_.free_outcome(point);
  if (!attempt.performed(point)) {
    const EventNo decided = window_.event_of[free.decided];
    explain_condition(attempt, free.decided, window_.symbols->conditions(decided)[free.outcome->by]);
    return;
  }
  Reasons reasons(window_, must_, attempt, scratch_);
  reasons.add_value(free.outcome->node);
  add_reasons(attempt, {not_kept(point), attempt.succeeds(point) ? success(point) : ~success(point)}, reasons);
}

// A condition on one read alone: which of the values that are stored there satisfy it?
void Lemmas::explain_by_value(PointNo point, const model::Condition& condition, EventNo read) {
  const PointNo reader = window_.point_of[index(read)];
  const trace::Event& e = window_.trace.events[index(read)];
  const std::span<const CellAccess> accesses = window_.accesses(reader);
  if (accesses.size() != 1 || window_.cells[accesses[0].cell].size != e.size || !accesses[0].read_known ||
      accesses[0].only_by_identity)
    return;
  add_demand(reader, accesses[0], point, &condition);
}

void Lemmas::explain_content(const Attempt& attempt, const Blocked& blocked) {
  Reasons reasons(window_, must_, attempt, scratch_);
  reasons.add_content(blocked.point, blocked.cell, kStart);
  add_reasons(attempt, blocked.point, reasons);
}

}  // namespace racecast::analysis::predict
