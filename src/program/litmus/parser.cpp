// Declarations of a litmus file, and the handling of tokens that all three parser files share.
#include "program/litmus/parser.h"

#include <fmt/core.h>

#include <algorithm>

namespace racecast::program {

std::unexpected<Error> litmus_error(std::string_view file_name, ast::At at, std::string_view message) {
  return bad_input(fmt::format("{}:{}:{}: {}", file_name, at.line, at.column, message));
}

Parser::Parser(std::string_view text, std::string_view file_name)
    : text_(text), file_name_(file_name), lexer_(text), token_(lexer_.next()), ahead_(lexer_.next()) {}

void Parser::advance() {
  token_ = ahead_;
  ahead_ = lexer_.next();
}

bool Parser::at_end_of_statement() const {
  return token_.kind == TokenKind::Newline || token_.kind == TokenKind::End || token_.is_symbol("}");
}

void Parser::skip_newlines() {
  while (token_.kind == TokenKind::Newline) advance();
}

bool Parser::accept(std::string_view symbol) {
  if (!token_.is_symbol(symbol)) return false;
  advance();
  return true;
}

Status Parser::want(std::string_view symbol) {
  if (accept(symbol)) return {};
  return unexpected(fmt::format("'{}'", symbol));
}

Result<ast::Word> Parser::want_name(std::string_view what) {
  if (token_.kind != TokenKind::Word) return unexpected(what);
  if (is_reserved(token_.text)) {
    return error(token_.at, fmt::format("found '{}', a word of the language that cannot be a name, expected {}",
                                        token_.text, what));
  }
  ast::Word word{token_.at, std::string(token_.text)};
  advance();
  return word;
}

Result<ast::Word> Parser::want_label() {
  if (token_.kind != TokenKind::Word && token_.kind != TokenKind::Number) return unexpected("a label");
  ast::Word word{token_.at, std::string(token_.text)};
  advance();
  return word;
}

Result<std::uint64_t> Parser::want_number(std::string_view what) {
  if (token_.kind != TokenKind::Number) return unexpected(what);
  const auto value = number_value(token_.text);
  if (!value) return error(token_.at, fmt::format("{} is too large: it does not fit into 64 bits", describe(token_)));
  advance();
  return *value;
}

std::unexpected<Error> Parser::error(ast::At at, const std::string& message) const {
  return litmus_error(file_name_, at, message);
}

std::unexpected<Error> Parser::unexpected(std::string_view expected) const {
  return error(token_.at, fmt::format("found {}, expected {}", describe(token_), expected));
}

Result<ast::File> Parser::file() {
  if (text_.size() > kMaxLitmusBytes) {
    return error({1, 1}, fmt::format("the file has {} bytes, at most {} are allowed", text_.size(), kMaxLitmusBytes));
  }
  ast::File file;
  for (;;) {
    skip_newlines();
    const ast::At at = token_.at;
    bool ended_by_brace = false;
    if (token_.kind == TokenKind::End) break;
    if (token_.is_word("shared")) {
      RC_TRY(file.items.emplace_back(), shared());
    } else if (token_.is_word("struct")) {
      RC_TRY(file.items.emplace_back(), struct_decl());
      ended_by_brace = true;
    } else if (token_.is_word("missing") || token_.is_word("unchecked") || token_.is_word("fn") ||
               token_.is_word("thread") || token_.is_word("main")) {
      const ast::BodyKind kind = token_.is_word("missing")                             ? ast::BodyKind::Missing
                                 : token_.is_word("fn") || token_.is_word("unchecked") ? ast::BodyKind::Function
                                 : token_.is_word("thread")                            ? ast::BodyKind::Thread
                                                                                       : ast::BodyKind::Main;
      RC_TRY(file.items.emplace_back(), body(kind));
      ended_by_brace = true;
    } else if (token_.is_word("run")) {
      advance();
      RC_TRY(std::vector<ast::RunEntry> entries, run_entries());
      file.items.emplace_back(ast::Run{at, std::move(entries)});
    } else if (token_.is_word("expect")) {
      RC_TRY(file.items.emplace_back(), expect());
    } else {
      return unexpected("'shared', 'struct', 'fn', 'missing fn', 'unchecked fn', 'thread', 'main', 'run' or 'expect'");
    }
    if (!ended_by_brace && token_.kind != TokenKind::Newline && token_.kind != TokenKind::End) {
      return unexpected("the end of the line");
    }
  }
  file.end = token_.at;
  return file;
}

Result<std::vector<ast::RunEntry>> Parser::schedule() {
  skip_newlines();
  RC_TRY(std::vector<ast::RunEntry> entries, run_entries());
  skip_newlines();
  if (token_.kind != TokenKind::End) return unexpected("a label, a thread or the end of the schedule");
  return entries;
}

Result<ast::Shared> Parser::shared() {
  advance();
  ast::Shared decl;
  RC_TRY(decl.type, type_name(false));
  do {
    RC_TRY(decl.items.emplace_back(), shared_item());
  } while (accept(","));
  return decl;
}

Result<ast::SharedItem> Parser::shared_item() {
  RC_TRY(ast::Word name, want_name("the name of a shared variable"));
  ast::SharedItem item{.at = name.at, .name = std::move(name.text), .count = {}, .initial = {}};
  if (accept("[")) {
    const ast::At at = token_.at;
    RC_TRY(const std::uint64_t count, want_number("the number of elements"));
    if (count == 0 || count > kMaxArray) {
      return error(at, fmt::format("an array of {} elements, expected 1 to {}", count, kMaxArray));
    }
    item.count = static_cast<std::uint32_t>(count);
    RC_TRY_STATUS(want("]"));
  }
  if (accept("=")) {
    const bool negative = accept("-");
    RC_TRY(const std::uint64_t value, want_number("a number"));
    item.initial = negative ? 0 - value : value;
  }
  return item;
}

Result<ast::TypeName> Parser::type_name(bool field) {
  ast::TypeName type;
  type.at = token_.at;
  const std::string_view expected =
      field ? "'int' or the name of a struct and '*'"
            : "'int', 'atomic', 'mutex', 'rwlock', 'cond', 'sem', 'barrier', 'state' or the name of a struct and '*'";
  if (token_.kind != TokenKind::Word) return unexpected(expected);
  if (ahead_.is_symbol("*")) {
    RC_TRY(ast::Word name, want_name("the name of a struct"));
    advance();
    type.kind = ast::VarKind::Ref;
    type.struct_name = std::move(name.text);
    return type;
  }
  const auto last = field ? ast::VarKind::Int : ast::VarKind::State;
  for (int kind = 0; kind <= static_cast<int>(last); ++kind) {
    if (token_.text != text_of(static_cast<ast::VarKind>(kind))) continue;
    type.kind = static_cast<ast::VarKind>(kind);
    advance();
    return type;
  }
  return unexpected(expected);
}

Result<ast::StructDecl> Parser::struct_decl() {
  advance();
  RC_TRY(ast::Word name, want_name("the name of the struct"));
  ast::StructDecl decl{.at = name.at, .name = std::move(name.text), .fields = {}};
  skip_newlines();
  RC_TRY_STATUS(want("{"));
  for (;;) {
    skip_newlines();
    if (accept("}")) return decl;
    ast::FieldDecl field;
    RC_TRY(field.type, type_name(true));
    RC_TRY(ast::Word field_name, want_name("the name of a field"));
    field.at = field_name.at;
    field.name = std::move(field_name.text);
    decl.fields.push_back(std::move(field));
    if (!at_end_of_statement()) return unexpected("the end of the line or '}': one field a line");
  }
}

Result<ast::Body> Parser::body(ast::BodyKind kind) {
  ast::Body body;
  body.kind = kind;
  body.unchecked = token_.is_word("unchecked");
  if (kind == ast::BodyKind::Missing || body.unchecked) {
    advance();
    if (!token_.is_word("fn")) return unexpected("'fn'");
  }
  body.at = token_.at;
  advance();
  if (kind == ast::BodyKind::Main) {
    body.name = "main";
  } else {
    RC_TRY(ast::Word name,
           want_name(kind == ast::BodyKind::Thread ? "the name of the thread" : "the name of the function"));
    if (name.text == "main" && kind == ast::BodyKind::Thread) {
      return error(name.at, "found a thread 'main', expected another name: the first thread is written main { ... }");
    }
    body.at = name.at;
    body.name = std::move(name.text);
  }
  if (kind == ast::BodyKind::Function || kind == ast::BodyKind::Missing) {
    RC_TRY_STATUS(want("("));
    if (!accept(")")) {
      do {
        RC_TRY(body.params.emplace_back(), want_name("the name of a parameter"));
      } while (accept(","));
      if (!accept(")")) return unexpected("',' or ')'");
    }
  }
  RC_TRY(body.statements, block());
  body.end = token_.at;
  advance();
  return body;
}

Result<std::vector<ast::RunEntry>> Parser::run_entries() {
  std::vector<ast::RunEntry> entries;
  while (token_.kind == TokenKind::Word || token_.kind == TokenKind::Number) {
    entries.push_back({{token_.at, std::string(token_.text)}, std::nullopt});
    advance();
    if (accept("*")) {
      RC_TRY(entries.back().steps, want_number("a number of steps"));
    }
  }
  if (token_.kind != TokenKind::Newline && token_.kind != TokenKind::End) return unexpected("a label or a thread");
  if (entries.empty()) return unexpected("a label or a thread");
  return entries;
}

Result<ast::Expect> Parser::expect() {
  ast::Expect line;
  advance();
  line.at = token_.at;
  if (token_.kind != TokenKind::Word) return unexpected("the name of an analysis");
  line.analysis = token_.text;
  advance();
  RC_TRY_STATUS(want(":"));
  while (token_.kind != TokenKind::Newline && token_.kind != TokenKind::End) {
    if (token_.kind == TokenKind::Word || token_.kind == TokenKind::Number) {
      RC_TRY(line.labels.emplace_back(), want_label());
      continue;
    }
    if (!accept("(")) return unexpected("a label, or a pair of labels as in (1,2)");
    auto& pair = line.pairs.emplace_back();
    RC_TRY(pair.first, want_label());
    RC_TRY_STATUS(want(","));
    RC_TRY(pair.second, want_label());
    RC_TRY_STATUS(want(")"));
  }
  return line;
}

}  // namespace racecast::program
