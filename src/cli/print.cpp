#include <fmt/format.h>

#include <cstdio>

#include "base/printable.h"
#include "cli/command.h"

namespace racecast::cli {

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void note(const std::string& text) {
  std::fputs(fmt::format("racecast: note: {}\n", printable_lines(text)).c_str(), stderr);
}

}  // namespace racecast::cli
