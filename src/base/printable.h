// Text from elsewhere (a trace, a program, a file) as it may go to a terminal: it must neither move the cursor, nor
// start a line of its own, nor turn the direction of what stands beside it.
#pragma once

#include <string>
#include <string_view>

namespace racecast {

// Bytes of control characters (C0, DEL, C1), of line separators, of characters that turn the direction of text, and
// those that are no UTF-8 become "\x1b"; all else stays. What it returns, it returns unchanged.
std::string printable(std::string_view text);

// The same for text of several lines: line feeds and tabs stay.
std::string printable_lines(std::string_view text);

}  // namespace racecast
