// The rules of a trace: for each a broken trace and a good twin. Traces are text; the last event of a broken one is the
// one that breaks the rule.
#include "trace/validator.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

#include "source_dir.h"
#include "trace/text.h"

namespace racecast::trace {
namespace {

struct Case {
  const char* rule;
  const char* broken;
  const char* good;
  const char* says = "";  // part of the message
};

const Case kCases[] = {
    {"range", "T1 write x 1 size 0", "T1 write x 1 size 1"},
    {"range", "T1 write 0xfffffffffffffffc 1 size 8", "T1 write 0xfffffffffffffffc 1 size 3"},
    {"range", "T1 alloc 0xfffffffffffffff0 size 32", "T1 alloc 0xffffffffffffff00 size 32"},
    {"range", "T1 write x 1 size 65537", "T1 write x 1 size 65536"},
    {"range", "reach 0x1000+1048577\nT1 mbegin %1 f", "reach 0x1000+1048576\nT1 mbegin %1 f"},

    {"state", "T1 aread 0x200000000000001 ? acquire", "T1 aread 0x200000000000001 ? size 1 acquire", "one byte"},
    {"state", "T1 aread 0x200000000000001 1 size 1 acquire", "T1 aread 0x200000000000001 ? size 1 acquire", "without"},
    {"state", "T1 aread 0x200000000000001 ? size 1", "T1 aread 0x200000000000001 ? size 1 acquire", "acquires"},
    {"state", "T1 rmw 0x200000000000001 ? ? size 1 append", "T1 rmw 0x200000000000001 ? ? size 1 release append",
     "releases"},
    {"state", "T1 rmw 0x200000000000001 ? ? size 1 release", "T1 rmw 0x200000000000001 ? ? size 1 acquire cas failed"},
    {"state", "T1 rmw 0x200000000000001 ? ? size 1 release cas append", "T1 rmw 0x3 ? ? size 1 release cas"},
    {"state", "T1 awrite 0x200000000000001 ? size 1 release", "T1 awrite 0x1ffffffffffffff ? size 1 release"},
    {"state", "T1 read 0x200000000000001 ? size 1", "T1 read 0x400000000000000 ? size 1"},
    {"state", "T1 write 0x1fffffffffffffc ? size 8", "T1 write 0x1fffffffffffff8 ? size 8", "no memory"},
    {"state", "T1 alloc 0x200000000000001 size 1", "T1 alloc 0x1fffffffffffff8 size 8", "no memory"},
    {"state", "T1 rmw x ? ? release append", "T1 rmw x ? ? release"},
    {"state", "T1 lock m append", "T1 lock m"},

    {"lock-held", "T1 lock m\nT2 lock m", "T1 lock m\nT1 unlock m\nT2 lock m",
     "T2 takes m, which T1 holds since event 0"},
    {"lock-held", "T1 lock m\nT1 lock m", "T1 lock m recursive\nT1 lock m recursive"},
    {"lock-held", "T1 lock m recursive\nT1 lock m recursive\nT1 unlock m\nT2 lock m",
     "T1 lock m recursive\nT1 lock m recursive\nT1 unlock m\nT1 unlock m\nT2 lock m"},
    {"lock-failed", "T1 lock m try failed", "T2 lock m\nT1 lock m try failed\nT2 unlock m"},
    {"lock-failed", "T1 lock m recursive\nT1 lock m recursive try failed",
     "T1 lock m\nT1 lock m try failed\nT1 unlock m"},
    {"unlock-held", "T1 unlock m", "T1 lock m\nT1 unlock m", "nobody holds"},
    {"unlock-held", "T1 lock m\nT2 unlock m", "T1 lock m try\nT1 unlock m", "which T1 holds since event 0"},
    {"unlock-held", "T2 lock m\nT1 lock m try failed\nT1 unlock m",
     "T2 lock m\nT1 lock m try failed\nT2 unlock m\nT1 lock m\nT1 unlock m"},

    {"rwlock-held", "T1 wrlock m\nT2 rdlock m", "T1 rdlock m\nT2 rdlock m", "T1 writes since event 0"},
    {"rwlock-held", "T1 rdlock m\nT2 wrlock m", "T1 rdlock m\nT1 rwunlock m\nT2 wrlock m", "T1 reads since event 0"},
    {"rwlock-held", "T1 wrlock m\nT2 wrlock m", "T1 wrlock m\nT1 rwunlock m\nT2 wrlock m"},
    {"rwlock-held", "T1 wrlock m\nT1 wrlock m", "T1 wrlock m recursive\nT1 wrlock m recursive\nT1 rdlock m recursive"},
    {"rwlock-held", "T1 rdlock m\nT1 rdlock m\nT1 rwunlock m\nT2 wrlock m",
     "T1 rdlock m\nT1 rdlock m\nT1 rwunlock m\nT1 rwunlock m\nT2 wrlock m"},
    {"rwlock-held", "T1 wrlock m recursive\nT1 wrlock m recursive\nT1 rwunlock m\nT2 rdlock m",
     "T1 wrlock m recursive\nT1 wrlock m recursive\nT1 rwunlock m\nT1 rwunlock m\nT2 rdlock m"},
    {"rwlock-failed", "T2 rdlock m\nT1 rdlock m try failed", "T2 wrlock m\nT1 rdlock m try failed"},
    {"rwlock-failed", "T1 wrlock m try failed", "T2 rdlock m\nT1 wrlock m try failed"},
    {"rwunlock-held", "T1 rwunlock m", "T1 rdlock m\nT1 rwunlock m"},
    {"rwunlock-held", "T1 rdlock m\nT2 rwunlock m", "T1 wrlock m\nT1 rwunlock m\nT2 wrlock m\nT2 rwunlock m"},

    {"wait-holds", "T1 wait c m", "T1 lock m\nT1 wait c m", "nobody holds"},
    {"wait-holds", "T2 lock m\nT1 wait c m", "T1 lock m\nT1 wait c m\nT2 lock m"},
    {"asleep", "T1 lock m\nT1 wait c m\nT1 read x 1", "T1 lock m\nT1 wait c m\nT2 read x 1"},
    {"asleep", "T1 lock m\nT1 wait c m\nT1 end", "T1 lock m\nT1 wait c m\nT1 wake c m spurious\nT1 end"},
    {"wake-waits", "T1 wake c m spurious", "T1 lock m\nT1 wait c m\nT1 wake c m spurious"},
    {"wake-waits", "T1 lock m\nT1 wait c m\nT2 notify c\nT1 wake d m",
     "T1 lock m\nT1 wait c m\nT2 notify c\nT1 wake c m"},
    {"wake-waits", "T1 lock m\nT1 wait c m\nT2 notify c\nT1 wake c n",
     "T1 lock m\nT1 wait c m\nT2 notifyall c\nT1 wake c m"},
    {"wake-free", "T1 lock m\nT1 wait c m\nT2 lock m\nT2 notify c\nT1 wake c m",
     "T1 lock m\nT1 wait c m\nT2 lock m\nT2 notify c\nT2 unlock m\nT1 wake c m"},
    {"wake-notified", "T1 lock m\nT1 wait c m\nT1 wake c m", "T1 lock m\nT1 wait c m\nT1 wake c m failed"},
    {"wake-notified", "T2 notify c\nT1 lock m\nT1 wait c m\nT1 wake c m",
     "T1 lock m\nT1 wait c m\nT2 notify c\nT1 wake c m"},
    {"wake-notified", "T1 lock m\nT1 wait c m\nT2 lock m\nT2 wait c m\nT3 notify c\nT2 wake c m",
     "T1 lock m\nT1 wait c m\nT2 lock m\nT2 wait c m\nT3 notify c\nT1 wake c m\nT1 unlock m\nT3 notify c\nT2 wake c m"},
    {"wake-notified",
     "T1 lock m\nT1 wait c m\nT2 lock m\nT2 wait c m\nT3 notify c\nT1 wake c m\nT1 unlock m\nT2 wake c m",
     "T1 lock m\nT1 wait c m\nT2 lock m\nT2 wait c m\nT3 notifyall c\nT2 wake c m\nT2 unlock m\nT1 wake c m"},
    // The longest sleeper timed out, so the notify is for the next one.
    {"wake-notified",
     "T1 lock m\nT1 wait c m\nT2 lock m\nT2 wait c m\nT3 notify c\nT1 wake c m failed\nT1 unlock m\nT2 wake c m",
     "T1 lock m\nT1 wait c m\nT2 lock m\nT2 wait c m\nT1 wake c m failed\nT1 unlock m\nT3 notify c\nT2 wake c m"},
    // A recursive mutex is given back as a whole, and taken as often again.
    {"lock-held",
     "T1 lock m recursive\nT1 lock m recursive\nT1 wait c m\nT2 notify c\nT1 wake c m\nT1 unlock m\nT2 lock m",
     "T1 lock m recursive\nT1 lock m recursive\nT1 wait c m\nT2 lock m\nT2 notify c\nT2 unlock m\nT1 wake c m\nT1 "
     "unlock m\nT1 unlock m\nT2 lock m"},

    {"barrier-arrived", "T1 leave b", "T1 arrive b\nT1 leave b"},
    {"barrier-arrived", "T1 arrive b\nT2 leave b", "T1 arrive b\nT2 arrive b\nT2 leave b\nT1 leave b"},
    {"barrier-arrived", "T1 arrive b\nT1 leave b\nT1 leave b", "T1 arrive b\nT1 leave b\nT1 arrive b\nT1 leave b"},
    {"barrier-arrived", "T1 arrive b\nT1 arrive b\nT1 leave b\nT1 leave b", "T1 arrive b\nT1 arrive b\nT1 leave b"},

    {"barrier-round", "T1 arrive b 2\nT1 leave b", "T1 arrive b 2\nT2 arrive b 2\nT1 leave b\nT2 leave b",
     "only 1 arrived"},
    {"barrier-round", "T1 arrive b 2\nT2 arrive b 2\nT1 leave b\nT1 arrive b 2\nT1 leave b",
     "T1 arrive b 2\nT2 arrive b 2\nT1 leave b\nT1 arrive b 2\nT2 leave b\nT2 arrive b 2\nT2 leave b\nT1 leave b"},
    // Other parties, or none that are known: another barrier, and whoever waits at the former waits for ever.
    {"barrier-round", "T1 arrive b 2\nT2 arrive b 1\nT1 leave b",
     "T1 arrive b 2\nT2 arrive b 2\nT2 arrive b 1\nT1 leave b\nT2 leave b", "other parties"},
    {"barrier-round", "T1 arrive b 2\nT2 arrive b 3\nT3 arrive b 2\nT1 leave b",
     "T1 arrive b 2\nT2 arrive b 2\nT3 arrive b 3\nT1 leave b\nT2 leave b", "other parties"},
    {"barrier-round", "T1 arrive b 2\nT2 arrive b\nT3 arrive b 2\nT3 leave b",
     "T1 arrive b 2\nT2 arrive b\nT3 arrive b 2\nT2 leave b\nT1 arrive b 2\nT3 leave b", "only 1 arrived"},
    {"sem-count", "T1 down s 0", "T1 down s ?"},
    {"sem-count", "T1 down s 1\nT2 down s 1", "T1 down s 1\nT2 post s 1\nT2 down s 1"},
    {"sem-count", "T1 down s 1\nT2 down s 1 try failed\nT2 down s 1", "T1 down s 2\nT2 down s 2"},
    {"sem-failed", "T1 down s 1 try failed", "T1 down s 0 try failed"},
    {"sem-failed", "T1 post s\nT1 down s 0 try failed", "T1 post s\nT1 down s 0\nT1 down s 0 try failed"},

    {"once-enter", "T1 onceenter g\nT2 onceenter g", "T1 onceenter g\nT2 onceenter h", "T1 has entered at event 0"},
    {"once-enter", "T1 onceenter g\nT1 oncedone g\nT2 onceenter g", "T1 onceenter g\nT1 oncedone g\nT2 onceseen g"},
    {"once-done", "T1 oncedone g", "T1 onceenter g\nT1 oncedone g"},
    {"once-done", "T1 onceenter g\nT2 oncedone g", "T1 onceenter g\nT2 read x 1\nT1 oncedone g"},
    {"once-done", "T1 onceenter g\nT1 oncedone g\nT1 oncedone g", "T1 onceenter g\nT1 oncedone g\nT1 onceseen g"},
    {"once-seen", "T1 onceseen g", "T1 onceenter g\nT1 oncedone g\nT1 onceseen g\nT2 onceseen g"},
    {"once-seen", "T1 onceenter g\nT2 onceseen g", "T1 onceenter g\nT1 oncedone g\nT2 onceseen g"},
    // A guard dies with its object.
    {"once-seen",
     "T1 alloc 0x1000 size 16\nT1 onceenter 0x1008\nT1 oncedone 0x1008\nT1 free 0x1000 size 16\nT1 onceseen 0x1008",
     "T1 alloc 0x1000 size 16\nT1 onceenter 0x1008\nT1 oncedone 0x1008\nT1 free 0x1000 size 16\nT1 onceenter 0x1008"},

    {"begin-first", "T1 read x 1\nT1 begin", "T1 begin\nT1 read x 1"},
    {"begin-first", "T1 begin\nT1 begin", "T1 begin\nT2 begin"},
    {"after-end", "T1 begin\nT1 end\nT1 read x 1", "T1 begin\nT1 end\nT2 read x 1", "after its end at event 1"},
    {"after-end", "T1 end\nT1 end", "T1 end\nT2 end"},
    {"after-end", "T1 fork T2\nT2 read x 1\nT1 join T2\nT2 read x 1",
     "T1 fork T2\nT2 read x 1\nT1 join T2\nT1 read x 1", "joined at event 2"},
    {"after-end", "T2 read x 1\nT1 join T2\nT1 fork T2", "T2 read x 1\nT1 join T2\nT1 join T2"},
    {"fork-self", "T1 fork T1", "T1 fork T2"},
    {"fork-once", "T1 fork T2\nT1 fork T2", "T1 fork T2\nT1 fork T3", "T2, which was forked at event 0"},
    {"fork-once", "T1 fork T2\nT2 read x 1\nT3 fork T2", "T1 fork T2\nT2 read x 1\nT2 fork T3"},
    {"fork-fresh", "T2 read x 1\nT1 fork T2", "T1 fork T2\nT2 read x 1", "has already run (event 0)"},
    {"join-self", "T1 join T1", "T2 read x 1\nT1 join T2"},
    {"join-forked", "T1 join T2", "T1 fork T2\nT1 join T2"},

    {"missing-open", "T1 mend ?", "T1 mbegin %0 f\nT1 mend ?"},
    {"missing-open", "T1 mbegin %0 f\nT2 mend ?", "T1 mbegin %0 f\nT2 mbegin %0 f\nT2 mend ?\nT1 mend 1"},
    {"missing-open", "T1 mbegin %0 f\nT1 mend ?\nT1 mend ?", "T1 mbegin %0 f\nT1 mbegin %0 f\nT1 mend ?\nT1 mend ?"},

    {"alloc-live", "T1 alloc 0x1000 size 16\nT1 alloc 0x1008 size 16",
     "T1 alloc 0x1000 size 16\nT1 alloc 0x1010 size 16"},
    {"alloc-live", "T1 alloc 0x1000 size 16\nT2 alloc 0xff8 size 9", "T1 alloc 0x1000 size 16\nT2 alloc 0xff8 size 8"},
    {"alloc-live", "T1 alloc 0x1000 size 4\nT2 alloc 0xff8 size 100",
     "T1 alloc 0x1000 size 4\nT1 free 0x1000 size 4\nT2 alloc 0xff8 size 100"},
    {"alloc-live", "T1 alloc 0x1000 size 100\nT2 alloc 0x1010 size 0",
     "T1 alloc 0x1000 size 0\nT2 alloc 0x1010 size 0"},
    {"free-live", "T1 alloc 0x1000 size 16\nT1 free 0x1008 size 8", "T1 alloc 0x1000 size 16\nT2 free 0x1000 size 16"},
    {"free-live", "T1 alloc 0x1000 size 16\nT1 free 0x1000 size 16\nT1 free 0x1000 size 16",
     "T1 free 0x1000 size 16\nT1 free 0x1000 size 16"},
    {"free-live", "T1 alloc 0x1000 size 16\nT1 free 0x1000 size 12", "T1 alloc 0x1000 size 16\nT1 free 0x1000 size 0"},
};

std::string with_header(const char* text) {
  return std::string("racecast-trace 1\nreach everything\nthread T1\nthread T2\nthread T3\n") + text + "\n";
}

TEST(Validator, EveryRuleHasABrokenTraceAndAGoodTwin) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(std::string(c.rule) + "\n" + c.broken);
    const auto broken = parse_text(with_header(c.broken), "broken");
    ASSERT_TRUE(broken) << broken.error().message;
    const Status rejected = validate(*broken);
    ASSERT_FALSE(rejected);
    EXPECT_EQ(rejected.error().kind, ErrorKind::BadInput);
    const std::string start = "event " + std::to_string(broken->events.size() - 1) + ": rule `" + c.rule + "`: ";
    EXPECT_EQ(rejected.error().message.substr(0, start.size()), start) << rejected.error().message;
    EXPECT_NE(rejected.error().message.find(c.says), std::string::npos) << rejected.error().message;

    const auto good = parse_text(with_header(c.good), "good");
    ASSERT_TRUE(good) << good.error().message;
    const Status accepted = validate(*good);
    EXPECT_TRUE(accepted) << c.good << "\n" << accepted.error().message;
  }
}

TEST(Validator, TheTableOfCasesCoversTheTableOfRules) {
  std::set<std::string_view> tested{"form"}, rules;
  for (const Case& c : kCases) tested.insert(c.rule);
  for (const Rule& r : kRules) rules.insert(r.name);
  EXPECT_EQ(tested, rules);
}

TEST(Validator, TheDocumentListsTheRules) {
  std::ifstream in(RACECAST_SOURCE_DIR "/docs/trace_format.md");
  const std::string document((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  for (const Rule& r : kRules) {
    const std::string row = "| `" + std::string(r.name) + "` | " + std::string(r.sentence) + " |";
    EXPECT_NE(document.find(row), std::string::npos) << row;
  }
}

TEST(Validator, WhatIsNotDefinedBreaksTheForm) {
  Definitions definitions;
  Validator validator(definitions);
  Event e{EventKind::ThreadBegin, MemoryOrder::None, 0, ThreadId{0xffffffff}, {}, 0, 0, 0, 0};
  const Status rejected = validator.add(e);
  ASSERT_FALSE(rejected);
  EXPECT_NE(rejected.error().message.find("event 0: rule `form`: thread 4294967295 is not defined"), std::string::npos);
  // Definitions may come later, and the event is then accepted with the same number.
  definitions.threads = {"T0"};
  definitions.locations = {{}};
  e.thread = ThreadId{0};
  EXPECT_TRUE(validator.add(e));
  EXPECT_EQ(validator.events(), 1u);
}

TEST(Validator, ARefusedEventChangesNothing) {
  for (const Case& c : kCases) {
    const auto broken = parse_text(with_header(c.broken), "broken");
    ASSERT_TRUE(broken);
    Validator validator(broken->definitions);
    for (std::size_t i = 0; i + 1 < broken->events.size(); ++i) ASSERT_TRUE(validator.add(broken->events[i]));
    for (int again = 0; again < 3; ++again) EXPECT_FALSE(validator.add(broken->events.back())) << c.broken;
    EXPECT_EQ(validator.events(), broken->events.size() - 1);
  }
}

TEST(Validator, ATraceMayBeginInTheMiddle) {
  const auto trace =
      parse_text("racecast-trace 1\nT1 return\nT1 down s\nT2 read x 1\nT1 join T2\nT1 free 0x1000 size 8\n", "t");
  ASSERT_TRUE(trace);
  EXPECT_TRUE(validate(*trace));
}

}  // namespace
}  // namespace racecast::trace
