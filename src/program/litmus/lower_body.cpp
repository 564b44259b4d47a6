// One body of a litmus file (a thread, main or a function) into blocks of instructions.
//
// Every local is a 64-bit value in SSA form; comparisons are one bit wide until they are used as a value. A place is
// lowered in two parts: what it is made of (the index, the reference) where it stands, its address right before the
// access, so that a fault is a fault of the access. Code after a return is not lowered.
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/check.h"
#include "program/litmus/lower.h"
#include "program/litmus/ssa_builder.h"

namespace racecast::program {
namespace {

using ast::Expr;
using ast::ExprKind;
using ast::Operator;
using ast::Stmt;
using ast::StmtKind;

struct Value {
  Operand operand;
  Type type = kI64;  // kI1 or a word
};

// What a place is made of, before its address is formed.
struct PlaceParts {
  const Expr* place = nullptr;
  Operand operand;  // Element: the index; Field: the reference
};

class BodyLowering {
 public:
  BodyLowering(const DeclaredNames& symbols, const Program& program, Interner& intern, StringId file,
               std::size_t budget, Function& out)
      : symbols_(symbols), program_(program), intern_(intern), file_(file), budget_(budget), out_(out), build_(out) {}

  bool lower(const ast::Body& body) {
    for (const ast::Word& param : body.params) {
      const RegId reg = build_.new_register(kI64);
      out_.params.push_back(reg);
      build_.write(local(param.text), Operand::reg(reg));
    }
    collect_assigned(body.statements);
    is_function_ = body.kind == ast::BodyKind::Function || body.kind == ast::BodyKind::Missing;
    lower_block(body.statements);
    if (build_.emitted() > budget_) return false;
    if (build_.alive()) emit_return(at(body.end), {});
    build_.finish();
    return true;
  }

 private:
  Position at(ast::At where) const { return {file_, where.line, where.column}; }

  const DeclaredNames::Variable* shared(const Expr& place) const {
    const auto found = symbols_.shared.find(place.name);
    return found == symbols_.shared.end() ? nullptr : &found->second;
  }

  SsaBuilder::Local local(std::string_view name) {
    const auto found = locals_.find(name);
    if (found != locals_.end()) return found->second;
    return locals_.emplace(name, build_.new_local()).first->second;
  }

  // ---- which locals a loop may change

  struct Span {
    std::size_t begin = 0, end = 0;  // in assigned_
  };

  void collect_assigned(const std::vector<Stmt>& statements) {
    for (const Stmt& s : statements) {
      const std::size_t begin = assigned_.size();
      if (s.target && s.target->kind == ExprKind::Name && shared(*s.target) == nullptr) {
        assigned_.push_back(local(s.target->name));
      }
      if (s.kind == StmtKind::For) assigned_.push_back(local(s.name));
      collect_assigned(s.body);
      collect_assigned(s.otherwise);
      if (s.kind == StmtKind::For || s.kind == StmtKind::While) loops_[&s] = {begin, assigned_.size()};
    }
  }

  std::vector<SsaBuilder::Local> assigned_in(const Stmt& loop) {
    const Span span = loops_.at(&loop);
    seen_in_.resize(locals_.size(), 0);
    ++serial_;
    std::vector<SsaBuilder::Local> locals;
    for (std::size_t i = span.begin; i < span.end; ++i) {
      if (seen_in_[assigned_[i]] == serial_) continue;
      seen_in_[assigned_[i]] = serial_;
      locals.push_back(assigned_[i]);
    }
    return locals;
  }

  // ---- statements

  void lower_block(const std::vector<Stmt>& statements) {
    const StringId outer = build_.label();
    for (const Stmt& s : statements) {
      if (!build_.alive() || build_.emitted() > budget_) break;
      build_.set_label(s.label.empty() ? kNoString : intern_(s.label));
      lower_statement(s);
    }
    build_.set_label(outer);
  }

  void mark(const Stmt& s) {
    if (!s.label.empty()) build_.emit(Op::Mark, kVoid, at(s.label_at));
  }

  void lower_statement(const Stmt& s) {
    switch (s.kind) {
      case StmtKind::If: return lower_if(s);
      case StmtKind::While: return lower_while(s);
      case StmtKind::For: return lower_for(s);
      case StmtKind::Return: return lower_return(s);
      default: break;
    }
    PlaceParts target;
    if (s.target) target = parts(*s.target);
    switch (s.kind) {
      case StmtKind::Assign: assign(target, word(s.args[0])); break;
      case StmtKind::New: assign(target, lower_new(s)); break;
      case StmtKind::Call: {
        const Operand result = lower_call(s);
        if (s.target) assign(target, result);
        break;
      }
      case StmtKind::Lock: lower_object(Op::Lock, s); break;
      case StmtKind::Unlock: lower_object(Op::Unlock, s); break;
      case StmtKind::RdLock: lower_object(Op::RdLock, s); break;
      case StmtKind::WrLock: lower_object(Op::WrLock, s); break;
      case StmtKind::RwUnlock: lower_object(Op::RwUnlock, s); break;
      case StmtKind::Wait: lower_object(Op::Wait, s); break;
      case StmtKind::Notify: lower_object(Op::Notify, s); break;
      case StmtKind::NotifyAll: lower_object(Op::NotifyAll, s); break;
      case StmtKind::Post: lower_object(Op::SemPost, s); break;
      case StmtKind::Down: lower_object(Op::SemWait, s); break;
      case StmtKind::Arrive: lower_object(Op::Arrive, s); break;
      case StmtKind::Fork:
        build_.emit(Op::Fork, kVoid, at(s.at),
                    {Operand::function(static_cast<FunctionId>(symbols_.threads.at(s.name)))});
        break;
      case StmtKind::Join:
        build_.emit(Op::Join, kVoid, at(s.at), {Operand::constant(index(symbols_.threads.at(s.name)))});
        break;
      case StmtKind::Fence: build_.emit(Op::Fence, kVoid, at(s.at)).order = s.order; break;
      case StmtKind::Skip: break;
      case StmtKind::Store:
      case StmtKind::Load:
      case StmtKind::Add:
      case StmtKind::Cas: lower_atomic(s, target); break;
      case StmtKind::Put:
      case StmtKind::Get: lower_state(s, target); break;
      case StmtKind::If:
      case StmtKind::While:
      case StmtKind::For:
      case StmtKind::Return: CHECK(false, "handled above"); break;
    }
    mark(s);
  }

  Operand lower_new(const Stmt& s) {
    const StructId id = symbols_.structs.at(s.name);
    const Operand object =
        build_.emit_value(Op::Alloc, kPtr, kPtr, at(s.at), {Operand::constant(program_.structs[index(id)].size)});
    last_instruction().imm = index(id) + 1;
    return object;
  }

  Operand lower_call(const Stmt& s) {
    std::vector<Operand> operands{Operand::function(symbols_.body_ids.at(symbols_.functions.at(s.name)))};
    for (const Expr& arg : s.args) {
      operands.push_back(arg.kind == ExprKind::AddressOf ? Operand::global(symbols_.shared.at(arg.name).id)
                                                         : word(arg));
    }
    if (s.target) return build_.emit_value(Op::Call, kI64, kI64, at(s.at), std::move(operands));
    build_.emit(Op::Call, kVoid, at(s.at), std::move(operands));
    return Operand::constant(0);
  }

  void lower_object(Op op, const Stmt& s) {
    std::vector<PlaceParts> places;
    places.reserve(s.args.size());
    for (const Expr& arg : s.args) places.push_back(parts(arg));
    std::vector<Operand> addresses;
    addresses.reserve(places.size());
    for (const PlaceParts& place : places) addresses.push_back(address(place));
    build_.emit(op, kVoid, at(s.at), std::move(addresses));
  }

  void lower_atomic(const Stmt& s, const PlaceParts& target) {
    const PlaceParts object = parts(s.args[0]);
    std::vector<Operand> operands{Operand{}};
    for (std::size_t i = 1; i < s.args.size(); ++i) operands.push_back(word(s.args[i]));
    operands[0] = address(object);
    if (s.kind == StmtKind::Store) {
      build_.emit(Op::AtomicStore, kI64, at(s.at), std::move(operands)).order = s.order;
      return;
    }
    const Op op = s.kind == StmtKind::Load ? Op::AtomicLoad : s.kind == StmtKind::Add ? Op::AtomicRmw : Op::AtomicCas;
    Operand result = build_.emit_value(op, kI64, kI64, at(s.at), std::move(operands));
    last_instruction().order = s.order;
    if (op == Op::AtomicRmw) last_instruction().rmw = Rmw::Add;
    if (op == Op::AtomicCas) {
      const RegId success = build_.new_register(kI1);
      last_instruction().result2 = success;
      result = to_word({Operand::reg(success), kI1}, s.at);
    }
    assign(target, result);
  }

  void lower_state(const Stmt& s, const PlaceParts& target) {
    const Operand state = address(parts(s.args[0]));
    if (s.kind == StmtKind::Put) {
      const Operand value = word(s.args[1]);
      build_.emit(Op::Put, kI64, at(s.at), {state, value}).order = MemoryOrder::Release;
      return;
    }
    const Operand result = build_.emit_value(Op::Get, kI64, kI64, at(s.at), {state});
    last_instruction().order = MemoryOrder::Acquire;
    assign(target, result);
  }

  void emit_return(Position position, std::vector<Operand> operands) {
    if (is_function_ && operands.empty()) operands.push_back(Operand::constant(0));
    const Type type = operands.empty() ? kVoid : kI64;
    build_.emit(Op::Return, type, position, std::move(operands));
  }

  void lower_return(const Stmt& s) {
    std::vector<Operand> operands;
    if (!s.args.empty()) operands.push_back(word(s.args[0]));
    mark(s);
    emit_return(at(s.at), std::move(operands));
  }

  void lower_if(const Stmt& s) {
    const Value condition = value(s.args[0]);
    mark(s);
    const BlockId head = build_.block();
    const BlockId yes = build_.new_block();
    build_.branch(condition.operand, yes, yes, at(s.at));
    const Side then = lower_side(yes, s.body);
    Side otherwise{head, true, {}};
    if (!s.otherwise.empty()) {
      const BlockId no = build_.new_block();
      build_.set_target(head, 1, no);
      otherwise = lower_side(no, s.otherwise);
    }
    if (!then.alive && !otherwise.alive) return;
    const BlockId join = build_.new_block();
    if (s.otherwise.empty()) build_.set_target(head, 1, join);
    const auto jump_from = [&](const Side& side) {
      if (!side.alive || side.last == head) return;
      build_.enter(side.last);
      build_.jump(join, at(s.at));
    };
    jump_from(then);
    jump_from(otherwise);
    build_.enter(join);
    if (then.alive && otherwise.alive) {
      build_.merge(then.last, then.changes, otherwise.last, otherwise.changes, at(s.at));
    } else {
      build_.apply(then.alive ? then.changes : otherwise.changes);
    }
  }

  struct Side {
    BlockId last{};
    bool alive = false;  // control reaches its end
    SsaBuilder::Changes changes;
  };

  Side lower_side(BlockId start, const std::vector<Stmt>& statements) {
    build_.enter(start);
    build_.open_region();
    lower_block(statements);
    const bool alive = build_.alive();
    return {build_.block(), alive, build_.close_region()};
  }

  // Begins the head of a loop in a block of its own. `also` changes in the loop too.
  SsaBuilder::LoopHead open_loop(const Stmt& s, std::optional<SsaBuilder::Local> also = {}) {
    const BlockId before = build_.block();
    const BlockId head = build_.new_block();
    build_.jump(head, at(s.at));
    build_.enter(head);
    std::vector<SsaBuilder::Local> changed = assigned_in(s);
    if (also) changed.push_back(*also);
    return build_.open_loop(before, std::move(changed), at(s.at));
  }

  void lower_while(const Stmt& s) {
    const SsaBuilder::LoopHead head = open_loop(s);
    const Value condition = value(s.args[0]);
    mark(s);
    const BlockId test = build_.block();
    const BlockId body = build_.new_block();
    build_.branch(condition.operand, body, body, at(s.at));
    last_instruction().imm = static_cast<std::uint64_t>(LoopTest::OtherBody0);
    build_.enter(body);
    build_.open_region();
    lower_block(s.body);
    if (build_.alive()) build_.close_loop(head, at(s.at));
    build_.close_region();
    const BlockId after = build_.new_block();
    build_.set_target(test, 1, after);
    build_.enter(after);
  }

  bool names_shared(const Expr& expr) const {
    if (ast::is_place(expr) && symbols_.shared.contains(expr.name)) return true;
    return std::ranges::any_of(expr.operands, [&](const Expr& e) { return names_shared(e); });
  }

  // The rounds are counted by a hidden local, so that an assignment to the loop's variable lasts for one round.
  void lower_for(const Stmt& s) {
    const Operand first = word(s.args[0]);
    const Operand last = word(s.args[1]);
    const SsaBuilder::Local counter = build_.new_local();
    build_.write(counter, first);
    const SsaBuilder::LoopHead head = open_loop(s, counter);
    const Operand round = build_.read(counter);
    const Operand test = build_.emit_value(Op::SLe, kI64, kI1, at(s.at), {round, last});
    mark(s);
    const BlockId body = build_.new_block();
    build_.branch(test, body, body, at(s.at));
    const bool counted = !names_shared(s.args[0]) && !names_shared(s.args[1]);
    last_instruction().imm = static_cast<std::uint64_t>(counted ? LoopTest::CountedBody0 : LoopTest::OtherBody0);
    build_.enter(body);
    build_.open_region();
    build_.write(local(s.name), round);
    lower_block(s.body);
    if (build_.alive()) {
      build_.write(counter, build_.emit_value(Op::Add, kI64, kI64, at(s.at), {round, Operand::constant(1)}));
      build_.close_loop(head, at(s.at));
    }
    build_.close_region();
    const BlockId after = build_.new_block();
    build_.set_target(head.block, 1, after);
    build_.enter(after);
  }

  // ---- places

  PlaceParts parts(const Expr& place) {
    if (place.kind == ExprKind::Element && place.operands[0].kind != ExprKind::Number) {
      return {&place, word(place.operands[0])};
    }
    if (place.kind == ExprKind::Field) {
      const DeclaredNames::Variable* variable = shared(place);
      if (variable == nullptr) return {&place, build_.read(local(place.name))};
      return {&place, load(Operand::global(variable->id), ast::VarKind::Ref, place)};
    }
    return {&place, {}};
  }

  // Of a shared place; not for locals.
  Operand address(const PlaceParts& p) {
    const Expr& place = *p.place;
    if (place.kind == ExprKind::Field) {
      const Operand field = build_.emit_value(Op::Offset, kPtr, kPtr, at(place.at), {p.operand});
      last_instruction().imm = symbols_.field_offset.at(place.field);
      last_instruction().checked = true;
      return field;
    }
    const DeclaredNames::Variable& variable = *shared(place);
    const Operand base = Operand::global(variable.id);
    if (place.kind == ExprKind::Name) return base;
    const Expr& index_expr = place.operands[0];
    const bool is_literal = index_expr.kind == ExprKind::Number;
    if (is_literal && index_expr.number < *variable.item->count) {
      if (index_expr.number == 0) return base;
      const Operand element = build_.emit_value(Op::Offset, kPtr, kPtr, at(place.at), {base});
      last_instruction().imm = 8 * index_expr.number;
      return element;
    }
    const Operand subscript = is_literal ? Operand::constant(index_expr.number) : p.operand;
    const Operand element = build_.emit_value(Op::Index, kPtr, kPtr, at(place.at), {base, subscript});
    last_instruction().imm = 8;
    last_instruction().checked = true;
    return element;
  }

  bool is_local(const Expr& place) const { return place.kind == ExprKind::Name && shared(place) == nullptr; }

  ast::VarKind kind_of(const Expr& place) const {
    return place.kind == ExprKind::Field ? ast::VarKind::Int : shared(place)->type->kind;
  }

  Operand load(Operand from, ast::VarKind kind, const Expr& place) {
    const bool atomic = kind == ast::VarKind::Atomic;
    const Operand result = build_.emit_value(atomic ? Op::AtomicLoad : Op::Load, kI64, kI64, at(place.at), {from});
    if (atomic) last_instruction().order = MemoryOrder::SeqCst;
    return result;
  }

  void assign(const PlaceParts& target, Operand value_to_store) {
    const Expr& place = *target.place;
    if (is_local(place)) {
      build_.write(local(place.name), value_to_store);
      return;
    }
    const Operand to = address(target);
    const bool atomic = kind_of(place) == ast::VarKind::Atomic;
    Instruction& store = build_.emit(atomic ? Op::AtomicStore : Op::Store, kI64, at(place.at), {to, value_to_store});
    if (atomic) store.order = MemoryOrder::SeqCst;
  }

  // ---- expressions

  Instruction& last_instruction() { return out_.blocks[index(build_.block())].instructions.back(); }

  Operand to_word(const Value& v, ast::At where) {
    if (v.type != kI1 || v.operand.kind == OperandKind::Const) return v.operand;
    const Operand wide = build_.emit_value(Op::ZExt, kI64, kI64, at(where), {v.operand});
    last_instruction().imm = 1;
    return wide;
  }

  Operand to_bool(const Value& v, ast::At where) {
    if (v.type == kI1) return v.operand;
    return build_.emit_value(Op::Ne, kI64, kI1, at(where), {v.operand, Operand::constant(0)});
  }

  Operand word(const Expr& e) { return to_word(value(e), e.at); }

  Value value(const Expr& e) {
    switch (e.kind) {
      case ExprKind::Number: return {Operand::constant(e.number)};
      case ExprKind::Null: return {Operand::constant(0)};
      case ExprKind::Name:
      case ExprKind::Element:
      case ExprKind::Field: {
        if (is_local(e)) return {build_.read(local(e.name))};
        const PlaceParts place = parts(e);
        return {load(address(place), kind_of(e), e)};
      }
      case ExprKind::TryLock: {
        const PlaceParts place = parts(e.operands[0]);
        return {build_.emit_value(Op::TryLock, kI1, kI1, at(e.at), {address(place)}), kI1};
      }
      case ExprKind::Unary: return unary(e);
      case ExprKind::Binary: return binary(e);
      case ExprKind::AddressOf: break;
    }
    CHECK(false, "no value");
    return {};
  }

  Value unary(const Expr& e) {
    if (e.op == Operator::Not) {
      const Value v = value(e.operands[0]);
      return {build_.emit_value(Op::Eq, v.type, kI1, at(e.at), {v.operand, Operand::constant(0)}), kI1};
    }
    const Operand operand = word(e.operands[0]);
    if (e.op == Operator::Complement) {
      return {build_.emit_value(Op::Xor, kI64, kI64, at(e.at), {operand, Operand::constant(~std::uint64_t{0})})};
    }
    return {build_.emit_value(Op::Sub, kI64, kI64, at(e.at), {Operand::constant(0), operand})};
  }

  Value binary(const Expr& e) {
    if (e.op == Operator::LogicalAnd || e.op == Operator::LogicalOr) return short_circuit(e);
    Operand left = word(e.operands[0]);
    Operand right = word(e.operands[1]);
    const auto compare = [&](Op op) { return Value{build_.emit_value(op, kI64, kI1, at(e.at), {left, right}), kI1}; };
    const auto compute = [&](Op op) { return Value{build_.emit_value(op, kI64, kI64, at(e.at), {left, right})}; };
    switch (e.op) {
      case Operator::Equal: return compare(Op::Eq);
      case Operator::NotEqual: return compare(Op::Ne);
      case Operator::Less: return compare(Op::SLt);
      case Operator::LessEqual: return compare(Op::SLe);
      case Operator::Greater: std::swap(left, right); return compare(Op::SLt);
      case Operator::GreaterEqual: std::swap(left, right); return compare(Op::SLe);
      case Operator::BitOr: return compute(Op::Or);
      case Operator::BitXor: return compute(Op::Xor);
      case Operator::BitAnd: return compute(Op::And);
      case Operator::ShiftLeft: return compute(Op::Shl);
      case Operator::ShiftRight: return compute(Op::AShr);
      case Operator::Plus: return compute(Op::Add);
      case Operator::Minus: return compute(Op::Sub);
      case Operator::Times: return compute(Op::Mul);
      case Operator::Divide: return compute(Op::SDiv);
      case Operator::Remainder: return compute(Op::SRem);
      default: break;
    }
    CHECK(false, "no binary operator");
    return {};
  }

  // a && b: a branch on a; where it goes on, whether b is not 0; else 0. a || b likewise.
  Value short_circuit(const Expr& e) {
    const bool is_and = e.op == Operator::LogicalAnd;
    const Value left = value(e.operands[0]);
    const BlockId decided = build_.block();
    const BlockId more = build_.new_block();
    build_.branch(left.operand, more, more, at(e.at));
    build_.enter(more);
    const Operand right = to_bool(value(e.operands[1]), e.at);
    const BlockId last = build_.block();
    const BlockId join = build_.new_block();
    build_.jump(join, at(e.at));
    build_.set_target(decided, is_and ? 1 : 0, join);
    build_.enter(join);
    return {build_.phi(kI1, at(e.at), {Operand::constant(is_and ? 0 : 1), right}, {decided, last}), kI1};
  }

  const DeclaredNames& symbols_;
  const Program& program_;
  Interner& intern_;
  StringId file_;
  std::size_t budget_;
  Function& out_;
  SsaBuilder build_;
  bool is_function_ = false;
  std::unordered_map<std::string_view, SsaBuilder::Local> locals_;
  std::vector<SsaBuilder::Local> assigned_;  // in order of the statements
  std::unordered_map<const Stmt*, Span> loops_;
  std::vector<std::uint32_t> seen_in_;  // by local
  std::uint32_t serial_ = 0;
};

}  // namespace

bool lower_body(const ast::Body& body, const DeclaredNames& symbols, const Program& program, Interner& intern,
                std::string_view file_name, std::size_t budget, Function& out) {
  return BodyLowering(symbols, program, intern, intern(file_name), budget, out).lower(body);
}

}  // namespace racecast::program
