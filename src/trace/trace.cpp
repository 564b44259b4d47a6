// Traces in memory, and names for what events refer to. See trace.h.
#include "trace/trace.h"

#include <fmt/format.h>

#include "base/printable.h"
#include "program/program.h"
#include "trace/state.h"

namespace racecast::trace {

bool threads_pass_values(const Definitions& definitions) {
  return definitions.program != nullptr && definitions.program->origin != program::Origin::Litmus;
}

Result<std::span<const Event>> MemorySource::next() {
  if (done_) return std::span<const Event>{};
  done_ = true;
  return std::span<const Event>(trace_.events);
}

Result<Trace> read_all(EventSource& source, std::uint64_t max_events) {
  Trace trace;
  for (;;) {
    RC_TRY(const std::span<const Event> batch, source.next());
    if (batch.empty()) break;
    if (batch.size() > max_events - trace.events.size()) {
      return bad_input(fmt::format(
          "the trace has more than {} events, too many to hold in memory; analyse it in windows", max_events));
    }
    trace.events.insert(trace.events.end(), batch.begin(), batch.end());
  }
  trace.definitions = source.definitions();
  return trace;
}

std::string name_of_address(const Definitions& definitions, std::uint64_t address) {
  for (const Symbol& symbol : definitions.symbols) {
    if (address != symbol.address && address - symbol.address >= symbol.size) continue;
    const std::uint64_t offset = address - symbol.address;
    std::string name = printable(symbol.name);
    std::uint64_t rest = offset;
    if (symbol.element != 0) {
      name += fmt::format("[{}]", offset / symbol.element);
      rest = offset % symbol.element;
    }
    if (rest != 0) name += fmt::format("+{}", rest);
    return name;
  }
  if (is_state(address)) return fmt::format("state {:#x}", address - kState);
  return fmt::format("{:#x}", address);
}

std::string name_of_thread(const Definitions& definitions, ThreadId thread) {
  if (index(thread) < definitions.threads.size() && !definitions.threads[index(thread)].empty()) {
    return printable(definitions.threads[index(thread)]);
  }
  return fmt::format("#{}", index(thread));
}

std::string name_of_location(const Definitions& definitions, LocationId location) {
  if (index(location) >= definitions.locations.size()) return fmt::format("location {}", index(location));
  const Location& l = definitions.locations[index(location)];
  if (l.file.empty()) {
    if (!l.label.empty()) return printable(l.label);
    return l.function.empty() ? "an unknown place" : printable(l.function);
  }
  std::string file = printable(l.file);
  if (l.line == 0) return file;
  return l.column == 0 ? fmt::format("{}:{}", file, l.line) : fmt::format("{}:{}:{}", file, l.line, l.column);
}

}  // namespace racecast::trace
