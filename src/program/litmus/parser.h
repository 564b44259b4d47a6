// Litmus tokens into a syntax tree: recursive descent with one token of look-ahead, precedence climbing for
// expressions. Only syntax is judged here; names and kinds are the business of check.h.
//
// Three files: parser.cpp (declarations), parse_statement.cpp, parse_expr.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "program/litmus/ast.h"
#include "program/litmus/lexer.h"

namespace racecast::program {

inline constexpr std::size_t kMaxLitmusBytes = 4u << 20;
inline constexpr std::uint32_t kMaxArray = 1'000'000;

class Parser {
 public:
  // Both must outlive the parser.
  Parser(std::string_view text, std::string_view file_name);
  Result<ast::File> file();
  // The entries of a `run` line, without the word `run`.
  Result<std::vector<ast::RunEntry>> schedule();

 private:
  // parser.cpp
  Result<ast::Shared> shared();
  Result<ast::SharedItem> shared_item();
  Result<ast::StructDecl> struct_decl();
  Result<ast::TypeName> type_name(bool field);
  Result<ast::Body> body(ast::BodyKind kind);
  Result<ast::Expect> expect();
  Result<std::vector<ast::RunEntry>> run_entries();

  // parse_statement.cpp
  Result<std::vector<ast::Stmt>> block();
  Result<ast::Stmt> labelled_statement();
  Result<ast::Stmt> statement();
  Status keyword_statement(ast::Stmt& s);
  Status place_statement(ast::Stmt& s);
  Status if_statement(ast::Stmt& s);
  Status call(ast::Stmt& s);
  Status state_operation(ast::Stmt& s, ast::StmtKind kind);
  Status atomic_operation(ast::Stmt& s, ast::StmtKind kind, int values);
  Result<ast::Expr> condition();
  MemoryOrder optional_order();

  // parse_expr.cpp
  Result<ast::Expr> expression() { return binary(1); }
  Result<ast::Expr> binary(int min_precedence);
  Result<ast::Expr> unary();
  Result<ast::Expr> primary();
  Result<ast::Expr> place(std::string_view what);
  Status adopt(ast::Expr& parent, ast::Expr child);

  // Tokens.
  void advance();
  bool at_end_of_statement() const;
  void skip_newlines();
  bool accept(std::string_view symbol);
  Status want(std::string_view symbol);
  Result<ast::Word> want_name(std::string_view what);
  Result<ast::Word> want_label();
  Result<std::uint64_t> want_number(std::string_view what);
  std::unexpected<Error> unexpected(std::string_view expected) const;
  std::unexpected<Error> error(ast::At at, const std::string& message) const;

  // Counts one level of nesting for its life.
  struct Level {
    explicit Level(int& depth) : depth_(depth) { ++depth_; }
    ~Level() { --depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    int& depth_;
  };

  std::string_view text_;
  std::string_view file_name_;
  Lexer lexer_;
  Token token_;  // the one to judge
  Token ahead_;  // the one after it
  int block_depth_ = 0;
  int expr_depth_ = 0;
};

// "FILE:LINE:COLUMN: message"
std::unexpected<Error> litmus_error(std::string_view file_name, ast::At at, std::string_view message);

}  // namespace racecast::program
