// A litmus tree back into text, in one canonical layout: two spaces a level, one statement a line, labels before
// statements, and only the parentheses that the tree needs. Parsing the text gives an equal tree.
#include <fmt/format.h>

#include <iterator>

#include "program/litmus/ast.h"
#include "program/litmus/lexer.h"
#include "program/litmus/litmus.h"

namespace racecast::program {
namespace {

using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;

class Printer {
 public:
  std::string print(const ast::File& file) {
    for (std::size_t i = 0; i < file.items.size(); ++i) {
      // One declaration a paragraph; shared lines and expect lines stand together.
      const bool same = i > 0 && file.items[i - 1].index() == file.items[i].index() &&
                        !std::holds_alternative<ast::Body>(file.items[i]) &&
                        !std::holds_alternative<ast::StructDecl>(file.items[i]);
      if (i > 0 && !same) out_ += '\n';
      std::visit([this](const auto& item) { print(item); }, file.items[i]);
    }
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  static std::string type(const ast::TypeName& type) {
    return type.kind == ast::VarKind::Ref ? type.struct_name + "*" : std::string(text_of(type.kind));
  }

  void print(const ast::Shared& shared) {
    add("shared {} ", type(shared.type));
    for (const ast::SharedItem& item : shared.items) {
      add("{}{}", &item == &shared.items.front() ? "" : ", ", item.name);
      if (item.count) add("[{}]", *item.count);
      if (item.initial) add(" = {}", static_cast<std::int64_t>(*item.initial));
    }
    out_ += '\n';
  }

  void print(const ast::StructDecl& decl) {
    add("struct {} {{\n", decl.name);
    for (const ast::FieldDecl& field : decl.fields) add("  {} {}\n", type(field.type), field.name);
    out_ += "}\n";
  }

  void print(const ast::Body& body) {
    switch (body.kind) {
      case ast::BodyKind::Thread: add("thread {}", body.name); break;
      case ast::BodyKind::Main: add("main"); break;
      case ast::BodyKind::Missing: out_ += "missing "; [[fallthrough]];
      case ast::BodyKind::Function: {
        add("{}fn {}(", body.unchecked ? "unchecked " : "", body.name);
        for (const ast::Word& param : body.params) add("{}{}", &param == &body.params.front() ? "" : ", ", param.text);
        out_ += ')';
        break;
      }
    }
    block(body.statements);
    out_ += '\n';
  }

  void print(const ast::Run& run) {
    out_ += "run";
    for (const ast::RunEntry& entry : run.entries) {
      add(" {}", entry.word.text);
      if (entry.steps) add("*{}", *entry.steps);
    }
    out_ += '\n';
  }

  void print(const ast::Expect& expect) {
    add("expect {}:", expect.analysis);
    for (const auto& [a, b] : expect.pairs) add(" ({},{})", a.text, b.text);
    for (const ast::Word& label : expect.labels) add(" {}", label.text);
    out_ += '\n';
  }

  // " {", the statements, "}" at the level of the opening line.
  void block(const std::vector<Stmt>& statements) {
    out_ += " {\n";
    indent_ += 2;
    for (const Stmt& s : statements) {
      add("{:{}}", "", indent_);
      if (!s.label.empty()) add("{}: ", s.label);
      statement(s);
      out_ += '\n';
    }
    indent_ -= 2;
    add("{:{}}}}", "", indent_);
  }

  void statement(const Stmt& s) {
    if (s.target) {
      expression(*s.target, 0);
      out_ += " = ";
    }
    switch (s.kind) {
      case StmtKind::Assign: expression(s.args[0], 0); break;
      case StmtKind::New: add("new {}", s.name); break;
      case StmtKind::Call:
        add("{}(", s.name);
        for (const Expr& arg : s.args) {
          if (&arg != &s.args.front()) out_ += ", ";
          expression(arg, 0);
        }
        out_ += ')';
        break;
      case StmtKind::If: if_statement(s); break;
      case StmtKind::While:
        out_ += "while (";
        expression(s.args[0], 0);
        out_ += ')';
        block(s.body);
        break;
      case StmtKind::For:
        add("for {} = ", s.name);
        expression(s.args[0], 0);
        out_ += " to ";
        expression(s.args[1], 0);
        block(s.body);
        break;
      case StmtKind::Fork: add("fork {}", s.name); break;
      case StmtKind::Join: add("join {}", s.name); break;
      case StmtKind::Fence: add("fence {}", name_of(s.order)); break;
      case StmtKind::Return: words("return", s.args); break;
      case StmtKind::Skip: out_ += "skip"; break;
      case StmtKind::Lock: words("lock", s.args); break;
      case StmtKind::Unlock: words("unlock", s.args); break;
      case StmtKind::RdLock: words("rdlock", s.args); break;
      case StmtKind::WrLock: words("wrlock", s.args); break;
      case StmtKind::RwUnlock: words("rwunlock", s.args); break;
      case StmtKind::Wait: words("wait", s.args); break;
      case StmtKind::Notify: words("notify", s.args); break;
      case StmtKind::NotifyAll: words("notifyall", s.args); break;
      case StmtKind::Post: words("post", s.args); break;
      case StmtKind::Down: words("down", s.args); break;
      case StmtKind::Arrive: words("arrive", s.args); break;
      case StmtKind::Store: atomic("store", s); break;
      case StmtKind::Load: atomic("load", s); break;
      case StmtKind::Add: atomic("add", s); break;
      case StmtKind::Cas: atomic("cas", s); break;
      case StmtKind::Put: words("put", s.args); break;
      case StmtKind::Get: words("get", s.args); break;
    }
  }

  void if_statement(const Stmt& s) {
    out_ += "if (";
    expression(s.args[0], 0);
    out_ += ')';
    block(s.body);
    if (s.otherwise.empty()) return;
    out_ += " else";
    const Stmt& first = s.otherwise.front();
    if (s.otherwise.size() == 1 && first.kind == StmtKind::If && first.label.empty()) {
      out_ += ' ';
      if_statement(first);
    } else {
      block(s.otherwise);
    }
  }

  // Operands side by side. Only the third can be taken for a part of the one before it: cas x a -b.
  void words(std::string_view keyword, const std::vector<Expr>& args) {
    out_ += keyword;
    for (std::size_t i = 0; i < args.size(); ++i) {
      out_ += ' ';
      const std::size_t start = out_.size();
      expression(args[i], 0);
      if (i == 2 && out_[start] == '-') {
        out_.insert(start, 1, '(');
        out_ += ')';
      }
    }
  }

  void atomic(std::string_view keyword, const Stmt& s) {
    words(keyword, s.args);
    if (s.order != MemoryOrder::SeqCst) add(" {}", name_of(s.order));
  }

  // In parentheses where its operator binds less tightly than `precedence`.
  void expression(const Expr& e, int precedence) {
    switch (e.kind) {
      case ExprKind::Number: add("{}", e.number); break;
      case ExprKind::Null: out_ += "null"; break;
      case ExprKind::Name: out_ += e.name; break;
      case ExprKind::Element:
        add("{}[", e.name);
        expression(e.operands[0], 0);
        out_ += ']';
        break;
      case ExprKind::Field: add("{}.{}", e.name, e.field); break;
      case ExprKind::TryLock:
        out_ += "trylock ";
        expression(e.operands[0], 0);
        break;
      case ExprKind::AddressOf: add("&{}", e.name); break;
      case ExprKind::Unary:
        out_ += row_of(e.op).text;
        expression(e.operands[0], row_of(e.op).precedence);
        break;
      case ExprKind::Binary: {
        const OperatorRow& row = row_of(e.op);
        const bool parentheses = row.precedence < precedence;
        if (parentheses) out_ += '(';
        expression(e.operands[0], row.precedence);
        add(" {} ", row.text);
        expression(e.operands[1], row.precedence + 1);
        if (parentheses) out_ += ')';
        break;
      }
    }
  }

  std::string out_;
  int indent_ = 0;
};

}  // namespace

std::string print_litmus(const ast::File& tree) {
  return Printer().print(tree);
}

}  // namespace racecast::program
