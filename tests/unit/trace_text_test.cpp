// The text form: what is printed is read back; people may write less; mistakes are named with their place.
#include <gtest/gtest.h>

#include "random_trace.h"
#include "temp_file.h"
#include "trace/reader.h"
#include "trace/text.h"
#include "trace/writer.h"

namespace racecast::trace {
namespace {

using test::Random;

Trace parsed(const std::string& text) {
  auto trace = parse_text(text, "t");
  EXPECT_TRUE(trace) << trace.error().message << "\n" << text;
  return trace ? *std::move(trace) : Trace{};
}

TEST(TraceText, RandomTracesComeBack) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Random random(seed);
    const Trace trace = test::random_trace(random, test::below(random, 60));
    const std::string text = print_text(trace);
    const Trace back = parsed(text);
    ASSERT_TRUE(test::same(back.definitions, trace.definitions)) << "seed " << seed << "\n" << text;
    ASSERT_EQ(back.events, trace.events) << "seed " << seed << "\n" << text;
    ASSERT_EQ(print_text(back), text) << "seed " << seed;
  }
}

TEST(TraceText, TextToBinaryToTextIsTheIdentity) {
  const racecast::test::TempFile file("text.rct");
  for (std::uint64_t seed = 1000; seed < 1050; ++seed) {
    Random random(seed);
    const std::string text = print_text(test::random_trace(random, test::below(random, 60)));
    ASSERT_TRUE(write_trace(parsed(text), file.path()));
    auto reader = Reader::open(file.path());
    ASSERT_TRUE(reader);
    std::string streamed;
    ASSERT_TRUE(print_text(*reader, [&](std::string_view piece) -> Status {
      streamed += piece;
      return {};
    }));
    EXPECT_EQ(streamed, text) << "seed " << seed;
  }
}

TEST(TraceText, PeopleNeedNoDefinitions) {
  const Trace trace = parsed(R"(# the smallest race
racecast-trace 1

main fork T1   # comment
main write x 3 @4
T1 read x ? @7
T1 read x -1 computed size 4 @4
T1 lock m recursive try failed
T1 awrite flag 1
T1 rmw flag 1 2 cas acqrel
main rmw flag ? ? relaxed
main wait c m
main wake c m spurious
main branch 1
main call f
main marker "hello world"
main fence release
main write 0x500 0xff size 1
)");
  EXPECT_EQ(trace.definitions.threads, (std::vector<std::string>{"main", "T1"}));
  EXPECT_EQ(trace.definitions.strings, (std::vector<std::string>{"f", "hello world"}));
  ASSERT_EQ(trace.definitions.symbols.size(), 4u);
  EXPECT_EQ(trace.definitions.symbols[0].name, "x");
  EXPECT_EQ(trace.definitions.symbols[0].address, kTextSymbols);
  EXPECT_EQ(trace.definitions.symbols[1].address, kTextSymbols + 64);
  ASSERT_EQ(trace.events.size(), 15u);
  const auto& e = trace.events;
  EXPECT_EQ(e[0].kind, EventKind::Fork);
  EXPECT_EQ(e[0].child(), ThreadId{1});
  EXPECT_EQ(e[1].value, 3u);
  EXPECT_TRUE(e[1].has(kHasValue));
  EXPECT_EQ(trace.definitions.locations[index(e[1].location)].label, "4");
  EXPECT_FALSE(e[2].has(kHasValue));
  EXPECT_EQ(e[3].value, ~std::uint64_t{0});
  EXPECT_EQ(e[3].size, 4u);
  EXPECT_TRUE(e[3].has(kComputed));
  EXPECT_EQ(e[3].location, e[1].location);
  EXPECT_EQ(e[4].flags, kRecursive | kTry | kFailed);
  EXPECT_EQ(trace.definitions.locations[index(e[4].location)], Location{});
  EXPECT_EQ(e[5].order, MemoryOrder::SeqCst);
  EXPECT_EQ(e[6].aux, 2u);
  EXPECT_EQ(e[6].order, MemoryOrder::AcqRel);
  EXPECT_EQ(e[7].flags, 0);
  EXPECT_EQ(e[8].aux, e[4].address);
  EXPECT_EQ(e[14].address, 0x500u);
  EXPECT_EQ(e[14].value, 0xffu);
}

TEST(TraceText, PrintedEventsLookLikeThis) {
  const std::string text =
      "racecast-trace 1\n"
      "branches\n"
      "thread main\n"
      "thread T1\n"
      "thread T1\n"
      "symbol x 0x10000 8\n"
      "symbol a 0x10040 32 8\n"
      "symbol \"a b\" 0x10080 16\n"
      "location label 4 file f.litmus line 8 column 6 function g\n"
      "location label 4\n"
      "location\n"
      "reach 0x10000+8 0x10040+32\n"
      "reach everything\n"
      "string f\n"
      "main write x 3 @4\n"
      "T1 read a[2] -7 @%1\n"
      "%2 read a+3 ? size 1 @%2\n"
      "main rmw \"a b\"+8 1 2 acqrel cas @4\n"
      "main mbegin %1 f @4\n"
      "main mend 5 @4\n"
      "main fork T1 @4\n"
      "main read 0xfff0 0x123456789abc computed @4\n";
  EXPECT_EQ(print_text(parsed(text)), text);
}

TEST(TraceText, MistakesAreNamedWithTheirPlace) {
  const std::string head = "racecast-trace 1\n";
  const struct {
    std::string text;
    std::string error;
  } table[] = {
      {"", "t:1:1: found the end of the line, expected `racecast-trace 1`"},
      {"# only this\n", "t:1:1: found"},
      {"T1 write x 3\n", "t:1:1: found `T1`, expected `racecast-trace 1`"},
      {"racecast-trace 2\n", "t:1:16: found `2`, expected version 1"},
      {"racecast-trace 1 x\n", "t:1:18: found `x`, expected the end of the line"},
      {head + "T1\n", "t:2:3: found the end of the line, expected a kind"},
      {head + "T1 wrote x 3\n", "t:2:4: found `wrote`, expected a kind"},
      {head + "T1 write\n", "t:2:9: found the end of the line, expected an address or a symbol"},
      {head + "T1 write x\n", "t:2:11: found the end of the line, expected a value or `?`"},
      {head + "T1 write x y\n", "t:2:12: found `y`, expected a value"},
      {head + "T1 write x 3 seqcst\n", "t:2:14: found `seqcst`, expected @ and a location, size N, a flag"},
      {head + "T1 write x 3 size\n", "t:2:18: found the end of the line, expected a size"},
      {head + "T1 write x 3 size 4294967296\n", "expected a size up to 4294967295"},
      {head + "T1 write x 3 size 4 size 4\n", "t:2:21: found `size`"},
      {head + "T1 lock m try try\n", "t:2:15: found `try`"},
      {head + "T1 write x 3 @\n", "t:2:15: found the end of the line, expected a location"},
      {head + "T1 write x 3 @%0\n", "t:2:15: location 0 is not defined (0 are)"},
      {head + "T1 write x 3 @4 5\n", "t:2:17: found `5`, expected the end of the line"},
      {head + "T1 write x 18446744073709551616\n", "t:2:12: found `18446744073709551616`"},
      {head + "T1 write x -9223372036854775809\n", "t:2:12: found"},
      {head + "T1 write 12x 3\n", "t:2:10: found `12x`, expected an address or a symbol"},
      {head + "%1099511627776 write x 3\n", "t:2:1: thread 1099511627776 is not defined (0 are)"},
      {head + "T1 fork %5\n", "t:2:9: thread 5 is not defined (1 are)"},
      {head + "T1 branch ?\n", "t:2:11: found `?`, expected a value"},
      {head + "T1 rmw x ? 3\n", "t:2:12: found `3`, expected `?`"},
      {head + "T1 rmw x 3 ?\n", "t:2:12: found `?`, expected a value"},
      {head + "T1 mbegin f\n", "t:2:11: found `f`, expected % and the number of a reach set"},
      {head + "T1 mbegin %0 f\n", "reach set 0 is not defined"},
      {head + "T1 read a[1] 3\n", "t:2:9: symbol a is not defined"},
      {head + "symbol a 0 8\nT1 read a[0] 3\n", "t:3:9: symbol a has no elements"},
      {head + "symbol a 0 8\nT1 read a+8 3\n", "t:3:9: symbol a has only 8 bytes"},
      {head + "symbol a 0 8 4\nT1 read a[2] 3\n", "t:3:9: symbol a has only 8 bytes"},
      {head + "symbol a 0 8 4\nT1 read a[1 3\n", "expected `]`"},
      {head + "symbol a 0xffffffffffffffff 8\n", "t:2:29: found `8`, expected a size up to 0"},
      {head + "symbol a\n", "t:2:9: found the end of the line, expected an address"},
      {head + "T1 write x 3\nsymbol x 0 8\n", "symbol x was already used"},
      {head + "T1 write x 3\nthread T1\n", "thread T1 was already used"},
      {head + "thread\n", "t:2:7: found the end of the line, expected a thread's name"},
      {head + "thread \"abc\n", "t:2:8: this quoted name has no end"},
      {head + "thread \"a\\q\"\n", "expected \\\""},
      {head + "location where 4\n", "t:2:10: found `where`, expected label, file"},
      {head + "location line x\n", "t:2:15: found `x`, expected a line"},
      {head + "reach 8+8 0+8\n", "t:2:11: ranges must be sorted"},
      {head + "reach 8\n", "t:2:8: found the end of the line, expected `+`"},
      {head + "reach 0xffffffffffffffff+8\n", "ranges must be"},
      {head + "T1 write x 3 @4\n\n\nT1 oops\n", "t:5:4: found `oops`"},
      {head + "\x01\n", "t:2:1: found `\\x01`, expected a thread"},
  };
  for (const auto& row : table) {
    const auto trace = parse_text(row.text, "t");
    ASSERT_FALSE(trace) << row.text;
    EXPECT_NE(trace.error().message.find(row.error), std::string::npos)
        << row.text << "\ngives " << trace.error().message << "\nwants " << row.error;
  }
}

TEST(TraceText, CarriageReturnsAndMissingLastNewlineAreFine) {
  EXPECT_EQ(parsed("racecast-trace 1\r\nT1 begin\r\nT1 end").events.size(), 2u);
}

TEST(TraceText, AThreadCalledThread) {
  const Trace trace = parsed("racecast-trace 1\nthread thread\n\"thread\" begin\n");
  EXPECT_EQ(trace.definitions.threads.size(), 1u);
  EXPECT_EQ(print_text(parsed(print_text(trace))), print_text(trace));
}

TEST(TraceText, SymbolsAtTheTopOfTheAddressSpace) {
  EXPECT_FALSE(parse_text("racecast-trace 1\nsymbol top 0xfffffffffffffff0 8\nT1 write x 3\n", "t"));
  EXPECT_FALSE(parse_text("racecast-trace 1\nsymbol top 0xffffffffffffffff 0\nT1 write x 3\nT1 write y 3\n", "t"));
}

}  // namespace
}  // namespace racecast::trace
