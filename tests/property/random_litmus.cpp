#include "property/random_litmus.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace racecast::property {

std::uint64_t Random::next() {
  state_ += 0x9e3779b97f4a7c15u;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

namespace {

using Sentences = std::vector<Sentence>;

class Generator {
 public:
  Generator(std::uint64_t seed, const Flavour& flavour)
      : random_(seed), flavour_(flavour), left_(4 + random_.below(std::max(1, flavour.statements - 3))) {}

  RandomProgram run() {
    choose_features();
    declare();
    functions();
    threads();
    return std::move(program_);
  }

 private:
  // A program with everything has no room for anything: each one draws a few subjects.
  void choose_features() {
    // The common ones are listed more often.
    const std::vector<std::string> subjects = {"mutex",    "mutex",    "atomic",   "atomic",  "array",  "struct",
                                               "rwlock",   "cond",     "sem",      "barrier", "call",   "missing",
                                               "loop",     "try",      "fence",    "branch",  "branch", "fork",
                                               "sections", "sections", "sections", "state",   "state",  "unchecked"};
    const int count = 2 + random_.below(4);
    for (int i = 0; i < count; ++i) features_.push_back(random_.pick(subjects));
    if (!flavour_.outside) std::ranges::replace(features_, std::string("state"), std::string("branch"));
    // Short critical sections, few accesses outside of them: what tells the orders apart.
    if (has("sections")) features_ = {"sections", "sections", "sections", features_.front(), features_.back(), "mutex"};
    if (has("cond") && !has("mutex")) features_.push_back("mutex");
    if (has("try") && !has("mutex")) features_.push_back("mutex");
    if (has("fence") && !has("atomic")) features_.push_back("atomic");
    if (flavour_.outcomes) {
      if (!has("mutex")) features_.push_back("mutex");
      if (!has("atomic")) features_.push_back("atomic");
      features_.insert(features_.end(), features_.size() + 1, "outcomes");
    }
    if (flavour_.state) features_.insert(features_.end(), features_.size() + 1, "state");
    if (flavour_.values) features_.insert(features_.end(), features_.size() + 2, "values");
  }
  bool has(std::string_view feature) const {
    return std::find(features_.begin(), features_.end(), feature) != features_.end();
  }

  void declare() {
    auto& lines = program_.declarations;
    lines.push_back(fmt::format("shared int x = {}, y = 0", random_.below(2)));
    if (has("sections") || has("values")) lines.push_back("shared int z = 0");
    if (has("atomic")) lines.push_back("shared atomic f = 0, g = 1");
    if (has("array") || has("values")) lines.push_back("shared int a[3] = 1");
    if (has("struct")) {
      lines.push_back("struct Node {\n  int v\n  Node* n\n}");
      lines.push_back("shared Node* p");
    }
    if (has("mutex")) lines.push_back("shared mutex m, k");
    if (has("mutex") && has("array")) lines.push_back("shared mutex ms[2]");
    if (has("rwlock")) lines.push_back("shared rwlock w");
    if (has("cond")) lines.push_back("shared cond c");
    if (has("sem")) lines.push_back(fmt::format("shared sem s = {}", random_.below(2)));
    if (has("barrier")) lines.push_back("shared barrier b = 2");
    if (has("state")) lines.push_back("shared state env, out");
  }

  void functions() {
    if (has("call") || (has("missing") && flavour_.callbacks)) {
      Unit unit{"fn help(v)", {}};
      scope_ = "v";
      unit.body = block(1 + random_.below(2), 1);
      if (random_.chance(50)) unit.body.push_back({fmt::format("return {}", expression(1)), {}, {}, ""});
      helper_ = std::move(unit);
    }
    if (has("unchecked")) {
      Unit unit{"unchecked fn quiet(v)", {}};
      scope_ = "v";
      unit.body = block(1 + random_.below(2), 1);
      if (random_.chance(50)) unit.body.push_back({fmt::format("return {}", expression(1)), {}, {}, ""});
      quiet_ = std::move(unit);
    }
    if (has("missing") && flavour_.missing) {
      // The body uses what it is given, and nothing else.
      Unit unit{"missing fn hidden(q)", {}};
      const int count = 1 + random_.below(2);
      for (int i = 0; i < count; ++i) {
        const int what = random_.below(helper_ && flavour_.callbacks ? 5 : 4);
        if (what == 0) unit.body.push_back({"y = y + 1", {}, {}, ""});
        if (what == 1) unit.body.push_back({"y = 0", {}, {}, ""});
        if (what == 2) unit.body.push_back({"u = y", {}, {}, ""});
        if (what == 3) unit.body.push_back({"if (y == 0) {", {{"y = 2", {}, {}, ""}}, {}, "}"});
        if (what == 4) unit.body.push_back({"u = help(1)", {}, {}, ""});
      }
      if (random_.chance(60)) unit.body.push_back({"return y", {}, {}, ""});
      hidden_ = std::move(unit);
    }
    scope_.clear();
  }

  void threads() {
    const int count = random_.chance(65) ? 2 : 3;
    const bool with_main = has("fork");
    std::vector<Unit> units;
    for (int i = 1; i <= count; ++i) {
      const int share = std::max(1, left_ / (count - i + 1 + (with_main ? 1 : 0)));
      units.push_back({fmt::format("thread T{}", i), block(share, 2)});
    }
    if (with_main) units.push_back(main(count));
    if (helper_) program_.units.push_back(*helper_);
    if (quiet_) program_.units.push_back(*quiet_);
    if (hidden_) program_.units.push_back(*hidden_);
    for (Unit& unit : units) program_.units.push_back(std::move(unit));
  }

  // Forks every thread and joins some; one thread may be forked by another thread instead.
  Unit main(int count) {
    Unit unit{"main", {}};
    const auto some = [&] {
      if (left_ > 0 && random_.chance(60)) append(unit.body, block(1, 1));
    };
    some();
    for (int i = 1; i <= count; ++i) {
      unit.body.push_back({fmt::format("fork T{}", i), {}, {}, ""});
      some();
    }
    for (int i = 1; i <= count; ++i)
      if (random_.chance(60)) unit.body.push_back({fmt::format("join T{}", i), {}, {}, ""});
    some();
    return unit;
  }

  static void append(Sentences& to, Sentences from) {
    for (Sentence& sentence : from) to.push_back(std::move(sentence));
  }

  Sentences block(int statements, int depth) {
    Sentences result;
    const int stop = left_ - statements;
    while (left_ > stop && left_ > 0) append(result, statement(depth));
    if (result.empty()) result.push_back({"skip", {}, {}, ""});
    return result;
  }
  Sentences inner(int depth) { return block(1 + random_.below(2), depth - 1); }

  Sentence line(std::string text) {
    --left_;
    return {std::move(text), {}, {}, ""};
  }
  Sentence scope(std::string head, Sentences body, std::string tail) {
    left_ -= 2;
    return {std::move(head), std::move(body), {}, std::move(tail)};
  }

  Sentences statement(int depth) {
    if (random_.chance(has("sections") ? 15 : 35)) return {plain()};
    const std::string feature = random_.pick(features_);
    if (feature == "sections") return {section()};
    if (feature == "values") return values(depth);
    if (feature == "outcomes") return outcome(depth);
    if (feature == "mutex") return {depth > 0 ? mutex_scope(depth) : plain()};
    if (feature == "atomic") return {atomic()};
    if (feature == "array") return {array()};
    if (feature == "struct") return object();
    if (feature == "rwlock" && depth > 0 && !in_rwlock_) {
      in_rwlock_ = true;
      const char* take = random_.chance(50) ? "rdlock w" : "wrlock w";
      Sentences body = inner(depth);
      in_rwlock_ = false;
      return {scope(take, std::move(body), "rwunlock w")};
    }
    if (feature == "cond") return condition();
    if (feature == "sem") return {line(random_.chance(50) ? "post s" : "down s")};
    if (feature == "barrier") return {line("arrive b")};
    if (feature == "call" && helper_) return {line(fmt::format("{} = help({})", local(), expression(1)))};
    if (feature == "unchecked" && quiet_) return {line(fmt::format("{} = quiet({})", local(), expression(1)))};
    if (feature == "state") return state(depth);
    if (feature == "missing" && hidden_)
      return {line(random_.chance(50) ? "hidden(&y)" : fmt::format("{} = hidden(&y)", local()))};
    if (feature == "loop" && depth > 0) {
      const std::string bound = random_.chance(70) ? std::to_string(random_.below(3)) : "x";
      return {scope(fmt::format("for i = 1 to {} {{", bound), inner(depth), "}")};
    }
    if (feature == "try" && flavour_.tries && depth > 0) return attempt(depth);
    if (feature == "fence") return {line(fmt::format("fence {}", order({"acquire", "release", "acqrel", "seqcst"})))};
    if (feature == "branch" && depth > 0) return {branch(depth)};
    return {plain()};
  }

  std::string local() { return fmt::format("t{}", random_.below(3)); }
  std::string variable() { return random_.chance(60) ? "x" : "y"; }

  Sentence plain() {
    switch (random_.below(4)) {
      case 0: return line(fmt::format("{} = {}", variable(), random_.below(3)));
      case 1: return line(fmt::format("{} = {}", local(), variable()));
      case 2: return line(fmt::format("{} = {}", variable(), expression(1)));
      default: return line(fmt::format("{} = {}", local(), expression(2)));
    }
  }

  // What one thread puts another gets, and mostly looks at.
  Sentences state(int depth) {
    const std::string name = random_.chance(75) ? "env" : "out";
    if (random_.chance(45)) return {line(fmt::format("put {} {}", name, expression(1)))};
    const std::string into = local();
    Sentences made{line(fmt::format("{} = get {}", into, name))};
    if (depth > 0 && random_.chance(60))
      made.push_back(scope(fmt::format("if ({} {} 0) {{", into, random_.chance(50) ? "==" : "!="), inner(depth), "}"));
    return made;
  }

  Sentence mutex_scope(int depth) {
    std::string mutex = random_.chance(70) ? "m" : "k";
    if (has("array") && random_.chance(30)) mutex = random_.chance(50) || !flavour_.computed_locks ? "ms[1]" : "ms[x]";
    // The same index must be met again at the end, so a computed one is kept in a local of its own.
    if (mutex == "ms[x]") {
      const std::string kept = fmt::format("j{}", depth);
      Sentence body = scope(fmt::format("lock ms[{}]", kept), inner(depth), fmt::format("unlock ms[{}]", kept));
      return {kept + " = x & 1", {body}, {}, "skip"};
    }
    return scope("lock " + mutex, inner(depth), "unlock " + mutex);
  }

  // Of few events, often on a variable that is used nowhere else.
  Sentence section() {
    const std::string mutex = random_.chance(60) ? "m" : "k";
    const int what = random_.below(5);
    Sentence body = what == 0 ? line("z = 1") : what == 1 ? line(local() + " = z") : what == 2 ? line("skip") : plain();
    return scope("lock " + mutex, {std::move(body)}, "unlock " + mutex);
  }

  // Values of z that go the same way as others, or another: written around an access, computed with, branched on.
  Sentences values(int depth) {
    const auto number = [&] { return std::to_string(random_.below(8)); };
    const auto arithmetic = [&](const std::string& of) {
      const int what = random_.below(flavour_.faults ? 6 : 5);
      if (what == 0) return of;
      if (what == 1) return of + " + " + number();
      if (what == 2) return of + " * 3 - " + number();
      if (what == 3) return of + " / 2";
      if (what == 4) return fmt::format("({} & 3) + {}", of, variable());
      return fmt::format("12 / ({} - {})", of, number());
    };
    const auto access = [&]() -> Sentence {
      const int what = random_.below(4);
      if (what == 0) return line(fmt::format("{} = {}", variable(), number()));
      if (what == 1) return line(fmt::format("{} = {}", local(), variable()));
      if (what == 2) return line(fmt::format("a[(z + {}) % 3 & 3] = {}", number(), number()));
      return line(fmt::format("{} = a[{} & 1]", local(), random_.chance(50) ? "z" : local()));
    };
    const auto some = [&] {
      Sentences body{access()};
      if (random_.chance(30)) append(body, inner(1));
      return body;
    };
    switch (random_.below(depth > 0 ? 8 : 3)) {
      case 0: return {line("z = " + number()), access(), line("z = " + number())};
      case 1: return {line("z = " + arithmetic(random_.chance(50) ? "z" : variable()))};
      case 2: return {line(fmt::format("{} = {}", local(), arithmetic("z")))};
      case 3: return {scope(fmt::format("for i = 1 to z & 1 {{"), some(), "}")};
      case 4: {
        const std::string counter = fmt::format("n{}", depth);
        Sentence loop = scope(fmt::format("while ({} < (z & 1)) {{", counter), some(), "}");
        loop.body.push_back({fmt::format("{0} = {0} + 1", counter), {}, {}, ""});
        return {line(counter + " = 0"), std::move(loop)};
      }
      default: {
        const std::vector<std::string> comparisons = {">", "<", "==", "!=", ">="};
        const std::string of = random_.chance(70) ? "z" : local();
        Sentence test =
            scope(fmt::format("if ({} {} {}) {{", arithmetic(of), random_.pick(comparisons), number()), some(), "}");
        if (random_.chance(40)) test.otherwise = some();
        return {std::move(test)};
      }
    }
  }

  Sentences attempt(int depth) {
    const std::string mutex = random_.chance(70) ? "m" : "k";
    Sentence test{"if (ok == 1) {", inner(depth), {}, "}"};
    test.body.push_back({"unlock " + mutex, {}, {}, ""});
    if (random_.chance(50)) test.otherwise = inner(depth);
    left_ -= 2;
    return {line("ok = trylock " + mutex), std::move(test)};
  }

  // An outcome that decides nothing, something, or something together with others.
  Sentences outcome(int depth) {
    const std::string mutex = random_.chance(80) ? "m" : "k";
    const std::string name = random_.chance(80) ? "f" : "g";
    const std::string got = fmt::format("o{}", random_.below(2));
    const std::string cas = fmt::format("{} = cas {} {} {}", got, name, random_.chance(60) ? "0" : expression(0),
                                        random_.chance(60) ? "1" : expression(1));
    const auto tried = [&] { return line(random_.chance(50) ? cas : fmt::format("{} = trylock {}", got, mutex)); };
    const auto unlock = [&](const std::string& test) {
      return Sentence{fmt::format("if ({}) {{", test), {line("unlock " + mutex)}, {}, "}"};
    };
    switch (random_.below(depth > 0 ? 10 : 5)) {
      case 0: return {tried()};
      case 1: return {tried(), line(fmt::format("{} = {}", variable(), got))};
      case 2: return {line(fmt::format("{} = trylock {}", variable(), mutex))};
      case 3: return {line(fmt::format("store {} {}", name, random_.below(2)))};
      case 4: return random_.chance(20) ? Sentences{line("unlock " + mutex)} : Sentences{tried(), plain()};
      case 5: {
        Sentences all{line(fmt::format("{} = trylock {}", got, mutex))};
        append(all, inner(depth));
        all.push_back(unlock(got));
        return all;
      }
      case 6:
        return {line(fmt::format("o0 = trylock {}", mutex)), line(fmt::format("o1 = trylock {}", mutex)),
                unlock(random_.chance(50) ? "o0 + o1" : "o0 | o1")};
      case 7: return {scope("for i = 1 to 2 {", {tried(), plain()}, "}")};
      case 8: return {tried(), scope(fmt::format("if ({} == {}) {{", got, random_.below(2)), inner(depth), "}")};
      default: return {scope(fmt::format("if (trylock {} && {}) {{", mutex, variable()), inner(depth), "}")};
    }
  }

  // The mutex of a condition is always m.
  Sentences condition() {
    const int what = random_.below(3);
    if (what == 0) return {line("notify c")};
    if (what == 1) return {line("notifyall c")};
    Sentence wait{"wait c m", {}, {}, ""};
    Sentence guarded = random_.chance(50) ? Sentence{"while (x == 0) {", {wait}, {}, "}"} : wait;
    return {scope("lock m", {std::move(guarded)}, "unlock m")};
  }

  std::string order(const std::vector<std::string>& choices) {
    if (!flavour_.relaxed) return choices.back();
    return random_.pick(choices);
  }

  Sentence atomic() {
    const std::string name = random_.chance(70) ? "f" : "g";
    switch (random_.below(6)) {
      case 0:
        return line(fmt::format("store {} {} {}", name, random_.below(3), order({"relaxed", "release", "seqcst"})));
      case 1: return line(fmt::format("{} = load {} {}", local(), name, order({"relaxed", "acquire", "seqcst"})));
      case 2:
        return line(fmt::format("{} = add {} {} {}", local(), name, 1 + random_.below(2),
                                order({"relaxed", "acquire", "release", "acqrel", "seqcst"})));
      case 3:
        return line(fmt::format("{} = cas {} {} {} {}", local(), name, random_.below(2), random_.below(3),
                                order({"relaxed", "acquire", "release", "acqrel", "seqcst"})));
      case 4: return line(fmt::format("{} = {}", name, expression(1)));
      default: return line(fmt::format("{} = {} + 1", local(), name));
    }
  }

  std::string element() {
    const int what = random_.below(flavour_.faults ? 4 : 3);
    if (what == 0) return fmt::format("a[{}]", random_.below(3));
    if (what == 1) return "a[x & 1]";
    if (what == 2) return fmt::format("a[({}) & 1]", expression(1));
    return fmt::format("a[{}]", local());
  }

  Sentence array() {
    if (random_.chance(50)) return line(fmt::format("{} = {}", element(), expression(1)));
    return line(fmt::format("{} = {}", local(), element()));
  }

  Sentences object() {
    const std::string base = random_.chance(60) ? "p" : "o";
    switch (random_.below(flavour_.faults ? 6 : 3)) {
      case 0: return {line("p = new Node")};
      case 1: return {line("o = new Node"), line("p = o")};
      case 2: return {line("o = p")};
      case 3: return {line(fmt::format("{}.v = {}", base, expression(1)))};
      case 4: return {line(fmt::format("{} = {}.v", local(), base))};
      default: return {line(fmt::format("{}.n = p", base))};
    }
  }

  Sentence branch(int depth) {
    Sentence result = scope(fmt::format("if ({}) {{", expression(2)), inner(depth), "}");
    if (random_.chance(40)) result.otherwise = inner(depth);
    return result;
  }

  std::string expression(int depth) {
    if (depth == 0 || random_.chance(30)) {
      const int what = random_.below(has("atomic") ? 5 : 4);
      if (what == 0) return std::to_string(random_.below(3));
      if (what == 1) return scope_.empty() || random_.chance(50) ? local() : scope_;
      if (what == 4) return "f";
      return variable();
    }
    const std::vector<std::string> operators = {"+", "+", "-", "*", "==", "!=", "<", ">", "&&", "||", "&", "/"};
    std::string op = random_.pick(operators);
    if (op == "/" && !flavour_.faults) op = "^";
    return fmt::format("({} {} {})", expression(depth - 1), op, expression(depth - 1));
  }

  Random random_;
  Flavour flavour_;
  int left_;  // statements that may still be made
  std::vector<std::string> features_;
  std::string scope_;  // the parameter of the function that is being made
  bool in_rwlock_ = false;
  std::optional<Unit> helper_, hidden_, quiet_;
  RandomProgram program_;
};

void print(const Sentences& sentences, const std::string& indent, int& label, std::string& out) {
  for (const Sentence& s : sentences) {
    out += fmt::format("{}{}: {}\n", indent, ++label, s.head);
    if (s.tail.empty()) continue;
    print(s.body, indent + "  ", label, out);
    if (!s.otherwise.empty()) {
      out += indent + "} else {\n";
      print(s.otherwise, indent + "  ", label, out);
    }
    if (s.tail == "}")
      out += indent + "}\n";
    else
      out += fmt::format("{}{}: {}\n", indent, ++label, s.tail);
  }
}

int count(const Sentences& sentences) {
  int result = 0;
  for (const Sentence& s : sentences)
    result += 1 + count(s.body) + count(s.otherwise) + (s.tail.empty() || s.tail == "}" ? 0 : 1);
  return result;
}

// Every way to make a list of sentences smaller by one: without one of them, with a body instead of its scope, or
// smaller inside. Calls `attempt` with each until one is taken; then the list is that one.
bool reduce(Sentences& sentences, const std::function<bool()>& still_fails) {
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const Sentences before = sentences;
    sentences.erase(sentences.begin() + static_cast<std::ptrdiff_t>(i));
    if (still_fails()) return true;
    if (!before[i].tail.empty()) {
      sentences.insert(sentences.begin() + static_cast<std::ptrdiff_t>(i), before[i].body.begin(),
                       before[i].body.end());
      if (still_fails()) return true;
    }
    sentences = before;
    if (!before[i].otherwise.empty()) {
      sentences[i].otherwise.clear();
      if (still_fails()) return true;
      sentences = before;
    }
    if (reduce(sentences[i].body, still_fails) || reduce(sentences[i].otherwise, still_fails)) return true;
  }
  return false;
}

}  // namespace

RandomProgram random_program(std::uint64_t seed, const Flavour& flavour) {
  return Generator(seed, flavour).run();
}

std::string text_of(const RandomProgram& program) {
  std::string out;
  for (const std::string& line : program.declarations) out += line + "\n";
  int label = 0;
  for (const Unit& unit : program.units) {
    out += "\n" + unit.head + " {\n";
    print(unit.body, "  ", label, out);
    out += "}\n";
  }
  return out;
}

int statements_in(const RandomProgram& program) {
  int result = 0;
  for (const Unit& unit : program.units) result += count(unit.body);
  return result;
}

RandomProgram shrink(RandomProgram program, const std::function<bool(const std::string&)>& fails) {
  const auto still_fails = [&] { return fails(text_of(program)); };
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (std::size_t i = 0; i < program.units.size() && !smaller; ++i) {
      const std::vector<Unit> before = program.units;
      program.units.erase(program.units.begin() + static_cast<std::ptrdiff_t>(i));
      smaller = still_fails();
      if (!smaller) program.units = before;
    }
    for (std::size_t i = 0; i < program.declarations.size() && !smaller; ++i) {
      const std::vector<std::string> before = program.declarations;
      program.declarations.erase(program.declarations.begin() + static_cast<std::ptrdiff_t>(i));
      smaller = still_fails();
      if (!smaller) program.declarations = before;
    }
    for (std::size_t i = 0; i < program.units.size() && !smaller; ++i)
      smaller = reduce(program.units[i].body, still_fails);
  }
  return program;
}

}  // namespace racecast::property
