// The compiler driver's decisions: given what the user would have told clang, what clang is told. No side effects but
// the reading of @response files, so that it can be tested word by word.
//
// The idea: everything is passed on as it is, with our flags in front of it, so that the user's win. Where they must
// not (link-time optimisation, vectorisers), their negation comes last. Nothing has to be understood but which phases
// run and whether there is an input; words inside of response files are looked at, too. Two words are ours and are
// taken out: --racecast-hooks=record (the default) or =call, which decides how accesses are recorded, and
// --racecast-tsan-feature=on (the default) or =off (docs/recording.md).
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/compile/installation.h"

namespace racecast::cli {

struct CompileArgs {
  std::vector<std::string> args;      // for clang, without its own name
  std::vector<std::string> warnings;  // one line each, without the leading "racecast: "
  bool adds = false;                  // something was added; else nothing is compiled or linked
};

// bad_input for what cannot work with racecast: -static, -fsanitize=thread, -fopenmp; and for words of ours that there
// are none of.
Result<CompileArgs> compile_args(const std::vector<std::string>& words, const Installation& installation);

// The words of a response file, as GNU tools and clang read them: separated by white space, with quotes and
// backslashes.
std::vector<std::string> response_words(const std::string& text);

}  // namespace racecast::cli
