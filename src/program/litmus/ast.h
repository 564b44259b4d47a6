// The syntax tree of a litmus file: what the parser makes, the printer writes and the lowering reads. Plain values.
//
// Trees are compared without positions (At is equal to every At), so that "parsing what was printed gives the same
// tree" is one ==. Parentheses, comments and layout are not in the tree. The depth of blocks and of expressions is
// bounded by the parser (kMaxBlockDepth, kMaxExprDepth), so that everything that walks a tree may recurse.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/memory_order.h"

namespace racecast::program::ast {

struct At {  // 1-based; columns count bytes
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  bool operator==(const At&) const { return true; }
};

enum class ExprKind : std::uint8_t {
  Number,
  Null,
  Name,       // a place: name
  Element,    // a place: name[operands[0]]
  Field,      // a place: name.field
  Unary,      // op operands[0]
  Binary,     // operands[0] op operands[1]
  TryLock,    // trylock operands[0], a place
  AddressOf,  // &name: only as an argument of a call
};

// row_of() in lexer.h has their text and precedence, in this order.
enum class Operator : std::uint8_t {
  LogicalOr,
  LogicalAnd,
  BitOr,
  BitXor,
  BitAnd,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  ShiftLeft,
  ShiftRight,
  Plus,
  Minus,
  Times,
  Divide,
  Remainder,
  Not,
  Complement,
  Negate,
};

struct Expr {
  ExprKind kind = ExprKind::Number;
  Operator op = Operator::Plus;
  std::uint16_t depth = 1;   // of this tree
  At at;                     // of the operator, or of the first word
  At field_at;               // Field
  std::uint64_t number = 0;  // Number
  std::string name;
  std::string field;
  std::vector<Expr> operands;
  bool operator==(const Expr&) const = default;
};

enum class StmtKind : std::uint8_t {
  Assign,  // target = args[0]
  New,     // target = new name
  Call,    // [target =] name(args)
  If,      // args[0], body, otherwise ("else if" is an unlabelled If alone in `otherwise`)
  While,   // args[0], body
  For,     // name = args[0] to args[1], body
  Lock,    // the object is args[0] in this and in all that follow, up to Arrive
  Unlock,
  RdLock,
  WrLock,
  RwUnlock,
  Wait,  // condition args[0], mutex args[1]
  Notify,
  NotifyAll,
  Post,
  Down,
  Arrive,
  Fork,    // name
  Join,    // name
  Return,  // args[0], if there
  Fence,   // order
  Skip,
  Store,  // args[0] = args[1]; the atomic is args[0] in the four that follow
  Load,   // target = args[0]
  Add,    // target = args[0], which grows by args[1]
  Cas,    // target = (args[0] was args[1]), which becomes args[2] then
  Put,    // args[1] into the state args[0]
  Get,    // target = what is in the state args[0]
};

struct Stmt {
  StmtKind kind = StmtKind::Skip;
  MemoryOrder order = MemoryOrder::None;  // Fence and atomics; SeqCst where none is written
  At at;                                  // of the operation: its keyword, the called name, the place of an assignment
  At label_at;
  std::string label;  // empty: none
  At name_at;
  std::string name;
  std::optional<Expr> target;
  std::vector<Expr> args;
  std::vector<Stmt> body;
  std::vector<Stmt> otherwise;
  bool operator==(const Stmt&) const = default;
};

enum class VarKind : std::uint8_t { Int, Atomic, Mutex, RwLock, Cond, Sem, Barrier, State, Ref };

struct TypeName {
  VarKind kind = VarKind::Int;
  At at;
  std::string struct_name;  // Ref
  bool operator==(const TypeName&) const = default;
};

struct SharedItem {
  At at;
  std::string name;
  std::optional<std::uint32_t> count;    // written in [ ]: an array
  std::optional<std::uint64_t> initial;  // two's complement
  bool operator==(const SharedItem&) const = default;
};

struct Shared {
  TypeName type;
  std::vector<SharedItem> items;
  bool operator==(const Shared&) const = default;
};

struct FieldDecl {
  TypeName type;  // Int or Ref
  At at;
  std::string name;
  bool operator==(const FieldDecl&) const = default;
};

struct StructDecl {
  At at;
  std::string name;
  std::vector<FieldDecl> fields;
  bool operator==(const StructDecl&) const = default;
};

struct Word {  // a name or a label, with where it stands
  At at;
  std::string text;
  bool operator==(const Word&) const = default;
};

struct RunEntry {  // of a `run` line: a label, a thread, or THREAD*steps
  Word word;
  std::optional<std::uint64_t> steps = std::nullopt;
  bool operator==(const RunEntry&) const = default;
};

enum class BodyKind : std::uint8_t { Function, Missing, Thread, Main };

struct Body {  // fn, missing fn, unchecked fn, thread, main
  BodyKind kind = BodyKind::Thread;
  bool unchecked = false;  // Function
  At at;                   // of its name
  At end;
  std::string name;  // "main" for Main
  std::vector<Word> params;
  std::vector<Stmt> statements;
  bool operator==(const Body&) const = default;
};

struct Run {
  At at;
  std::vector<RunEntry> entries;
  bool operator==(const Run&) const = default;
};

struct Expect {
  At at;
  std::string analysis;
  std::vector<std::pair<Word, Word>> pairs;
  std::vector<Word> labels;
  bool operator==(const Expect&) const = default;
};

using Item = std::variant<Shared, StructDecl, Body, Run, Expect>;

struct File {
  std::vector<Item> items;  // in the order of the file
  At end;
  bool operator==(const File&) const = default;
};

inline constexpr int kMaxBlockDepth = 200;
inline constexpr int kMaxExprDepth = 500;

inline bool is_place(const Expr& expr) {
  return expr.kind == ExprKind::Name || expr.kind == ExprKind::Element || expr.kind == ExprKind::Field;
}

}  // namespace racecast::program::ast
