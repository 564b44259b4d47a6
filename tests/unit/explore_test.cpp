// Exploration: the `all` lines of the litmus files, classic programs with known answers, bounds and deadlocks.
#include "program/machine/explore.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "program/litmus/litmus.h"
#include "source_dir.h"
#include "unit/program_builder.h"

namespace racecast::program {
namespace {

using testing::number;
using testing::ProgramBuilder;
using Pairs = std::set<std::pair<std::string, std::string>>;

LitmusFile parse(std::string_view text) {
  auto file = parse_litmus(text, "t.litmus");
  EXPECT_TRUE(file.has_value()) << (file ? "" : file.error().message);
  return file ? *std::move(file) : LitmusFile{};
}

std::pair<std::string, std::string> ordered(std::string a, std::string b) {
  return a < b ? std::pair(a, b) : std::pair(b, a);
}

Pairs labels_of(const Program& program, const Exploration& exploration) {
  const InstructionIndex where(program);
  Pairs pairs;
  for (const ExploredRace& race : exploration.races) {
    const std::string& a = program.text(where[race.a].instruction->label);
    const std::string& b = program.text(where[race.b].instruction->label);
    if (!a.empty() && !b.empty()) pairs.insert(ordered(a, b));
  }
  return pairs;
}

// Follows a race's schedule on a fresh machine and checks that both instructions are next there, in two threads.
void expect_schedule_leads_to_race(const std::shared_ptr<const Program>& program, const ExploredRace& race) {
  auto machine = Machine::start(program);
  ASSERT_TRUE(machine.has_value());
  ASSERT_EQ(race.schedule.size(), race.wakes.size());
  for (std::size_t k = 0; k < race.schedule.size(); ++k) {
    ASSERT_TRUE(machine->next(race.schedule[k]).enabled) << "step " << k;
    ASSERT_TRUE(machine->step(race.schedule[k], {}, race.wakes[k]).has_value());
  }
  bool found = false;
  for (std::uint32_t s = 0; s < machine->threads(); ++s) {
    for (std::uint32_t t = 0; t < machine->threads(); ++t) {
      const NextStep x = machine->next(ThreadId{s}), y = machine->next(ThreadId{t});
      if (s == t || x.instruction == nullptr || y.instruction == nullptr) continue;
      found = found || (x.instruction->id == race.a && y.instruction->id == race.b && x.address < y.address + y.size &&
                        y.address < x.address + x.size);
    }
  }
  EXPECT_TRUE(found) << "races " << index(race.a) << " " << index(race.b);
}

TEST(Explore, LitmusFilesGiveTheirAllLines) {
  int checked = 0;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(RACECAST_SOURCE_DIR "/tests/litmus")) {
    if (entry.path().extension() == ".litmus") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& path : files) {
    SCOPED_TRACE(path.filename().string());
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    const auto file = parse_litmus(text.str(), path.filename().string());
    ASSERT_TRUE(file.has_value()) << file.error().message;
    const auto exploration = explore(file->program);
    ASSERT_TRUE(exploration.has_value()) << exploration.error().message;
    EXPECT_TRUE(exploration->complete) << exploration->limit;
    for (const ExploredRace& race : exploration->races) expect_schedule_leads_to_race(file->program, race);
    for (const Expectation& expectation : file->expectations) {
      if (expectation.analysis != "all") continue;
      Pairs expected;
      for (const auto& [a, b] : expectation.pairs) expected.insert(ordered(a, b));
      EXPECT_EQ(labels_of(*file->program, *exploration), expected);
      ++checked;
    }
  }
  EXPECT_GE(checked, 50);
}

// Every schedule one by one: no memory of states, no reduction. Gives up after `budget` steps, or where a run
// does not end.
struct Naive {
  std::set<std::pair<InstrId, InstrId>> pairs;
  std::uint64_t budget = 100'000;

  void visit(const Machine& machine, int depth = 0) {
    if (depth > 200) budget = 0;  // a loop without end
    for (std::uint32_t s = 0; s < machine.threads(); ++s) {
      for (std::uint32_t t = s + 1; t < machine.threads(); ++t) {
        const NextStep x = machine.next(ThreadId{s}), y = machine.next(ThreadId{t});
        if (x.size == 0 || y.size == 0 || !(x.writes || y.writes) || (x.atomic && y.atomic)) continue;
        if (x.unchecked || y.unchecked) continue;
        if (x.address >= y.address + y.size || y.address >= x.address + x.size) continue;
        pairs.insert(std::minmax(x.instruction->id, y.instruction->id));
      }
    }
    for (const ThreadId thread : machine.enabled()) {
      for (std::size_t wake = 0; wake < machine.wake_choices(thread); ++wake) {
        if (budget == 0) return;
        --budget;
        Machine next = machine;
        ASSERT_TRUE(next.step(thread, {}, wake).has_value());
        visit(next, depth + 1);
      }
    }
  }
};

TEST(Explore, AgreesWithTryingEverySchedule) {
  int compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(RACECAST_SOURCE_DIR "/tests/litmus")) {
    if (entry.path().extension() != ".litmus") continue;
    SCOPED_TRACE(entry.path().filename().string());
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const auto file = parse_litmus(text.str(), entry.path().filename().string());
    ASSERT_TRUE(file.has_value());
    const auto start = Machine::start(file->program);
    ASSERT_TRUE(start.has_value());
    Naive naive;
    naive.visit(*start);
    if (naive.budget == 0) continue;  // loops, or too many schedules
    const auto exploration = explore(file->program);
    ASSERT_TRUE(exploration.has_value());
    std::set<std::pair<InstrId, InstrId>> found;
    for (const ExploredRace& race : exploration->races) found.emplace(race.a, race.b);
    EXPECT_EQ(found, naive.pairs);
    ++compared;
  }
  EXPECT_GE(compared, 30);
}

// Two threads of n steps each: (n+1)^2 states, whatever the order.
TEST(Explore, VisitsEachStateOnce) {
  const LitmusFile file = parse(R"(
shared int a[2]
thread T1 { a[0] = 1; a[0] = 2; a[0] = 3 }
thread T2 { a[1] = 1; a[1] = 2; a[1] = 3 }
main { fork T1; fork T2 }
)");
  const auto exploration = explore(file.program);
  ASSERT_TRUE(exploration.has_value());
  EXPECT_TRUE(exploration->complete);
  EXPECT_TRUE(exploration->races.empty());
  // main before its first fork: 1. T1 alone is there after it: 4 states with main before the second fork; then 4 * 4.
  EXPECT_EQ(exploration->states, 1u + 4u + 16u);
  EXPECT_EQ(exploration->deadlocks, 0u);
}

// Peterson's algorithm is correct under sequential consistency; with the turn set first it is not.
TEST(Explore, Peterson) {
  const auto program = [](bool correct) {
    const auto thread = [&](int me, int other) {
      const std::string flag = "store f" + std::to_string(me) + " 1", turn = "store turn " + std::to_string(other);
      return "thread P" + std::to_string(me) + " {\n" + (correct ? flag + "\n" + turn : turn + "\n" + flag) +
             "\nwhile (f" + std::to_string(other) + " == 1 && turn == " + std::to_string(other) + ") { skip }\n" +
             std::to_string(me) + ": x = x + 1\nstore f" + std::to_string(me) + " 0\n}\n";
    };
    return "shared int x\nshared atomic f1, f2, turn\n" + thread(1, 2) + thread(2, 1);
  };
  const LitmusFile good = parse(program(true));
  const auto right = explore(good.program);
  ASSERT_TRUE(right.has_value()) << right.error().message;
  EXPECT_TRUE(right->complete);
  EXPECT_EQ(labels_of(*good.program, *right), Pairs{});
  const LitmusFile bad = parse(program(false));
  const auto wrong = explore(bad.program);
  ASSERT_TRUE(wrong.has_value());
  EXPECT_EQ(labels_of(*bad.program, *wrong), (Pairs{{"1", "2"}}));
}

TEST(Explore, FindsTheDeadlockOfTwoLocks) {
  const LitmusFile file = parse(R"(
shared mutex m, n
thread T1 { lock m; lock n; unlock n; unlock m }
thread T2 { lock n; lock m; unlock m; unlock n }
)");
  const auto exploration = explore(file.program);
  ASSERT_TRUE(exploration.has_value());
  EXPECT_EQ(exploration->deadlocks, 1u);
}

// Only if notify wakes the second sleeper does T2 reach its write next to T4's.
TEST(Explore, NotifyMayWakeAnySleeper) {
  const LitmusFile file = parse(R"(
shared int n = 0, x = 0, y = 0
shared mutex m
shared cond c
thread T1 { lock m; n = n + 1; wait c m; unlock m; 1: x = 1 }
thread T2 { lock m; if (n == 1) { n = 2 }; wait c m; unlock m; 2: y = 1 }
thread T3 { lock m; if (n == 2) { notify c }; unlock m }
thread T4 { 3: x = 2; 4: y = 2 }
)");
  const auto exploration = explore(file.program);
  ASSERT_TRUE(exploration.has_value()) << exploration.error().message;
  EXPECT_EQ(labels_of(*file.program, *exploration), (Pairs{{"1", "3"}, {"2", "4"}}));
  bool chose = false;
  for (const ExploredRace& race : exploration->races) {
    expect_schedule_leads_to_race(file.program, race);
    for (const std::uint32_t wake : race.wakes) chose = chose || wake != 0;
  }
  EXPECT_TRUE(chose) << "n == 2 only if T1 sleeps first, so waking T2 is the second choice";
}

TEST(Explore, LostNotifyIsADeadlock) {
  const LitmusFile file = parse(R"(
shared mutex m
shared cond c
thread T1 { lock m; wait c m; unlock m }
thread T2 { notify c }
)");
  const auto exploration = explore(file.program);
  ASSERT_TRUE(exploration.has_value());
  EXPECT_EQ(exploration->deadlocks, 1u);
}

// A loop of steps that nobody can see must not keep the explorer from trying the other threads.
TEST(Explore, UnseenStepsStarveNobody) {
  const LitmusFile file = parse(R"(
shared int x = 0
missing fn nothing() { skip }
thread T1 { while (1) { nothing() } }
thread T2 { 1: x = 1 }
thread T3 { while (1) { fence seqcst } }
thread T4 { 2: x = 2 }
)");
  const auto exploration = explore(file.program);
  ASSERT_TRUE(exploration.has_value()) << exploration.error().message;
  EXPECT_TRUE(exploration->complete);
  EXPECT_EQ(labels_of(*file.program, *exploration), (Pairs{{"1", "2"}}));
}

TEST(Explore, DeadRegistersDoNotMultiplyStates) {
  const auto states = [](const std::string& last) {
    const LitmusFile file = parse("shared int x = 0\nthread T1 { t = x; " + last + " }\nthread T2 { x = 1 }\n");
    const auto exploration = explore(file.program);
    EXPECT_TRUE(exploration.has_value());
    return exploration->states;
  };
  // t is dead after the read in the first program, and stored in the second.
  EXPECT_LT(states("x = 5"), states("x = t"));
}

TEST(Explore, CasCountsAsWritingAndAtomicsDoNotRaceWithEachOther) {
  const LitmusFile file = parse(R"(
shared atomic a = 0
thread T1 { 1: r = cas a 5 6 }
thread T2 { 2: store a 1 }
)");
  const auto atomics = explore(file.program);
  ASSERT_TRUE(atomics.has_value());
  EXPECT_TRUE(atomics->races.empty());

  ProgramBuilder b;
  const Operand x = b.global("x");
  auto main = b.function("main", 0);
  auto t = b.function("T1", 1);
  main.add(Op::Fork, {t.operand()});
  Instruction& cas = main.add(Op::AtomicCas, {x, number(5), number(6)});
  cas.type = kI64;
  cas.order = MemoryOrder::SeqCst;
  main.ret();
  t.load(x);
  t.ret();
  const auto mixed = explore(b.build());
  ASSERT_TRUE(mixed.has_value());
  EXPECT_EQ(mixed->races.size(), 1u) << "a plain read and a cas that would fail";
}

TEST(Explore, PartlyOverlappingBytesRace) {
  ProgramBuilder b;
  const Operand x = b.global("x");
  auto main = b.function("main", 0);
  auto t = b.function("T1", 1);
  main.add(Op::Fork, {t.operand()});
  const Operand upper = main.get(Op::Offset, {x}, 4, kPtr);
  main.store(upper, number(1), {TypeKind::Int, 32});
  const Operand last = main.get(Op::Offset, {x}, 7, kPtr);
  main.store(last, number(1), {TypeKind::Int, 8});
  main.ret();
  t.load(x, {TypeKind::Int, 32});  // bytes 0..3: meets neither
  const Operand third = t.get(Op::Offset, {x}, 3, kPtr);
  t.load(third, {TypeKind::Int, 16});  // bytes 3..4: meets the first
  t.ret();
  const auto program = b.build();
  const auto exploration = explore(program);
  ASSERT_TRUE(exploration.has_value());
  EXPECT_EQ(exploration->races.size(), 1u);
}

TEST(Explore, BadAddressesDoNotRace) {
  ProgramBuilder b;
  auto main = b.function("main", 0);
  auto t = b.function("T1", 1);
  main.add(Op::Fork, {t.operand()});
  main.store(number(8), number(1));
  main.ret();
  t.store(number(8), number(2));
  t.ret();
  const auto exploration = explore(b.build());
  ASSERT_TRUE(exploration.has_value());
  EXPECT_TRUE(exploration->races.empty());
  EXPECT_TRUE(exploration->complete);
}

TEST(Explore, BoundsAreStated) {
  const LitmusFile file = parse(R"(
shared int x = 0
thread T1 { while (1) { 1: x = x + 1 } }
thread T2 { 2: x = 0 }
)");
  ExploreLimits limits;
  limits.max_states = 1000;
  std::uint64_t told = 0;
  auto exploration = explore(file.program, limits, [&](std::uint64_t states) { told = states; });
  ASSERT_TRUE(exploration.has_value());
  EXPECT_FALSE(exploration->complete);
  EXPECT_NE(exploration->limit.find("max_states"), std::string::npos);
  EXPECT_LE(exploration->states, 1000u);
  EXPECT_EQ(labels_of(*file.program, *exploration), (Pairs{{"1", "2"}})) << "what was found is true";
  limits = {.max_states = 100'000, .max_depth = 50};
  exploration = explore(file.program, limits, [&](std::uint64_t states) { told = states; });
  ASSERT_TRUE(exploration.has_value());
  EXPECT_FALSE(exploration->complete);
  EXPECT_NE(exploration->limit.find("max_depth"), std::string::npos);
}

TEST(Explore, AMistakeOfTheProgramIsAnError) {
  const LitmusFile file = parse(R"(
shared mutex m
shared int x = 0
thread T1 { if (x == 1) { unlock m } }
thread T2 { x = 1 }
)");
  const auto exploration = explore(file.program);
  ASSERT_FALSE(exploration.has_value());
  EXPECT_EQ(exploration.error().kind, ErrorKind::BadInput);
  EXPECT_NE(exploration.error().message.find("t.litmus:4:"), std::string::npos) << exploration.error().message;
}

}  // namespace
}  // namespace racecast::program
