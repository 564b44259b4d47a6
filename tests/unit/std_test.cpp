// STD in and out: the format's oddities, its mistakes, and other people's traces.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "source_dir.h"
#include "temp_file.h"
#include "trace/reader.h"
#include "trace/std_export.h"
#include "trace/std_import.h"
#include "trace/text.h"
#include "trace/validator.h"

namespace racecast::trace {
namespace {

using racecast::test::TempFile;

Result<Trace> parsed(const std::string& text) {
  StdSource source = StdSource::from_text(text, "f.std");
  return read_all(source);
}

std::string exported(EventSource& source, StdExport* summary = nullptr) {
  const TempFile file("out.std");
  const auto done = export_std(source, file.path());
  EXPECT_TRUE(done) << done.error().message;
  if (summary != nullptr && done) *summary = *done;
  return file.read_text();
}

TEST(Std, EveryOperation) {
  StdSource source = StdSource::from_text(
      "T0|fork(T1)|1\nT0|w(x)|2\nT0|acq(l)|3\nT0|req(l)|3\nT0|rel(l)|-4\n\nT1|begin(7)|9\nT1|beginAtomic|9\nT1|end|9\n "
      "  \nT1|r(x)|a/b.c:12\nT0|join(T1)|2147483647",
      "f.std");
  const auto trace = read_all(source);
  ASSERT_TRUE(trace) << trace.error().message;
  ASSERT_EQ(trace->events.size(), 6u);
  const auto& e = trace->events;
  const auto& d = trace->definitions;
  EXPECT_EQ(d.threads, (std::vector<std::string>{"T0", "T1"}));
  EXPECT_FALSE(d.branches);
  EXPECT_EQ(e[0].kind, EventKind::Fork);
  EXPECT_EQ(e[0].child(), ThreadId{1});
  EXPECT_EQ(e[1].kind, EventKind::Write);
  EXPECT_EQ(e[1].address, kStdVariables);
  EXPECT_EQ(e[1].size, 8u);
  EXPECT_EQ(e[1].flags, 0);
  EXPECT_EQ(e[2].kind, EventKind::Lock);
  EXPECT_EQ(e[2].address, kStdLocks);
  EXPECT_TRUE(e[2].has(kRecursive));
  EXPECT_EQ(e[3].kind, EventKind::Unlock);
  EXPECT_EQ(d.locations[index(e[3].location)].label, "-4");
  EXPECT_EQ(e[4].kind, EventKind::Read);
  EXPECT_EQ(e[4].address, e[1].address);
  EXPECT_EQ(d.locations[index(e[4].location)], (Location{.file = "a/b.c", .line = 12}));
  EXPECT_EQ(e[5].kind, EventKind::Join);
  EXPECT_EQ(source.counts(), (StdCounts{12, 6, 2, 1, 3}));
}

TEST(Std, ThreadsWithAndWithoutT) {
  const auto trace =
      parsed("T1|fork(2)|1\n2|w(x)|1\nT2|w(x)|1\n1|join(T2)|1\nThread-3|w(x)|1\nhread-3|w(x)|1\nT|w(x)|1\n");
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->definitions.threads, (std::vector<std::string>{"T1", "T2", "Thread-3", "hread-3", "T"}));
  EXPECT_EQ(trace->events[1].thread, trace->events[2].thread);
  EXPECT_EQ(trace->events[3].thread, ThreadId{0});
  EXPECT_EQ(trace->events[3].child(), ThreadId{1});
}

TEST(Std, NamesAreOpaque) {
  const auto trace = parsed("T1099511627776|w(a[3].f)|1\nT1|acq(m(int)())|1\nT1|w(m(int)())|1\nT1|r(ü)|1\n");
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->definitions.threads[0], "T1099511627776");
  ASSERT_EQ(trace->definitions.symbols.size(), 4u);
  EXPECT_EQ(trace->definitions.symbols[0].name, "a[3].f");
  EXPECT_EQ(trace->definitions.symbols[1].name, "m(int)()");
  EXPECT_EQ(trace->definitions.symbols[2].name, "m(int)()");
  EXPECT_NE(trace->events[1].address, trace->events[2].address);  // a lock and a variable of one name
}

TEST(Std, MistakesAreNamedWithTheirLine) {
  const std::string good = "T1|w(x)|1\n";
  const struct {
    std::string text;
    std::string error;
  } table[] = {
      {"", "f.std holds no event"},
      {"\n\n", "f.std holds no event"},
      {"T1|begin(1)|1\n", "f.std holds no event"},
      {good + "T1|x(x)|1\n", "f.std:2: found `x(x)`, expected r(V), w(V)"},
      {good + "T1|read(x)|1\n", "f.std:2: found `read(x)`"},
      {good + "T1|R(x)|1\n", "f.std:2: found `R(x)`"},
      {good + "T1|w|1\n", "f.std:2: found `w`, expected r(V)"},
      {good + "T1|w(x|1\n", "f.std:2: found `w(x`"},
      {good + "T1|w(x) |1\n", "f.std:2: found `w(x) `"},
      {good + "T1|w()|1\n", "f.std:2: found nothing, expected a variable's name"},
      {good + "T1|acq()|1\n", "f.std:2: found nothing, expected a lock's name"},
      {good + "T1|fork()|1\n", "f.std:2: found nothing, expected a thread's name"},
      {good + "|w(x)|1\n", "f.std:2: found nothing, expected a thread's name"},
      {good + "|begin(x)|1\n", "f.std:2: found nothing, expected a thread's name"},
      {good + "T 1|w(x)|1\n", "f.std:2: found `T 1`, expected a thread's name without blanks"},
      {good + "T1|w(a b)|1\n", "f.std:2: found `a b`, expected a variable's name without blanks"},
      {good + std::string("T1|w(a\0b)|1\n", 12), "f.std:2: found `a\\x00b`"},
      {good + "T1|w(x)\n", "f.std:2: found `T1|w(x)`, expected thread|operation|location"},
      {good + "T1\n", "f.std:2: found `T1`, expected thread|operation|location"},
      {good + "T1|w(x)|\n", "f.std:2: found nothing, expected a location"},
      {good + "T1|w(x)|abc\n", "f.std:2: found `abc`, expected a location"},
      {good + "T1|w(x)|2147483648\n", "f.std:2: found `2147483648`, expected a location"},
      {good + "T1|w(x)|-2147483649\n", "f.std:2: found `-2147483649`"},
      {good + "T1|w(x)|99999999999999999999\n", "f.std:2: found `99999999999999999999`"},
      {good + "T1|w(x)|+1\n", "f.std:2: found `+1`"},
      {good + "T1|w(x)|1 \n", "f.std:2: found `1 `"},
      {good + "T1|w(x)|1|2\n", "f.std:2: found `1|2`"},
      {good + "T1|w(x)|a:b\n", "f.std:2: found `a:b`"},
      {good + "T1|w(x)|:3\n", "f.std:2: found `:3`"},
      {good + "T1|w(x)|a b:3\n", "f.std:2: found `a b:3`"},
      {"T1|w(x)|1\r\n", "f.std:1: found `\\x0d`, expected a line that ends with \\n alone"},
      {good + std::string(kStdMaxLine + 1, 'x') + "\n", "f.std:2: found a line of more than 65536 bytes"},
      {good + std::string(5 * kStdMaxLine, 'x'), "f.std:2: found a line of more than 65536 bytes"},
      {std::string("\x89RCT\r\n\x1a\n", 8), "f.std:1: found"},
      {"racecast-trace 1\n", "f.std:1: found `racecast-trace 1`, expected thread|operation|location"},
  };
  for (const auto& row : table) {
    const auto trace = parsed(row.text);
    ASSERT_FALSE(trace) << row.text.substr(0, 100);
    EXPECT_NE(trace.error().message.find(row.error), std::string::npos)
        << row.text.substr(0, 100) << "\ngives " << trace.error().message << "\nwants " << row.error;
  }
}

TEST(Std, TheLongestLineIsFine) {
  const auto trace = parsed("T1|w(" + std::string(kStdMaxLine - 9, 'x') + ")|1\n");
  EXPECT_TRUE(trace) << trace.error().message.substr(0, 200);
}

TEST(Std, EventsBeforeAMistakeAreDelivered) {
  StdSource source = StdSource::from_text("T1|w(x)|1\nT1|w(y)|1\nT1|oops(y)|1\n", "f.std");
  const auto first = source.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->size(), 2u);
  EXPECT_EQ(std::vector<std::uint64_t>(source.lines().begin(), source.lines().end()),
            (std::vector<std::uint64_t>{1, 2}));
  EXPECT_FALSE(source.next());
  EXPECT_FALSE(source.next());
}

TEST(Std, TooManyThreads) {
  std::string text;
  for (std::uint32_t i = 0; i <= kStdMaxThreads; ++i) text += "T" + std::to_string(i) + "|w(x)|1\n";
  const auto trace = parsed(text);
  ASSERT_FALSE(trace);
  EXPECT_NE(trace.error().message.find("f.std:65537: more than 65536 threads"), std::string::npos)
      << trace.error().message;
}

TEST(Std, LinesAcrossPiecesOfTheFile) {
  // Larger than what is read at a time, with lines of many lengths.
  const TempFile in("long.std"), out("long.rct");
  std::string text;
  std::uint64_t events = 0;
  while (text.size() < (5u << 20)) {
    text += "T1|w(" + std::string(1 + events % 3001, 'v') + ")|" + std::to_string(events % 100'000) + "\n";
    ++events;
  }
  in.write(text);
  const auto counts = import_std(in.path(), out.path());
  ASSERT_TRUE(counts) << counts.error().message;
  EXPECT_EQ(counts->events, events);
  auto reader = Reader::open(out.path());
  ASSERT_TRUE(reader);
  EXPECT_EQ(exported(*reader), text);
}

TEST(Std, ImportValidatesWithEventAndLine) {
  const TempFile in("broken.std"), out("broken.rct");
  const struct {
    const char* text;
    const char* error;
  } table[] = {
      {"T1|acq(l)|1\n\nT2|req(l)|1\nT2|acq(l)|2\n",
       ":4: event 1: rule `lock-held`: T2 takes l, which T1 holds since event 0"},
      {"T1|rel(l)|1\n", ":1: event 0: rule `unlock-held`"},
      {"T1|acq(l)|1\nT1|acq(l)|1\nT1|rel(l)|1\nT2|acq(l)|1\n", ":4: event 3: rule `lock-held`"},
      {"T1|fork(T2)|1\nT1|fork(2)|1\n", ":2: event 1: rule `fork-once`"},
      {"T1|fork(T1)|1\n", ":1: event 0: rule `fork-self`"},
      {"T2|w(x)|1\nT1|fork(T2)|1\n", ":2: event 1: rule `fork-fresh`"},
      {"T1|join(T2)|1\n", ":1: event 0: rule `join-forked`"},
      {"T1|fork(T2)|1\nT1|join(T2)|1\nT2|w(x)|1\n", ":3: event 2: rule `after-end`"},
      {"T1|w(x)|1\nT1|oops(x)|1\n", ":2: found `oops(x)`"},
  };
  for (const auto& row : table) {
    in.write(std::string(row.text));
    const auto counts = import_std(in.path(), out.path());
    ASSERT_FALSE(counts) << row.text;
    EXPECT_NE(counts.error().message.find(row.error), std::string::npos) << counts.error().message;
    EXPECT_FALSE(std::filesystem::exists(out.path())) << row.text;
  }
}

TEST(Std, ImportOfWhatIsNoFile) {
  const TempFile in("x.std"), out("x.rct");
  EXPECT_FALSE(import_std(::testing::TempDir(), out.path()));
  EXPECT_FALSE(import_std("/nowhere/at/all.std", out.path()));
  EXPECT_FALSE(std::filesystem::exists(out.path()));
  in.write(std::string("T1|w(x)|1\n"));
  EXPECT_FALSE(import_std(in.path(), "/nowhere/at/all.rct"));
  EXPECT_FALSE(import_std(in.path(), in.path()));
  EXPECT_EQ(in.read_text(), "T1|w(x)|1\n");  // untouched
  // A file that was there before a failing import is left alone if the input cannot even be read.
  out.write(std::string("mine"));
  in.write(std::string("oops\n"));
  EXPECT_FALSE(import_std(in.path(), out.path()));
  EXPECT_EQ(out.read_text(), "mine");
  if (std::filesystem::exists("/dev/full")) {
    in.write(std::string("T1|w(x)|1\n"));
    EXPECT_FALSE(import_std(in.path(), "/dev/full"));
    EXPECT_TRUE(std::filesystem::exists("/dev/full"));
  }
}

// ---- export

TEST(Std, ExportSaysWhatItCannotSay) {
  const auto trace = parse_text(R"(racecast-trace 1
main fork T1 @1
T1 begin
T1 lock m @2
T1 lock m try failed @2
T1 wait c m @3
main lock m @4
main notify c
main unlock m
T1 wake c m @5
T1 awrite f 1 @6
T1 fence seqcst
T1 write x 3 size 4 @here
T1 read x+4 ?
T1 branch 1
main rdlock r
)",
                                "t");
  // x has 8 bytes, so x+4 exists once x does.
  ASSERT_TRUE(trace) << trace.error().message;
  MemorySource source(*trace);
  StdExport done;
  const std::string text = exported(source, &done);
  EXPECT_EQ(text,
            "main|fork(T1)|1\nT1|acq(m)|2\nT1|rel(m)|3\nmain|acq(m)|4\nmain|rel(m)|1000001\nT1|acq(m)|5\nT1|w(x)|"
            "1000007\nT1|r(x+4)|1000001\n");
  EXPECT_EQ(done.written, 8u);
  EXPECT_EQ(done.left_out_total(), 7u);
  EXPECT_EQ(
      done.summary(),
      "7 events left out, for which STD has no word: 1 begin, 1 awrite, 1 fence, 1 lock, 1 rdlock, 1 notify, 1 branch");
  EXPECT_TRUE(parsed(text));
}

TEST(Std, ExportedWaitsGiveARecursiveMutexBackAsAWhole) {
  const auto trace = parse_text(
      "racecast-trace 1\nT1 lock m recursive @1\nT1 lock m recursive @2\nT1 wait c m @3\nT2 lock m @4\nT2 notify c\nT2 "
      "unlock m @5\nT1 wake c m @6\n"
      "T1 unlock m @7\nT1 unlock m @8\nT2 lock m @9\n",
      "t");
  ASSERT_TRUE(trace) << trace.error().message;
  ASSERT_TRUE(validate(*trace));
  MemorySource source(*trace);
  const auto back = parsed(exported(source));
  ASSERT_TRUE(back) << back.error().message;
  const Status valid = validate(*back);
  EXPECT_TRUE(valid) << valid.error().message;
}

TEST(Std, ExportKeepsThingsOfOneNameApart) {
  const auto trace = parse_text(
      "racecast-trace 1\nthread \"a b\"\nthread 1\nthread T1\nsymbol x 0x100 8\nsymbol x 0x200 8\nsymbol \"\" 0x300 8\n"
      "\"a b\" write 0x100 1 @1\n1 write 0x200 1 @1\nT1 write 0x300 1 @1\nT1 lock 0x200 @1\n",
      "t");
  ASSERT_TRUE(trace) << trace.error().message;
  MemorySource source(*trace);
  StdExport done;
  EXPECT_EQ(exported(source, &done), "thread0|w(x)|1\n1|w(0x200)|1\nthread2|w(0x300)|1\nthread2|acq(x)|1\n");
  EXPECT_EQ(done.renamed, 4u);
}

TEST(Std, ExportToNowhere) {
  const Trace trace;
  MemorySource source(trace);
  EXPECT_FALSE(export_std(source, "/nowhere/at/all.std"));
}

// ---- whole traces

TEST(Std, TracesImportAndComeBack) {
  const std::filesystem::path folder = std::filesystem::path(RACECAST_SOURCE_DIR) / "tests/traces";
  const TempFile out("traces.rct");
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".std") continue;
    std::ifstream in(entry.path());
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const auto counts = import_std(entry.path().string(), out.path());
    ASSERT_TRUE(counts) << counts.error().message;
    EXPECT_EQ(counts->events, static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'))) << entry.path();
    auto reader = Reader::open(out.path());
    ASSERT_TRUE(reader);
    EXPECT_EQ(exported(*reader), text) << entry.path();
    EXPECT_FALSE(reader->damage());
    ++files;
  }
  EXPECT_GE(files, 8);
}

}  // namespace
}  // namespace racecast::trace
