// Steps per second of the interpreter (one run, recorded and not) and states per second of the explorer, on two
// programs written here: threads that count under a lock, and the same without a lock for exploration. Prints a
// markdown table.
//   build/bin/interpreter_bench [ROUNDS]
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "program/machine/explore.h"
#include "program/machine/schedule.h"
#include "trace/recorder.h"

namespace {

using namespace racecast;

std::string counting_program(int threads, int rounds) {
  std::string text = "shared int x = 0, a[64]\nshared mutex m\n";
  for (int t = 1; t <= threads; ++t)
    text += fmt::format(
        "thread T{0} {{\n  for i = 1 to {1} {{\n    lock m; x = x + i; unlock m\n    a[(i * {0}) % 64] = a[i % 64] + "
        "1\n  }}\n}}\n",
        t, rounds);
  return text;
}

std::string racing_program(int threads, int rounds) {
  std::string text = "shared int x = 0\nshared mutex m\n";
  for (int t = 1; t <= threads; ++t)
    text += fmt::format("thread T{} {{\n  for i = 1 to {} {{\n    lock m; x = x + 1; unlock m\n  }}\n}}\n", t, rounds);
  return text;
}

program::LitmusFile parse(const std::string& text) {
  auto file = program::parse_litmus(text, "bench");
  if (!file) {
    std::fputs((file.error().message + "\n").c_str(), stderr);
    std::exit(2);
  }
  return std::move(*file);
}

// What a run of `work` costs, as "work per second".
void row(const char* name, const std::function<std::uint64_t()>& work) {
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t count = work();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("| {} | {} | {:.2f} | {:.2f} | {} |\n", name, count, took.count(),
             static_cast<double>(count) / took.count() / 1e6, usage.ru_maxrss / 1024);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 100'000;
  fmt::print("| what | count | seconds | million/s | peak MiB so far |\n|---|---|---|---|---|\n");
  const program::LitmusFile counting = parse(counting_program(4, rounds));
  row("steps, random schedule, not recorded", [&] {
    auto machine = program::Machine::start(counting.program);
    return program::run_random(*machine, 1, {})->steps;
  });
  row("steps, round-robin, not recorded", [&] {
    auto machine = program::Machine::start(counting.program);
    return program::run_schedule(*machine, {}, {})->steps;
  });
  row("steps, random schedule, recorded into memory", [&] {
    program::RunOutcome outcome;
    trace::RecordOptions options;
    options.seed = 1;
    auto trace = trace::record(counting, options, &outcome);
    return outcome.steps;
  });
  const program::LitmusFile racing = parse(racing_program(3, 12));
  row("states, all schedules", [&] { return program::explore(racing.program)->states; });
  return 0;
}
