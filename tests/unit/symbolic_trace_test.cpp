// The symbolic trace (model/symbolic/symbolic_trace.h) and its evaluation (model/symbolic/values.h), on programs and
// events made by hand. Whole runs of litmus programs are in property/symbolic_trace_property_test.cpp.
#include "model/symbolic/symbolic_trace.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/symbolic/values.h"
#include "unit/recorded_litmus.h"
#include "unit/walk_run.h"

namespace racecast::model {
namespace {

using program::kI1;
using program::kI64;
using program::kPtr;
using program::Op;
using program::Operand;
using program::Type;
using program::TypeKind;
using racecast::testing::number;
using racecast::testing::PathRun;
using racecast::testing::ProgramBuilder;
using trace::EventKind;

constexpr Type kI8{TypeKind::Int, 8};
constexpr Type kI32{TypeKind::Int, 32};

SymbolicTrace symbols_of(const PathRun& run) {
  auto symbols = SymbolicTrace::make(run.trace());
  EXPECT_TRUE(symbols.has_value()) << (symbols ? "" : symbols.error().message);
  return symbols ? *std::move(symbols) : SymbolicTrace{};
}

std::vector<ConditionKind> kinds_of(const SymbolicTrace& symbols, std::size_t event) {
  std::vector<ConditionKind> kinds;
  for (const Condition& c : symbols.conditions(EventNo{event})) kinds.push_back(c.kind);
  return kinds;
}
using Kinds = std::vector<ConditionKind>;

// x is read, y written: the two events of most tests.
struct Pair {
  ProgramBuilder b;
  Operand x = b.global("x"), y = b.global("y");
  ProgramBuilder::Fn f = b.function("f");
};

TEST(Symbols, WhatIsStoredDependsOnWhatIsRead) {
  Pair p;
  const Operand r = p.f.load(p.x);                                            // 1
  const Operand s = p.f.get(Op::Mul, {p.f.get(Op::Add, {r, number(1)}), r});  // 2, 3
  p.f.store(p.y, s);                                                          // 4
  p.f.store(p.y, number(7));                                                  // 5
  p.f.ret();
  PathRun run(p.b);
  run.call(p.f).read(p.f, 1, run.address(p.x), 3).write(p.f, 4, run.address(p.y), 12);
  run.write(p.f, 5, run.address(p.y), 7);
  const SymbolicTrace symbols = symbols_of(run);
  EXPECT_EQ(symbols.nodes().size(), kFirstNode + 3u);
  EXPECT_EQ(symbols.written(EventNo{3}), kConstant);
  SymbolicValues values(symbols);
  EXPECT_EQ(values.stored(EventNo{2}).value, 12u);
  EXPECT_TRUE(values.stored(EventNo{2}).recorded);
  values.set_read(EventNo{1}, 5, false);
  EXPECT_EQ(values.stored(EventNo{2}).value, 30u);
  EXPECT_FALSE(values.stored(EventNo{2}).recorded);
  EXPECT_EQ(values.stored(EventNo{3}).value, 7u);
  values.reset();
  values.set_read(EventNo{1}, std::nullopt, false);
  EXPECT_EQ(values.stored(EventNo{2}).value, std::nullopt);
  values.reset();
  values.set_read(EventNo{1}, static_cast<std::uint64_t>(-4), false);
  EXPECT_EQ(values.stored(EventNo{2}).value, 12u) << "(-4 + 1) * -4";
  EXPECT_TRUE(values.stored(EventNo{2}).recorded);
  values.reset();
  EXPECT_EQ(values.stored(EventNo{2}).value, 12u);
}

TEST(Symbols, ReadsOfANode) {
  Pair p;
  const Operand r = p.f.load(p.x);                   // 1
  const Operand s = p.f.load(p.y);                   // 2
  const Operand t = p.f.load(p.y);                   // 3
  const Operand sum = p.f.get(Op::Add, {r, s});      // 4
  const Operand twice = p.f.get(Op::Add, {sum, r});  // 5
  p.f.store(p.y, twice);                             // 6
  p.f.store(p.y, t);                                 // 7
  p.f.ret();
  PathRun run(p.b);
  run.call(p.f).read(p.f, 1, run.address(p.x), 3).read(p.f, 2, run.address(p.y), 4).read(p.f, 3, run.address(p.y), 4);
  run.write(p.f, 6, run.address(p.y), 10).write(p.f, 7, run.address(p.y), 4);
  const SymbolicTrace symbols = symbols_of(run);
  SymbolicValues values(symbols);
  std::vector<EventNo> reads;
  std::vector<NodeNo> histories;
  values.reads_of(symbols.written(EventNo{4}), reads, histories);
  std::ranges::sort(reads);
  EXPECT_EQ(reads, (std::vector{EventNo{1}, EventNo{2}}));
  EXPECT_TRUE(histories.empty());
}

TEST(Symbols, ABranchIsKeptWhereItsConditionIs) {
  Pair p;
  const auto yes = p.f.block(), no = p.f.block();
  p.f.at(program::BlockId{0});
  const Operand r = p.f.load(p.x);                           // 1
  const Operand big = p.f.get(Op::ULt, {number(10), r}, 0);  // 2
  p.f.fn().registers[big.value] = kI1;
  p.f.jump(Op::Branch, {big}, {yes, no});  // 3
  p.f.at(yes).ret();
  p.f.at(no).ret();
  PathRun run(p.b);
  run.call(p.f).read(p.f, 1, run.address(p.x), 3).branch(p.f, 3, 1);
  const SymbolicTrace symbols = symbols_of(run);
  ASSERT_EQ(kinds_of(symbols, 2), Kinds{ConditionKind::Branch});
  SymbolicValues values(symbols);
  EXPECT_TRUE(values.kept(EventNo{2}));
  values.set_read(EventNo{1}, 10, false);
  EXPECT_EQ(values.holds(symbols.conditions(EventNo{2})[0]), true);
  values.reset();
  values.set_read(EventNo{1}, 11, false);
  EXPECT_EQ(values.holds(symbols.conditions(EventNo{2})[0]), false);
  values.reset();
  values.set_read(EventNo{1}, std::nullopt, false);
  EXPECT_EQ(values.holds(symbols.conditions(EventNo{2})[0]), std::nullopt);
}

TEST(Symbols, ASwitchIsKeptWhereItsTargetIs) {
  Pair p;
  const auto a = p.f.block(), c = p.f.block();
  p.f.at(program::BlockId{0});
  const Operand r = p.f.load(p.x);                      // 1
  p.f.jump(Op::Switch, {r}, {a, c, c}).cases = {5, 6};  // 2
  p.f.at(a).ret();
  p.f.at(c).ret();
  PathRun run(p.b);
  run.call(p.f).read(p.f, 1, run.address(p.x), 3).branch(p.f, 2, 0);
  const SymbolicTrace symbols = symbols_of(run);
  SymbolicValues values(symbols);
  for (const auto& [value, kept] : {std::pair{3u, true}, {4u, true}, {5u, false}, {6u, false}}) {
    values.reset();
    values.set_read(EventNo{1}, value, value == 3);
    EXPECT_EQ(values.kept(EventNo{2}), kept) << value;
  }
}

TEST(Symbols, AnAddressMustBeTheRecordedOne) {
  ProgramBuilder b;
  const Operand table = b.global("table", program::GlobalKind::Data, 0, 4), x = b.global("x");
  auto f = b.function("f");
  const Operand r = f.load(x);                                       // 1
  const Operand parity = f.get(Op::URem, {r, number(2)});            // 2
  const Operand place = f.get(Op::Index, {table, parity}, 8, kPtr);  // 3
  f.store(place, r);                                                 // 4
  f.ret();
  PathRun run(b);
  run.call(f).read(f, 1, run.address(x), 3).write(f, 4, run.address(table) + 8, 3);
  const SymbolicTrace symbols = symbols_of(run);
  ASSERT_EQ(kinds_of(symbols, 2), Kinds{ConditionKind::Address}) << "a constant divisor cannot be zero";
  SymbolicValues values(symbols);
  values.set_read(EventNo{1}, 5, false);
  EXPECT_TRUE(values.kept(EventNo{2}));
  EXPECT_EQ(values.stored(EventNo{2}).value, 5u);
  values.reset();
  values.set_read(EventNo{1}, 6, false);
  EXPECT_FALSE(values.kept(EventNo{2}));
}

TEST(Symbols, ADivisionMustNotFault) {
  for (const bool other_is_known : {true, false}) {
    Pair p;
    const Operand r = p.f.load(p.x);  // 1
    Operand dividend = number(100);
    if (!other_is_known) dividend = p.f.get(Op::Opaque);  // 2
    const Operand q = p.f.get(Op::UDiv, {dividend, r});
    p.f.store(p.x, number(1));
    p.f.store(p.y, q);
    p.f.ret();
    const int shift = other_is_known ? 0 : 1;
    PathRun run(p.b);
    run.call(p.f).read(p.f, 1, run.address(p.x), 5).write(p.f, 3 + shift, run.address(p.x), 1);
    run.write(p.f, 4 + shift, run.address(p.y), 20);
    const SymbolicTrace symbols = symbols_of(run);
    ASSERT_EQ(kinds_of(symbols, 2), Kinds{ConditionKind::Fault}) << "the next event does not happen where it faults";
    SymbolicValues values(symbols);
    EXPECT_TRUE(values.kept(EventNo{2}));
    values.set_read(EventNo{1}, 4, false);
    EXPECT_TRUE(values.kept(EventNo{2})) << "whatever is divided";
    EXPECT_EQ(values.stored(EventNo{3}).value, other_is_known ? std::optional<std::uint64_t>(25) : std::nullopt);
    values.reset();
    values.set_read(EventNo{1}, 0, false);
    EXPECT_EQ(values.holds(symbols.conditions(EventNo{2})[0]),
              other_is_known ? std::optional<bool>(false) : std::nullopt);
    EXPECT_FALSE(values.kept(EventNo{2}));
  }
}

TEST(Symbols, AFaultThatEndedTheThreadMustHappenAgain) {
  Pair p;
  const Operand r = p.f.load(p.x);                      // 1
  const Operand q = p.f.get(Op::SDiv, {number(1), r});  // 2
  p.f.store(p.y, q);                                    // 3
  p.f.ret();
  PathRun run(p.b);
  run.call(p.f).read(p.f, 1, run.address(p.x), 0).branch(p.f, 2, 1);
  const SymbolicTrace symbols = symbols_of(run);
  ASSERT_EQ(kinds_of(symbols, 2), Kinds{ConditionKind::Fault});
  SymbolicValues values(symbols);
  EXPECT_TRUE(values.kept(EventNo{2}));
  values.set_read(EventNo{1}, 1, false);
  EXPECT_FALSE(values.kept(EventNo{2}));
}

// The element that is used later is checked here: before an event in between, which may be kept with another element.
TEST(Symbols, ACheckedIndexMustBeInsideItsObject) {
  ProgramBuilder b;
  const Operand table = b.global("table", program::GlobalKind::Data, 0, 4), x = b.global("x");
  auto f = b.function("f");
  const Operand r = f.load(x);                                  // 1
  const Operand place = f.get(Op::Index, {table, r}, 8, kPtr);  // 2
  f.fn().blocks[0].instructions.back().checked = true;
  f.store(x, number(1));      // 3
  f.store(place, number(1));  // 4
  f.ret();
  PathRun run(b);
  run.call(f).read(f, 1, run.address(x), 3).write(f, 3, run.address(x), 1).write(f, 4, run.address(table) + 24, 1);
  const SymbolicTrace symbols = symbols_of(run);
  SymbolicValues values(symbols);
  const std::uint64_t wraps = std::uint64_t{1} << 61;  // times 8 is 0
  for (const auto& [value, inside] :
       {std::pair<std::uint64_t, bool>{0, true}, {4, false}, {~0ull, false}, {wraps, false}}) {
    values.reset();
    values.set_read(EventNo{1}, value, false);
    EXPECT_EQ(values.kept(EventNo{2}), inside) << value;
    EXPECT_FALSE(values.kept(EventNo{3})) << value;
  }
}

// --- what the model does not know

TEST(Symbols, AnOpaqueResultIsHistory) {
  Pair p;
  const Operand r = p.f.load(p.x);             // 1
  const Operand o = p.f.get(Op::Opaque, {r});  // 2
  const Operand s = p.f.load(p.x);             // 3
  p.f.store(p.y, p.f.get(Op::Add, {o, s}));    // 4, 5
  p.f.ret();
  PathRun run(p.b);
  run.call(p.f).read(p.f, 1, run.address(p.x), 3).value(p.f, 2, 40).read(p.f, 3, run.address(p.x), 2);
  run.write(p.f, 5, run.address(p.y), 42);
  const SymbolicTrace symbols = symbols_of(run);
  SymbolicValues values(symbols);
  EXPECT_EQ(values.stored(EventNo{4}).value, 42u);
  values.set_read(EventNo{3}, 9, false);
  EXPECT_EQ(values.stored(EventNo{4}).value, 49u) << "what was read later does not change it";
  values.reset();
  values.set_read(EventNo{1}, 4, false);
  EXPECT_EQ(values.stored(EventNo{4}).value, std::nullopt);
  std::vector<EventNo> reads;
  std::vector<NodeNo> histories;
  values.reads_of(symbols.written(EventNo{4}), reads, histories);
  EXPECT_EQ(reads, std::vector{EventNo{3}});
  ASSERT_EQ(histories.size(), 1u);
  EXPECT_EQ(symbols.node(histories[0]).event, EventNo{2});
}

TEST(Symbols, BeforeTheFirstReadHistoryIsConstant) {
  Pair p;
  const Operand o = p.f.get(Op::Opaque);  // 1
  p.f.store(p.y, o);                      // 2
  p.f.ret();
  PathRun run(p.b);
  run.call(p.f).value(p.f, 1, 40).write(p.f, 2, run.address(p.y), 40);
  EXPECT_EQ(symbols_of(run).written(EventNo{2}), kConstant);
}

TEST(Symbols, WhatIsNotKnownIsHistoryWhereItIsUsed) {
  Pair p;
  const Operand o = p.f.get(Op::Opaque);  // 1
  const Operand r = p.f.load(p.x);        // 2
  p.f.store(p.y, o);                      // 3
  p.f.store(p.y, r);                      // 4
  p.f.ret();
  PathRun run(p.b);
  run.call(p.f)
      .read(p.f, 2, run.address(p.x), 3)
      .write(p.f, 3, run.address(p.y), 40)
      .write(p.f, 4, run.address(p.y), 3);
  const SymbolicTrace symbols = symbols_of(run);
  EXPECT_EQ(symbols.written(EventNo{2}), kHistory);
  SymbolicValues values(symbols);
  EXPECT_EQ(values.stored(EventNo{2}).value, 40u);
  values.set_read(EventNo{1}, 4, false);
  EXPECT_EQ(values.stored(EventNo{2}).value, std::nullopt);
  EXPECT_EQ(values.stored(EventNo{3}).value, 4u);
}

TEST(Symbols, AStoreThatTheModelDisputesIsHistory) {
  Pair p;
  const Operand r = p.f.load(p.x);  // 1
  p.f.store(p.y, r);                // 2
  p.f.ret();
  PathRun run(p.b);
  run.call(p.f).read(p.f, 1, run.address(p.x), 3).write(p.f, 2, run.address(p.y), 4);
  const SymbolicTrace symbols = symbols_of(run);
  EXPECT_EQ(symbols.written(EventNo{2}), kHistory);
  EXPECT_TRUE(symbols.conditions(EventNo{2}).empty());
}

TEST(Symbols, AnEventThatTheWalkerCannotPlaceIsHistory) {
  Pair p;
  const auto rest = p.f.block();
  p.f.at(program::BlockId{0});
  const Operand r = p.f.load(p.x);  // 1
  p.f.store(p.y, r);                // 2
  p.f.store(p.y, number(1));        // 3
  p.f.jump(Op::Jump, {}, {rest});   // 4
  p.f.at(rest).ret();
  PathRun run(p.b);
  run.call(p.f).read(p.f, 1, run.address(p.x), 3).write(p.f, 3, run.address(p.y), 1);
  const SymbolicTrace symbols = symbols_of(run);
  ASSERT_EQ(symbols.conditions(EventNo{2}).size(), 1u);
  EXPECT_EQ(symbols.conditions(EventNo{2})[0].node, kHistory);
  SymbolicValues values(symbols);
  EXPECT_TRUE(values.kept(EventNo{2}));
  values.set_read(EventNo{1}, 4, false);
  EXPECT_FALSE(values.kept(EventNo{2}));
}

TEST(Symbols, MissingCodeNeedsItsHistoryAndArguments) {
  Pair p;
  auto outside = p.b.function("outside");
  outside.fn().blocks.clear();
  const Operand r = p.f.load(p.x);                              // 1
  const Operand s = p.f.get(Op::Call, {outside.operand(), r});  // 2
  p.f.store(p.y, s);                                            // 3
  p.f.ret();
  PathRun run(p.b);
  run.call(p.f).read(p.f, 1, run.address(p.x), 3).missing_begin(p.f, 2).missing_end(p.f, 2, 8);
  run.write(p.f, 3, run.address(p.y), 8);
  const SymbolicTrace symbols = symbols_of(run);
  EXPECT_EQ(kinds_of(symbols, 2), (Kinds{ConditionKind::Argument, ConditionKind::Missing}));
  EXPECT_EQ(symbols.conditions(EventNo{2})[0].node, symbols.read(EventNo{1}));
  EXPECT_EQ(symbols.conditions(EventNo{2})[1].node, kHistory);
  EXPECT_EQ(kinds_of(symbols, 3), Kinds{ConditionKind::Missing});
  SymbolicValues values(symbols);
  EXPECT_EQ(values.stored(EventNo{4}).value, 8u) << "where it is kept, its result is the recorded one";
  values.set_read(EventNo{1}, 4, false);
  EXPECT_FALSE(values.kept(EventNo{2}));
}

TEST(Symbols, MissingCodeWhoseArgumentsAreNotKnownNeedsItsHistory) {
  Pair p;
  auto outside = p.b.function("outside");
  outside.fn().blocks.clear();
  p.f.load(p.x);                                                // 1
  p.f.add(Op::Call, {outside.operand(), p.f.get(Op::Opaque)});  // 2, 3
  p.f.ret();
  PathRun run(p.b);
  run.call(p.f).read(p.f, 1, run.address(p.x), 3).missing_begin(p.f, 3).missing_end(p.f, 3);
  const SymbolicTrace symbols = symbols_of(run);
  EXPECT_EQ(kinds_of(symbols, 2), Kinds{ConditionKind::Argument});
  EXPECT_EQ(symbols.conditions(EventNo{2})[0].node, kHistory);
}

TEST(Symbols, MissingCodeThatCalledBackNeedsWhatItWasGivenBack) {
  Pair p;
  auto outside = p.b.function("outside"), back = p.b.function("back");
  outside.fn().blocks.clear();
  back.ret(back.load(p.x));                // 1, 2
  p.f.add(Op::Call, {outside.operand()});  // 1
  p.f.ret();
  PathRun run(p.b);
  run.call(p.f).missing_begin(p.f, 1).call(back).read(back, 1, run.address(p.x), 3).ret(back, 2).missing_end(p.f, 1);
  const SymbolicTrace symbols = symbols_of(run);
  EXPECT_TRUE(symbols.conditions(EventNo{1}).empty());
  EXPECT_EQ(kinds_of(symbols, 5), Kinds{ConditionKind::Argument});
  SymbolicValues values(symbols);
  EXPECT_TRUE(values.kept(EventNo{5}));
  values.set_read(EventNo{3}, 4, false);
  EXPECT_FALSE(values.kept(EventNo{5}));
}

// An access at a call: what the runtime recorded of code without a model.
TEST(Symbols, AccessesInsideACallAreHistory) {
  for (const bool computed : {false, true}) {
    Pair p;
    auto outside = p.b.function("outside");
    outside.fn().blocks.clear();
    p.f.load(p.x);                           // 1
    p.f.add(Op::Call, {outside.operand()});  // 2
    p.f.ret();
    PathRun run(p.b);
    run.call(p.f)
        .read(p.f, 1, run.address(p.x), 3)
        .write(p.f, 2, run.address(p.y), 8)
        .read(p.f, 2, run.address(p.y), 8);
    if (computed) run.last(2).flags |= trace::kComputed;
    const SymbolicTrace symbols = symbols_of(run);
    EXPECT_EQ(symbols.written(EventNo{2}), kHistory);
    EXPECT_EQ(symbols.read(EventNo{3}), kConstant);
    EXPECT_EQ(kinds_of(symbols, 2), computed ? Kinds{ConditionKind::Address} : Kinds{});
    SymbolicValues values(symbols);
    values.set_read(EventNo{3}, 9, false);
    EXPECT_TRUE(values.history_holds(ThreadId{0}, EventNo{3}));
    EXPECT_FALSE(values.history_holds(ThreadId{0}, EventNo{4})) << "it counts as a read";
  }
}

// What the library's own operations do is known: to which object, and what they give back.
TEST(Symbols, AnOperationOfTheLibraryIsOnItsArgument) {
  constexpr std::uint64_t kLock = 0x7ffe'0000'1000;
  struct Case {
    const char* callee;
    bool failed_try;
    std::uint64_t result;
    bool address_known, result_known;
    Op op = Op::Call;  // or the operation that the function does
  };
  for (const Case c : {Case{"pthread_mutex_lock", false, 0, true, true},
                       {"pthread_mutex_trylock", true, 16, true, true},
                       {"pthread_mutex_lock", false, 130, true, false},
                       {"outside", false, 0, false, false},
                       {"pthread_mutex_lock", false, 0, true, true, Op::Lock},
                       {"pthread_mutex_trylock", true, 16, true, true, Op::TryLock},
                       {"pthread_mutex_lock", false, 130, true, false, Op::Lock}}) {
    Pair p;
    auto callee = p.b.function(c.callee);
    callee.fn().blocks.clear();
    const Operand odd = p.f.get(Op::And, {p.f.load(p.x), number(1)});  // 1, 2
    const Operand lock = p.f.get(Op::Add, {odd, number(kLock)});       // 3
    const bool call = c.op == Op::Call;
    const std::vector<Operand> operands = {call ? callee.operand() : lock, call ? lock : callee.operand()};
    p.f.store(p.y, p.f.get(c.op, operands, 0, kI32), kI32);  // 4, 5
    p.f.ret();
    PathRun run(p.b);
    run.call(p.f).read(p.f, 1, run.address(p.x), 2).sync(EventKind::Lock, p.f, 4, kLock);
    run.last().flags |= trace::kComputed;
    if (c.failed_try) run.last().flags |= trace::kTry | trace::kFailed;
    run.value(p.f, 4, c.result).write(p.f, 5, run.address(p.y), c.result, 4);
    EXPECT_EQ(run.verify().total(), 0u);
    const SymbolicTrace symbols = symbols_of(run);
    ASSERT_EQ(kinds_of(symbols, 2), Kinds{ConditionKind::Address}) << c.callee;
    SymbolicValues values(symbols);
    values.set_read(EventNo{1}, 4, false);
    EXPECT_EQ(values.kept(EventNo{2}), c.address_known) << c.callee;
    EXPECT_EQ(values.stored(EventNo{4}).value, c.result_known ? std::optional(c.result) : std::nullopt) << c.callee;
    values.reset();
    values.set_read(EventNo{1}, 3, false);
    EXPECT_FALSE(values.kept(EventNo{2})) << "another lock";
  }
}

TEST(Symbols, TheOutcomeOfATryIsAValue) {
  constexpr std::uint64_t kLock = 0x7ffe'0000'1000;
  struct Case {
    const char* callee;
    EventKind kind;
    std::uint64_t refused;  // what it gives back then
    std::uint64_t result;   // was given back
    bool is_free;
  };
  for (const Case c : {Case{"pthread_mutex_trylock", EventKind::Lock, 16, 0, true},
                       {"pthread_mutex_trylock", EventKind::Lock, 16, 16, true},
                       {"pthread_mutex_trylock", EventKind::Lock, 16, 130, false},
                       {"pthread_mutex_clocklock", EventKind::Lock, 110, 0, true},
                       {"pthread_rwlock_tryrdlock", EventKind::RdLock, 16, 16, true},
                       {"pthread_rwlock_timedwrlock", EventKind::WrLock, 110, 110, true},
                       {"mtx_trylock", EventKind::Lock, 1, 1, true},
                       {"pthread_mutex_lock", EventKind::Lock, 0, 0, false},
                       {"sem_trywait", EventKind::SemWait, 0, 0, false}}) {
    Pair p;
    auto callee = p.b.function(c.callee);
    callee.fn().blocks.clear();
    p.f.store(p.y, p.f.get(Op::Call, {callee.operand(), number(kLock)}, 0, kI32), kI32);  // 1, 2
    p.f.ret();
    PathRun run(p.b);
    run.call(p.f).sync(c.kind, p.f, 1, kLock);
    if (c.result == c.refused && c.result != 0) run.last().flags |= trace::kTry | trace::kFailed;
    run.value(p.f, 1, c.result).write(p.f, 2, run.address(p.y), c.result, 4);
    EXPECT_EQ(run.verify().total(), 0u) << c.callee;
    const SymbolicTrace symbols = symbols_of(run);
    ASSERT_EQ(symbols.outcome(EventNo{1}) != nullptr, c.is_free) << c.callee << " " << c.result;
    SymbolicValues values(symbols);
    EXPECT_EQ(values.stored(EventNo{3}).value, c.result);
    values.set_other_outcome(EventNo{1});
    if (c.is_free) {
      EXPECT_EQ(values.stored(EventNo{3}).value, c.refused - c.result) << c.callee;
    }
    EXPECT_FALSE(values.history_holds(ThreadId{0}, EventNo{2}));
  }
}

TEST(Symbols, AnIndirectCallMustEnterTheSameFunction) {
  Pair p;
  auto g = p.b.function("g");
  const Operand parameter = g.param();         // line numbers are by function
  g.store(p.y, parameter);                     // 1
  g.ret();                                     // 2
  const Operand target = p.f.load(p.x, kPtr);  // 1
  const Operand r = p.f.load(p.y);             // 2
  p.f.add(Op::Call, {target, r});              // 3
  p.f.ret();
  PathRun run(p.b);
  run.call(p.f).read(p.f, 1, run.address(p.x), run.program().functions[1].address).read(p.f, 2, run.address(p.y), 5);
  run.call(g).write(g, 1, run.address(p.y), 5).ret(g, 2);
  const SymbolicTrace symbols = symbols_of(run);
  ASSERT_EQ(kinds_of(symbols, 3), Kinds{ConditionKind::Callee});
  SymbolicValues values(symbols);
  values.set_read(EventNo{2}, 6, false);
  EXPECT_TRUE(values.kept(EventNo{3}));
  EXPECT_EQ(values.stored(EventNo{4}).value, 6u) << "arguments are followed";
  values.reset();
  values.set_read(EventNo{1}, 0x40'0000, false);
  EXPECT_FALSE(values.kept(EventNo{3}));
}

void expect_a_new_object_where_it_was(bool operation) {
  Pair p;
  auto allocate = p.b.function("malloc");
  allocate.fn().blocks.clear();
  const Operand r = p.f.load(p.x);  // 1
  const Operand object = operation ? p.f.get(Op::Alloc, {r, allocate.operand()}, 0, kPtr)
                                   : p.f.get(Op::Call, {allocate.operand(), r}, 0, kPtr);  // 2
  p.f.store(object, r);                                                                    // 3
  p.f.ret();
  constexpr std::uint64_t kObject = 0x7ffe'0000'1000;
  PathRun run(p.b);
  run.call(p.f).read(p.f, 1, run.address(p.x), 20).alloc(p.f, 2, kObject, 24).value(p.f, 2, kObject);
  run.write(p.f, 3, kObject, 20);
  run.last().flags |= trace::kComputed;
  const SymbolicTrace symbols = symbols_of(run);
  ASSERT_EQ(kinds_of(symbols, 2), Kinds{ConditionKind::Size}) << "20 was asked for, 24 were given";
  SymbolicValues values(symbols);
  values.set_read(EventNo{1}, 21, false);
  EXPECT_FALSE(values.kept(EventNo{2}));
  EXPECT_TRUE(values.kept(EventNo{4})) << "its address depends on nothing";

  WalkClient client;
  auto walker = Walker::make(run.trace().definitions, client);
  const std::span<const trace::Event> events = run.trace().events;
  ASSERT_TRUE(walker->add(events.first(3)).has_value());
  ASSERT_TRUE(walker->add_unknown(events[3]).has_value());
  ASSERT_TRUE(walker->add(events.subspan(4)).has_value());
  EXPECT_EQ(walker->counts().addresses, 2u);
}
TEST(Symbols, ANewObjectIsWhereItWas) {
  expect_a_new_object_where_it_was(false);
  expect_a_new_object_where_it_was(true);
}

// --- atomics

TEST(Symbols, AReadModifyWriteStoresWhatItComputes) {
  for (const program::Rmw rmw : {program::Rmw::Add, program::Rmw::Exchange}) {
    Pair p;
    const Operand r = p.f.get(Op::AtomicRmw, {p.x, number(2)}, 0, kI32);  // 1
    p.f.fn().blocks[0].instructions.back().rmw = rmw;
    p.f.store(p.y, r, kI32);  // 2
    p.f.ret();
    const bool adds = rmw == program::Rmw::Add;
    PathRun run(p.b);
    run.call(p.f).rmw(p.f, 1, run.address(p.x), 5, adds ? 7 : 2, 0).write(p.f, 2, run.address(p.y), 5, 4);
    const SymbolicTrace symbols = symbols_of(run);
    SymbolicValues values(symbols);
    EXPECT_EQ(values.stored(EventNo{1}).value, adds ? 7u : 2u);
    values.set_read(EventNo{1}, 0xffff'ffff, false);
    EXPECT_EQ(values.stored(EventNo{1}).value, adds ? 1u : 2u);
    EXPECT_EQ(values.stored(EventNo{2}).value, 0xffff'ffffu);
  }
}

TEST(Symbols, TheOutcomeOfACompareAndSwapIsAValue) {
  for (const bool failed : {false, true}) {
    Pair p;
    const Operand wanted = p.f.load(p.y, kI32);                 // 1
    p.f.get(Op::AtomicCas, {p.x, wanted, number(9)}, 0, kI32);  // 2
    p.f.fn().blocks[0].instructions.back().result2 = p.f.reg(kI1);
    p.f.ret();
    PathRun run(p.b);
    run.call(p.f).read(p.f, 1, run.address(p.y), 5, 4);
    run.rmw(p.f, 2, run.address(p.x), failed ? 4 : 5, failed ? 5 : 9, trace::kCas | (failed ? trace::kFailed : 0));
    const SymbolicTrace symbols = symbols_of(run);
    ASSERT_EQ(kinds_of(symbols, 2), Kinds{ConditionKind::Known});
    ASSERT_NE(symbols.outcome(EventNo{2}), nullptr);
    const NodeNo outcome = symbols.outcome(EventNo{2})->node;
    SymbolicValues values(symbols);
    EXPECT_TRUE(values.kept(EventNo{2}));
    EXPECT_EQ(values.value(outcome), failed ? 0u : 1u);
    EXPECT_EQ(values.stored(EventNo{2}).value, 9u);
    values.set_read(EventNo{1}, 8, false);
    EXPECT_TRUE(values.kept(EventNo{2}));
    EXPECT_EQ(values.value(outcome), 0u);
    values.reset();
    values.set_read(EventNo{1}, 8, false);
    values.set_read(EventNo{2}, 8, false);
    EXPECT_EQ(values.value(outcome), 1u);
    values.reset();
    values.set_read(EventNo{2}, std::nullopt, false);
    EXPECT_FALSE(values.kept(EventNo{2}));
  }
}

// What it would store must be known where it did not.
TEST(Symbols, ACompareAndSwapOfSomethingUnknownKeepsItsOutcome) {
  Pair p;
  const Operand unknown = p.f.get(Op::Opaque, {}, 0, kI32);    // 1
  p.f.get(Op::AtomicCas, {p.x, number(5), unknown}, 0, kI32);  // 2
  p.f.ret();
  PathRun run(p.b);
  run.call(p.f).rmw(p.f, 2, run.address(p.x), 4, 5, trace::kCas | trace::kFailed);
  const SymbolicTrace symbols = symbols_of(run);
  EXPECT_EQ(symbols.outcome(EventNo{1}), nullptr);
  ASSERT_EQ(kinds_of(symbols, 1), Kinds{ConditionKind::Cas});
  SymbolicValues values(symbols);
  values.set_read(EventNo{1}, 5, false);
  EXPECT_FALSE(values.kept(EventNo{1}));
}

// The branch is kept only if the lock was taken; so whoever is past it has it.
TEST(Symbols, AnOutcomeIsDecidedByABranch) {
  const trace::Trace trace = recorded(R"(
shared mutex m
shared int x = 0
thread T1 {
  1: a = trylock m
  2: x = a
  3: if (a == 1) {
  4:   unlock m
  }
  5: b = trylock m
  6: if (b + x) {
  7:   x = 2
  }
}
run T1
)");
  const Result<SymbolicTrace> symbols = SymbolicTrace::make(trace);
  ASSERT_TRUE(symbols.has_value());
  std::vector<EventNo> tries, branches;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    if (trace.events[i].has(trace::kTry)) tries.push_back(EventNo{i});
    if (trace.events[i].kind == EventKind::Branch) branches.push_back(EventNo{i});
  }
  ASSERT_EQ(tries.size(), 2u);
  EXPECT_EQ(symbols->outcome(tries[0])->decided, branches[0]);
  EXPECT_EQ(symbols->outcome(tries[1])->decided, model::kUndecided);
  SymbolicValues values(*symbols);
  values.set_other_outcome(tries[0]);
  EXPECT_FALSE(values.kept(branches[0]));
  EXPECT_EQ(values.stored(EventNo{index(tries[0]) + 1}).value, 0u);
}

TEST(Symbols, AWeakCompareAndSwapMayAlwaysFail) {
  Pair p;
  p.f.get(Op::AtomicCas, {p.x, number(5), number(9)}, 0, kI32);  // 1
  p.f.ret();
  PathRun run(p.b);
  run.call(p.f).rmw(p.f, 1, run.address(p.x), 5, 5, trace::kCas | trace::kFailed);
  EXPECT_TRUE(symbols_of(run).conditions(EventNo{1}).empty());
}

TEST(Symbols, ACompareAndSwapWithoutAValueMustFindWhatItFound) {
  Pair p;
  p.f.get(Op::AtomicCas, {p.x, number(5), number(9)}, 0, kI32);  // 1
  p.f.ret();
  PathRun run(p.b);
  run.call(p.f).rmw(p.f, 1, run.address(p.x), 0, 0, trace::kCas | trace::kFailed);
  run.last().clear(trace::kHasValue);
  const SymbolicTrace symbols = symbols_of(run);
  SymbolicValues values(symbols);
  EXPECT_TRUE(values.kept(EventNo{1}));
  values.set_read(EventNo{1}, std::nullopt, false);
  EXPECT_FALSE(values.kept(EventNo{1}));
}

// --- selects, local slots

TEST(Symbols, ASelectMayChooseTheOtherSide) {
  for (const bool other_is_known : {true, false}) {
    Pair p;
    const Operand r = p.f.load(p.x, kI1);  // 1
    Operand other = number(20);
    if (!other_is_known) other = p.f.get(Op::Opaque);  // 2
    p.f.store(p.y, p.f.get(Op::Select, {r, number(10), other}));
    p.f.ret();
    PathRun run(p.b);
    run.call(p.f).read(p.f, 1, run.address(p.x), 1, 1).write(p.f, other_is_known ? 3 : 4, run.address(p.y), 10);
    const SymbolicTrace symbols = symbols_of(run);
    SymbolicValues values(symbols);
    EXPECT_EQ(values.stored(EventNo{2}).value, 10u);
    values.set_read(EventNo{1}, 0, false);
    EXPECT_EQ(values.stored(EventNo{2}).value, other_is_known ? std::optional<std::uint64_t>(20) : std::nullopt);
  }
}

struct Slot : Pair {
  Operand slot;
  Slot() {
    slot = f.get(Op::StackAlloc, {number(8)}, 0, kPtr);  // 1
    local();
  }
  void local() { f.fn().blocks[0].instructions.back().local = true; }
};

TEST(Symbols, ALocalSlotKeepsWhatWasStored) {
  Slot s;
  const Operand r = s.f.load(s.x);  // 2
  s.f.store(s.slot, r);             // 3
  s.local();
  const Operand back = s.f.load(s.slot);  // 4
  s.local();
  s.f.store(s.y, back);  // 5
  s.f.ret();
  PathRun run(s.b);
  run.call(s.f).read(s.f, 2, run.address(s.x), 3).write(s.f, 5, run.address(s.y), 3);
  const SymbolicTrace symbols = symbols_of(run);
  EXPECT_EQ(symbols.written(EventNo{2}), symbols.read(EventNo{1}));
}

TEST(Symbols, PartsOfAValueArePinned) {
  for (const bool overwritten : {false, true}) {
    Slot s;
    const Operand r = s.f.load(s.x);  // 2
    s.f.store(s.slot, r);             // 3
    s.local();
    s.f.store(s.slot, number(1), overwritten ? kI64 : kI8);  // 4
    s.local();
    const Operand back = s.f.load(s.slot);  // 5
    s.local();
    const Operand other = s.f.load(s.y);              // 6
    s.f.store(s.y, s.f.get(Op::Add, {back, other}));  // 7, 8
    s.f.ret();
    PathRun run(s.b);
    run.call(s.f).read(s.f, 2, run.address(s.x), 0x305).read(s.f, 6, run.address(s.y), 0);
    run.write(s.f, 8, run.address(s.y), overwritten ? 1 : 0x301);
    const SymbolicTrace symbols = symbols_of(run);
    SymbolicValues values(symbols);
    EXPECT_EQ(values.stored(EventNo{3}).value, overwritten ? 1u : 0x301u);
    values.set_read(EventNo{2}, 1, false);
    EXPECT_EQ(values.stored(EventNo{3}).value, overwritten ? 2u : 0x302u);
    values.reset();
    values.set_read(EventNo{1}, 0x405, false);
    EXPECT_EQ(values.stored(EventNo{3}).value, overwritten ? std::optional<std::uint64_t>(1) : std::nullopt);
  }
}

TEST(Symbols, TwoHalvesAreNotAWhole) {
  Slot s;
  const Operand r = s.f.load(s.x, kI32);  // 2
  s.f.store(s.slot, r, kI32);             // 3
  s.local();
  s.f.store(s.f.get(Op::Offset, {s.slot}, 4, kPtr), r, kI32);  // 4, 5
  s.local();
  const Operand back = s.f.load(s.slot);  // 6
  s.local();
  s.f.store(s.y, back);  // 7
  s.f.ret();
  PathRun run(s.b);
  run.call(s.f).read(s.f, 2, run.address(s.x), 3, 4).write(s.f, 7, run.address(s.y), 0x3'0000'0003);
  const SymbolicTrace symbols = symbols_of(run);
  SymbolicValues values(symbols);
  EXPECT_EQ(values.stored(EventNo{2}).value, 0x3'0000'0003u);
  values.set_read(EventNo{1}, 4, false);
  EXPECT_EQ(values.stored(EventNo{2}).value, std::nullopt);
}

TEST(Symbols, ALocalAddressMustBeTheSame) {
  Slot s;
  const Operand r = s.f.load(s.x);                                 // 2
  const Operand place = s.f.get(Op::Index, {s.slot, r}, 1, kPtr);  // 3
  s.f.store(place, number(1), kI8);                                // 4
  s.local();
  s.f.store(s.y, number(1));  // 5
  s.f.ret();
  PathRun run(s.b);
  run.call(s.f).read(s.f, 2, run.address(s.x), 3).write(s.f, 5, run.address(s.y), 1);
  const SymbolicTrace symbols = symbols_of(run);
  ASSERT_EQ(kinds_of(symbols, 2), Kinds{ConditionKind::Address});
  SymbolicValues values(symbols);
  values.set_read(EventNo{1}, 2, false);
  EXPECT_FALSE(values.kept(EventNo{2}));
}

// --- threads

struct Forking {
  ProgramBuilder b;
  Operand x = b.global("x"), y = b.global("y");
  ProgramBuilder::Fn parent = b.function("parent"), child = b.function("child");
  ProgramBuilder::Fn create = b.function("pthread_create"), other = b.function("clone");
  Operand parameter = child.param();
  Forking() {
    create.fn().blocks.clear();
    other.fn().blocks.clear();
    child.store(y, parameter);              // 1
    child.store(y, child.get(Op::Opaque));  // 2, 3
    child.ret();                            // 4
  }
  // Parent: reads x, forks with it (or with 7).
  PathRun run(bool by_pthread_create, bool argument_is_read) {
    const Operand r = parent.load(x);  // 1
    const Operand argument = argument_is_read ? r : number(7);
    const auto& made = by_pthread_create ? create : other;
    parent.add(Op::Call, {made.operand(), number(0), number(0), child.operand(), argument});  // 2
    parent.ret();
    PathRun run(b);
    const std::uint64_t value = argument_is_read ? 3 : 7;
    run.call(parent).read(parent, 1, run.address(x), 3).fork(parent, 2, 1);
    run.begin(child, 1).call(child);
    run.last().thread = ThreadId{1};
    run.param(child, 0, value);
    run.last().thread = ThreadId{1};
    run.write(child, 1, run.address(y), value, 8, 1);
    run.value(child, 2, 50);
    run.last().thread = ThreadId{1};
    run.write(child, 3, run.address(y), 50, 8, 1);
    return run;
  }
};

TEST(Symbols, AThreadIsGivenWhatItsParentComputed) {
  Forking f;
  const PathRun run = f.run(true, true);
  EXPECT_EQ(run.verify().total(), 0u);
  const SymbolicTrace symbols = symbols_of(run);
  ASSERT_EQ(symbols.inputs(ThreadId{1}).size(), 1u);
  EXPECT_EQ(symbols.inputs(ThreadId{1})[0], symbols.read(EventNo{1}));
  SymbolicValues values(symbols);
  EXPECT_EQ(values.stored(EventNo{6}).value, 3u);
  EXPECT_TRUE(values.history_holds(ThreadId{1}, EventNo{6}));
  values.set_read(EventNo{1}, 4, false);
  EXPECT_EQ(values.stored(EventNo{6}).value, std::nullopt) << "the parameter was recorded, and is another one now";
  EXPECT_FALSE(values.history_holds(ThreadId{1}, EventNo{6}));
  EXPECT_EQ(values.stored(EventNo{8}).value, std::nullopt) << "nobody knows what this was computed from";
  EXPECT_TRUE(values.kept(EventNo{4})) << "the function is the same";
}

TEST(Symbols, AConstantArgumentIsConstant) {
  Forking f;
  const PathRun run = f.run(true, false);
  const SymbolicTrace symbols = symbols_of(run);
  EXPECT_EQ(symbols.written(EventNo{6}), kConstant);
  EXPECT_TRUE(symbols.inputs(ThreadId{1}).empty());
}

TEST(Symbols, WhatCodeWithoutAModelGivesToAThreadIsItsParentsHistory) {
  Forking f;
  const PathRun run = f.run(false, false);
  const SymbolicTrace symbols = symbols_of(run);
  SymbolicValues values(symbols);
  EXPECT_EQ(values.stored(EventNo{6}).value, 7u);
  EXPECT_TRUE(values.kept(EventNo{4}));
  values.set_read(EventNo{1}, 4, false);
  EXPECT_EQ(values.stored(EventNo{6}).value, std::nullopt);
  EXPECT_FALSE(values.kept(EventNo{4})) << "which function it runs is not known either";
}

// --- windows, long chains, walks with unknown inputs

TEST(Symbols, ReadsBeforeAWindowAreConstant) {
  Pair p;
  const Operand r = p.f.load(p.x);           // 1
  const Operand s = p.f.load(p.x);           // 2
  p.f.store(p.y, p.f.get(Op::Add, {r, s}));  // 3, 4
  p.f.store(p.y, r);                         // 5
  p.f.ret();
  PathRun run(p.b);
  run.call(p.f).read(p.f, 1, run.address(p.x), 3).read(p.f, 2, run.address(p.x), 4);
  run.write(p.f, 4, run.address(p.y), 7).write(p.f, 5, run.address(p.y), 3);
  WalkClient client;
  auto walker = Walker::make(run.trace().definitions, client);
  ASSERT_TRUE(walker.has_value());
  const std::span<const trace::Event> events = run.trace().events;
  ASSERT_TRUE(walker->add(events.first(2)).has_value());
  for (int round = 0; round < 2; ++round) {
    const auto symbols = SymbolicTrace::make(*walker, events.subspan(2));
    ASSERT_TRUE(symbols.has_value());
    EXPECT_EQ(symbols->first(), EventNo{2});
    EXPECT_EQ(symbols->written(EventNo{4}), kConstant);
    SymbolicValues values(*symbols);
    values.set_read(EventNo{1}, 9, false);
    EXPECT_EQ(values.stored(EventNo{3}).value, 7u) << "not of this window";
    values.set_read(EventNo{2}, 9, false);
    EXPECT_EQ(values.stored(EventNo{3}).value, 12u);
  }
}

TEST(Symbols, LongChainsNeedNoStack) {
  Pair p;
  const auto loop = p.f.block();
  const Operand first = p.f.load(p.x);  // 1
  p.f.jump(Op::Jump, {}, {loop});       // 2
  p.f.at(loop);
  const Operand sum = p.f.get(Op::Phi, {first, first});  // 3
  p.f.fn().blocks[1].instructions.back().targets = {program::BlockId{0}, loop};
  const Operand next = p.f.get(Op::Add, {sum, number(1)});  // 4
  p.f.fn().blocks[1].instructions[0].operands[1] = next;
  p.f.store(p.y, next);                             // 5
  p.f.jump(Op::Branch, {number(1)}, {loop, loop});  // 6
  PathRun run(p.b);
  run.call(p.f).read(p.f, 1, run.address(p.x), 0);
  constexpr std::uint64_t kRounds = 1'000'000;
  for (std::uint64_t k = 1; k <= kRounds; ++k) run.write(p.f, 5, run.address(p.y), k).branch(p.f, 6, 0);
  const SymbolicTrace symbols = symbols_of(run);
  SymbolicValues values(symbols);
  const EventNo last{run.trace().events.size() - 2};
  EXPECT_EQ(values.stored(last).value, kRounds);
  values.set_read(EventNo{1}, 5, false);
  EXPECT_EQ(values.stored(last).value, kRounds + 5);
  std::vector<EventNo> reads;
  std::vector<NodeNo> histories;
  values.reads_of(symbols.written(last), reads, histories);
  EXPECT_EQ(reads, std::vector{EventNo{1}});
}

struct Results : WalkClient {
  std::vector<WalkValue> stored;
  void executed(const Executed& e) override {
    if (e.event != nullptr && e.event->kind == EventKind::Write) stored.push_back(e.operands[1]);
  }
};

TEST(Walker, InputsMayBeUnknown) {
  Pair p;
  const Operand o = p.f.get(Op::Opaque);  // 1
  const Operand r = p.f.load(p.x);        // 2
  p.f.store(p.y, o);                      // 3
  p.f.store(p.y, r);                      // 4
  p.f.ret();
  PathRun run(p.b);
  run.call(p.f).value(p.f, 1, 5).read(p.f, 2, run.address(p.x), 3);
  run.write(p.f, 3, run.address(p.y), 5).write(p.f, 4, run.address(p.y), 3);
  const std::span<const trace::Event> events = run.trace().events;
  Results results;
  auto walker = Walker::make(run.trace().definitions, results, true);
  ASSERT_TRUE(walker.has_value());
  ASSERT_TRUE(walker->add(events.first(1)).has_value());
  ASSERT_TRUE(walker->add_unknown(events[1]).has_value());
  ASSERT_TRUE(walker->add_unknown(events[2]).has_value());
  ASSERT_TRUE(walker->add(events.subspan(3)).has_value());
  EXPECT_EQ(results.stored, (std::vector<WalkValue>(2)));
  EXPECT_EQ(walker->counts().unknown_values, 2u);
}

TEST(Walker, ACopyGoesItsOwnWay) {
  Pair p;
  const Operand r = p.f.load(p.x);                   // 1
  p.f.store(p.y, r);                                 // 2
  p.f.store(p.y, p.f.get(Op::Add, {r, number(1)}));  // 3, 4
  p.f.ret();
  PathRun run(p.b);
  run.call(p.f).read(p.f, 1, run.address(p.x), 3).write(p.f, 2, run.address(p.y), 3).write(p.f, 4, run.address(p.y), 4);
  const std::span<const trace::Event> events = run.trace().events;
  Results mine, others;
  auto walker = Walker::make(run.trace().definitions, mine, true);
  ASSERT_TRUE(walker.has_value());
  ASSERT_TRUE(walker->add(events.first(1)).has_value());
  {
    Walker copy = walker->copy(others);
    trace::Event read = events[1];
    read.value = 30;
    ASSERT_TRUE(copy.add(std::span(&read, 1)).has_value());
    ASSERT_TRUE(walker->add(events.subspan(1)).has_value());
    ASSERT_TRUE(copy.add(events.subspan(2)).has_value());
  }
  EXPECT_EQ(mine.stored, (std::vector<WalkValue>{{3, true}, {4, true}}));
  EXPECT_EQ(others.stored, (std::vector<WalkValue>{{30, true}, {31, true}}));
}

}  // namespace
}  // namespace racecast::model
