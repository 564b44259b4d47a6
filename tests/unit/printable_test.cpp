// What may go to a terminal: nothing that moves the cursor, starts a line or turns the direction of text.
#include "base/printable.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "trace/text.h"

namespace racecast {
namespace {

TEST(Printable, LeavesTextAsItIs) {
  for (const std::string_view text : {"", "plain", "operator<<", "a\\b", "Zähler", "変数", "→", "\xf0\x9f\x98\x80"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, EscapesControls) {
  EXPECT_EQ(printable("a\033[2Jb"), "a\\x1b[2Jb");
  EXPECT_EQ(printable(std::string_view("\0\a\b\t\n\r\x7f", 7)), "\\x00\\x07\\x08\\x09\\x0a\\x0d\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b") << "CSI as one character";
  EXPECT_EQ(printable("\xe2\x80\xa8\xe2\x80\xa9"), "\\xe2\\x80\\xa8\\xe2\\x80\\xa9") << "separators of lines";
}

TEST(Printable, EscapesWhatTurnsTheDirection) {
  for (const std::string_view bytes :
       {"\xd8\x9c", "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xaa", "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa9"}) {
    EXPECT_EQ(printable(bytes).find(bytes), std::string::npos);
    EXPECT_EQ(printable(bytes).size(), 4 * bytes.size());
  }
}

TEST(Printable, EscapesWhatIsNoUtf8) {
  EXPECT_EQ(printable("\x9b"), "\\x9b");                             // CSI of a terminal that takes Latin-1
  EXPECT_EQ(printable("a\xc3"), "a\\xc3");                           // cut off
  EXPECT_EQ(printable("\xc3(\xff"), "\\xc3(\\xff");                  // no continuation; never a first byte
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b");                    // overlong
  EXPECT_EQ(printable("\xe0\x82\x9b"), "\\xe0\\x82\\x9b");           // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
}

TEST(Printable, IsPrintable) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  EXPECT_EQ(printable(printable(all)), printable(all));
}

TEST(Printable, LinesKeepTheirEnds) {
  EXPECT_EQ(printable_lines("a\n\tb\r\033\n"), "a\n\tb\\x0d\\x1b\n");
}

// The text form is both: it goes to terminals, and it is read back.
TEST(Printable, TracesAsTextAreReadBack) {
  trace::Trace trace;
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  trace.definitions.threads = {all, "\x9b", "\xe2\x80\xae", "ä"};
  trace.definitions.strings = {all, "\xff\"\\", "\\"};
  trace.definitions.locations = {{all, 1, 2,
                                  "\xc2\x9b"
                                  "f",
                                  "\xe2\x80\xae"
                                  "1"}};
  const std::string text = trace::print_text(trace);
  EXPECT_EQ(printable_lines(text), text);
  const auto again = trace::parse_text(text, "test");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->definitions.threads, trace.definitions.threads);
  EXPECT_EQ(again->definitions.strings, trace.definitions.strings);
  EXPECT_EQ(again->definitions.locations, trace.definitions.locations);
}

}  // namespace
}  // namespace racecast
