// Runs somebody's program as a shell would: standard streams, terminal and signals are the program's own, and racecast
// waits.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace racecast::cli {

struct ProgramEnd {
  int code = 0;              // what a shell would say: its exit code, or 128 + the signal that killed it
  int signal = 0;            // 0: it was not killed
  bool interrupted = false;  // somebody wanted an end of it (Ctrl-C, kill), whether it heeded that or not
};

// `words` is the program and its arguments; `environment` is added to racecast's own. While the program runs, a Ctrl-C
// on the terminal is the program's business alone; a signal that is sent to racecast itself is passed on. A program
// that cannot be started is bad_input. `started` is called when it runs. Call it in the main thread: the program is
// killed when the thread that started it ends without having waited for it.
Result<ProgramEnd> run_program(const std::vector<std::string>& words,
                               const std::vector<std::pair<std::string, std::string>>& environment,
                               const std::function<void()>& started);

}  // namespace racecast::cli
