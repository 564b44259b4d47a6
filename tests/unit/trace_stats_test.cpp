// The numbers of a trace, counted by hand.
#include "model/trace_stats.h"

#include <gtest/gtest.h>

#include <string>

#include "report/stats.h"
#include "unit/text_trace.h"

namespace racecast {
namespace {

using model::LockStats;
using model::TraceStats;
using model::VariableStats;
using trace::EventKind;

struct Counted {
  trace::Trace trace;
  TraceStats stats;

  std::uint64_t address(const std::string& name) const {
    for (const trace::Symbol& symbol : trace.definitions.symbols)
      if (symbol.name == name) return symbol.address;
    ADD_FAILURE() << "there is no symbol " << name;
    return 0;
  }
  LockStats lock(const std::string& name) const {
    for (const LockStats& lock : stats.locks)
      if (lock.address == address(name)) return lock;
    ADD_FAILURE() << "there is no lock " << name;
    return {};
  }
  VariableStats variable(const std::string& name) const {
    for (const VariableStats& variable : stats.variables)
      if (variable.address == address(name)) return variable;
    ADD_FAILURE() << "there is no variable " << name;
    return {};
  }
  std::uint64_t count(EventKind kind) const { return stats.by_kind[static_cast<std::size_t>(kind)]; }
};

Counted counted(const std::string& events) {
  Counted result{text_trace(events), {}};
  model::StatsCounter counter;
  // In two batches: the counter must not mind where they end.
  const std::span<const trace::Event> all(result.trace.events);
  counter.add(all.first(all.size() / 2));
  counter.add(all.subspan(all.size() / 2));
  result.stats = counter.finish();
  return result;
}

TEST(TraceStats, Empty) {
  const TraceStats stats = model::StatsCounter().finish();
  EXPECT_EQ(stats.events, 0);
  EXPECT_TRUE(stats.threads.empty());
  const trace::Definitions none;
  EXPECT_NE(report::stats_text(stats, {none, "t", 10}).find("t: 0 events, 0 threads"), std::string::npos);
}

TEST(TraceStats, ThreadsAndKinds) {
  const Counted c = counted("M fork A\nM fork B\nA begin\nA write x 1\nA end\nM join A\nC read y 1\n");
  EXPECT_EQ(c.stats.events, 7);
  ASSERT_EQ(c.stats.threads.size(), 4) << "B was forked, but did nothing";
  EXPECT_EQ(c.stats.threads[0].events, 3);
  EXPECT_EQ(c.stats.threads[1].events, 3);
  EXPECT_EQ(c.stats.threads[1].forked_by, ThreadId{0});
  EXPECT_EQ(c.stats.threads[1].joined_by, ThreadId{0});
  EXPECT_EQ(c.stats.threads[2].events, 0);
  EXPECT_EQ(c.stats.threads[2].forked_by, ThreadId{0});
  EXPECT_FALSE(c.stats.threads[2].joined_by);
  EXPECT_FALSE(c.stats.threads[3].forked_by);
  EXPECT_EQ(c.count(EventKind::Fork), 2);
  EXPECT_EQ(c.count(EventKind::Write), 1);
  EXPECT_EQ(c.count(EventKind::Lock), 0);
}

TEST(TraceStats, Locks) {
  const Counted c = counted(
      "A lock m\nA lock n\nA unlock n\nA unlock m\n"
      "A lock m\nB lock m try failed\nA unlock m\n"
      "B lock m\nB unlock m\n"
      "A rdlock w\nB rdlock w\nA rwunlock w\nB rwunlock w\nB wrlock w\nB rwunlock w\n");
  const LockStats m = c.lock("m");
  EXPECT_EQ(m.acquisitions, 3);
  EXPECT_EQ(m.threads, 2);
  EXPECT_EQ(m.contended, 1) << "A, A, B";
  EXPECT_EQ(m.failed_tries, 1);
  EXPECT_EQ(m.nested, 0);
  EXPECT_EQ(m.depth_max, 1);
  EXPECT_FALSE(m.reader_writer);
  const LockStats n = c.lock("n");
  EXPECT_EQ(n.acquisitions, 1);
  EXPECT_EQ(n.nested, 1);
  EXPECT_EQ(n.depth_sum, 2);
  EXPECT_EQ(n.depth_max, 2);
  const LockStats w = c.lock("w");
  EXPECT_TRUE(w.reader_writer);
  EXPECT_EQ(w.acquisitions, 3);
  EXPECT_EQ(w.shared, 2);
  EXPECT_EQ(w.contended, 1);
  EXPECT_EQ(c.stats.nesting, (std::vector<std::uint64_t>{0, 6, 1}));
}

TEST(TraceStats, RecursiveLocksAndWaits) {
  const Counted c = counted(
      "A lock m recursive\nA lock m recursive\nA wait c m\nB lock m recursive\nB notify c\nB unlock m\n"
      "A wake c m\nA unlock m\nA write x 1\nA unlock m\nA write y 1\n");
  const LockStats m = c.lock("m");
  EXPECT_EQ(m.acquisitions, 3) << "two locks and the wake";
  EXPECT_EQ(m.again, 1);
  EXPECT_EQ(m.contended, 2);
  EXPECT_EQ(c.variable("x").locks, std::vector{c.address("m")}) << "the wake took it twice";
  EXPECT_TRUE(c.variable("y").locks.empty());
}

TEST(TraceStats, Variables) {
  const Counted c = counted(
      "A lock m\nA write x 1\nA read r 0\nA unlock m\nA write own 1\nA read own 1\n"
      "B lock m\nB lock n\nB write x 2\nB unlock n\nB read r 0\nB unlock m\n"
      "A write bad 1\nB lock m\nB write bad 1\nB rmw at 0 1 seqcst\nB unlock m\n");
  const VariableStats x = c.variable("x");
  EXPECT_TRUE(x.shared);
  EXPECT_EQ(x.writes, 2);
  EXPECT_EQ(x.threads, 2);
  EXPECT_EQ(x.locks, std::vector{c.address("m")}) << "n was held once only";
  EXPECT_TRUE(c.variable("r").shared);
  EXPECT_EQ(c.variable("r").writes, 0);
  EXPECT_FALSE(c.variable("own").shared);
  EXPECT_EQ(c.variable("own").accesses, 2);
  EXPECT_TRUE(c.variable("bad").shared);
  EXPECT_TRUE(c.variable("bad").locks.empty());
  EXPECT_EQ(c.variable("at").accesses, 1);
  EXPECT_EQ(c.variable("at").reads, 1);
  EXPECT_EQ(c.variable("at").writes, 1);
  EXPECT_EQ(c.stats.accesses, 9);
  EXPECT_EQ(c.stats.shared_accesses, 6);
}

TEST(TraceStats, AReadersLockDoesNotProtectWrites) {
  const Counted c = counted(
      "A rdlock w\nA write x 1\nA read y 0\nA rwunlock w\nB wrlock w\nB write x 1\nB write y 1\nB rwunlock w\n");
  EXPECT_TRUE(c.variable("x").locks.empty());
  EXPECT_EQ(c.variable("y").locks, std::vector{c.address("w")});
}

TEST(TraceStats, GranulesOfAnAccess) {
  const Counted c = counted("symbol x 0x1000 24\nA write x+4 1 size 8\nB read x+12 1 size 1\nB read x+20 1 size 4\n");
  ASSERT_EQ(c.stats.variables.size(), 3);
  EXPECT_EQ(c.stats.variables[0].address, 0x1004);
  EXPECT_FALSE(c.stats.variables[0].shared);
  EXPECT_EQ(c.stats.variables[1].address, 0x1008);
  EXPECT_TRUE(c.stats.variables[1].shared) << "other bytes of one granule are one variable";
  EXPECT_EQ(c.stats.variables[2].address, 0x1014);
  EXPECT_EQ(c.stats.accesses, 4) << "the first one touches two granules";
  EXPECT_EQ(c.stats.shared_accesses, 2);
}

TEST(TraceStats, OneAddressTwoLives) {
  const Counted c = counted(
      "A alloc o\nA write o 1\nA lock o+4\nA unlock o+4\nA free o\n"
      "B alloc o\nB write o 1\nB lock o+4\nB unlock o+4\nB free o\n");
  ASSERT_EQ(c.stats.variables.size(), 1);
  EXPECT_EQ(c.stats.variables[0].accesses, 2);
  EXPECT_EQ(c.stats.variables[0].threads, 1);
  EXPECT_FALSE(c.stats.variables[0].shared) << "each had its own object";
  EXPECT_EQ(c.stats.shared_accesses, 0);
  EXPECT_EQ(c.stats.locks.front().contended, 0);
  const Counted shared = counted("A alloc o\nA write o 1\nB write o 1\nA free o\nB alloc o\nB write o 1\n");
  EXPECT_TRUE(shared.stats.variables[0].shared);
  EXPECT_EQ(shared.stats.shared_accesses, 2) << "the third is to another object";
}

TEST(TraceStats, ManyThreads) {
  std::string events;
  for (int i = 0; i < 200; ++i) {
    const std::string t = "T" + std::to_string(i);
    events += t + " lock m\n" + t + " write x 1\n" + t + " write x 2\n" + t + " unlock m\n";
  }
  const Counted c = counted(events);
  EXPECT_EQ(c.stats.threads.size(), 200);
  EXPECT_EQ(c.variable("x").threads, 200);
  EXPECT_EQ(c.lock("m").threads, 200);
  EXPECT_EQ(c.lock("m").contended, 199);
}

// No rule of traces is taken for granted.
TEST(TraceStats, AnyOrderOfEvents) {
  const Counted c = counted(
      "A unlock m\nA rwunlock m\nA wait c m\nA wake c m\nA wake c m\nA wake c m\nB lock m\nA lock m\nB unlock m\n"
      "B unlock m\nA wait c m\nA join A\nA fork A\nA free o\nA alloc o\nA alloc o\nA leave b\nA mend 0\nA return\n");
  EXPECT_EQ(c.stats.events, 19);
  EXPECT_EQ(c.lock("m").acquisitions, 2) << "by the first wake and by B";
  trace::Event wild{.kind = EventKind::Write, .size = ~0u, .address = 16};
  trace::Event over{.kind = EventKind::Free, .size = ~0u, .address = ~std::uint64_t{7}};
  model::StatsCounter counter;
  counter.add(std::span(&wild, 1));
  counter.add(std::span(&over, 1));
  EXPECT_EQ(counter.finish().events, 2);
}

TEST(TraceStats, Report) {
  const Counted c = counted(
      "symbol \"a\\x1b\" 0x1000 8\nA lock m\nA write \"a\\x1b\" 1\nA unlock m\nB lock m\nB write \"a\\x1b\" 2\nB "
      "unlock m\n"
      "A write y 1\nB write y 1\nB read z 1\n");
  const std::string text = report::stats_text(c.stats, {c.trace.definitions, "t.txt", 1});
  EXPECT_NE(text.find("t.txt: 9 events, 2 threads, 1 lock, 3 variables"), std::string::npos) << text;
  EXPECT_NE(text.find("2 shared (0 read only, 1 always under one lock, 1 neither)"), std::string::npos) << text;
  EXPECT_NE(text.find("80.0 % of all accesses"), std::string::npos) << text;
  EXPECT_NE(text.find("the 1 of 2 with the most accesses"), std::string::npos) << text;
  EXPECT_NE(text.find("a\\x1b"), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << "no control characters on the terminal";
  const std::string json = report::stats_json(c.stats, {c.trace.definitions, "t.txt", 1});
  EXPECT_NE(json.find("\"variable\": \"z\""), std::string::npos) << "all of it, whatever is shown\n" << json;
}

TEST(TraceStats, NamesOfOverlappingSymbols) {
  const Counted c =
      counted("symbol s 0x1000 64\nsymbol inner 0x1010 8\nA write s+40 1\nA write s+16 1\nA write 0x9000 1\n");
  const std::string json = report::stats_json(c.stats, {c.trace.definitions, "t", 1});
  EXPECT_NE(json.find("\"s+40\""), std::string::npos) << json;
  EXPECT_NE(json.find("\"s+16\""), std::string::npos) << json;
  EXPECT_NE(json.find("\"0x9000\""), std::string::npos) << json;
}

}  // namespace
}  // namespace racecast
