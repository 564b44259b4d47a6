// See value_z3.h. For each event: is it kept, and its position in the schedule, a bit-vector that has room for all. For
// each node of the symbolic trace: its value as 64 bits, and whether its instruction faults. Then, line by line, the
// rules of docs/semantics.md, sections 2 and 7. Events that are not kept may stand anywhere; what they read is free.
//
// All of it is one formula for the whole trace; a pair only assumes that its two accesses are next, so what Z3 learns
// from one pair serves the others. Integers for positions were not tried: with bit-vectors all is one theory.
#include "property/value_z3.h"

#include <fmt/format.h>
#include <z3++.h>

#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <optional>

#include "program/program.h"

namespace racecast::property {

using model::Condition;
using model::ConditionKind;
using model::kConstant;
using model::kFirstNode;
using model::kHistory;
using model::Node;
using model::NodeKind;
using model::NodeNo;
using model::NodeOperand;
using program::Instruction;
using program::Op;
using program::Rmw;
using trace::Event;
using trace::EventKind;

namespace {

class Encoder {
 public:
  Encoder(const trace::Trace& trace, const model::SymbolicTrace& symbols)
      : trace_(trace), symbols_(symbols), solver_(context_, "QF_BV") {}

  // False: something has no formula, see not_encoded().
  bool encode() {
    for (const Event& e : trace_.events) check_event(e);
    if (!not_encoded_.empty()) return false;
    make_events();
    make_nodes();
    add_threads();
    add_locks();
    add_memory();
    for (std::size_t e = 0; e < trace_.events.size(); ++e)
      for (const Condition& c : symbols_.conditions(EventNo{e})) solver_.add(z3::implies(kept_[e], holds(c)));
    add_next();
    return not_encoded_.empty();
  }
  const std::string& not_encoded() const { return not_encoded_; }

  smt::Answer ask(EventNo a, EventNo b, unsigned effort) {
    z3::params params(context_);
    params.set("rlimit", effort);
    solver_.set(params);
    z3::expr_vector both(context_);
    both.push_back(next_.at(index(a)));
    both.push_back(next_.at(index(b)));
    const z3::check_result result = solver_.check(both);
    if (result == z3::unknown) return smt::Answer::Unknown;
    return result == z3::sat ? smt::Answer::Sat : smt::Answer::Unsat;
  }

 private:
  struct Value {
    z3::expr value;   // 64 bits
    z3::expr faults;  // then the value means nothing
  };
  struct Scope {
    ThreadId thread{};
    bool shared = false;
    std::size_t acquire = 0;
    std::optional<std::size_t> release;
  };

  void give_up(std::string_view what) {
    if (not_encoded_.empty()) not_encoded_ = what;
  }

  void check_event(const Event& e) {
    switch (e.kind) {
      case EventKind::ThreadBegin:
      case EventKind::ThreadEnd:
      case EventKind::Fork:
      case EventKind::Join:
      case EventKind::Fence:
      case EventKind::Branch:
      case EventKind::Call:
      case EventKind::Return:
      case EventKind::Marker: return;
      case EventKind::Read:
      case EventKind::Write:
      case EventKind::AtomicRead:
      case EventKind::AtomicWrite:
      case EventKind::AtomicRmw:
        if (e.size != 8 || e.address % 8 != 0 || !e.has(trace::kHasValue)) give_up("an access that is not of 8 bytes");
        return;
      case EventKind::Lock:
      case EventKind::Unlock:
      case EventKind::RdLock:
      case EventKind::WrLock:
      case EventKind::RwUnlock:
        if (e.has(trace::kTry) || e.has(trace::kFailed) || e.has(trace::kRecursive)) give_up("a try");
        return;
      default: give_up(trace::row_of(e.kind).text);
    }
  }

  // --- events

  z3::expr before(std::size_t a, std::size_t b) { return z3::ult(position_[a], position_[b]); }
  z3::expr bits64(std::uint64_t value) { return context_.bv_val(value, 64); }

  void make_events() {
    const std::size_t n = trace_.events.size();
    const auto width = static_cast<unsigned>(std::bit_width(n));
    for (std::size_t e = 0; e < n; ++e) {
      kept_.push_back(context_.bool_const(fmt::format("kept{}", e).c_str()));
      position_.push_back(context_.bv_const(fmt::format("at{}", e).c_str(), width));
      by_thread_[trace_.events[e].thread].push_back(e);
      if (trace_.events[e].kind == EventKind::Fork) forks_[trace_.events[e].child()] = e;
    }
  }

  // prefix, life-of-threads
  void add_threads() {
    for (const auto& [thread, events] : by_thread_) {
      for (std::size_t k = 1; k < events.size(); ++k) {
        solver_.add(z3::implies(kept_[events[k]], kept_[events[k - 1]]));
        solver_.add(before(events[k - 1], events[k]));
      }
      if (const auto fork = forks_.find(thread); fork != forks_.end())
        solver_.add(z3::implies(kept_[events.front()], kept_[fork->second] && before(fork->second, events.front())));
    }
    for (std::size_t e = 0; e < trace_.events.size(); ++e) {
      if (trace_.events[e].kind != EventKind::Join) continue;
      const auto child = by_thread_.find(trace_.events[e].child());
      if (child == by_thread_.end()) continue;
      const std::size_t last = child->second.back();
      solver_.add(z3::implies(kept_[e], kept_[last] && before(last, e)));
    }
  }

  // mutex, rwlock
  void add_locks() {
    std::map<std::uint64_t, std::vector<Scope>> by_lock;
    for (std::size_t e = 0; e < trace_.events.size(); ++e) {
      const Event& event = trace_.events[e];
      if (trace::row_of(event.kind).group != trace::Group::Lock) continue;
      std::vector<Scope>& scopes = by_lock[event.address];
      if (event.kind == EventKind::Unlock || event.kind == EventKind::RwUnlock) {
        for (Scope& scope : scopes)
          if (scope.thread == event.thread && !scope.release) scope.release = e;
      } else {
        scopes.push_back({event.thread, event.kind == EventKind::RdLock, e, std::nullopt});
      }
    }
    const auto is_over = [&](const Scope& a, const Scope& b) {
      return a.release ? kept_[*a.release] && before(*a.release, b.acquire) : context_.bool_val(false);
    };
    for (const auto& [lock, scopes] : by_lock)
      for (std::size_t i = 0; i < scopes.size(); ++i)
        for (std::size_t j = i + 1; j < scopes.size(); ++j) {
          const Scope& a = scopes[i];
          const Scope& b = scopes[j];
          if (a.shared && b.shared) continue;
          solver_.add(z3::implies(kept_[a.acquire] && kept_[b.acquire], is_over(a, b) || is_over(b, a)));
        }
  }

  // value: a read returns what the last write before it stored, or what was there at the start.
  void add_memory() {
    std::map<std::uint64_t, std::vector<std::size_t>> writes;
    for (std::size_t e = 0; e < trace_.events.size(); ++e)
      if (trace::writes(trace_.events[e]) || symbols_.outcome(EventNo{e}) != nullptr)
        writes[trace_.events[e].address].push_back(e);
    for (const auto& [address, events] : writes)
      for (std::size_t i = 0; i < events.size(); ++i)
        for (std::size_t j = i + 1; j < events.size(); ++j) solver_.add(position_[events[i]] != position_[events[j]]);
    for (std::size_t r = 0; r < trace_.events.size(); ++r) {
      if (!trace::reads(trace_.events[r])) continue;
      const NodeNo node = symbols_.read(EventNo{r});
      if (node == kConstant) continue;  // nobody looks at it
      const z3::expr returned = nodes_[node]->value;
      z3::expr untouched = context_.bool_val(true);
      for (const std::size_t w : writes[trace_.events[r].address]) {
        if (w == r) continue;
        solver_.add(position_[w] != position_[r]);
        z3::expr is_last = kept_[w] && is_written(w) && before(w, r);
        untouched = untouched && !is_last;
        for (const std::size_t other : writes[trace_.events[r].address])
          if (other != w && other != r)
            is_last = is_last && !(kept_[other] && is_written(other) && before(w, other) && before(other, r));
        solver_.add(z3::implies(kept_[r] && is_last, returned == stored(w)));
      }
      const std::optional<std::uint64_t> initial = initial_at(trace_.events[r].address);
      if (!initial) return give_up("memory that is no global");
      solver_.add(z3::implies(kept_[r] && untouched, returned == bits64(*initial)));
    }
  }

  // A compare-and-swap writes if it finds what it expects.
  z3::expr is_written(std::size_t write) {
    const model::Outcome* outcome = symbols_.outcome(EventNo{write});
    return outcome == nullptr ? context_.bool_val(true) : nodes_[outcome->node]->value != bits64(0);
  }
  z3::expr stored(std::size_t write) {
    if (const model::Outcome* outcome = symbols_.outcome(EventNo{write})) return operand(outcome->stores);
    const NodeNo node = symbols_.written(EventNo{write});
    if (node >= kFirstNode) return nodes_[node]->value;
    if (node == kHistory) give_up("a write that the model does not know");
    return bits64(trace::stored_value(trace_.events[write]));
  }

  std::optional<std::uint64_t> initial_at(std::uint64_t address) const {
    for (const program::Global& global : trace_.definitions.program->globals) {
      if (address < global.address || address - global.address + 8 > global.size()) continue;
      if (global.bytes.empty()) return global.element_size == 8 ? std::optional(global.initial) : std::nullopt;
      std::uint64_t value = 0;
      std::memcpy(&value, global.bytes.data() + (address - global.address), sizeof value);
      return value;
    }
    return std::nullopt;
  }

  // A racing access: all before it in its thread is done, it is not, and its thread comes to it.
  void add_next() {
    for (const auto& [thread, events] : by_thread_)
      for (std::size_t k = 0; k < events.size(); ++k) {
        const std::size_t e = events[k];
        if (!trace::is_access(trace_.events[e].kind)) continue;
        const z3::expr next = context_.bool_const(fmt::format("next{}", e).c_str());
        next_.emplace(e, next);
        solver_.add(z3::implies(next, !kept_[e]));
        if (k > 0) solver_.add(z3::implies(next, kept_[events[k - 1]]));
        if (const auto fork = forks_.find(thread); k == 0 && fork != forks_.end())
          solver_.add(z3::implies(next, kept_[fork->second]));
        for (const Condition& c : symbols_.conditions(EventNo{e}))
          if (c.kind != ConditionKind::Cas && c.kind != ConditionKind::Known) solver_.add(z3::implies(next, holds(c)));
      }
  }

  // --- values

  z3::expr low(const z3::expr& value, unsigned bits) { return bits >= 64 ? value : value.extract(bits - 1, 0); }
  z3::expr widened(const z3::expr& value) {
    const unsigned bits = value.get_sort().bv_size();
    return bits >= 64 ? value : z3::zext(value, 64 - bits);
  }
  z3::expr truth(const z3::expr& condition) { return z3::ite(condition, bits64(1), bits64(0)); }
  Value always(const z3::expr& value) { return {value, context_.bool_val(false)}; }

  z3::expr holds(const Condition& c) {
    if (c.node < kFirstNode || c.broken) {
      give_up("a condition on history");
      return context_.bool_val(false);
    }
    if (c.kind == ConditionKind::Known) return context_.bool_val(true);  // as everything is
    const Value& node = *nodes_[c.node];
    if (c.kind == ConditionKind::Fault) return c.expected != 0 ? node.faults : !node.faults;
    const unsigned bits = c.bits;
    const z3::expr value = low(node.value, bits);
    if (c.kind == ConditionKind::Branch) {
      const z3::expr is_zero = value == context_.bv_val(0, bits);
      return c.expected != 0 ? !is_zero : is_zero;
    }
    return value == context_.bv_val(c.expected, bits);
  }

  void make_nodes() {
    nodes_.resize(symbols_.nodes().size());
    for (NodeNo number = kFirstNode; number < nodes_.size(); ++number) {
      const Node& node = symbols_.node(number);
      if (node.kind == NodeKind::Read) {
        const z3::expr value = context_.bv_const(fmt::format("read{}", index(node.event)).c_str(), 64);
        if (node.bits != 64) give_up("a read that is not of 64 bits");
        nodes_[number] = always(value);
      } else if (node.kind == NodeKind::Compute && !node.float_bits) {
        nodes_[number] = computed(node);
      } else {
        give_up("a value that the model does not know");
        nodes_[number] = always(bits64(0));
      }
    }
  }

  z3::expr operand(const NodeOperand& o) {
    if (o.node == kConstant) return bits64(o.value);
    if (o.node >= kFirstNode) return nodes_[o.node]->value;
    give_up("an operand that the model does not know");
    return bits64(0);
  }

  Value computed(const Node& node) {
    const auto operands = symbols_.operands(node);
    std::vector<z3::expr> full;
    for (const NodeOperand& o : operands) full.push_back(operand(o));
    while (full.size() < 3) full.push_back(bits64(0));
    if (node.instruction == nullptr) return always(truth(full[0] == full[1]));
    const Instruction& instruction = *node.instruction;
    const unsigned bits = instruction.type.bits == 0 ? 64 : instruction.type.bits;
    const unsigned from = instruction.imm == 0 || instruction.imm > 64 ? 64 : static_cast<unsigned>(instruction.imm);
    const z3::expr a = low(full[0], bits), b = low(full[1], bits);
    switch (instruction.op) {
      case Op::Add: return always(widened(a + b));
      case Op::Sub: return always(widened(a - b));
      case Op::Mul: return always(widened(a * b));
      case Op::SDiv:
      case Op::SRem:
        if (bits == 64 && operands[1].node == kConstant && static_cast<std::int64_t>(operands[1].value) > 0)
          return always(divided_by(operands[1].value, instruction.op, a));
        return divided(a, b, instruction.op == Op::SDiv ? a / b : z3::srem(a, b), true);
      case Op::UDiv: return divided(a, b, z3::udiv(a, b), false);
      case Op::URem: return divided(a, b, z3::urem(a, b), false);
      case Op::And: return always(widened(a & b));
      case Op::Or: return always(widened(a | b));
      case Op::Xor: return always(widened(a ^ b));
      case Op::Shl: return always(widened(z3::shl(a, z3::urem(b, context_.bv_val(bits, bits)))));
      case Op::LShr: return always(widened(z3::lshr(a, z3::urem(b, context_.bv_val(bits, bits)))));
      case Op::AShr: return always(widened(z3::ashr(a, z3::urem(b, context_.bv_val(bits, bits)))));
      case Op::Eq:
      case Op::AtomicCas: return always(truth(a == b));
      case Op::Ne: return always(truth(a != b));
      case Op::SLt: return always(truth(a < b));
      case Op::SLe: return always(truth(a <= b));
      case Op::ULt: return always(truth(z3::ult(a, b)));
      case Op::ULe: return always(truth(z3::ule(a, b)));
      case Op::Trunc:
      case Op::Bitcast: return always(widened(a));
      case Op::ZExt: return always(widened(low(widened(low(full[0], from)), bits)));
      case Op::SExt: return always(widened(low(from >= 64 ? full[0] : z3::sext(low(full[0], from), 64 - from), bits)));
      case Op::Select: return always(z3::ite(full[0].extract(0, 0) == context_.bv_val(1, 1), full[1], full[2]));
      case Op::Switch: return always(target(instruction, full[0]));
      case Op::AtomicRmw: return always(widened(modified(instruction.rmw, a, b)));
      case Op::Index: return element(instruction, operands, full[1]);
      default: give_up(program::text_of(instruction.op)); return always(bits64(0));
    }
  }

  Value divided(const z3::expr& a, const z3::expr& b, const z3::expr& result, bool is_signed) {
    const unsigned bits = a.get_sort().bv_size();
    z3::expr faults = b == context_.bv_val(0, bits);
    if (is_signed)
      faults = faults || (b == context_.bv_val(-1, bits) && a == context_.bv_val(std::uint64_t{1} << (bits - 1), bits));
    return {widened(result), faults};
  }

  // A signed division by a positive number, as what defines it: four times as fast as Z3's own circuit.
  z3::expr divided_by(std::uint64_t divisor, Op op, const z3::expr& a) {
    const std::string name = fmt::format("division{}", divisions_++);
    const z3::expr quotient = context_.bv_const((name + "q").c_str(), 64);
    const z3::expr rest = context_.bv_const((name + "r").c_str(), 64);
    const z3::expr is_negative = a < bits64(0);
    solver_.add(z3::ite(is_negative, -a, a) == quotient * bits64(divisor) + rest);
    solver_.add(z3::ult(rest, bits64(divisor)));
    solver_.add(z3::ule(quotient, bits64(std::numeric_limits<std::uint64_t>::max() / divisor)));
    // The product does not wrap, and with the rest it does not either: the sum would be smaller than the product.
    solver_.add(z3::ule(quotient * bits64(divisor), quotient * bits64(divisor) + rest));
    const z3::expr& magnitude = op == Op::SDiv ? quotient : rest;
    return z3::ite(is_negative, -magnitude, magnitude);
  }

  z3::expr target(const Instruction& instruction, const z3::expr& value) {
    z3::expr result = bits64(0);
    for (std::size_t k = instruction.cases.size(); k-- > 0;)
      result = z3::ite(value == bits64(instruction.cases[k]), bits64(k + 1), result);
    return result;
  }

  z3::expr modified(Rmw rmw, const z3::expr& a, const z3::expr& b) {
    switch (rmw) {
      case Rmw::Exchange: return b;
      case Rmw::Add: return a + b;
      case Rmw::Sub: return a - b;
      case Rmw::And: return a & b;
      case Rmw::Or: return a | b;
      case Rmw::Xor: return a ^ b;
      default: give_up(program::text_of(rmw)); return a;
    }
  }

  // Of an array that is a global: the third and fourth operand are its address and its size.
  Value element(const Instruction& instruction, std::span<const NodeOperand> operands, const z3::expr& number) {
    const auto width = static_cast<std::int64_t>(instruction.imm);
    if (operands.size() < 4 || operands[0].node != kConstant || operands[0].value == 0 || width <= 0) {
      give_up("an element of something");
      return always(bits64(0));
    }
    const z3::expr address = bits64(operands[0].value) + number * bits64(instruction.imm);
    if (!instruction.checked) return always(address);
    const z3::expr wraps = number > context_.bv_val(std::numeric_limits<std::int64_t>::max() / width, 64) ||
                           number < context_.bv_val(std::numeric_limits<std::int64_t>::min() / width, 64);
    const z3::expr offset = address - bits64(operands[2].value);
    const std::uint64_t size = operands[3].value;
    const z3::expr is_inside = z3::ule(offset, bits64(size)) && z3::ule(bits64(instruction.imm), bits64(size) - offset);
    return {address, wraps || !is_inside};
  }

  const trace::Trace& trace_;
  const model::SymbolicTrace& symbols_;
  z3::context context_;
  z3::solver solver_;
  std::vector<z3::expr> kept_, position_;  // by event
  std::map<std::size_t, z3::expr> next_;   // by access
  std::map<ThreadId, std::vector<std::size_t>> by_thread_;
  std::map<ThreadId, std::size_t> forks_;    // by child
  std::vector<std::optional<Value>> nodes_;  // by node
  int divisions_ = 0;
  std::string not_encoded_;
};

}  // namespace

Z3Answers value_races_by_z3(const trace::Trace& trace, const model::SymbolicTrace& symbols,
                            std::span<const std::pair<EventNo, EventNo>> pairs, unsigned effort_per_pair) {
  Z3Answers answers;
  try {
    Encoder encoder(trace, symbols);
    if (!encoder.encode()) {
      answers.not_encoded = encoder.not_encoded();
      return answers;
    }
    for (const auto& [a, b] : pairs) answers.races.push_back(encoder.ask(a, b, effort_per_pair));
  } catch (const z3::exception& e) {
    answers.races.clear();
    answers.error = e.msg();
  }
  return answers;
}

}  // namespace racecast::property
