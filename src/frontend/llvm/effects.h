// The table of functions of known effect: what a function of a library without hooks reads and writes, so that a call
// of it is no missing code. src/frontend/effects.txt is compiled into the plugin; users add rows in files of their own.
//
// One row a function: NAME, then its effects, all separated by blanks; # starts a comment. A NAME that ends in * is a
// prefix.
//   r0:str      reads a string at argument 0          w0:2     writes as many bytes at argument 0 as argument 2 says
//   r0:str2     the same, at most argument 2 bytes    r0:1*2   reads argument 1 times argument 2 bytes
//   w0:=16      writes 16 bytes                       w1:ret   writes as many bytes as the call returns
//   wret:str    writes a string at its result         w0:ret*1 the result times argument 1
// A row without effects: the function is harmless, or the runtime intercepts it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "abi/abi.h"
#include "base/result.h"

namespace racecast::frontend {

using EffectList = std::vector<abi::Effect>;

class Effects {
 public:
  // Adds the rows of `text`; a row replaces an earlier one of the same name. Errors are bad_input "FILE:LINE: ...";
  // the rows before it are in the table then.
  Status add(std::string_view text, std::string_view file_name);

  // The row of a linkage name, or null. An exact name wins over prefixes, a longer prefix over a shorter one.
  const EffectList* find(std::string_view name) const;

 private:
  using Rows = std::map<std::string, EffectList, std::less<>>;
  Rows rows_;
  Rows prefixes_;  // without the *
};

// The text of src/frontend/effects.txt; made by the build.
extern const char kEffectsTable[];

}  // namespace racecast::frontend
