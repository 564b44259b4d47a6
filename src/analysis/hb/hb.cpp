// `hb`: what happens-before leaves unordered was observed.
#include "analysis/order_pass.h"
#include "analysis/passes.h"
#include "model/order/sync_clocks.h"

namespace racecast::analysis {

namespace {

class HbPass final : public OrderPass<model::SyncClocks> {
 public:
  explicit HbPass(const PassContext& context)
      : OrderPass(context, {}, model::Order::Hb, context.definitions, context.facts.has_missing) {}

  Result<Output> finish(const Input&) override {
    Output output;
    output.racy = history_.take_racy();
    for (RacePair& pair : history_.take_pairs()) {
      finding::Finding finding;
      finding.analyses = {"hb"};
      finding.reason = "no synchronisation of the recorded run orders them";
      finding.first = std::move(pair.first);
      finding.second = std::move(pair.second);
      output.findings.push_back(std::move(finding));
    }
    return output;
  }
};

}  // namespace

std::unique_ptr<Pass> make_hb(const PassContext& context) {
  return std::make_unique<HbPass>(context);
}

}  // namespace racecast::analysis
