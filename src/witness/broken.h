// A rule of docs/semantics.md that a schedule breaks, or none.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace racecast::witness {

struct Broken {
  std::string_view rule;  // its name
  std::string detail;     // one sentence
};
using Check = std::optional<Broken>;

}  // namespace racecast::witness
