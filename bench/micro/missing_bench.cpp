// What the order of missing code costs (model/order/missing_order.h): happens-before clocks over traces with many calls
// of missing code that reach many objects. Each thread calls missing code on one of a few lists of nodes (every third
// call on two of them), which calls back once, and accesses some nodes between the calls.
//
// Prints a markdown table: nanoseconds per event of the trace, and without the missing code's order, for comparison.
#include <fmt/format.h>

#include <chrono>
#include <random>
#include <vector>

#include "model/order/sync_clocks.h"
#include "trace/trace.h"

using namespace racecast;  // NOLINT(google-build-using-namespace): a program of one file
using trace::Event;
using trace::EventKind;

namespace {

constexpr std::uint64_t kNodeBytes = 48, kNodeStep = 64, kLists = 8;
constexpr std::uint32_t kThreads = 8;

std::uint64_t node(std::uint64_t nodes, std::uint64_t list, std::uint64_t i) {
  return 0x10000000 + (list * nodes + i) * kNodeStep;
}

trace::Trace make(std::uint64_t nodes, std::size_t calls) {
  trace::Trace trace;
  std::mt19937_64 random(1);
  for (std::uint32_t t = 0; t < kThreads; ++t) trace.definitions.threads.push_back(fmt::format("T{}", t));
  for (std::uint64_t set = 0; set < 2 * kLists; ++set) {
    trace::ReachSet reach;
    for (std::uint64_t i = 0; i < nodes; ++i) reach.ranges.push_back({node(nodes, set % kLists, i), kNodeBytes});
    if (set >= kLists && set % kLists + 1 < kLists)
      for (std::uint64_t i = 0; i < nodes; ++i) reach.ranges.push_back({node(nodes, set % kLists + 1, i), kNodeBytes});
    trace.definitions.reach.push_back(std::move(reach));
  }
  const auto add = [&](std::uint32_t thread, EventKind kind, std::uint64_t address, std::uint32_t size) {
    Event e;
    e.thread = ThreadId{thread};
    e.kind = kind;
    e.address = address;
    e.size = size;
    trace.events.push_back(e);
  };
  for (std::size_t call = 0; call < calls; ++call) {
    const auto thread = static_cast<std::uint32_t>(random() % kThreads);
    const std::uint64_t list = random() % kLists;
    const auto some_node = [&] { return node(nodes, random() % kLists, random() % nodes) + 8 * (random() % 6); };
    for (int i = 0; i < 4; ++i) add(thread, i % 2 == 0 ? EventKind::Read : EventKind::Write, some_node(), 8);
    add(thread, EventKind::MissingBegin, call % 3 == 0 ? kLists + list : list, 0);
    add(thread, EventKind::Read, some_node(), 8);
    add(thread, EventKind::MissingEnd, 0, 0);
  }
  return trace;
}

double nanoseconds_per_event(const trace::Trace& trace, bool with_missing) {
  const auto start = std::chrono::steady_clock::now();
  model::SyncClocks clocks(model::Order::Hb, trace.definitions, with_missing);
  for (const Event& e : trace.events) {
    clocks.enter(e);
    clocks.leave(e);
  }
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
  return taken.count() / static_cast<double>(trace.events.size());
}

}  // namespace

int main() {
  fmt::print("| objects per call | calls | ns per event | without missing code |\n|---|---|---|---|\n");
  for (const std::uint64_t nodes : {1, 10, 100, 1000, 10'000}) {
    const std::size_t calls = nodes >= 10'000 ? 500 : 5'000;
    const trace::Trace trace = make(nodes, calls);
    fmt::print("| {} | {} | {:.0f} | {:.0f} |\n", nodes, calls, nanoseconds_per_event(trace, true),
               nanoseconds_per_event(trace, false));
  }
}
