// Every kind of mistake in a litmus file, with the exact place and a part of the message that the user gets.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "program/litmus/ast.h"
#include "program/litmus/litmus.h"
#include "program/litmus/parser.h"

namespace racecast::program {
namespace {

struct Mistake {
  std::string text;
  std::string place;  // LINE:COLUMN
  std::string part;   // of the message
};

std::string message_of(const std::string& text) {
  const auto file = parse_litmus(text, "f.litmus");
  return file ? "accepted" : file.error().message;
}

void expect_mistakes(const std::vector<Mistake>& mistakes) {
  for (const Mistake& mistake : mistakes) {
    const std::string message = message_of(mistake.text);
    EXPECT_TRUE(message.starts_with("f.litmus:" + mistake.place + ": ")) << mistake.text << "\n" << message;
    EXPECT_NE(message.find(mistake.part), std::string::npos) << mistake.text << "\n" << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(LitmusErrors, Declarations) {
  expect_mistakes({
      {"", "1:1", "found the end of the file, expected a thread or main"},
      {"# nothing\nshared int x\n", "3:1", "expected a thread or main"},
      {"int x\n", "1:1", "found 'int', expected 'shared', 'struct'"},
      {"shared\n", "1:7", "found the end of the line, expected 'int', 'atomic'"},
      {"shared long x\n", "1:8", "found 'long', expected 'int', 'atomic'"},
      {"shared int\n", "1:11", "found the end of the line, expected the name of a shared variable"},
      {"shared int x y\n", "1:14", "found 'y', expected the end of the line"},
      {"shared int x,\n", "1:14", "expected the name of a shared variable"},
      {"shared int while\n", "1:12", "found 'while', a word of the language"},
      {"shared int a[0]\n", "1:14", "an array of 0 elements"},
      {"shared int a[1000001]\n", "1:14", "expected 1 to 1000000"},
      {"shared int a[n]\n", "1:14", "found 'n', expected the number of elements"},
      {"shared int a[2\n", "1:15", "expected ']'"},
      {"shared int x = y\n", "1:16", "found 'y', expected a number"},
      {"shared int x = 18446744073709551616\n", "1:16", "too large"},
      {"shared int x = 12ab\n", "1:16", "found the malformed number '12ab'"},
      {"shared int x, x\nmain { }", "1:15", "'x' is declared twice"},
      {"shared mutex m = 1\nmain { }", "1:14", "the mutex 'm' takes no initial value"},
      {"shared sem s = -1\nmain { }", "1:12", "the sem 's' starts with"},
      {"shared barrier b = 0\nmain { }", "1:16", "has 0 parties, expected 1"},
      {"shared barrier b\nmain { }", "1:16", "no number of parties"},
      {"shared state s = 1\nmain { }", "1:14", "the state 's' takes no initial value"},
      {"shared state s[2]\nmain { }", "1:14", "one object, and no array"},
      {"unchecked thread T { }", "1:11", "found 'thread', expected 'fn'"},
      {"shared Node* q\nmain { }", "1:8", "unknown struct 'Node'"},
      {"struct S { int f }\nshared S* q = 1\nmain { }", "2:11", "starts as null"},
      {"struct S { mutex m }\nmain { }", "1:12", "found 'mutex', expected 'int' or the name of a struct"},
      {"struct S { int f int g }\nmain { }", "1:18", "one field a line"},
      {"struct S {\n int f\n int f\n}\nmain { }", "3:6", "the field 'f' is declared twice"},
      {"struct S { int f }\nstruct S { int f }\nmain { }", "2:8", "the struct 'S' is declared twice"},
      {"struct S { T* f }\nmain { }", "1:12", "unknown struct 'T'"},
      {"fn f { }\nmain { }", "1:6", "found '{', expected '('"},
      {"fn f(a b) { }\nmain { }", "1:8", "found 'b', expected ',' or ')'"},
      {"fn f(a, a) { }\nmain { }", "1:9", "the parameter 'a' is declared twice"},
      {"shared int x\nfn f(x) { }\nmain { }", "2:6", "has the name of a shared variable"},
      {"fn f() { }\nfn g(f) { }\nmain { }", "2:6", "has the name of a function"},
      {"fn f() { }\nfn f() { }\nmain { }", "2:4", "the function 'f' is declared twice"},
      {"shared int f\nfn f() { }\nmain { }", "1:12", "'f' is a function already"},
      {"missing thread T { }\n", "1:9", "found 'thread', expected 'fn'"},
      {"thread T { }\nthread T { }\n", "2:8", "the thread 'T' is declared twice"},
      {"thread main { }\n", "1:8", "found a thread 'main'"},
      {"main { }\nmain { }\n", "2:1", "the thread 'main' is declared twice"},
      {"thread T1 {\n  x = 1\n", "3:1", "found the end of the file, expected a statement or '}'"},
      {"thread T1\n", "2:1", "expected '{'"},
  });
}

TEST(LitmusErrors, Statements) {
  expect_mistakes({
      {"main {\n 5 = x\n}", "2:2", "found '5', expected a statement"},
      {"main {\n 1: 2: x = 1\n}", "2:5", "found '2', expected a statement"},
      {"main {\n 1:\n}", "2:4", "found the end of the line, expected a statement"},
      {"main {\n x\n}", "2:3", "expected '=', '(', '[' or '.' after 'x'"},
      {"main {\n x =\n}", "2:5", "found the end of the line, expected an expression"},
      {"main {\n x = 1 y = 2\n}", "2:8", "found 'y', expected the end of the statement"},
      {"main {\n x = (1 + 2\n}", "2:12", "found the end of the line, expected ')'"},
      {"main {\n x = 1 +\n}", "2:9", "expected an expression"},
      {"main {\n x = 1 @ 2\n}", "2:8", "found the character '@'"},
      {"main {\n x = 1 \x01\n}", "2:8", "found the byte 0x01"},
      {"main {\n x = \xc3\xa9\n}", "2:6", "found the byte 0xc3"},
      {"main {\n x = 1 + new\n}", "2:10", "'new' stands alone"},
      {"main {\n x = &y\n}", "2:6", "only for arguments"},
      {"main {\n x = 99999999999999999999\n}", "2:6", "too large"},
      {"main {\n if x {\n }\n}", "2:5", "found 'x', expected '('"},
      {"main {\n if (1) skip\n}", "2:9", "found 'skip', expected '{'"},
      {"main {\n else { }\n}", "2:2", "found 'else', expected a statement"},
      {"main {\n for i = 1 2 { }\n}", "2:12", "found '2', expected 'to'"},
      {"main {\n for 1 = 1 to 2 { }\n}", "2:6", "expected the loop's variable"},
      {"main {\n while () { }\n}", "2:9", "found ')', expected an expression"},
      {"main {\n lock\n}", "2:6", "found the end of the line, expected a mutex"},
      {"main {\n lock 1\n}", "2:7", "found '1', expected a mutex"},
      {"main {\n wait c\n}", "2:8", "expected the mutex to give back"},
      {"main {\n fence\n}", "2:7", "expected 'relaxed'"},
      {"main {\n fence strong\n}", "2:8", "found 'strong', expected 'relaxed'"},
      {"main {\n fork\n}", "2:6", "expected the name of a thread"},
      {"main {\n store f\n}", "2:9", "expected the value to store"},
      {"main {\n store f 1 weak\n}", "2:12", "found 'weak', expected 'relaxed'"},
      {"main {\n x = add f\n}", "2:11", "expected the value to add"},
      {"main {\n x = cas f 1\n}", "2:13", "expected the value to store"},
      {"main {\n x = cas f 1 -2\n}", "2:16", "expected the value to store"},
      {"main {\n cas f 1 2\n}", "2:2", "'cas' gives a value"},
      {"main {\n trylock m\n}", "2:2", "'trylock' gives a value"},
      {"main {\n x = f(1\n}", "2:9", "expected ',' or ')'"},
      {"fn f(a) { }\nmain {\n x = f(1) + 2\n}", "3:11", "a call stands alone"},
      {"main {\n x = p.f.g\n}", "2:9", "found '.', expected the end of the statement"},
      {"main {\n p. = 1\n}", "2:5", "expected the name of a field"},
      {"main {\n null = 1\n}", "2:2", "found 'null', a word of the language"},
      {"main {\n a[1 = 1\n}", "2:6", "expected ']'"},
  });
}

TEST(LitmusErrors, NamesAndKinds) {
  const std::string head =
      "shared int x, a[2]; shared mutex m; shared rwlock l; shared cond c; shared sem s; shared barrier b = 2\n"
      "shared atomic t; struct N { int f }; struct P { int g }; shared N* q, r[2]; fn put(v) { }; thread T { }\n"
      "main {\n ";
  const std::vector<Mistake> bodies = {
      {"get(1)", "4:2", "unknown function 'get'"},
      {"lock(m)", "4:2", "written without parentheses"},
      {"put()", "4:2", "found 0 arguments, expected 1: 'put' has 1 parameter"},
      {"y = put(1, 2)", "4:6", "found 2 arguments, expected 1"},
      {"put(&y)", "4:7", "'y' is not shared"},
      {"put(&put)", "4:7", "'put' is not shared"},
      {"y = put", "4:6", "'put' is a function, expected a variable"},
      {"put = 1", "4:2", "'put' is a function"},
      {"y = new Q", "4:10", "unknown struct 'Q'"},
      {"y = p.h", "4:8", "unknown field 'h': no struct has it"},
      {"y = q.g", "4:8", "the struct 'N' has none"},
      {"y = x.f", "4:6", "'x' is an int, expected a reference before '.'"},
      {"y = r.f", "4:6", "'r' is an array, expected a reference before '.'"},
      {"y = x[0]", "4:6", "'x' is not a shared array"},
      {"y = p[0]", "4:6", "'p' is not a shared array"},
      {"y = a", "4:6", "'a' is an array, expected an element of it as in a[0]"},
      {"a = 1", "4:2", "'a' is an array"},
      {"y = m", "4:6", "'m' is a mutex, expected a value"},
      {"y = a[m]", "4:8", "'m' is a mutex, expected a value"},
      {"put(c)", "4:6", "'c' is a cond, expected a value"},
      {"b = 1", "4:2", "'b' is a barrier, expected a variable that can be assigned to"},
      {"if (s) { }", "4:6", "'s' is a sem, expected a value"},
      {"lock x", "4:7", "'x' is an int, expected a mutex"},
      {"lock y", "4:7", "'y' is a local, expected a mutex that is declared shared"},
      {"lock q.f", "4:7", "'f' is a field, expected a mutex"},
      {"lock put", "4:7", "'put' is a function, expected a mutex"},
      {"lock l", "4:7", "'l' is a rwlock, expected a mutex"},
      {"unlock a[0]", "4:9", "'a' is an int, expected a mutex"},
      {"rdlock m", "4:9", "'m' is a mutex, expected a rwlock"},
      {"y = trylock l", "4:14", "'l' is a rwlock, expected a mutex"},
      {"wait m c", "4:7", "'m' is a mutex, expected a cond"},
      {"wait c l", "4:9", "'l' is a rwlock, expected a mutex"},
      {"notify s", "4:9", "'s' is a sem, expected a cond"},
      {"post c", "4:7", "'c' is a cond, expected a sem"},
      {"arrive s", "4:9", "'s' is a sem, expected a barrier"},
      {"put s 1", "4:6", "'s' is a sem, expected a state"},
      {"y = get m", "4:10", "'m' is a mutex, expected a state"},
      {"store x 1", "4:8", "'x' is an int, expected an atomic"},
      {"y = load x", "4:11", "'x' is an int, expected an atomic"},
      {"y = cas t m 1", "4:12", "'m' is a mutex, expected a value"},
      {"fork U", "4:7", "unknown thread 'U'"},
      {"join U", "4:7", "unknown thread 'U'"},
      {"fork main", "4:7", "main starts by itself"},
      {"for x = 1 to 2 { }", "4:6", "the loop variable 'x' has the name of a shared variable"},
      {"1: skip; 1: skip", "4:11", "the label '1' is used twice (first in line 4)"},
      {"return; y = m", "4:14", "'m' is a mutex, expected a value"},  // also where no control comes
  };
  std::vector<Mistake> mistakes;
  for (const Mistake& body : bodies) mistakes.push_back({head + body.text + "\n}", body.place, body.part});
  expect_mistakes(mistakes);
}

TEST(LitmusErrors, RunAndExpect) {
  const std::string head =
      "fn f() { 1: skip }; fn g() { 2: skip }\nthread T { f(); 3: skip }; thread U { f() }; thread V { V: skip }\n";
  const std::vector<Mistake> lines = {
      {"run", "3:4", "expected a label or a thread"},
      {"run 9", "3:5", "unknown '9', expected a label or a thread"},
      {"run 3 W", "3:7", "unknown 'W'"},
      {"run 3 1", "3:7", "several threads reach the label '1' (T, U)"},
      {"run 2", "3:5", "no thread reaches the label '2'"},
      {"run V", "3:5", "'V' is a thread and a label"},
      {"run 3, 3", "3:6", "found ',', expected a label or a thread"},
      {"expect", "3:7", "expected the name of an analysis"},
      {"expect hb (1,2)", "3:11", "found '(', expected ':'"},
      {"expect hb: (1", "3:14", "expected ','"},
      {"expect hb: (1,)", "3:15", "found ')', expected a label"},
      {"expect hb: (1,2", "3:16", "expected ')'"},
      {"expect hb: (1,2,3)", "3:16", "expected ')'"},
      {"expect hb: 1,2", "3:13", "found ',', expected a label, or a pair"},
      {"expect hb: (1,7)", "3:15", "unknown label '7'"},
      {"expect nondet: 7", "3:16", "unknown label '7'"},
      {"expect hb: (1,2)\nexpect hb:", "4:8", "a second 'expect' line for 'hb'"},
  };
  std::vector<Mistake> mistakes;
  for (const Mistake& line : lines) mistakes.push_back({head + line.text, line.place, line.part});
  expect_mistakes(mistakes);
  EXPECT_EQ(message_of(head + "run main T U 3 3\nrun T\nexpect nonsense: (1,3) V\n"), "accepted");
}

std::string repeat(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

TEST(LitmusErrors, HostileInputIsBounded) {
  const std::size_t many = 100'000;
  const auto body = [](const std::string& text) { return "shared int x, a[2]\nmain {\n" + text + "\n}\n"; };
  EXPECT_NE(message_of(body(repeat("if (x) {", many))).find("nested more than 200 deep"), std::string::npos);
  EXPECT_NE(message_of(body("if (x) { } " + repeat("else if (x) { } ", many))).find("nested"), std::string::npos);
  for (const std::string start : {"(", "-", "!", "a[", "1 + ("}) {
    EXPECT_NE(message_of(body("x = " + repeat(start, many))).find("more than 500 levels"), std::string::npos) << start;
  }
  EXPECT_NE(message_of(body("x = 1" + repeat(" + 1", many))).find("more than 500 levels"), std::string::npos);
  EXPECT_EQ(message_of(body("x = 1" + repeat(" + 1", 400))), "accepted");
  EXPECT_EQ(message_of(body(repeat("if (x) {\n", 150) + repeat("}", 150))), "accepted");
  EXPECT_NE(message_of(repeat("\n", kMaxLitmusBytes + 1)).find("at most 4194304 are allowed"), std::string::npos);
  EXPECT_NE(message_of("shared int " + repeat("a[1000000],", 1) +
                       " b[1000000], c[1000000], d[1000000], e[1000000], "
                       "f[1000000], g[1000000], h[1000000], i[1000000], j[1000000], k[1]\nmain { }")
                .find("more than 10000000 elements"),
            std::string::npos);
  // Long, not deep: accepted, and nothing may recurse as far as the program is long.
  EXPECT_EQ(message_of(body(repeat("if (x) { y = y + 1 }\n", 20'000) + "x = y")), "accepted");
  EXPECT_EQ(message_of(body(repeat("x = x + 1\n", 50'000))), "accepted");
  // Loops in loops over many locals: phis at every level.
  std::string locals;
  for (int i = 0; i < 30'000; ++i) locals += "v" + std::to_string(i) + " = v" + std::to_string(i) + " + x\n";
  EXPECT_NE(
      message_of(body(repeat("while (x) {\n", 150) + locals + repeat("}", 150))).find("more than 2000000 instructions"),
      std::string::npos);
}

// Every prefix of a file, and the file with any one byte changed, is accepted or refused with a position.
TEST(LitmusErrors, DamagedFiles) {
  const std::string text =
      "struct N { int f; N* g }\nshared int x = -1, a[3] = 2\nshared atomic t = 1; shared mutex m\nshared N* q\n"
      "missing fn h(p, v) { x = v }\nfn f(n) { 8: if (n > 0 && !x) { f(n - 1) } else if (x) { return 1 }\n return 0 }\n"
      "thread T {\n 1: for i = 0 to 2 { 2: a[i] = a[1] << 3 ^ x }\n 3: n = new N; n.g = null; q = n\n"
      " 4: k = cas t 1 (-2) acquire\n 5: ok = trylock m\n 6: h(&x, q.f)\n}\nrun 1 T\nexpect hb: (2,3) 4\n";
  ASSERT_EQ(message_of(text), "accepted");
  for (std::size_t size = 0; size < text.size(); ++size) {
    const std::string message = message_of(text.substr(0, size));
    EXPECT_TRUE(message == "accepted" || message.starts_with("f.litmus:")) << message;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const char c : {'\0', '\n', '(', '}', ':', '9', 'x', '\xff'}) {
      std::string changed = text;
      changed[i] = c;
      const std::string message = message_of(changed);
      EXPECT_TRUE(message == "accepted" || message.starts_with("f.litmus:")) << message;
    }
  }
}

TEST(LitmusErrors, ScheduleOfTheCommandLine) {
  const auto file = parse_litmus("thread T { 1: skip }\nthread U { 2: skip }\n", "f.litmus");
  ASSERT_TRUE(file.has_value());
  const auto schedule = parse_schedule(*file, " 1 U main 2");
  ASSERT_TRUE(schedule.has_value());
  const std::vector<ScheduleEntry> wanted = {
      {"1", true, ThreadId{1}}, {"U", false, ThreadId{2}}, {"main", false, ThreadId{0}}, {"2", true, ThreadId{2}}};
  EXPECT_EQ(*schedule, wanted);
  EXPECT_EQ(parse_schedule(*file, "1 9").error().message, "schedule:1:3: unknown '9', expected a label or a thread");
  EXPECT_EQ(parse_schedule(*file, "1 (").error().message, "schedule:1:3: found '(', expected a label or a thread");
  EXPECT_FALSE(parse_schedule(*file, "").has_value());
  EXPECT_FALSE(parse_schedule(*file, "1\n2").has_value());
}

}  // namespace
}  // namespace racecast::program
