// A table of one row.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace racecast::report {

using Column = std::pair<std::string, std::string>;  // name, value

// The names, and the values below them.
inline std::string row_of_columns(const std::vector<Column>& columns) {
  std::string head, row;
  for (const auto& [name, value] : columns) {
    const std::size_t width = std::max(name.size(), value.size());
    const std::string_view gap = head.empty() ? "" : "  ";
    head += fmt::format("{}{:>{}}", gap, name, width);
    row += fmt::format("{}{:>{}}", gap, value, width);
  }
  return head + "\n" + row + "\n";
}

}  // namespace racecast::report
