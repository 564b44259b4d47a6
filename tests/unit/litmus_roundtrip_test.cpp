// Printing and parsing are inverse: on every example file, and on random trees from a printed seed. Everything that is
// accepted lowers to a program that breaks no rule.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "program/litmus/ast.h"
#include "program/litmus/lexer.h"
#include "program/litmus/litmus.h"
#include "source_dir.h"

namespace racecast::program {
namespace {

using ast::Expr;
using ast::ExprKind;
using ast::Operator;
using ast::Stmt;
using ast::StmtKind;

std::vector<std::filesystem::path> litmus_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".litmus") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

void expect_round_trip(const std::string& text, const std::string& name) {
  const auto file = parse_litmus(text, name);
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(broken_rule(*file->program), "") << name;
  EXPECT_EQ(file->program->source, text);
  const std::string printed = print_litmus(*file->tree);
  const auto again = parse_litmus(printed, name);
  ASSERT_TRUE(again.has_value()) << again.error().message << "\n" << printed;
  EXPECT_TRUE(*file->tree == *again->tree) << printed;
  EXPECT_EQ(print_litmus(*again->tree), printed);
}

void expect_round_trips(const std::filesystem::path& folder) {
  for (const auto& path : litmus_files(folder)) {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    expect_round_trip(text.str(), path.filename().string());
  }
}

TEST(LitmusRoundTrip, ExampleFiles) {
  const std::filesystem::path folder = std::filesystem::path(RACECAST_SOURCE_DIR) / "tests/litmus";
  EXPECT_GE(litmus_files(folder).size(), 225u);
  expect_round_trips(folder);
}

TEST(LitmusRoundTrip, CanonicalLayout) {
  const std::string text =
      "struct  N {int f;N * g}\n"
      "shared int x=-1,a [4] = 7 # a comment\n\n\n"
      "shared N *q ; shared atomic t;shared state o\n"
      "missing fn h(p) {}\n"
      "unchecked  fn u(){put o(-1);r=get o}\n"
      "fn f ( d,e ){ return(d+e)*((2)) }\n"
      "main {\n"
      " 1:x=a[ (x) ]  ; skip\n"
      " if(x){y=1}else{if(!x){y=2} else {2: y=((3))}}\n"
      " while(x==1||(x&&y)){\n}\n"
      " lab : for i=(1)to 0x10 {r=f(i,&x)}\n"
      " c = cas t 0 (0-1) ; c = cas t 0 (-1) relaxed\n"
      " store t (x) seqcst; fence seqcst; return-1\n"
      "}\n"
      "expect all : 1 (1,2)\n";
  const auto file = parse_litmus(text, "f.litmus");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(print_litmus(*file->tree),
            "struct N {\n  int f\n  N* g\n}\n\n"
            "shared int x = -1, a[4] = 7\nshared N* q\nshared atomic t\nshared state o\n\n"
            "missing fn h(p) {\n}\n\n"
            "unchecked fn u() {\n  put o -1\n  r = get o\n}\n\n"
            "fn f(d, e) {\n  return (d + e) * 2\n}\n\n"
            "main {\n  1: x = a[x]\n  skip\n"
            "  if (x) {\n    y = 1\n  } else if (!x) {\n    y = 2\n  } else {\n    2: y = 3\n  }\n"
            "  while (x == 1 || x && y) {\n  }\n"
            "  lab: for i = 1 to 16 {\n    r = f(i, &x)\n  }\n"
            "  c = cas t 0 0 - 1\n  c = cas t 0 (-1) relaxed\n"
            "  store t x\n  fence seqcst\n  return -1\n}\n\n"
            "expect all: (1,2) 1\n");
}

TEST(LitmusRoundTrip, TreesDifferWhereTextsDo) {
  const auto tree = [](const std::string& body) {
    return parse_litmus("shared int x; shared atomic t\nmain {\n" + body + "\n}\n", "f").value().tree;
  };
  EXPECT_TRUE(*tree("x = 1 + 2 + 3") == *tree("  x = (1 + 2)\t+ 3 # same"));
  EXPECT_FALSE(*tree("x = 1 + 2 + 3") == *tree("x = 1 + (2 + 3)"));
  EXPECT_FALSE(*tree("x = 1") == *tree("x = 2"));
  EXPECT_FALSE(*tree("1: x = 1") == *tree("x = 1"));
  EXPECT_FALSE(*tree("x = y") == *tree("x = z"));
  EXPECT_FALSE(*tree("store t 1 relaxed") == *tree("store t 1"));
  EXPECT_TRUE(*tree("if (x) { } else { }") == *tree("if (x) { }"));
}

// Words of operations are names where no operation can stand.
TEST(LitmusRoundTrip, OperationWordsAsNames) {
  expect_round_trip(
      "shared int lock, post[2], run; shared mutex m\n"
      "fn add(load) { store = load + cas; return store }\n"
      "fn wait() { notify = 1 }\n"
      "main {\n"
      "  lock = add(1)\n  post[0] = load\n  wait()\n  x = load + add1\n  lock: lock m\n  fork = 1\n  y = cas\n"
      "  else: skip\n  run = 2; main = 3; int = 4; expect = 5; relaxed = 6; x = relaxed\n}\n"
      "run lock else\n",
      "words.litmus");
}

TEST(LitmusRoundTrip, LayoutsThatAreAccepted) {
  expect_round_trip("thread T\n{\n  if (x)\n  {\n  }\n\n  else\n  {\n    y = 1\n  }\n}\n", "braces");
  expect_round_trip("thread T { if (x) { skip } y = 1; while (y) { } z = 1 } thread U { }", "one_line");
  expect_round_trip("thread T {\r\n  1: x = 1\r\n}\r\nrun T\r\n", "crlf");
  expect_round_trip(";;\n\n;thread T { ;; x = 1 ;; }\n;", "separators");
  expect_round_trip("thread T { x = 1 }  # no newline at the end", "comment");
  expect_round_trip("main { x = 0xfF; y = 18446744073709551615; z = - - !~-x }", "numbers");
}

// Random files over fixed declarations; all of them are legal.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  ast::File file() {
    ast::File file;
    file.items.emplace_back(ast::StructDecl{{}, "N", {{{}, {}, "f"}, {{ast::VarKind::Ref, {}, "N"}, {}, "g"}}});
    const auto shared = [&](ast::VarKind kind, std::vector<ast::SharedItem> items) {
      file.items.emplace_back(ast::Shared{{kind, {}, kind == ast::VarKind::Ref ? "N" : ""}, std::move(items)});
    };
    shared(ast::VarKind::Int, {{{}, "x", {}, random_()}, {{}, "a", 3, {}}});
    shared(ast::VarKind::Atomic, {{{}, "t", {}, {}}, {{}, "ts", 2, 1}});
    shared(ast::VarKind::Mutex, {{{}, "m", {}, {}}, {{}, "ms", 2, {}}});
    shared(ast::VarKind::RwLock, {{{}, "l", {}, {}}});
    shared(ast::VarKind::Cond, {{{}, "c", {}, {}}});
    shared(ast::VarKind::Sem, {{{}, "s", {}, 1}});
    shared(ast::VarKind::Barrier, {{{}, "b", {}, 2}});
    shared(ast::VarKind::State, {{{}, "o", {}, {}}});
    shared(ast::VarKind::Ref, {{{}, "q", {}, {}}, {{}, "qs", 2, {}}});
    file.items.emplace_back(body(ast::BodyKind::Function, "f0", {}));
    file.items.emplace_back(body(ast::BodyKind::Missing, "f2", {{{}, "p"}, {{}, "u"}}));
    file.items.emplace_back(body(ast::BodyKind::Thread, "T", {}));
    if (below(2) == 0) file.items.emplace_back(body(ast::BodyKind::Main, "main", {}));
    file.items.emplace_back(ast::Run{{}, {{{{}, "T"}, {}}, {{{}, "main"}, 3}}});
    ast::Expect expect{{}, "hb", {}, {}};
    for (int i = 0; i < labels_; ++i) expect.labels.push_back({{}, "L" + std::to_string(i)});
    if (labels_ > 0) expect.pairs.push_back({{{}, "L0"}, {{}, "L0"}});
    file.items.emplace_back(std::move(expect));
    return file;
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  template <std::size_t N>
  std::string pick(const char* const (&names)[N]) {
    return names[below(N)];
  }

  ast::Body body(ast::BodyKind kind, std::string name, std::vector<ast::Word> params) {
    const bool unchecked = kind == ast::BodyKind::Function && below(2) == 0;
    return {kind, unchecked, {}, {}, std::move(name), std::move(params), block(4)};
  }

  std::vector<Stmt> block(int depth) {
    std::vector<Stmt> statements;
    for (std::uint64_t i = below(6); i > 0; --i) statements.push_back(statement(depth));
    return statements;
  }

  Stmt statement(int depth) {
    constexpr StmtKind kLast = StmtKind::Get;
    Stmt s;
    do {
      s.kind = static_cast<StmtKind>(below(static_cast<std::uint64_t>(kLast) + 1));
    } while (depth == 0 && (s.kind == StmtKind::If || s.kind == StmtKind::While || s.kind == StmtKind::For));
    if (below(3) == 0) s.label = "L" + std::to_string(labels_++);
    switch (s.kind) {
      case StmtKind::Assign:
        s.target = place();
        s.args = {expr(4)};
        break;
      case StmtKind::New:
        s.target = place();
        s.name = "N";
        break;
      case StmtKind::Call:
        if (below(2) == 0) s.target = place();
        s.name = pick({"f0", "f2"});
        if (s.name == "f2") s.args = {reference(), expr(2)};
        break;
      case StmtKind::If:
        s.args = {expr(4)};
        s.body = block(depth - 1);
        s.otherwise = block(depth - 1);
        break;
      case StmtKind::While:
        s.args = {expr(3)};
        s.body = block(depth - 1);
        break;
      case StmtKind::For:
        s.name = local();
        s.args = {expr(2), expr(2)};
        s.body = block(depth - 1);
        break;
      case StmtKind::Lock:
      case StmtKind::Unlock: s.args = {mutex()}; break;
      case StmtKind::RdLock:
      case StmtKind::WrLock:
      case StmtKind::RwUnlock: s.args = {name("l")}; break;
      case StmtKind::Wait: s.args = {name("c"), mutex()}; break;
      case StmtKind::Notify:
      case StmtKind::NotifyAll: s.args = {name("c")}; break;
      case StmtKind::Post:
      case StmtKind::Down: s.args = {name("s")}; break;
      case StmtKind::Arrive: s.args = {name("b")}; break;
      case StmtKind::Fork:
      case StmtKind::Join: s.name = "T"; break;
      case StmtKind::Return:
        if (below(2) == 0) s.args = {expr(3)};
        break;
      case StmtKind::Fence: s.order = order(); break;
      case StmtKind::Skip: break;
      case StmtKind::Store: atomic(s, 1); break;
      case StmtKind::Load:
        s.target = place();
        atomic(s, 0);
        break;
      case StmtKind::Add:
        s.target = place();
        atomic(s, 1);
        break;
      case StmtKind::Cas:
        s.target = place();
        atomic(s, 2);
        break;
      case StmtKind::Put: s.args = {name("o"), expr(3)}; break;
      case StmtKind::Get:
        s.target = place();
        s.args = {name("o")};
        break;
    }
    return s;
  }

  void atomic(Stmt& s, int values) {
    s.args = {below(2) == 0 ? name("t") : element("ts", expr(1))};
    for (int i = 0; i < values; ++i) s.args.push_back(expr(3));
    s.order = order();
  }
  MemoryOrder order() { return static_cast<MemoryOrder>(1 + below(5)); }
  Expr mutex() { return below(2) == 0 ? name("m") : element("ms", expr(1)); }
  std::string local() { return pick({"i", "j", "load", "add", "cas", "store", "p", "put", "get"}); }

  static Expr name(std::string text) {
    Expr e;
    e.kind = ExprKind::Name;
    e.name = std::move(text);
    return e;
  }
  Expr reference() {
    Expr e = name(pick({"x", "a", "m", "q"}));
    e.kind = ExprKind::AddressOf;
    return e;
  }
  static Expr element(std::string array, Expr index) {
    Expr e;
    e.kind = ExprKind::Element;
    e.name = std::move(array);
    return with(std::move(e), std::move(index));
  }
  static Expr with(Expr parent, Expr child) {
    parent.depth = std::max(parent.depth, static_cast<std::uint16_t>(child.depth + 1));
    parent.operands.push_back(std::move(child));
    return parent;
  }
  Expr place() {
    switch (below(4)) {
      case 0: return name(pick({"x", "t", "q"}));
      case 1: return element(pick({"a", "ts", "qs"}), expr(1));
      case 2: {
        Expr e = name(below(2) == 0 ? "q" : local());
        e.kind = ExprKind::Field;
        e.field = pick({"f", "g"});
        return e;
      }
      default: return name(local());
    }
  }

  Expr expr(int depth) {
    Expr e;
    switch (below(depth == 0 ? 3 : 8)) {
      case 0: e.number = below(4) == 0 ? random_() : below(5); return e;
      case 1: e.kind = ExprKind::Null; return e;
      case 2: return depth == 0 ? name(local()) : place();
      case 3:
        e.kind = ExprKind::Unary;
        e.op = static_cast<Operator>(static_cast<int>(Operator::Not) + static_cast<int>(below(3)));
        return with(std::move(e), expr(depth - 1));
      case 4: e.kind = ExprKind::TryLock; return with(std::move(e), mutex_of_depth(depth));
      default:
        e.kind = ExprKind::Binary;
        e.op = static_cast<Operator>(below(static_cast<std::uint64_t>(Operator::Remainder) + 1));
        e = with(std::move(e), expr(depth - 1));
        return with(std::move(e), expr(depth - 1));
    }
  }
  Expr mutex_of_depth(int depth) { return below(2) == 0 ? name("m") : element("ms", expr(depth - 1)); }

  std::mt19937_64 random_;
  int labels_ = 0;
};

TEST(LitmusRoundTrip, RandomTrees) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ast::File tree = Generator(seed).file();
    const std::string printed = print_litmus(tree);
    const auto file = parse_litmus(printed, "random.litmus");
    ASSERT_TRUE(file.has_value()) << file.error().message << "\n" << printed;
    ASSERT_TRUE(*file->tree == tree) << printed;
    ASSERT_EQ(print_litmus(*file->tree), printed);
    ASSERT_EQ(broken_rule(*file->program), "") << printed;
  }
}

}  // namespace
}  // namespace racecast::program
