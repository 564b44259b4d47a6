// Expressions and places of the litmus language. A tree deeper than kMaxExprDepth is refused while it is built, so that
// neither the parser nor anything after it can run out of stack.
#include <fmt/core.h>

#include <algorithm>

#include "program/litmus/parser.h"

namespace racecast::program {

using ast::Expr;
using ast::ExprKind;

Status Parser::adopt(Expr& parent, Expr child) {
  if (child.depth >= ast::kMaxExprDepth) {
    return error(parent.at,
                 fmt::format("an expression of more than {} levels, expected a simpler one", ast::kMaxExprDepth));
  }
  parent.depth = std::max(parent.depth, static_cast<std::uint16_t>(child.depth + 1));
  parent.operands.push_back(std::move(child));
  return {};
}

Result<Expr> Parser::binary(int min_precedence) {
  RC_TRY(Expr left, unary());
  for (;;) {
    if (token_.kind != TokenKind::Symbol) return left;
    const auto op = binary_operator(token_.text);
    if (!op || row_of(*op).precedence < min_precedence) return left;
    Expr node;
    node.kind = ExprKind::Binary;
    node.op = *op;
    node.at = token_.at;
    advance();
    RC_TRY(Expr right, binary(row_of(*op).precedence + 1));
    RC_TRY_STATUS(adopt(node, std::move(left)));
    RC_TRY_STATUS(adopt(node, std::move(right)));
    left = std::move(node);
  }
}

Result<Expr> Parser::unary() {
  const Level level(expr_depth_);
  if (expr_depth_ > ast::kMaxExprDepth) {
    return error(token_.at,
                 fmt::format("an expression of more than {} levels, expected a simpler one", ast::kMaxExprDepth));
  }
  const auto op = token_.kind == TokenKind::Symbol ? unary_operator(token_.text) : std::nullopt;
  if (!op) return primary();
  Expr node;
  node.kind = ExprKind::Unary;
  node.op = *op;
  node.at = token_.at;
  advance();
  RC_TRY(Expr operand, unary());
  RC_TRY_STATUS(adopt(node, std::move(operand)));
  return node;
}

Result<Expr> Parser::primary() {
  Expr node;
  node.at = token_.at;
  if (token_.kind == TokenKind::Number) {
    RC_TRY(node.number, want_number("a number"));
    return node;
  }
  if (accept("(")) {
    RC_TRY(Expr inner, expression());
    RC_TRY_STATUS(want(")"));
    return inner;
  }
  if (token_.is_word("null")) {
    advance();
    node.kind = ExprKind::Null;
    return node;
  }
  if (token_.is_word("trylock")) {
    advance();
    node.kind = ExprKind::TryLock;
    RC_TRY(Expr mutex, place("a mutex"));
    RC_TRY_STATUS(adopt(node, std::move(mutex)));
    return node;
  }
  if (token_.is_word("new")) return unexpected("an expression ('new' stands alone: p = new NAME)");
  if (token_.is_symbol("&")) return unexpected("an expression ('&' is only for arguments of a call)");
  return place("an expression");
}

Result<Expr> Parser::place(std::string_view what) {
  RC_TRY(ast::Word name, want_name(what));
  Expr node;
  node.kind = ExprKind::Name;
  node.at = name.at;
  node.name = std::move(name.text);
  if (accept("[")) {
    node.kind = ExprKind::Element;
    RC_TRY(Expr index, expression());
    RC_TRY_STATUS(want("]"));
    RC_TRY_STATUS(adopt(node, std::move(index)));
  } else if (accept(".")) {
    node.kind = ExprKind::Field;
    RC_TRY(ast::Word field, want_name("the name of a field"));
    node.field_at = field.at;
    node.field = std::move(field.text);
  }
  return node;
}

}  // namespace racecast::program
