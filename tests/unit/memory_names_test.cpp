// What memory, locks and threads are called: by a second look at a trace, with the types of its program.
#include "report/memory_names.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "analysis/analysis.h"
#include "report/resolve.h"
#include "report/second_look.h"
#include "unit/text_trace.h"

namespace racecast::report {
namespace {

using program::Op;

// A program whose instructions are the places of a trace:
//   class Cache { std::mutex mutex_; int size_, hits_; std::map<...> map_; };     40 + 4 + 4 + 48 bytes
enum Place : std::uint8_t {
  kEntry,
  kNewCache,      // a.cpp:5, `new Cache`
  kLibraryAlloc,  // a node of a container
  kMalloc,        // a.cpp:7, of nobody knows what
  kSetSize,       // a.cpp:10, as Cache+40
  kGetSize,       // a.cpp:11, as Cache+40
  kSetHits,       // a.cpp:10, as Cache+44
  kLibraryStore,  // in stl_tree.h, called at kCall
  kLibraryLoad,
  kLocal,      // `int count` of main
  kSetLocal,   // a.cpp:12
  kCall,       // a.cpp:20, of a function of the library
  kOther,      // a.cpp:21, any access
  kTemporary,  // a stack slot without a name
  kNewCaches,  // a.cpp:6, `new Cache[4]`
  kLeave,
};

std::shared_ptr<program::Program> program_of_places() {
  auto p = std::make_shared<program::Program>();
  const program::StringId user = p->intern("/home/me/a.cpp"),
                          library = p->intern("/usr/include/c++/12/bits/stl_tree.h");
  const auto field = [&](std::string_view name, std::uint32_t offset, std::uint32_t size,
                         std::optional<program::StructId> type = std::nullopt) {
    program::Field made;
    made.name = p->intern(name);
    made.offset = offset;
    made.size = size;
    made.type = type;
    return made;
  };
  program::Struct map;
  map.name = p->intern("std::map<int, int>");
  map.size = 48;
  map.library = true;
  map.fields = {field("_M_t", 0, 48)};
  program::Struct cache;
  cache.name = p->intern("Cache");
  cache.size = 96;
  cache.fields = {field("mutex_", 0, 40), field("size_", 40, 4), field("hits_", 44, 4),
                  field("map_", 48, 48, program::StructId{0})};
  p->structs = {map, cache};
  program::Function& f = p->functions.emplace_back();
  f.name = p->intern("main");
  std::vector<program::Instruction>& made = f.blocks.emplace_back().instructions;
  const auto add = [&](Op op, program::StringId file, std::uint32_t line) -> program::Instruction& {
    program::Instruction& i = made.emplace_back();
    i.op = op;
    i.position = {file, line, 3};
    return i;
  };
  const auto access = [&](program::StringId file, std::uint32_t line, std::optional<std::uint32_t> of_cache) {
    program::Instruction& i = add(Op::Store, file, line);
    i.type = program::kI64;
    i.operands = {program::Operand::constant(0x1000), program::Operand::constant(1)};
    if (of_cache) i.accessed = program::StructByte{program::StructId{1}, *of_cache};
  };
  const auto alloc = [&](Op op, program::StringId file, std::uint32_t line, std::uint64_t bytes, bool cache) {
    program::Instruction& i = add(op, file, line);
    i.type = program::kPtr;
    i.operands = {program::Operand::constant(bytes)};
    if (cache) i.accessed = program::StructByte{program::StructId{1}, 0};
    i.result = static_cast<program::RegId>(f.registers.size());
    f.registers.push_back(program::kPtr);
  };
  add(Op::Mark, user, 1);
  alloc(Op::Alloc, user, 5, 96, true);
  alloc(Op::Alloc, library, 137, 0, false);
  alloc(Op::Alloc, user, 7, 0, false);
  access(user, 10, 40);
  access(user, 11, 40);
  access(user, 10, 44);
  access(library, 50, std::nullopt);
  access(library, 60, std::nullopt);
  alloc(Op::StackAlloc, user, 3, 4, false);
  made.back().label = p->intern("count");
  access(user, 12, std::nullopt);
  add(Op::Mark, user, 20);
  access(user, 21, std::nullopt);
  alloc(Op::StackAlloc, library, 4, 8, false);
  alloc(Op::Alloc, user, 6, 384, true);
  add(Op::Return, user, 30);
  number_instructions(*p);
  EXPECT_EQ(broken_rule(*p), "");
  return p;
}

// A trace of that program, and what is told of its hb races.
struct Told {
  trace::Trace trace;
  std::vector<finding::Finding> pairs;
  SecondLook look;
  std::vector<Finding> findings;

  explicit Told(const std::string& events, bool main_runs = true) {
    const auto program = program_of_places();
    std::string text = "symbol ages 0x1000 48\nsymbol lock 0x1100 40\n";
    for (const program::Instruction& i : program->functions[0].blocks[0].instructions)
      text += fmt::format("location file \"{}\" line {} column 3 function main\n", program->text(i.position.file),
                          i.position.line);
    trace = text_trace(text + (main_runs ? "main call main @%0\n" : "") + events);
    trace.definitions.program = program;
    analysis::Input input = analysis::input_of(trace);
    const auto outputs = analysis::run(input, std::vector<std::string>{"hb"});
    EXPECT_TRUE(outputs) << outputs.error().message;
    if (outputs) pairs = outputs->by_analysis[0].findings;
    auto looked = look_again(input, pairs, trace.definitions);
    EXPECT_TRUE(looked);
    if (looked) look = *looked;
    findings = resolve(pairs, {.definitions = trace.definitions, .look = &look, .folder = "/home/me"});
  }
  std::vector<std::string> names() const {
    std::vector<std::string> made;
    for (const Finding& finding : findings) made.push_back(finding.memory.name);
    return made;
  }
};

// "@%4" and so on.
std::string at(Place place) {
  return fmt::format(" @%{}\n", static_cast<int>(place));
}
using Names_ = std::vector<std::string>;

TEST(MemoryNames, OfAnObjectByItsAllocation) {
  const Told told("main alloc 0x5000 size 104" + at(kNewCache) + "main fork A\nmain fork B\n" +
                  "A write 0x5028 1 size 4" + at(kOther) + "B lock 0x5000\nB read 0x5028 1 size 4" + at(kOther) +
                  "B unlock 0x5000\n");
  ASSERT_EQ(told.names(), Names_{"Cache::size_"}) << "though neither access says what it is";
  const Finding& race = told.findings[0];
  EXPECT_EQ(race.memory.type, "Cache");
  EXPECT_EQ(race.memory.offset, 40u);
  EXPECT_EQ(race.memory.bytes, 96u) << "what was asked for, not what the allocator gave";
  ASSERT_TRUE(race.memory.allocated);
  EXPECT_EQ(race.memory.allocated->thread, "main");
  EXPECT_EQ(race.memory.allocated->user.frame.name, "a.cpp:5:3");
  ASSERT_EQ(race.pair.second.locks.size(), 1u);
  EXPECT_EQ(race.pair.second.locks[0].name, "Cache::mutex_ of the object allocated at a.cpp:5:3");
  ASSERT_EQ(race.creations.size(), 2u);
  EXPECT_EQ(race.creations[1].thread, "B");
  EXPECT_EQ(race.creations[1].created.thread, "main");
}

TEST(MemoryNames, OfAnObjectByItsAccesses) {
  const Told told("main alloc 0x5000 size 104" + at(kMalloc) + "main write 0x502c 1 size 4" + at(kSetHits) +
                  "main fork A\nmain fork B\nA write 0x5028 1 size 4" + at(kOther) +
                  "B lock 0x5000\nB read 0x5028 1 size 4" + at(kOther));
  EXPECT_EQ(told.names(), Names_{"Cache::size_"}) << "main accessed another field of it";
  EXPECT_EQ(told.findings.at(0).pair.second.locks.at(0).name, "Cache::mutex_ of the object allocated at a.cpp:7:3");
}

TEST(MemoryNames, OfAnElement) {
  const Told told("main alloc 0x5000 size 400" + at(kNewCaches) + "main fork A\nmain fork B\nA write 0x50e8 1 size 4" +
                  at(kSetSize) + "B read 0x50e8 1 size 4" + at(kGetSize));
  EXPECT_EQ(told.names(), Names_{"Cache[2].size_"});
}

TEST(MemoryNames, WhereNobodyKnowsWhatItIs) {
  const Told told("main alloc 0x5000 size 40" + at(kMalloc) + "main fork A\nmain fork B\nA write 0x5008 1 size 4" +
                  at(kOther) + "B read 0x5008 1 size 4" + at(kOther) + "A write 0x9000 1 size 4" + at(kSetLocal) +
                  "B read 0x9000 1 size 4" + at(kSetLocal));
  EXPECT_EQ(told.names(), (Names_{"byte 8 of 40 allocated at a.cpp:7:3", "0x9000"}));
}

TEST(MemoryNames, OfALocalVariable) {
  const Told told("main alloc 0x7000 size 4" + at(kLocal) + "main fork A\nmain fork B\nA write 0x7000 1 size 4" +
                  at(kSetLocal) + "B read 0x7000 1 size 4" + at(kSetLocal));
  EXPECT_EQ(told.names(), Names_{"count (local of main)"});
  EXPECT_FALSE(told.findings.at(0).memory.allocated);
}

TEST(MemoryNames, OfWhatAThreadHadBeforeItRan) {
  const Told told("main alloc 0x7000 size 4" + at(kLocal) + "main fork A\nmain fork B\nA write 0x7000 1 size 4" +
                      at(kSetLocal) + "B read 0x7000 1 size 4" + at(kSetLocal),
                  false);
  EXPECT_EQ(told.names(), Names_{"byte 0 of 4 that main had from its start"}) << "its place is that of no local";
}

TEST(MemoryNames, WhatALibraryAllocatedBelongsToWhoHoldsIt) {
  // A node that is held by a global, and one that is held by the first.
  const Told told("main alloc 0x7000 size 8" + at(kTemporary) + "main alloc 0x5000 size 40" + at(kLibraryAlloc) +
                  "main write 0x7000 0x5000" + at(kLibraryStore) + "main write 0x1008 0x5000" + at(kLibraryStore) +
                  "main alloc 0x6000 size 40" + at(kLibraryAlloc) + "main write 0x5010 0x6000" + at(kLibraryStore) +
                  "main fork A\nmain fork B\nA call f" + at(kCall) + "A write 0x6008 1" + at(kLibraryStore) +
                  "A return" + at(kLeave) + "B call f" + at(kCall) + "B read 0x6008 1" + at(kLibraryLoad) + "B return" +
                  at(kLeave));
  ASSERT_EQ(told.names(), Names_{"ages"});
  EXPECT_EQ(told.findings[0].memory.allocated->place.name, "/usr/include/c++/12/bits/stl_tree.h:137:3");
}

TEST(MemoryNames, WhatIsHeldByAFieldBelongsToIt) {
  const Told told("main alloc 0x4000 size 104" + at(kNewCache) + "main alloc 0x5000 size 40" + at(kLibraryAlloc) +
                  "main write 0x4038 0x5000" + at(kLibraryStore) + "main fork A\nmain fork B\nA write 0x5008 1" +
                  at(kLibraryStore) + "B read 0x5008 1" + at(kLibraryLoad));
  EXPECT_EQ(told.names(), Names_{"Cache::map_"});
}

TEST(MemoryNames, WhatUsersPutIntoAContainerHasItsOwnName) {
  const std::string before = "main alloc 0x5000 size 136" + at(kLibraryAlloc) + "main write 0x1008 0x5000" +
                             at(kLibraryStore) + "main fork A\nmain fork B\n";
  const Told user(before + "A write 0x5048 1 size 4" + at(kSetSize) + "B read 0x5048 1 size 4" + at(kGetSize));
  EXPECT_EQ(user.names(), Names_{"Cache::size_ in ages"});
  const Told library(before + "A write 0x5048 1 size 4" + at(kSetSize) + "B read 0x5048 1 size 4" + at(kLibraryLoad));
  EXPECT_EQ(library.names(), Names_{"ages"}) << "what the library does concerns all of it";
}

TEST(MemoryNames, AnObjectIsThatOfItsTime) {
  const Told told("main alloc 0x5000 size 104" + at(kNewCache) + "main free 0x5000\nmain alloc 0x5000 size 40" +
                  at(kMalloc) + "main fork A\nmain fork B\nA write 0x5008 1 size 4" + at(kOther) +
                  "B read 0x5008 1 size 4" + at(kOther));
  EXPECT_EQ(told.names(), Names_{"byte 8 of 40 allocated at a.cpp:7:3"});
}

TEST(MemoryNames, AtAnyTimeIfAllWereMadeAtOnePlace) {
  const auto look = [](const std::string& events) {
    const Told told(events);
    const auto looked =
        look_again(analysis::input_of(told.trace), std::set<Moment>{{0x5008, std::nullopt}}, told.trace.definitions);
    return looked && looked->object_at({0x5008, std::nullopt}) != nullptr;
  };
  const std::string once = "main alloc 0x5000 size 104" + at(kNewCache) + "main free 0x5000\n";
  EXPECT_TRUE(look(once));
  EXPECT_TRUE(look(once + once));
  EXPECT_FALSE(look(once + "main alloc 0x5000 size 40" + at(kMalloc)));
  EXPECT_FALSE(look(""));
}

// ---- causes

TEST(Causes, OneStatementIsOneSide) {
  // Line 10 writes size_ and hits_, line 11 reads size_.
  const Told told("main alloc 0x5000 size 104" + at(kNewCache) + "main fork A\nmain fork B\nA write 0x5028 1 size 4" +
                  at(kSetSize) + "A write 0x502c 1 size 4" + at(kSetHits) + "B write 0x5028 1 size 4" + at(kSetSize) +
                  "B write 0x502c 1 size 4" + at(kSetHits) + "B read 0x5028 1 size 4" + at(kGetSize));
  EXPECT_EQ(told.pairs.size(), 3u);
  ASSERT_EQ(told.findings.size(), 3u) << "two fields at two lines, and another pair of lines";
  EXPECT_NE(told.findings[0].fingerprint, told.findings[1].fingerprint);
}

TEST(Causes, WhatTheLibraryDoesInOneCallIsOne) {
  const std::string allocated = "main alloc 0x5000 size 40" + at(kLibraryAlloc) + "main write 0x1008 0x5000" +
                                at(kLibraryStore) + "main fork A\nmain fork B\n";
  const auto body = [](const std::string& thread) {
    return thread + " call f" + at(kCall) + thread + " read 0x1010 1" + at(kLibraryLoad) + thread + " write 0x1010 1" +
           at(kLibraryStore) + thread + " read 0x5008 1" + at(kLibraryLoad) + thread + " write 0x5008 1" +
           at(kLibraryStore) + thread + " return" + at(kLeave);
  };
  const Told told(allocated + body("A") + body("B"));
  EXPECT_EQ(told.pairs.size(), 2u);
  ASSERT_EQ(told.findings.size(), 1u);
  const Finding& race = told.findings[0];
  EXPECT_EQ(race.memory.name, "ages");
  EXPECT_EQ(race.also.size(), 1u);
  EXPECT_TRUE(race.pair.first.both && race.pair.second.both);
  EXPECT_EQ(race.pair.first.user.frame.name, "a.cpp:20:3");
  EXPECT_EQ(race.pair.first.user.inside, "main");
}

TEST(Causes, AddressesDoNotCount) {
  const auto fingerprint = [](const std::string& address, const std::string& field) {
    const Told told("main alloc " + address + " size 104" + at(kNewCache) + "main fork A\nmain fork B\nA write " +
                    field + " 1 size 4" + at(kSetSize) + "B read " + field + " 1 size 4" + at(kGetSize));
    return told.findings.at(0).fingerprint;
  };
  EXPECT_EQ(fingerprint("0x5000", "0x5028"), fingerprint("0x8000", "0x8028"));
}

}  // namespace
}  // namespace racecast::report
