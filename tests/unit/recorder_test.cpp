// Recorded runs: events of litmus files one by one, schedules, random runs, and the names of trace.h.
#include "trace/recorder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "program/litmus/litmus.h"
#include "source_dir.h"
#include "trace/state.h"
#include "unit/program_builder.h"

namespace racecast::trace {
namespace {

using program::LitmusFile;
using program::Op;
using racecast::testing::number;
using racecast::testing::ProgramBuilder;

LitmusFile parse(std::string_view text) {
  auto file = program::parse_litmus(text, "t.litmus");
  EXPECT_TRUE(file.has_value()) << (file ? "" : file.error().message);
  return file ? *std::move(file) : LitmusFile{};
}
LitmusFile read_litmus(const std::string& name) {
  std::ifstream in(RACECAST_SOURCE_DIR "/tests/litmus/" + name + ".litmus");
  EXPECT_TRUE(in.good()) << name;
  std::stringstream text;
  text << in.rdbuf();
  return parse(text.str());
}

// "T1 write y 3", "T2 branch 0", "main fork T1": what matters of an event, in a line.
std::string line_of(const Definitions& d, const Event& e) {
  std::string line = fmt::format("{} {}", name_of_thread(d, e.thread), row_of(e.kind).text);
  const std::uint8_t fields = row_of(e.kind).fields;
  if (e.kind == EventKind::MissingBegin) {
    line += " " + d.strings[e.aux];
    for (const Range& r : d.reach[e.address].ranges)
      line += fmt::format(" {}/{}", name_of_address(d, r.address), r.size);
    return line;
  }
  if (e.kind == EventKind::Fork || e.kind == EventKind::Join) return line + " " + name_of_thread(d, e.child());
  if (e.kind == EventKind::Call) return line + " " + d.strings[e.aux];
  if ((fields & A) != 0 && e.address < program::kHeapBase) line += " " + name_of_address(d, e.address);
  if ((fields & A) != 0 && e.address >= program::kHeapBase) line += " heap";
  if ((fields & V) != 0) line += fmt::format(" {}", e.value);
  if (e.kind == EventKind::AtomicRmw) line += fmt::format(" -> {}", e.aux);
  if (e.kind == EventKind::Wait || e.kind == EventKind::Wake) line += " " + name_of_address(d, e.aux);
  if ((fields & O) != 0) line += fmt::format(" {}", name_of(e.order));
  if (e.has(kTry)) line += " try";
  if (e.has(kFailed)) line += " failed";
  if (e.has(kCas)) line += " cas";
  if (e.has(kRecursive)) line += " recursive";
  if (e.has(kComputed)) line += " computed";
  return line;
}
using Lines = std::vector<std::string>;
Lines lines_of(const Trace& trace) {
  Lines lines;
  for (const Event& e : trace.events) lines.push_back(line_of(trace.definitions, e));
  return lines;
}
Trace record_ok(const LitmusFile& file, const RecordOptions& options = {}, program::RunOutcome* outcome = nullptr) {
  auto trace = record(file, options, outcome);
  EXPECT_TRUE(trace.has_value()) << (trace ? "" : trace.error().message);
  return trace ? *std::move(trace) : Trace{};
}
// Without the begins, ends, forks and joins, which are the same everywhere.
Lines body_of(const Trace& trace) {
  Lines lines;
  for (const Event& e : trace.events) {
    if (row_of(e.kind).group != Group::Life) lines.push_back(line_of(trace.definitions, e));
  }
  return lines;
}

// What is got is no value of the event that reads: it comes after it.
TEST(Recorder, StateOutsideOfMemory) {
  const Trace trace =
      record_ok(parse("shared int x; shared state s\n"
                      "unchecked fn f() { x = 1 }\n"
                      "main { put s 4; put s 7; x = get s; f() }\n"));
  Lines lines;
  for (const Event& e : trace.events) {
    std::string line = line_of(trace.definitions, e);
    if (e.has(kAppend)) line += " append";
    if (e.has(kUnchecked)) line += " unchecked";
    if (!e.has(kHasValue) && is_access(e.kind)) line += " without a value";
    lines.push_back(line);
  }
  EXPECT_EQ(lines, (Lines{"main begin", "main rmw heap 0 -> 0 release append without a value",
                          "main rmw heap 0 -> 0 release append without a value",
                          "main aread heap 0 acquire without a value", "main value 163", "main write x 163",
                          "main call f", "main write x 1 unchecked", "main return", "main end"}));
  EXPECT_EQ(trace.events[1].address, kState);
  EXPECT_EQ(trace.events[1].size, 1u);
  EXPECT_EQ(name_of_address(trace.definitions, kState), "s");
}

TEST(Recorder, RecipeFigure1) {
  const LitmusFile file = read_litmus("recipe_fig1");
  const Trace trace = record_ok(file);
  EXPECT_EQ(lines_of(trace), (Lines{
                                 "main begin",
                                 "main fork T1",
                                 "T1 begin",
                                 "main fork T2",
                                 "T2 begin",
                                 "T1 write y 3",
                                 "T1 write x 1",
                                 "T1 write y 5",
                                 "T1 end",
                                 "T2 read y 5",
                                 "T2 branch 0",
                                 "T2 read x 1",
                                 "T2 end",
                                 "main join T1",
                                 "main join T2",
                                 "main end",
                             }));
  const Definitions& d = trace.definitions;
  EXPECT_EQ(d.threads, (std::vector<std::string>{"main", "T1", "T2"}));
  EXPECT_TRUE(d.branches);
  EXPECT_EQ(d.program, file.program);
  EXPECT_EQ(d.locations.size(), file.program->instruction_count);
  ASSERT_EQ(d.symbols.size(), 2u);
  EXPECT_EQ(d.symbols[0].name, "x");
  EXPECT_EQ(d.symbols[0].size, 8u);
  const Event& write = trace.events[5];
  EXPECT_EQ(d.locations[index(write.location)].label, "1");
  EXPECT_EQ(d.locations[index(write.location)].function, "T1");
  EXPECT_EQ(name_of_location(d, write.location), "t.litmus:5:6");
  EXPECT_EQ(write.flags, kHasValue);
  EXPECT_EQ(write.size, 8u);
}

TEST(Recorder, MissingCodeIsABeginAndAnEnd) {
  EXPECT_EQ(body_of(record_ok(read_litmus("rdit_fig4_1"))), (Lines{
                                                                "T1 write x 1",
                                                                "T1 mbegin set y/8",
                                                                "T1 mend 0",
                                                                "T2 mbegin await y/8",
                                                                "T2 mend 0",
                                                                "T2 read x 1",
                                                            }));
  const Trace trace = record_ok(read_litmus("rdit_fig4_4"));
  EXPECT_EQ(body_of(trace), (Lines{
                                "T3 mbegin d s/8",
                                "T1 mbegin a s/8",
                                "T1 call look",
                                "T1 read x 0",
                                "T1 return",
                                "T1 mend 0",
                                "T3 call change",
                                "T3 write x 5",
                                "T3 return",
                                "T3 mend 0",
                            }));
  EXPECT_EQ(trace.definitions.reach.size(), 1u) << "equal sets are one";
}

TEST(Recorder, MissingCodeThatSpins) {
  // T2 enters await and looks once, in vain; a second look would be the same state again.
  LitmusFile file = read_litmus("rdit_fig4_1");
  RecordOptions options;
  options.schedule = *program::parse_schedule(file, "T2 T1 T2");
  EXPECT_EQ(body_of(record_ok(file, options)), (Lines{
                                                   "T2 mbegin await y/8",
                                                   "T1 write x 1",
                                                   "T1 mbegin set y/8",
                                                   "T1 mend 0",
                                                   "T2 mend 0",
                                                   "T2 read x 1",
                                               }));
}

TEST(Recorder, WaitsAndBarriersHaveTwoEvents) {
  EXPECT_EQ(body_of(record_ok(read_litmus("condvar"))), (Lines{
                                                            "T1 lock m",
                                                            "T1 read ready 0",
                                                            "T1 branch 0",
                                                            "T1 wait c m",
                                                            "T2 write x 1",
                                                            "T2 lock m",
                                                            "T2 write ready 1",
                                                            "T2 notify c",
                                                            "T2 unlock m",
                                                            "T1 wake c m",
                                                            "T1 read ready 1",
                                                            "T1 branch 1",
                                                            "T1 unlock m",
                                                            "T1 read x 1",
                                                        }));
  EXPECT_EQ(body_of(record_ok(read_litmus("barrier"))), (Lines{
                                                            "T1 write x 1",
                                                            "T1 arrive b 2",
                                                            "T2 write y 1",
                                                            "T2 arrive b 2",
                                                            "T2 leave b",
                                                            "T2 read x 1",
                                                            "T1 leave b",
                                                            "T1 read y 1",
                                                        }));
}

TEST(Recorder, EveryOtherEvent) {
  const Trace trace = record_ok(parse(R"(
struct S {
  int f
}
shared atomic a = 1
shared int v[2], x
shared mutex m
shared rwlock w
shared sem s = 1
shared cond c
fn g(p) { return p + 1 }
main {
  n = new S
  n.f = 4
  i = 1
  v[i] = 2
  v[0] = 3
  ok = trylock m
  no = trylock m
  unlock m
  rdlock w; rwunlock w; wrlock w; rwunlock w
  down s; post s
  notifyall c
  store a 2 release
  r = load a acquire
  r = add a 3 relaxed
  r = cas a 5 6 acqrel
  r = cas a 5 7
  fence acquire
  x = 6 / v[0]
  r = g(1)
}
)"));
  EXPECT_EQ(lines_of(trace), (Lines{
                                 "main begin",
                                 "main alloc heap",
                                 "main write heap 4 computed",
                                 "main write v[1] 2 computed",
                                 "main write v[0] 3",
                                 "main lock m try",
                                 "main lock m try failed",
                                 "main unlock m",
                                 "main rdlock w",
                                 "main rwunlock w",
                                 "main wrlock w",
                                 "main rwunlock w",
                                 "main down s 1",
                                 "main post s 1",
                                 "main notifyall c",
                                 "main awrite a 2 release",
                                 "main aread a 2 acquire",
                                 "main rmw a 2 -> 5 relaxed",
                                 "main rmw a 5 -> 6 acqrel cas",
                                 "main rmw a 6 -> 5 seqcst failed cas",
                                 "main fence acquire",
                                 "main read v[0] 3",
                                 "main branch 0",
                                 "main write x 2",
                                 "main call g",
                                 "main return",
                                 "main end",
                             }));
  for (const Event& e : trace.events) {
    const std::uint8_t fields = row_of(e.kind).fields;
    // A member that a kind does not use is zero: files do not store it.
    if ((fields & A) == 0) EXPECT_EQ(e.address, 0u);
    if ((fields & S) == 0) EXPECT_EQ(e.size, 0u);
    if ((fields & V) == 0) EXPECT_EQ(e.value, 0u);
    if ((fields & X) == 0) EXPECT_EQ(e.aux, 0u);
    if ((fields & O) == 0) EXPECT_EQ(e.order, MemoryOrder::None);
    if ((fields & F) == 0) EXPECT_EQ(e.flags, 0u);
    const bool semaphore = e.kind == EventKind::SemPost || e.kind == EventKind::SemWait;
    EXPECT_EQ(is_access(e.kind) || semaphore, e.has(kHasValue));
  }
}

TEST(Recorder, WhatLitmusCannotSay) {
  ProgramBuilder b;
  const auto g = b.global("g", program::GlobalKind::Once);
  const auto m = b.global("m", program::GlobalKind::Mutex);
  const auto w = b.global("w", program::GlobalKind::RwLock);
  const auto s = b.global("s", program::GlobalKind::Semaphore);
  auto main = b.function("main", 0);
  auto worker = b.function("worker");
  worker.get(Op::OnceEnter, {g});
  worker.ret();
  main.get(Op::OnceEnter, {g});
  main.add(Op::OnceDone, {g});
  main.add(Op::Lock, {m}).recursive = true;
  main.add(Op::Unlock, {m}).recursive = true;
  main.get(Op::TryWrLock, {w});
  main.get(Op::TryRdLock, {w});
  main.get(Op::TrySemWait, {s});
  const auto p = main.get(Op::Alloc, {number(24)}, 0, program::kPtr);
  main.add(Op::Free, {p});
  main.get(Op::Fork, {worker.operand()});
  main.ret();
  LitmusFile file;
  file.program = b.build();
  const Trace trace = record_ok(file);
  EXPECT_EQ(lines_of(trace), (Lines{
                                 "main begin",
                                 "main onceenter g",
                                 "main oncedone g",
                                 "main lock m recursive",
                                 "main unlock m recursive",
                                 "main wrlock w try",
                                 "main rdlock w try failed",
                                 "main down s 0 try failed",
                                 "main alloc heap",
                                 "main free heap",
                                 "main fork worker",
                                 "worker begin",
                                 "main end",
                                 "worker onceseen g",
                                 "worker end",
                             }));
  EXPECT_EQ(trace.events[8].size, 24u);
  EXPECT_EQ(trace.events[9].size, 24u);
  EXPECT_EQ(trace.definitions.threads, (std::vector<std::string>{"main", "worker"}));
}

// --- schedules

TEST(Schedule, ALabelMeansItsNextExecution) {
  const LitmusFile file = parse(R"(
shared int x, y, z
thread T1 {
  for i = 1 to 3 {
    1: x = i
    2: y = i
  }
}
thread T2 { 3: z = 1 }
run 2 2 1 3
)");
  EXPECT_EQ(body_of(record_ok(file)),
            (Lines{"T1 branch 0", "T1 write x 1", "T1 write y 1", "T1 branch 0", "T1 write x 2", "T1 write y 2",
                   "T1 branch 0", "T1 write x 3", "T2 write z 1", "T1 write y 3", "T1 branch 1"}));
}

TEST(Schedule, LocalStatementsAreDoneWithTheStepBefore) {
  const LitmusFile file = parse(R"(
shared int x, y
thread T1 {
  1: a = 1
  2: a = a + 1
  3: x = a
  4: a = 7
  5: x = a
}
thread T2 { 6: y = 1 }
run 1 2 6 3 4
)");
  // 1, 2 and 4 need no step of their own: after 4 nothing of 5 has happened, so round-robin does it.
  EXPECT_EQ(body_of(record_ok(file)), (Lines{"T2 write y 1", "T1 write x 2", "T1 write x 7"}));
}

TEST(Schedule, ABlockedThreadStaysAndTheScheduleGoesOn) {
  const LitmusFile file = parse(R"(
shared int x
shared mutex m
thread T1 { 1: lock m; 2: x = 1; 3: unlock m }
thread T2 { 4: lock m; 5: x = 2; 6: unlock m }
run 1 5 T1 T2
)");
  EXPECT_EQ(body_of(record_ok(file)),
            (Lines{"T1 lock m", "T1 write x 1", "T1 unlock m", "T2 lock m", "T2 write x 2", "T2 unlock m"}));
}

TEST(Schedule, ALabelThatIsNeverReachedRunsTheThreadToItsEnd) {
  const LitmusFile file = parse(R"(
shared int x, y
thread T1 { 1: x = 1; if (0) { 2: x = 2 }; 3: x = 3 }
thread T2 { 4: y = 1 }
run 2 4
)");
  EXPECT_EQ(body_of(record_ok(file)), (Lines{"T1 write x 1", "T1 branch 1", "T1 write x 3", "T2 write y 1"}));
}

TEST(Schedule, ASpinningThreadCountsAsBlocked) {
  const LitmusFile file = parse(R"(
shared int f, x
thread T1 { 1: while (f == 0) { skip }; 2: x = 1 }
thread T2 { 3: f = 1 }
run T1 T2 T1
)");
  EXPECT_EQ(body_of(record_ok(file)),
            (Lines{"T1 read f 0", "T1 branch 0", "T2 write f 1", "T1 read f 1", "T1 branch 1", "T1 write x 1"}));
  // Counting is progress: this thread is not cut off.
  const LitmusFile counting = parse(R"(
shared int f, x
thread T1 { n = 0; while (f == 0 && n < 3) { n = n + 1 }; 2: x = n }
thread T2 { 3: f = 1 }
run T1 T2
)");
  const Lines lines = body_of(record_ok(counting));
  EXPECT_EQ(lines[lines.size() - 2], "T1 write x 3");
}

TEST(Schedule, RoundRobinIsMainFirstThenInOrder) {
  const LitmusFile file = parse(R"(
shared int a[3]
missing fn f() { skip }
thread T1 { a[1] = 1; a[1] = 2 }
thread T2 { f(); a[2] = 1; a[2] = 2 }
main { fork T1; fork T2; a[0] = 1; a[0] = 2 }
)");
  EXPECT_EQ(lines_of(record_ok(file)), (Lines{"main begin", "main fork T1", "T1 begin", "T1 write a[1] 1",
                                              "main fork T2", "T2 begin", "T1 write a[1] 2", "T1 end",
                                              // entering and leaving missing code goes with the next access
                                              "T2 mbegin f", "T2 mend 0", "T2 write a[2] 1", "main write a[0] 1",
                                              "T2 write a[2] 2", "T2 end", "main write a[0] 2", "main end"}));
}

TEST(Schedule, DeadlockLivelockAndLimitAreTold) {
  program::RunOutcome outcome;
  record_ok(parse(R"(
shared mutex m, n
thread T1 { 1: lock m; 2: lock n }
thread T2 { 3: lock n; 4: lock m }
run 1 3
)"),
            {}, &outcome);
  EXPECT_TRUE(outcome.deadlock);
  EXPECT_NE(outcome.blocked.find("T1 waits for lock n at t.litmus:3:27"), std::string::npos) << outcome.blocked;
  EXPECT_FALSE(outcome.step_limit);

  const LitmusFile spin =
      parse("shared int f\nthread T1 { while (f == 0) { skip } }\nthread T2 { while (f == 0) { f = 0 } }");
  Trace trace = record_ok(spin, {}, &outcome);
  EXPECT_TRUE(outcome.deadlock) << "nobody ever sets f";
  EXPECT_NE(outcome.blocked.find("T1 repeats itself for ever"), std::string::npos) << outcome.blocked;
  EXPECT_LT(trace.events.size(), 2000u);

  const LitmusFile endless = parse("shared int n\nthread T1 { while (1) { n = n + 1 } }");
  RecordOptions options;
  options.limits.max_steps = 100;
  record_ok(endless, options, &outcome);
  EXPECT_TRUE(outcome.step_limit);
  EXPECT_FALSE(outcome.deadlock);
  EXPECT_EQ(outcome.steps, 100u);
  options.seed = 1;
  record_ok(endless, options, &outcome);
  EXPECT_TRUE(outcome.step_limit);
  const LitmusFile alone = parse("shared int f\nthread T1 { while (f == 0) { skip } }");
  options.limits = {};
  record_ok(alone, options, &outcome);
  EXPECT_TRUE(outcome.deadlock) << "a random run with one thread left is watched, too";
  trace = record_ok(spin, options, &outcome);
  EXPECT_TRUE(outcome.deadlock) << "and so is one with several";
  EXPECT_LT(trace.events.size(), 10'000u);
}

TEST(Schedule, MistakesAreErrorsWithTheirPlace) {
  const auto trace = record(parse("shared mutex m\nthread T1 { skip; unlock m }"));
  ASSERT_FALSE(trace.has_value());
  EXPECT_EQ(trace.error().message, "t.litmus:2:19: T1 unlocks m, which it does not hold");
}

TEST(Schedule, RandomRunsAreGivenByTheirSeed) {
  const LitmusFile file = parse(R"(
shared int x
thread T1 { for i = 1 to 20 { x = i } }
thread T2 { for i = 1 to 20 { x = i } }
)");
  std::set<std::vector<std::string>> runs;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    RecordOptions options;
    options.seed = seed;
    const Trace once = record_ok(file, options), again = record_ok(file, options);
    EXPECT_EQ(once.events, again.events);
    runs.insert(lines_of(once));
  }
  EXPECT_EQ(runs.size(), 10u);
}

// Every litmus file, under its own schedule and under random ones: the run ends, and what it read is what was written.
TEST(Recorder, ReadsReturnTheLastWrite) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(RACECAST_SOURCE_DIR "/tests/litmus")) {
    if (entry.path().extension() != ".litmus") continue;
    SCOPED_TRACE(entry.path().filename().string());
    const LitmusFile file = read_litmus(entry.path().stem().string());
    const bool has_missing = std::any_of(file.program->functions.begin(), file.program->functions.end(),
                                         [](const program::Function& f) { return f.missing; });
    if (has_missing) continue;  // its writes are not in the trace
    ++files;
    for (int seed = -1; seed < 5; ++seed) {
      RecordOptions options;
      if (seed >= 0) options.seed = static_cast<std::uint64_t>(seed);
      const Trace trace = record_ok(file, options);
      std::map<std::uint64_t, std::uint64_t> memory;
      for (const program::Global& g : file.program->globals) {
        for (std::uint32_t k = 0; k < g.count; ++k) memory[g.address + k * g.element_size] = g.initial;
      }
      for (const Event& e : trace.events) {
        if (reads(e)) EXPECT_EQ(e.value, memory[e.address]) << line_of(trace.definitions, e);
        if (writes(e)) memory[e.address] = stored_value(e);
      }
    }
  }
  EXPECT_GE(files, 40);
}

// --- trace.h

TEST(Recorder, ASinkThatFailsStopsTheRecording) {
  struct Failing : EventSink {
    int calls = 0;
    Status add(const Event&) override {
      if (++calls == 3) return bad_input("the disk is full");
      return {};
    }
  } sink;
  const LitmusFile file = read_litmus("recipe_fig1");
  Definitions definitions;
  Recorder recorder(file.program, definitions, sink);
  auto machine = program::Machine::start(file.program, recorder.observer());
  ASSERT_TRUE(machine.has_value());
  ASSERT_TRUE(program::run_schedule(*machine, file.run, recorder.observer()).has_value());
  EXPECT_EQ(sink.calls, 3);
  ASSERT_FALSE(recorder.status().has_value());
  EXPECT_EQ(recorder.status().error().message, "the disk is full");
}

TEST(TraceNames, AddressesThreadsLocations) {
  Definitions d;
  d.symbols = {{0x100, 8, 0, "x"}, {0x140, 32, 8, "a"}, {0x180, 0, 0, "empty"}};
  EXPECT_EQ(name_of_address(d, 0x100), "x");
  EXPECT_EQ(name_of_address(d, 0x104), "x+4");
  EXPECT_EQ(name_of_address(d, 0x108), "0x108");
  EXPECT_EQ(name_of_address(d, 0x140), "a[0]");
  EXPECT_EQ(name_of_address(d, 0x158), "a[3]");
  EXPECT_EQ(name_of_address(d, 0x15a), "a[3]+2");
  EXPECT_EQ(name_of_address(d, 0x180), "empty");
  EXPECT_EQ(name_of_address(d, 0xff), "0xff");
  d.threads = {"main", ""};
  EXPECT_EQ(name_of_thread(d, ThreadId{0}), "main");
  EXPECT_EQ(name_of_thread(d, ThreadId{1}), "#1");
  EXPECT_EQ(name_of_thread(d, ThreadId{7}), "#7");
  d.locations = {{"f.c", 3, 4, "f", "a"}, {"f.c", 3, 0, "", ""}, {"", 0, 0, "g", "17"}, {"", 0, 0, "g", ""}, {}};
  EXPECT_EQ(name_of_location(d, LocationId{0}), "f.c:3:4");
  EXPECT_EQ(name_of_location(d, LocationId{1}), "f.c:3");
  EXPECT_EQ(name_of_location(d, LocationId{2}), "17");
  EXPECT_EQ(name_of_location(d, LocationId{3}), "g");
  EXPECT_EQ(name_of_location(d, LocationId{4}), "an unknown place");
  EXPECT_EQ(name_of_location(d, LocationId{9}), "location 9");
}

TEST(TraceNames, ReadAllIsBounded) {
  Trace trace;
  trace.events.resize(10);
  trace.definitions.threads = {"main"};
  MemorySource source(trace);
  const auto all = read_all(source);
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(all->events.size(), 10u);
  EXPECT_EQ(all->definitions.threads.size(), 1u);
  MemorySource again(trace);
  const auto bounded = read_all(again, 9);
  ASSERT_FALSE(bounded.has_value());
  EXPECT_EQ(bounded.error().kind, ErrorKind::BadInput);
}

}  // namespace
}  // namespace racecast::trace
