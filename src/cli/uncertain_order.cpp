#include "cli/uncertain_order.h"

#include <algorithm>
#include <set>
#include <vector>

#include "trace/annotations.h"
#include "trace/certain_order.h"

namespace racecast::cli {
namespace {

using Pairs = std::set<finding::Places>;

Pairs pairs_of(const analysis::Output& output, const trace::Definitions& definitions) {
  Pairs pairs;
  for (const finding::Finding& finding : output.findings) pairs.insert(finding::places_of(finding, definitions));
  return pairs;
}

Result<Pairs> pairs_by_hb(const analysis::Input& input) {
  const std::vector<std::string> hb{"hb"};
  RC_TRY(const analysis::Outputs outputs, analysis::run(input, hb));
  return pairs_of(outputs.by_analysis.front(), outputs.definitions);
}

}  // namespace

Result<UncertainOrder> uncertain_order(const analysis::Input& input, std::span<const std::string> names,
                                       const analysis::Outputs& outputs) {
  UncertainOrder order;
  if (!trace::has_uncertain_order(outputs.definitions)) return order;
  RC_TRY(const auto source, input.open());
  while (true) {
    RC_TRY(const auto batch, source->next());
    if (batch.empty()) break;
    for (const trace::Event& e : batch) {
      if (e.kind != trace::EventKind::MissingBegin || e.aux >= source->definitions().strings.size()) continue;
      std::string name = source->definitions().strings[e.aux];
      if (!name.ends_with(trace::kOrdersEverything)) continue;
      name.resize(name.size() - trace::kOrdersEverything.size());
      ++order.everything[name];
    }
  }
  analysis::Input plain = input;
  plain.progress = nullptr;
  plain.keep_racy_events = plain.only_new = false;
  Pairs all;
  if (const auto hb = std::ranges::find(names, "hb"); hb != names.end()) {
    all = pairs_of(outputs.by_analysis[static_cast<std::size_t>(hb - names.begin())], outputs.definitions);
  } else {
    RC_TRY(all, pairs_by_hb(plain));
  }
  plain.open = trace::with_certain_order(input.open);
  RC_TRY(const Pairs without, pairs_by_hb(plain));
  order.pairs = static_cast<std::size_t>(
      std::ranges::count_if(without, [&](const finding::Places& places) { return !all.contains(places); }));
  return order;
}

}  // namespace racecast::cli
