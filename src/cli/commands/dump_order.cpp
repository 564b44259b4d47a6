#include "cli/commands/dump_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "model/order/execution.h"
#include "model/order/sync_clocks.h"
#include "trace/text.h"

namespace racecast::cli {

namespace {

std::string clock_text(const model::VectorClock& clock, std::size_t threads) {
  std::string text;
  for (std::uint32_t t = 0; t < threads; ++t) text += fmt::format("{}{}", t == 0 ? "" : " ", clock[ThreadId{t}]);
  return "[" + text + "]";
}

std::string reads_from_text(const model::Execution& execution, EventNo no) {
  std::string text;
  std::vector<EventNo> told;
  for (const model::ReadFrom& from : execution.reads_from(no)) {
    if (std::ranges::find(told, from.writer) != told.end()) continue;
    told.push_back(from.writer);
    text += from.writer == model::kInitial ? " initial" : fmt::format(" {}", index(from.writer));
  }
  return text.empty() ? text : "  reads from" + text;
}

}  // namespace

std::string dump_order(const trace::Trace& trace) {
  const model::Execution execution(trace);
  model::SyncClocks clocks(model::Order::Hb, trace.definitions, execution.has_missing());
  trace::EventPrinter printer(trace.definitions);
  std::string text =
      "# number, event, happens-before clock (events of each thread that are before or at it), reads-from\n";
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const trace::Event& e = trace.events[i];
    clocks.enter(e);
    std::string line;
    printer.print(e, line);
    text += fmt::format("{:<6} {:<40} {}{}\n", i, line, clock_text(clocks.clock(e.thread), execution.threads()),
                        reads_from_text(execution, EventNo{i}));
    clocks.leave(e);
  }
  if (!execution.scopes().empty()) text += "# lock scopes: lock, thread, from event to event\n";
  for (const model::LockScope& scope : execution.scopes())
    text += fmt::format("{} {}{} {}..{}\n", name_of_address(trace.definitions, scope.lock),
                        name_of_thread(trace.definitions, scope.thread), scope.shared ? " shared" : "",
                        index(scope.acquire), scope.release ? fmt::format("{}", index(*scope.release)) : "");
  return text;
}

}  // namespace racecast::cli
