// `hybrid` (O'Callahan and Choi, PPoPP 2003): locks do not order, they exclude.
#include "analysis/order_pass.h"
#include "analysis/passes.h"
#include "model/order/sync_clocks.h"

namespace racecast::analysis {

namespace {

class HybridPass final : public OrderPass<model::SyncClocks> {
 public:
  explicit HybridPass(const PassContext& context)
      : OrderPass(context, {.by_lockset = true}, model::Order::Must, context.definitions, context.facts.has_missing) {}

  Result<Output> finish(const Input&) override {
    Output output;
    output.racy = history_.take_racy();
    for (RacePair& pair : history_.take_pairs()) {
      finding::Finding finding;
      finding.analyses = {"hybrid"};
      finding.reason = "no common lock excludes the one from the other, and nothing but locks could order them";
      finding.first = std::move(pair.first);
      finding.second = std::move(pair.second);
      output.candidates.push_back(std::move(finding));
    }
    return output;
  }
};

}  // namespace

std::unique_ptr<Pass> make_hybrid(const PassContext& context) {
  return std::make_unique<HybridPass>(context);
}

}  // namespace racecast::analysis
