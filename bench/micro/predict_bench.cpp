// How fast pairs are decided: predict_bench [--value] TRACE.rct [PAIRS [Z3_PAIRS]] takes up to PAIRS conflicting pairs,
// evenly spread over the trace (--value: the pairs that value would decide), decides each with the whole trace as the
// window (--value: with values relaxed), and prints a table as Markdown: what each tier settled, and how many pairs a
// second (its own time and that of the tiers before it, judging not included); time per pair that passes tier 1, cones,
// attempts.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/maximal/decide.h"
#include "analysis/maximal/settle.h"
#include "model/order/execution.h"
#include "model/symbolic/symbolic_trace.h"
#include "trace/reader.h"
#include "witness/judge.h"

namespace {

using namespace racecast;
using analysis::predict::Decision;
using analysis::predict::Predictor;
using analysis::predict::Verdict;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Conflicting pairs of accesses that are near each other, per byte: each access with up to 8 earlier ones of others.
std::vector<std::pair<EventNo, EventNo>> some_pairs(const model::Execution& x, std::size_t count) {
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<EventNo>> at;
  std::vector<std::pair<EventNo, EventNo>> pairs;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const trace::Event& e = x.event(EventNo{i});
    if (!trace::is_access(e.kind)) continue;
    std::vector<EventNo>& earlier = at[{x.life_of(EventNo{i}), e.address}];
    int taken = 0;
    int seen = 0;
    for (auto it = earlier.rbegin(); it != earlier.rend() && taken < 8 && ++seen < 200; ++it)
      if (trace::conflict(x.event(*it), e)) {
        pairs.emplace_back(*it, EventNo{i});
        ++taken;
      }
    earlier.push_back(EventNo{i});
  }
  std::vector<std::pair<EventNo, EventNo>> chosen;
  for (std::size_t k = 0; k < std::min(count, pairs.size()); ++k)
    chosen.push_back(pairs[k * pairs.size() / std::min(count, pairs.size())]);
  return chosen;
}

// The pairs that `value` would decide first, the same number of each pair of places.
std::vector<std::pair<EventNo, EventNo>> pairs_of_value(const model::Execution& x, const Predictor& predictor,
                                                        std::size_t count) {
  const analysis::predict::Candidates candidates(
      x, {0, [&](EventNo a, EventNo b) { return predictor.may_be_concurrent(a, b); }, {}});
  const std::size_t each = std::max<std::size_t>(count / std::max<std::size_t>(candidates.size(), 1), 1);
  std::vector<std::pair<EventNo, EventNo>> chosen;
  for (std::size_t i = 0; i < candidates.size() && chosen.size() < count; ++i) {
    const auto tries = candidates.tries(i);
    for (std::size_t k = 0; k < std::min(each, tries.pairs.size()); ++k)
      chosen.emplace_back(tries.pairs[k].first, tries.pairs[k].second);
  }
  return chosen;
}

template <typename T>
std::string spread(std::vector<T> values) {
  if (values.empty()) return "-";
  std::ranges::sort(values);
  return fmt::format("{:.3g} / {:.3g} / {:.3g}", static_cast<double>(values[values.size() / 2]),
                     static_cast<double>(values[values.size() * 9 / 10]), static_cast<double>(values.back()));
}

std::string per_second(std::uint64_t pairs, double seconds) {
  return pairs == 0 || seconds <= 0 ? "-" : fmt::format("{:.3g}", static_cast<double>(pairs) / seconds);
}

}  // namespace

int main(int argc, char** argv) {
  const bool relaxed = argc > 1 && std::string_view(argv[1]) == "--value";
  if (relaxed) {
    ++argv;
    --argc;
  }
  if (argc < 2) {
    fmt::print(stderr, "usage: predict_bench [--value] TRACE.rct [PAIRS [Z3_PAIRS]]\n");
    return 2;
  }
  auto reader = trace::Reader::open(argv[1]);
  if (!reader) {
    fmt::print(stderr, "{}\n", reader.error().message);
    return 2;
  }
  auto trace = trace::read_all(*reader);
  if (!trace) {
    fmt::print(stderr, "{}\n", trace.error().message);
    return 2;
  }
  const std::size_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1000;
  const double start = now();
  std::optional<model::SymbolicTrace> symbols;
  if (relaxed) {
    auto made = model::SymbolicTrace::make(*trace);
    if (!made) {
      fmt::print(stderr, "{}\n", made.error().message);
      return 2;
    }
    symbols = std::move(*made);
  }
  const Predictor predictor(*trace, 0, symbols ? &*symbols : nullptr);
  const double prepared = now();
  const witness::Judge judge(*trace, relaxed ? witness::Values::Model : witness::Values::Recorded);
  const auto pairs =
      relaxed ? pairs_of_value(judge.execution(), predictor, count) : some_pairs(judge.execution(), count);

  std::uint64_t settled[analysis::predict::kTiers][2] = {}, unknown = 0, rejected = 0;
  double seconds[analysis::predict::kTiers] = {};  // by the tier that settled the pair
  std::vector<double> milliseconds, with_z3, ratios;
  analysis::predict::Budget budget;
  if (relaxed) budget.steps = analysis::predict::kRelaxedSteps;
  const std::size_t z3_count = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0;
  std::vector<std::uint64_t> cones, attempts, lemmas, steps;
  for (const auto& [a, b] : pairs) {
    const double before = now();
    const Decision decision = predictor.decide(a, b, budget);
    const double spent = 1000 * (now() - before);
    if (decision.verdict == Verdict::Unknown) {
      ++unknown;
    } else {
      ++settled[static_cast<int>(decision.tier)][decision.verdict == Verdict::Race ? 0 : 1];
      seconds[static_cast<int>(decision.tier)] += spent / 1000;
    }
    if (decision.verdict == Verdict::Race && !judge.race(analysis::predict::whole_schedule(decision), a, b).accepted)
      ++rejected;
    if (decision.tier == analysis::predict::Tier::Order && decision.verdict == Verdict::NoRace) continue;
    milliseconds.push_back(spent);
    cones.push_back(decision.cone);
    attempts.push_back(decision.attempts);
    lemmas.push_back(decision.lemmas);
    steps.push_back(decision.steps);
    if (with_z3.size() < z3_count && milliseconds.size() % 3 == 1) {
      const double again = now();
      const Decision other = predictor.decide(a, b, {.search = 0}, smt::make_z3_solver);
      with_z3.push_back(1000 * (now() - again));
      ratios.push_back(with_z3.back() / spent);
      if (other.verdict != decision.verdict && other.verdict != Verdict::Unknown) fmt::print("Z3 says otherwise\n");
    }
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{}: {} events, {} threads, {} pairs; preparing {:.2f} s; peak {} MiB\n\n", argv[1], trace->events.size(),
             judge.execution().threads(), pairs.size(), prepared - start, usage.ru_maxrss / 1024);
  fmt::print("| tier | races | no races | pairs/s |\n|---|---|---|---|\n");
  const char* const names[] = {"1 order", "2 closure", "3 search", "4 formula"};
  for (int tier = 0; tier < analysis::predict::kTiers; ++tier)
    fmt::print("| {} | {} | {} | {} |\n", names[tier], settled[tier][0], settled[tier][1],
               per_second(settled[tier][0] + settled[tier][1], seconds[tier]));
  fmt::print("\nunknown: {}; rejected by the judge: {}\n", unknown, rejected);
  fmt::print(
      "of pairs that pass tier 1, median / p90 / max: ms {}; cone {}; attempts {}; lemmas {}; steps "
      "{}\n",
      spread(milliseconds), spread(cones), spread(attempts), spread(lemmas), spread(steps));
  if (!with_z3.empty())
    fmt::print("Z3, on {} of them: ms {}; times ours {}\n", with_z3.size(), spread(with_z3), spread(ratios));
  return 0;
}
