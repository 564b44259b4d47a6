// `wcp`: conflicting pairs that weak causal precedence leaves unordered. The order is in wcp_clocks.h, what becomes of
// the pairs in first_race.h.
#include "analysis/passes.h"
#include "analysis/race_history.h"
#include "analysis/wcp/first_race.h"
#include "analysis/wcp/wcp_clocks.h"

namespace racecast::analysis {

namespace {

class WcpPass final : public SinglePass {
 public:
  explicit WcpPass(const PassContext& context)
      : context_(context), clocks_(context.definitions, context.facts.has_missing), history_(context, {}, lanes_) {}

  void events(std::span<const trace::Event> batch, std::uint64_t first) override {
    for (const trace::Event& recorded : batch) {
      const trace::Event e = lanes_.rename(recorded);
      clocks_.enter(e);
      if (trace::is_access(e.kind)) history_.access(e, first, clocks_);
      if (trace::is_checked_free(e)) history_.free(e, first, clocks_);
      if (!trace::is_access(e.kind)) history_.other(e);
      if (pairs_.empty() && (trace::is_access(e.kind) || trace::is_checked_free(e))) look_for_first(e);
      clocks_.leave(e);
      ++first;
    }
  }

  Result<Output> finish(const Input& input) override {
    Output output;
    output.racy = history_.take_racy();
    if (pairs_.empty()) return output;
    for (RacePair& pair : history_.take_pairs()) pairs_.push_back(std::move(pair));
    std::vector<finding::Finding> findings;
    for (RacePair& pair : pairs_) {
      finding::Finding& finding = findings.emplace_back();
      finding.first = std::move(pair.first);
      finding.second = std::move(pair.second);
    }
    const finding::Access& second = findings.front().second;
    RC_TRY(const EventNo partner, latest_partner(input, second, before_first_));
    RC_TRY_STATUS(grade_pairs(input, context_, "wcp", {partner, second.event}, std::move(findings), output));
    return output;
  }

 private:
  void look_for_first(const trace::Event& e) {
    pairs_ = history_.take_pairs();
    if (!pairs_.empty()) before_first_ = model::VectorClock(lanes_.counts(clocks_.clock(e.thread).times()));
  }

  const PassContext context_;
  model::Lanes lanes_;
  WcpClocks clocks_;
  RaceHistory history_;
  std::vector<RacePair> pairs_;      // taken from history_ at the first race, and at the end
  model::VectorClock before_first_;  // of the first racy event
};

}  // namespace

std::unique_ptr<Pass> make_wcp(const PassContext& context) {
  return std::make_unique<WcpPass>(context);
}

}  // namespace racecast::analysis
