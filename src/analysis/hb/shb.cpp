// `shb`: every pair it finds has the schedule that its theorem promises (of every thread, what is shb-before one of the
// two, in recorded order), and the judge checks it.
#include "analysis/certify.h"
#include "analysis/order_pass.h"
#include "analysis/passes.h"
#include "model/order/sync_clocks.h"

namespace racecast::analysis {

namespace {

class ShbPass final : public OrderPass<model::SyncClocks> {
 public:
  explicit ShbPass(const PassContext& context)
      : OrderPass(context, {.stamps = true}, model::Order::Shb, context.definitions, context.facts.has_missing) {}

  Result<Output> finish(const Input& input) override {
    Output output;
    output.racy = history_.take_racy();
    RC_TRY_STATUS(certify(input, definitions_, "shb", history_.take_pairs(), output));
    return output;
  }
};

}  // namespace

std::unique_ptr<Pass> make_shb(const PassContext& context) {
  return std::make_unique<ShbPass>(context);
}

}  // namespace racecast::analysis
