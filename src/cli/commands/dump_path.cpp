// See dump_path.h. In the style of RECIPE's figure 3: each read has a name (r1, r2, ...), and what is stored, and what
// a branch depends on, is an expression over these names, with its value in the recorded run behind it.
//
// An expression that is used more than once, or that is deep, gets a name and a line of its own (s1, s2, ...), so what
// is printed is linear in what was computed. What the model does not know is marked: h1 is a value by the history rule,
// p1 one that is as recorded where what it was put together from is.
#include "cli/commands/dump_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/hash.h"
#include "model/detour/detours.h"
#include "model/symbolic/symbolic_trace.h"
#include "program/evaluate.h"
#include "trace/text.h"

namespace racecast::cli {

namespace {

using model::Condition;
using model::ConditionKind;
using model::kConstant;
using model::kFirstNode;
using model::kHistory;
using model::Node;
using model::NodeKind;
using model::NodeNo;
using model::NodeOperand;
using model::SymbolicTrace;
using program::Op;
using trace::Event;
using trace::EventKind;

constexpr unsigned kMaxDepth = 6;
constexpr std::size_t kMostSides = 10'000;  // of a thread; what is more has no text

// Small numbers with their sign (a single bit has none), addresses and the like in hexadecimal.
std::string number_text(std::uint64_t value, unsigned bits) {
  const std::int64_t number = program::signed_value(value, bits == 1 ? 64 : bits);
  if (number > -0x10000 && number < 0x1'0000'0000) return fmt::to_string(number);
  return fmt::format("{:#x}", value);
}

std::string_view infix_of(Op op) {
  switch (op) {
    case Op::Add:
    case Op::FAdd: return "+";
    case Op::Sub:
    case Op::FSub: return "-";
    case Op::Mul:
    case Op::FMul: return "*";
    case Op::SDiv:
    case Op::UDiv:
    case Op::FDiv: return "/";
    case Op::SRem:
    case Op::URem:
    case Op::FRem: return "%";
    case Op::And: return "&";
    case Op::Or: return "|";
    case Op::Xor: return "^";
    case Op::Shl: return "<<";
    case Op::LShr:
    case Op::AShr: return ">>";
    case Op::Eq:
    case Op::FEq:
    case Op::AtomicCas: return "==";
    case Op::Ne: return "!=";
    case Op::SLt:
    case Op::ULt:
    case Op::FLt: return "<";
    case Op::SLe:
    case Op::ULe:
    case Op::FLe: return "<=";
    default: return {};
  }
}

std::string_view infix_of(program::Rmw rmw) {
  switch (rmw) {
    case program::Rmw::Add: return "+";
    case program::Rmw::Sub: return "-";
    case program::Rmw::And: return "&";
    case program::Rmw::Or: return "|";
    case program::Rmw::Xor: return "^";
    default: return {};
  }
}

bool is_place(const Node& node) {
  return node.kind == NodeKind::Compute && node.instruction != nullptr &&
         (node.instruction->op == Op::Offset || node.instruction->op == Op::Index);
}

// Casts that change nothing that a reader cares about: the operand stands for them.
bool is_silent(const Node& node) {
  if (node.kind != NodeKind::Compute || node.instruction == nullptr) return false;
  const program::Instruction& i = *node.instruction;
  return i.op == Op::ZExt || i.op == Op::SExt || i.op == Op::Trunc || i.op == Op::Bitcast || i.op == Op::Switch ||
         (i.op == Op::Offset && i.imm == 0);
}

// By branch: what path relaxation makes of the side that was not taken.
using OtherSides = HashMap<std::uint64_t, std::string>;

Result<OtherSides> other_sides(const trace::Trace& trace, const SymbolicTrace& symbols) {
  RC_TRY(model::DetourFinder finder, model::DetourFinder::make(trace));
  OtherSides others;
  const auto depends = [&](EventNo no) {
    return std::ranges::any_of(symbols.conditions(no), [](const Condition& c) {
      return c.node != kHistory && (c.kind == ConditionKind::Branch || c.kind == ConditionKind::Switch);
    });
  };
  std::vector<std::vector<EventNo>> by_thread(trace.definitions.threads.size());
  for (std::size_t k = 0; k < trace.events.size(); ++k) by_thread[index(trace.events[k].thread)].push_back(EventNo{k});
  model::DetourLimits limits;
  limits.most_paths = kMostSides;
  for (std::size_t t = 0; t < by_thread.size(); ++t) {
    for (const EventNo no : by_thread[t])
      if (depends(no) && finder.unmodelled(no) != model::SideStop::None)
        others[index(no)] = fmt::format("not explored, {}", model::text_of(finder.unmodelled(no)));
    const ThreadId thread{static_cast<std::uint32_t>(t)};
    for (const model::ThreadPath& path : finder.paths(thread, limits, depends)) {
      const model::Detour& detour = path.detours.front();
      std::string& text = others[index(by_thread[t][detour.branch])];
      if (!text.empty()) text += ", or ";
      text += fmt::format("{} events", detour.events.size());
      if (detour.stop != model::SideStop::None)
        text += fmt::format(", then it ends early ({})", model::text_of(detour.stop));
      else if (detour.resume && *detour.resume < by_thread[t].size())
        text += fmt::format(", then {}", index(by_thread[t][*detour.resume]));
    }
  }
  return others;
}

class PathPrinter {
 public:
  PathPrinter(const trace::Trace& trace, const SymbolicTrace& symbols, const OtherSides& others)
      : trace_(trace), symbols_(symbols), events_(trace.definitions), others_(others) {
    name_nodes();
  }

  std::string print() {
    std::string text =
        "# thread, number, event; r: read, o: how a try ends, s: computed, h: by the thread's history, p: as recorded "
        "where its parts are; "
        "what must hold in []; what the side that was not taken would do in {}\n";
    std::vector<std::vector<std::size_t>> by_thread(trace_.definitions.threads.size());
    for (std::size_t k = 0; k < trace_.events.size(); ++k) by_thread[index(trace_.events[k].thread)].push_back(k);
    for (std::size_t t = 0; t < by_thread.size(); ++t) {
      const std::string name = trace::name_of_thread(trace_.definitions, ThreadId{static_cast<std::uint32_t>(t)});
      for (const std::size_t k : by_thread[t]) print_event(EventNo{k}, name, text);
    }
    return text;
  }

 private:
  // Which nodes have names, and what they are. Uses are counted from the end, so that what nobody uses costs nothing.
  void name_nodes() {
    const std::size_t count = symbols_.nodes().size();
    std::vector<std::uint8_t> uses(count), depth(count);
    const auto use = [&](NodeNo n) {
      if (uses[n] < 2) ++uses[n];
    };
    for (std::size_t k = 0; k < trace_.events.size(); ++k) {
      use(symbols_.written(EventNo{k}));
      if (const model::Outcome* outcome = symbols_.outcome(EventNo{k})) use(outcome->stores.node);
      for (const Condition& c : symbols_.conditions(EventNo{k})) use(c.node);
    }
    for (std::size_t t = 0; t < trace_.definitions.threads.size(); ++t)
      for (const NodeNo n : symbols_.inputs(ThreadId{static_cast<std::uint32_t>(t)})) use(n);
    for (std::size_t n = count; n-- > kFirstNode;) {
      if (uses[n] == 0) continue;
      const Node& node = symbols_.node(static_cast<NodeNo>(n));
      for (const NodeOperand& o : symbols_.operands(node)) {
        use(o.node);
        if (is_silent(node) && uses[n] > 1) use(o.node);  // which is printed in its stead
      }
    }
    numbers_.resize(count);
    std::uint32_t reads = 0, outcomes = 0, computed = 0, histories = 0, pinned = 0;
    for (std::size_t n = kFirstNode; n < count; ++n) {
      const Node& node = symbols_.node(static_cast<NodeNo>(n));
      for (const NodeOperand& o : symbols_.operands(node))
        if (numbers_[o.node] == 0) depth[n] = std::max<std::uint8_t>(depth[n], depth[o.node] + 1);
      switch (node.kind) {
        case NodeKind::Read: numbers_[n] = ++reads; break;
        case NodeKind::Outcome: numbers_[n] = ++outcomes; break;
        case NodeKind::History: numbers_[n] = ++histories; break;
        case NodeKind::Pinned: numbers_[n] = ++pinned; break;
        default:
          if ((uses[n] > 1 && !is_silent(node)) || (uses[n] != 0 && depth[n] >= kMaxDepth)) numbers_[n] = ++computed;
          break;
      }
      const bool is_event = node.kind == NodeKind::Read || node.kind == NodeKind::Outcome;
      if (uses[n] != 0 && !is_event && numbers_[n] != 0) made_at_[index(node.event)].push_back(n);
    }
  }

  std::string name_of(NodeNo n) const {
    const char letter = "?hrosp"[static_cast<std::size_t>(symbols_.node(n).kind)];
    return fmt::format("{}{}", letter, numbers_[n]);
  }

  std::string operand_text(const NodeOperand& operand, bool is_address, unsigned bits) const {
    if (operand.node == kHistory) return "unknown";
    if (operand.node != kConstant) return text_of(operand.node);
    return is_address ? trace::name_of_address(trace_.definitions, operand.value) : number_text(operand.value, bits);
  }

  // Its name, or the expression. As deep as expressions without a name are.
  std::string text_of(NodeNo n) const { return numbers_[n] != 0 ? name_of(n) : expression_of(n, true); }

  std::string expression_of(NodeNo n, bool inside) const {
    const Node& node = symbols_.node(n);
    const auto operands = symbols_.operands(node);
    if (node.kind == NodeKind::History)
      return fmt::format("by the history of {} before {}", trace::name_of_thread(trace_.definitions, node.thread),
                         index(node.event));
    const bool computes = node.kind == NodeKind::Compute;
    if (is_silent(node)) return operand_text(operands[0], node.instruction->op == Op::Offset, 64);
    std::vector<std::string> texts;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const bool typed = computes && node.instruction != nullptr && node.instruction->type.bits != 0;
      texts.push_back(operand_text(operands[k], k == 0 && is_place(node), typed ? node.instruction->type.bits : 64));
    }
    const std::string text = combined(node, texts);
    return inside && text.find(' ') != std::string::npos && text.back() != ')' ? "(" + text + ")" : text;
  }

  static std::string combined(const Node& node, const std::vector<std::string>& texts) {
    if (node.kind == NodeKind::Pinned) return fmt::format("parts({})", fmt::join(texts, ", "));
    if (node.instruction == nullptr) return fmt::format("{} == {}", texts[0], texts[1]);
    const program::Instruction& i = *node.instruction;
    if (i.op == Op::Offset) return fmt::format("{} + {}", texts[0], number_text(i.imm, 64));
    if (i.op == Op::Index) return fmt::format("{} + {} * {}", texts[0], texts[1], i.imm);
    if (i.op == Op::Select) return fmt::format("({} ? {} : {})", texts[0], texts[1], texts[2]);
    const std::string_view sign = i.op == Op::AtomicRmw ? infix_of(i.rmw) : infix_of(i.op);
    if (!sign.empty() && texts.size() == 2) return fmt::format("{} {} {}", texts[0], sign, texts[1]);
    const std::string_view name = i.op == Op::AtomicRmw ? program::text_of(i.rmw) : program::text_of(i.op);
    return fmt::format("{}({})", name, fmt::join(texts, ", "));
  }

  // Such a one faults where its base is null, and nowhere else.
  bool is_offset(NodeNo n) const {
    const program::Instruction* i = symbols_.node(n).instruction;
    return i != nullptr && i->op == Op::Offset;
  }
  std::string base_text(NodeNo n) const { return operand_text(symbols_.operands(symbols_.node(n))[0], true, 64); }

  std::string condition_text(const Condition& c) const {
    if (c.node == kHistory) return fmt::format("[{}: history]", model::text_of(c.kind));
    const std::string text = numbers_[c.node] != 0 ? name_of(c.node) : expression_of(c.node, false);
    switch (c.kind) {
      case ConditionKind::Fault:
        if (is_offset(c.node)) return fmt::format("[{} is {}null]", base_text(c.node), c.expected == 0 ? "not " : "");
        return fmt::format("[{} {}]", text, c.expected == 0 ? "does not fault" : "faults");
      case ConditionKind::Cas: return fmt::format("[({}) = {}]", text, c.expected != 0);
      case ConditionKind::Branch: return fmt::format("[({}) = {}]", text, c.expected != 0);
      case ConditionKind::Address:
        return fmt::format("[address {} = {}]", text, trace::name_of_address(trace_.definitions, c.expected));
      default: return fmt::format("[{} {} = {}]", model::text_of(c.kind), text, number_text(c.expected, c.bits));
    }
  }

  std::string written_text(EventNo no) const {
    const Event& e = symbols_.event(no);
    const NodeNo n = symbols_.written(no);
    std::string value = e.has(trace::kHasValue) ? number_text(trace::stored_value(e), std::min(e.size, 8u) * 8) : "?";
    if (n == kConstant) return value;
    if (n == kHistory) return "history = " + value;
    return fmt::format("{} = {}", numbers_[n] != 0 ? name_of(n) : expression_of(n, false), value);
  }

  // "true", "false", or the number of the target.
  std::string taken_text(const Event& e) const {
    const program::Instruction* i = instruction_at(e);
    if (i == nullptr) return number_text(e.value, 64);
    if (i->op == Op::Branch) return e.value == 0 ? "true" : "false";
    if (i->op == Op::Switch) return fmt::format("target {}", e.value);
    return e.value == 0 ? "no fault" : "fault";
  }

  const program::Instruction* instruction_at(const Event& e) const {
    if (places_.empty()) {
      for (const program::Function& f : trace_.definitions.program->functions)
        for (const program::Block& b : f.blocks)
          for (const program::Instruction& i : b.instructions) places_.push_back(&i);
    }
    return index(e.location) < places_.size() ? places_[index(e.location)] : nullptr;
  }

  // The event itself; `conditions` that it shows are taken out.
  std::string event_text(EventNo no, std::vector<Condition>& conditions) {
    const Event& e = symbols_.event(no);
    std::string line;
    events_.print(e, line);
    const std::size_t at = line.rfind(" @");
    const std::string where = at == std::string::npos ? "" : line.substr(at);
    if (e.kind == EventKind::Branch) {
      const auto it = std::ranges::find_if(conditions, [](const Condition& c) {
        return c.node != kHistory && (c.kind == ConditionKind::Branch || c.kind == ConditionKind::Switch);
      });
      if (it == conditions.end()) return "branch = " + taken_text(e) + where;
      const std::string on = numbers_[it->node] != 0 ? name_of(it->node) : expression_of(it->node, false);
      conditions.erase(it);
      return fmt::format("branch ({}) = {}{}", on, taken_text(e), where);
    }
    if (trace::is_access(e.kind)) {
      const std::string place = trace::name_of_address(trace_.definitions, e.address);
      const std::string kind(e.has(trace::kCas) ? "cas" : trace::row_of(e.kind).text);
      if (!trace::reads(e)) return fmt::format("{} {} = {}{}", kind, place, written_text(no), where);
      const NodeNo n = symbols_.read(no);
      std::string text = n == kConstant ? "" : name_of(n) + " = ";
      text += fmt::format("{} {} = {}", kind, place,
                          e.has(trace::kHasValue) ? number_text(e.value, std::min(e.size, 8u) * 8) : "?");
      if (const model::Outcome* outcome = symbols_.outcome(no)) {
        std::erase_if(conditions, [](const Condition& c) { return c.kind == ConditionKind::Known; });
        text +=
            fmt::format(", writes {} if ({})", operand_text(outcome->stores, false, std::min(e.size, 8u) * 8),
                        numbers_[outcome->node] != 0 ? name_of(outcome->node) : expression_of(outcome->node, false));
      } else if (trace::writes(e)) {
        text += ", writes " + written_text(no);
      }
      return text + where;
    }
    // Without its thread, which every line has.
    const std::size_t space = line.find(' ');
    const std::string text = space == std::string::npos ? line : line.substr(space + 1);
    const model::Outcome* outcome = symbols_.outcome(no);
    return outcome == nullptr ? text : name_of(outcome->node) + " = " + text;
  }

  void print_event(EventNo no, const std::string& thread, std::string& text) {
    const std::string head = fmt::format("{:<6} {:>6}  ", thread, index(no));
    const auto conditions = symbols_.conditions(no);
    std::vector<Condition> left(conditions.begin(), conditions.end());
    const std::string line = event_text(no, left);
    if (const auto it = made_at_.find(index(no)); it != made_at_.end()) {
      for (const std::size_t n : it->second) {
        const NodeNo node = static_cast<NodeNo>(n);
        // What an event computes from its own read comes after it; its line uses the name all the same.
        const Node& made = symbols_.node(node);
        const std::string value = is_place(made) ? trace::name_of_address(trace_.definitions, made.recorded)
                                                 : number_text(made.recorded, made.bits);
        text +=
            fmt::format("{:<6} {:>6}  {} = {} = {}\n", thread, "", name_of(node), expression_of(node, false), value);
      }
    }
    text += head + line;
    for (const Condition& c : left) text += "  " + condition_text(c);
    if (const auto other = others_.find(index(no)); other != others_.end())
      text += fmt::format("  {{other side: {}}}", other->second);
    text += '\n';
  }

  const trace::Trace& trace_;
  const SymbolicTrace& symbols_;
  trace::EventPrinter events_;
  const OtherSides& others_;
  std::vector<std::uint32_t> numbers_;                        // by node: of its name; 0: it has none
  HashMap<std::uint64_t, std::vector<std::size_t>> made_at_;  // nodes with a name, by event
  mutable std::vector<const program::Instruction*> places_;   // by location; made when first asked for
};

}  // namespace

Result<std::string> dump_path(const trace::Trace& trace) {
  RC_TRY(const SymbolicTrace symbols, SymbolicTrace::make(trace));
  RC_TRY(const OtherSides others, other_sides(trace, symbols));
  return PathPrinter(trace, symbols, others).print();
}

}  // namespace racecast::cli
