// Statements and blocks of the litmus language. What a statement is can be told from its first word and the token after
// it: WORD followed by = [ . is an assignment and by ( a call, whatever the word, so that a function may be called
// `post` and a local `add`; any other WORD is a keyword.
#include <fmt/core.h>

#include <array>

#include "program/litmus/parser.h"

namespace racecast::program {

using ast::Expr;
using ast::Stmt;
using ast::StmtKind;

namespace {

// Operations on one synchronisation object, and what it must be.
struct ObjectRow {
  std::string_view keyword;
  StmtKind kind;
  std::string_view object;
};
constexpr std::array<ObjectRow, 11> kObjectRows = {{
    {"lock", StmtKind::Lock, "a mutex"},
    {"unlock", StmtKind::Unlock, "a mutex"},
    {"rdlock", StmtKind::RdLock, "a rwlock"},
    {"wrlock", StmtKind::WrLock, "a rwlock"},
    {"rwunlock", StmtKind::RwUnlock, "a rwlock"},
    {"wait", StmtKind::Wait, "a cond"},
    {"notify", StmtKind::Notify, "a cond"},
    {"notifyall", StmtKind::NotifyAll, "a cond"},
    {"post", StmtKind::Post, "a sem"},
    {"down", StmtKind::Down, "a sem"},
    {"arrive", StmtKind::Arrive, "a barrier"},
}};

std::optional<MemoryOrder> order_named(const Token& token) {
  for (int i = 1; i < kMemoryOrders; ++i) {
    const auto order = static_cast<MemoryOrder>(i);
    if (token.is_word(name_of(order))) return order;
  }
  return std::nullopt;
}

}  // namespace

// Leaves the closing brace as the current token: the caller wants its position.
Result<std::vector<Stmt>> Parser::block() {
  skip_newlines();
  const Level level(block_depth_);
  if (block_depth_ > ast::kMaxBlockDepth) {
    return error(token_.at, fmt::format("blocks nested more than {} deep, expected fewer", ast::kMaxBlockDepth));
  }
  RC_TRY_STATUS(want("{"));
  std::vector<Stmt> statements;
  for (;;) {
    skip_newlines();
    if (token_.is_symbol("}")) return statements;
    if (token_.kind == TokenKind::End) return unexpected("a statement or '}'");
    RC_TRY(Stmt s, labelled_statement());
    const bool ended_by_brace = s.kind == StmtKind::If || s.kind == StmtKind::While || s.kind == StmtKind::For;
    if (!ended_by_brace && !at_end_of_statement()) return unexpected("the end of the statement");
    statements.push_back(std::move(s));
  }
}

Result<Stmt> Parser::labelled_statement() {
  std::string label;
  const ast::At at = token_.at;
  if (ahead_.is_symbol(":") && (token_.kind == TokenKind::Word || token_.kind == TokenKind::Number)) {
    label = token_.text;
    advance();
    advance();
  }
  RC_TRY(Stmt s, statement());
  s.label = std::move(label);
  s.label_at = at;
  return s;
}

Result<Stmt> Parser::statement() {
  Stmt s;
  s.at = token_.at;
  if (token_.kind != TokenKind::Word) return unexpected("a statement");
  const bool names_a_place = ahead_.is_symbol("=") || ahead_.is_symbol("[") || ahead_.is_symbol(".");
  if (names_a_place) {
    RC_TRY_STATUS(place_statement(s));
  } else if (ahead_.is_symbol("(") && !is_reserved(token_.text)) {
    RC_TRY_STATUS(call(s));
  } else {
    RC_TRY_STATUS(keyword_statement(s));
  }
  return s;
}

Status Parser::place_statement(Stmt& s) {
  RC_TRY(s.target, place("a place to assign to"));
  RC_TRY_STATUS(want("="));
  if (token_.is_word("new")) {
    s.kind = StmtKind::New;
    s.at = token_.at;
    advance();
    RC_TRY(ast::Word name, want_name("the name of a struct"));
    s.name_at = name.at;
    s.name = std::move(name.text);
    return {};
  }
  if (token_.kind == TokenKind::Word && ahead_.kind == TokenKind::Word) {
    if (token_.text == "load") return atomic_operation(s, StmtKind::Load, 0);
    if (token_.text == "add") return atomic_operation(s, StmtKind::Add, 1);
    if (token_.text == "cas") return atomic_operation(s, StmtKind::Cas, 2);
    if (token_.text == "get") return state_operation(s, StmtKind::Get);
  }
  if (token_.kind == TokenKind::Word && ahead_.is_symbol("(") && !is_reserved(token_.text)) return call(s);
  s.kind = StmtKind::Assign;
  RC_TRY(s.args.emplace_back(), expression());
  return {};
}

Status Parser::call(Stmt& s) {
  s.kind = StmtKind::Call;
  s.at = token_.at;
  s.name_at = token_.at;
  s.name = token_.text;
  advance();
  RC_TRY_STATUS(want("("));
  if (!accept(")")) {
    do {
      if (token_.is_symbol("&")) {
        advance();
        Expr& reference = s.args.emplace_back();
        reference.kind = ast::ExprKind::AddressOf;
        RC_TRY(ast::Word name, want_name("the name of a shared variable"));
        reference.at = name.at;
        reference.name = std::move(name.text);
      } else {
        RC_TRY(s.args.emplace_back(), expression());
      }
    } while (accept(","));
    if (!accept(")")) return unexpected("',' or ')'");
  }
  if (!at_end_of_statement()) {
    return unexpected("the end of the statement (a call stands alone and is no part of an expression)");
  }
  return {};
}

// PLACE and `values` expressions and an optional ORDER, after the keyword.
Status Parser::atomic_operation(Stmt& s, StmtKind kind, int values) {
  s.kind = kind;
  s.at = token_.at;
  advance();
  RC_TRY(s.args.emplace_back(), place("an atomic"));
  for (int i = 0; i < values; ++i) {
    if (at_end_of_statement()) {
      return unexpected(kind == StmtKind::Store ? "the value to store"
                        : kind == StmtKind::Add ? "the value to add"
                        : i == 0                ? "the value to compare with"
                                                : "the value to store");
    }
    RC_TRY(s.args.emplace_back(), expression());
  }
  s.order = optional_order();
  if (!at_end_of_statement()) {
    return unexpected("'relaxed', 'acquire', 'release', 'acqrel', 'seqcst' or the end of the statement");
  }
  return {};
}

// PLACE, and of a put the value, after the keyword.
Status Parser::state_operation(Stmt& s, StmtKind kind) {
  s.kind = kind;
  s.at = token_.at;
  advance();
  RC_TRY(s.args.emplace_back(), place("a state"));
  if (kind == StmtKind::Get) return {};
  if (at_end_of_statement()) return unexpected("the value to put");
  RC_TRY(s.args.emplace_back(), expression());
  return {};
}

MemoryOrder Parser::optional_order() {
  const auto order = order_named(token_);
  if (!order) return MemoryOrder::SeqCst;
  advance();
  return *order;
}

Result<Expr> Parser::condition() {
  RC_TRY_STATUS(want("("));
  RC_TRY(Expr expr, expression());
  RC_TRY_STATUS(want(")"));
  return expr;
}

Status Parser::if_statement(Stmt& s) {
  s.kind = StmtKind::If;
  advance();
  RC_TRY(s.args.emplace_back(), condition());
  RC_TRY(s.body, block());
  advance();
  // An `else` may stand on a line of its own; the lines skipped on the way to something else do not matter, because
  // an `if` needs no separator after it.
  skip_newlines();
  if (!token_.is_word("else") || ahead_.is_symbol(":")) return {};
  advance();
  skip_newlines();
  if (!token_.is_word("if")) {
    RC_TRY(s.otherwise, block());
    advance();
    return {};
  }
  const Level level(block_depth_);
  if (block_depth_ > ast::kMaxBlockDepth) {
    return error(token_.at, fmt::format("blocks nested more than {} deep, expected fewer", ast::kMaxBlockDepth));
  }
  Stmt& nested = s.otherwise.emplace_back();
  nested.at = nested.label_at = token_.at;
  return if_statement(nested);
}

Status Parser::keyword_statement(Stmt& s) {
  const std::string_view word = token_.text;
  if (word == "if") return if_statement(s);
  if (word == "while") {
    s.kind = StmtKind::While;
    advance();
    RC_TRY(s.args.emplace_back(), condition());
    RC_TRY(s.body, block());
    advance();
    return {};
  }
  if (word == "for") {
    s.kind = StmtKind::For;
    advance();
    RC_TRY(ast::Word name, want_name("the loop's variable"));
    s.name_at = name.at;
    s.name = std::move(name.text);
    RC_TRY_STATUS(want("="));
    RC_TRY(s.args.emplace_back(), expression());
    if (!token_.is_word("to")) return unexpected("'to'");
    advance();
    RC_TRY(s.args.emplace_back(), expression());
    RC_TRY(s.body, block());
    advance();
    return {};
  }
  if (word == "skip") {
    advance();
    return {};
  }
  if (word == "return") {
    s.kind = StmtKind::Return;
    advance();
    if (at_end_of_statement()) return {};
    RC_TRY(s.args.emplace_back(), expression());
    return {};
  }
  if (word == "fork" || word == "join") {
    s.kind = word == "fork" ? StmtKind::Fork : StmtKind::Join;
    advance();
    RC_TRY(ast::Word name, want_name("the name of a thread"));
    s.name_at = name.at;
    s.name = std::move(name.text);
    return {};
  }
  if (word == "fence") {
    s.kind = StmtKind::Fence;
    advance();
    const auto order = order_named(token_);
    if (!order) return unexpected("'relaxed', 'acquire', 'release', 'acqrel' or 'seqcst'");
    s.order = *order;
    advance();
    return {};
  }
  if (word == "store") return atomic_operation(s, StmtKind::Store, 1);
  if (word == "put") return state_operation(s, StmtKind::Put);
  for (const ObjectRow& row : kObjectRows) {
    if (word != row.keyword) continue;
    s.kind = row.kind;
    advance();
    RC_TRY(s.args.emplace_back(), place(row.object));
    if (row.kind == StmtKind::Wait) {
      RC_TRY(s.args.emplace_back(), place("the mutex to give back"));
    }
    return {};
  }
  if (word == "load" || word == "add" || word == "cas" || word == "trylock" || word == "new" || word == "get") {
    return unexpected(fmt::format("a statement ('{}' gives a value: write NAME = {} ...)", word, word));
  }
  if (is_reserved(word) || ahead_.kind == TokenKind::Bad) return unexpected("a statement");
  advance();
  return unexpected(fmt::format("'=', '(', '[' or '.' after '{}'", word));
}

}  // namespace racecast::program
