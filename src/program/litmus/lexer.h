// Litmus text into tokens, one at a time, and the tables of words and operators that parser and printer share.
//
// The end of a line is a token: a statement ends there. A comment, from # to the end of its line, is not. Words are
// names unless the grammar wants a keyword where they stand; only the reserved ones (is_reserved) never are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "program/litmus/ast.h"

namespace racecast::program {

enum class TokenKind : std::uint8_t { End, Newline, Word, Number, Symbol, Bad };

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;  // points into the source; for ';' (a Newline too) that one character
  ast::At at;

  bool is_word(std::string_view word) const { return kind == TokenKind::Word && text == word; }
  bool is_symbol(std::string_view symbol) const { return kind == TokenKind::Symbol && text == symbol; }
};

// The token for an error message: 'x', the end of the line, the end of the file.
std::string describe(const Token& token);

class Lexer {
 public:
  // `text` must outlive the lexer and its tokens.
  explicit Lexer(std::string_view text) : text_(text) {}
  // After the end: End, again and again.
  Token next();

 private:
  Token take(TokenKind kind, std::size_t size);
  char at(std::size_t offset) const { return at_ + offset < text_.size() ? text_[at_ + offset] : '\0'; }

  std::string_view text_;
  std::size_t at_ = 0;
  ast::At position_{1, 1};
};

struct OperatorRow {
  ast::Operator op;
  std::string_view text;
  int precedence;  // higher binds tighter; all binary ones associate to the left
  bool unary;
};
const OperatorRow& row_of(ast::Operator op);
std::optional<ast::Operator> binary_operator(std::string_view text);
std::optional<ast::Operator> unary_operator(std::string_view text);

// The value of a Number token (decimal or 0x); nothing where it does not fit into 64 bits.
std::optional<std::uint64_t> number_value(std::string_view text);

// Words that cannot be names of variables, functions, structs or threads.
bool is_reserved(std::string_view word);

std::string_view text_of(ast::VarKind kind);  // "mutex"; a Ref is "reference"
}  // namespace racecast::program
