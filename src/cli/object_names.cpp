#include "cli/object_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace racecast::cli {

namespace {

bool is_named(const trace::Definitions& definitions, std::uint64_t address) {
  return std::any_of(definitions.symbols.begin(), definitions.symbols.end(),
                     [&](const trace::Symbol& symbol) { return address - symbol.address < symbol.size; });
}

}  // namespace

Result<ObjectNames> name_objects(const analysis::Input& input, const std::vector<finding::Finding>& findings,
                                 const trace::Definitions& definitions) {
  struct Wanted {
    std::uint64_t address;
    EventNo event;
    std::optional<trace::Event> alloc;  // the last one before the event that covers the address
  };
  std::vector<Wanted> wanted;
  std::uint64_t end = 0;
  for (const finding::Finding& finding : findings) {
    if (is_named(definitions, finding.second.address) || finding.events != nullptr) continue;
    wanted.push_back({finding.second.address, finding.second.event, std::nullopt});
    end = std::max<std::uint64_t>(end, index(finding.second.event));
  }
  ObjectNames names;
  if (wanted.empty()) return names;
  std::sort(wanted.begin(), wanted.end(), [](const Wanted& a, const Wanted& b) { return a.address < b.address; });
  RC_TRY(auto source, input.open());
  std::uint64_t number = 0;
  while (number < end) {
    RC_TRY(const auto batch, source->next());
    if (batch.empty()) break;
    for (const trace::Event& event : batch) {
      const std::uint64_t here = number++;
      if (event.kind != trace::EventKind::Alloc) continue;
      auto first = std::lower_bound(wanted.begin(), wanted.end(), event.address,
                                    [](const Wanted& w, std::uint64_t address) { return w.address < address; });
      for (; first != wanted.end() && first->address - event.address < event.size; ++first)
        if (here < index(first->event)) first->alloc = event;
    }
  }
  for (const Wanted& w : wanted) {
    if (!w.alloc) continue;
    names[{w.address, w.event}] =
        fmt::format("byte {} of {} allocated at {} by {}", w.address - w.alloc->address, w.alloc->size,
                    name_of_location(definitions, w.alloc->location), name_of_thread(definitions, w.alloc->thread));
  }
  return names;
}

}  // namespace racecast::cli
