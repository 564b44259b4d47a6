// What chains of appends to state outside of memory cost (docs/semantics.md, section 1): every analysis that needs no
// program, over traces of one object with so many appends. Twice the appends must not take four times as long.
//
// - lines: one thread reads and appends by turns (a loop of fgets), another works beside it;
// - writers: four threads append by turns, and one reads at the end, where something depends on it;
// - readers: four threads read, look at it, and append by turns.
//
// In each, two threads also access a few variables, some under a lock. Prints a markdown table: CPU
// seconds, and the number of findings and candidates.
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "trace/state.h"
#include "trace/trace.h"

using namespace racecast;  // NOLINT(google-build-using-namespace): a program of one file
using trace::Event;
using trace::EventKind;

namespace {

constexpr std::uint64_t kLock = 0x1000, kVariables = 0x2000;

class Maker {
 public:
  explicit Maker(std::uint32_t threads) {
    for (std::uint32_t t = 0; t < threads; ++t) trace_.definitions.threads.push_back(fmt::format("T{}", t));
    trace_.definitions.branches = true;
  }
  void get(std::uint32_t thread) { trace_.events.push_back(trace::state_read(event(thread, 1), 0)); }
  void put(std::uint32_t thread) { trace_.events.push_back(trace::append(event(thread, 2), 0)); }
  void look(std::uint32_t thread) {
    Event e = event(thread, 3);
    e.kind = EventKind::Branch;
    trace_.events.push_back(e);
  }
  void access(std::uint32_t thread, EventKind kind, std::uint64_t variable, std::uint32_t location) {
    Event e = event(thread, location);
    e.kind = kind;
    e.address = kVariables + 8 * variable;
    e.size = 8;
    trace_.events.push_back(e);
  }
  void under_lock(std::uint32_t thread, EventKind kind, std::uint64_t variable, std::uint32_t location) {
    Event e = event(thread, 4);
    e.kind = EventKind::Lock;
    e.address = kLock;
    trace_.events.push_back(e);
    access(thread, kind, variable, location);
    e.kind = EventKind::Unlock;
    trace_.events.push_back(e);
  }
  // Some work of a thread: variables of its own, one under the lock, one that races.
  void work(std::uint32_t thread, std::size_t round) {
    access(thread, EventKind::Write, 100 + thread, 10 + thread);
    if (round % 16 == 0) under_lock(thread, EventKind::Write, 1, 20 + thread);
    if (round % 64 == 0) access(thread, EventKind::Write, 2, 30 + thread);
  }
  trace::Trace take() {
    for (std::uint32_t l = 0; l < 40; ++l) trace_.definitions.locations.push_back({.label = std::to_string(l)});
    return std::move(trace_);
  }

 private:
  static Event event(std::uint32_t thread, std::uint32_t location) {
    Event e;
    e.thread = ThreadId{thread};
    e.location = LocationId{location};
    return e;
  }
  trace::Trace trace_;
};

trace::Trace make(const std::string& shape, std::size_t appends) {
  Maker maker(5);
  for (std::size_t i = 0; i < appends; ++i) {
    const auto turn = static_cast<std::uint32_t>(i % 4);
    if (shape == "lines") {
      maker.get(0);
      maker.look(0);
      maker.put(0);
      if (i % 4 == 0) maker.work(0, i / 4);
      if (i % 4 == 2) maker.work(1, i / 4);
      if (i == appends / 2) maker.get(1);
    } else {
      if (shape == "readers") {
        maker.get(turn);
        maker.look(turn);
      }
      maker.put(turn);
      if (i % 5 == 0) maker.work(turn, i / 20);
    }
  }
  maker.get(4);
  maker.look(4);
  maker.access(4, EventKind::Write, 2, 34);
  return maker.take();
}

double seconds(const trace::Trace& trace, const std::string& analysis, std::string& note) {
  const std::vector<std::string> names{analysis};
  const std::clock_t start = std::clock();
  const Result<analysis::Outputs> outputs = analysis::run(analysis::input_of(trace), names);
  const double spent = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (!outputs) {
    note = "!";
  } else {
    const analysis::Output& output = outputs->by_analysis.at(0);
    note =
        fmt::format("{}{}", output.findings.size() + output.candidates.size(), output.rejected.empty() ? "" : " (!)");
  }
  return spent;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t most = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
  const std::vector<std::string> names{"hb", "shb", "wcp", "cp", "syncp", "hybrid", "lockset", "maximal", "nondet"};
  fmt::print("| shape | appends | events |");
  for (const std::string& name : names) fmt::print(" {} |", name);
  fmt::print("\n|---|---|---|");
  for (std::size_t i = 0; i < names.size(); ++i) fmt::print("---|");
  fmt::print("\n");
  for (const char* shape : {"lines", "writers", "readers"})
    for (const std::size_t appends : {most / 4, most / 2, most}) {
      const trace::Trace trace = make(shape, appends);
      fmt::print("| {} | {} | {} |", shape, appends, trace.events.size());
      for (const std::string& name : names) {
        std::string note;
        const double spent = seconds(trace, name, note);
        fmt::print(" {:.2f}: {} |", spent, note);
        std::fflush(stdout);
      }
      fmt::print("\n");
    }
  return 0;
}
