// The litmus files of the tree: their text, and what the parser makes of it.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "program/litmus/litmus.h"

namespace racecast::property {

struct LitmusOfTree {
  std::string name;
  std::string text;
  program::LitmusFile file;
};

// Those of folders below tests/, in the order of names. One that cannot be read or parsed is left out, and the test
// fails.
std::vector<LitmusOfTree> litmus_files(std::initializer_list<std::string_view> folders);

}  // namespace racecast::property
