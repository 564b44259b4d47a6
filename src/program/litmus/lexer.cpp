// Litmus text into tokens. One pass, no copies; every byte that is not part of the language becomes a Bad token that
// the parser reports where it meets it.
#include "program/litmus/lexer.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/check.h"

namespace racecast::program {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

using ast::Operator;
constexpr std::array<OperatorRow, 21> kOperators = {{
    {Operator::LogicalOr, "||", 1, false},    {Operator::LogicalAnd, "&&", 2, false},
    {Operator::BitOr, "|", 3, false},         {Operator::BitXor, "^", 4, false},
    {Operator::BitAnd, "&", 5, false},        {Operator::Equal, "==", 6, false},
    {Operator::NotEqual, "!=", 6, false},     {Operator::Less, "<", 7, false},
    {Operator::LessEqual, "<=", 7, false},    {Operator::Greater, ">", 7, false},
    {Operator::GreaterEqual, ">=", 7, false}, {Operator::ShiftLeft, "<<", 8, false},
    {Operator::ShiftRight, ">>", 8, false},   {Operator::Plus, "+", 9, false},
    {Operator::Minus, "-", 9, false},         {Operator::Times, "*", 10, false},
    {Operator::Divide, "/", 10, false},       {Operator::Remainder, "%", 10, false},
    {Operator::Not, "!", 11, true},           {Operator::Complement, "~", 11, true},
    {Operator::Negate, "-", 11, true},
}};

std::optional<Operator> find_operator(std::string_view text, bool unary) {
  for (const OperatorRow& row : kOperators) {
    if (row.unary == unary && row.text == text) return row.op;
  }
  return std::nullopt;
}

}  // namespace

const OperatorRow& row_of(Operator op) {
  const OperatorRow& row = kOperators[static_cast<std::size_t>(op)];
  CHECK(row.op == op, "operator table out of order");
  return row;
}
std::optional<Operator> binary_operator(std::string_view text) {
  return find_operator(text, false);
}
std::optional<Operator> unary_operator(std::string_view text) {
  return find_operator(text, true);
}

std::optional<std::uint64_t> number_value(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x")) {
    text.remove_prefix(2);
    base = 16;
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_reserved(std::string_view word) {
  constexpr std::array<std::string_view, 10> kReserved = {"if",     "else", "while", "for",  "to",
                                                          "return", "skip", "new",   "null", "trylock"};
  return std::ranges::find(kReserved, word) != kReserved.end();
}

std::string_view text_of(ast::VarKind kind) {
  constexpr std::array<std::string_view, 9> kNames = {"int", "atomic",  "mutex", "rwlock",   "cond",
                                                      "sem", "barrier", "state", "reference"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::End: return "the end of the file";
    case TokenKind::Newline: return token.text == ";" ? "';'" : "the end of the line";
    case TokenKind::Bad: {
      const auto byte = static_cast<unsigned char>(token.text.front());
      if (token.text.size() > 1) return fmt::format("the malformed number '{}'", token.text.substr(0, 40));
      if (byte < 0x20 || byte >= 0x7f) return fmt::format("the byte 0x{:02x}", byte);
      return fmt::format("the character '{}'", token.text);
    }
    case TokenKind::Word:
    case TokenKind::Number:
    case TokenKind::Symbol: break;
  }
  if (token.text.size() > 60) return fmt::format("'{}...'", token.text.substr(0, 60));
  return fmt::format("'{}'", token.text);
}

Token Lexer::take(TokenKind kind, std::size_t size) {
  const Token token{kind, text_.substr(at_, size), position_};
  at_ += size;
  position_.column += static_cast<std::uint32_t>(size);
  return token;
}

Token Lexer::next() {
  while (at(0) == ' ' || at(0) == '\t' || at(0) == '\r') take(TokenKind::Bad, 1);
  if (at(0) == '#') {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    take(TokenKind::Bad, end - at_);
  }
  if (at_ == text_.size()) return take(TokenKind::End, 0);

  const char c = at(0);
  if (c == '\n') {
    const Token token = take(TokenKind::Newline, 1);
    ++position_.line;
    position_.column = 1;
    return token;
  }
  if (c == ';') return take(TokenKind::Newline, 1);
  if (is_letter(c) || is_digit(c)) {
    std::size_t size = 1;
    while (is_letter(at(size)) || is_digit(at(size))) ++size;
    if (is_letter(c)) return take(TokenKind::Word, size);
    const std::string_view text = text_.substr(at_, size);
    const bool decimal = std::ranges::all_of(text, is_digit);
    const bool hex = text.size() > 2 && text.starts_with("0x") &&
                     text.substr(2).find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
    return take(decimal || hex ? TokenKind::Number : TokenKind::Bad, size);
  }
  constexpr std::array<std::string_view, 8> kTwo = {"||", "&&", "==", "!=", "<=", ">=", "<<", ">>"};
  if (std::ranges::find(kTwo, text_.substr(at_, 2)) != kTwo.end()) return take(TokenKind::Symbol, 2);
  constexpr std::string_view kOne = "{}()[],:=.&|^<>+-*/%!~";
  return take(kOne.find(c) == std::string_view::npos ? TokenKind::Bad : TokenKind::Symbol, 1);
}

}  // namespace racecast::program
