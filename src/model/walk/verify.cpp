// See verify.h.
#include "model/walk/verify.h"

#include <numeric>

namespace racecast::model {

std::uint64_t WalkReport::total() const {
  return std::accumulate(mismatches.begin(), mismatches.end(), std::uint64_t{0});
}

void WalkChecker::mismatch(const Mismatch& mismatch) {
  ++report_.mismatches[static_cast<std::size_t>(mismatch.kind)];
  if (report_.first.size() < keep_) report_.first.push_back(mismatch);
}

WalkReport WalkChecker::report(const WalkCounts& counts) const {
  WalkReport report = report_;
  report.counts = counts;
  return report;
}

Result<WalkReport> verify_paths(trace::EventSource& source, std::size_t keep) {
  // A source that is read in pieces has its program before its first event, not before its first batch.
  RC_TRY(std::span<const trace::Event> batch, source.next());
  WalkChecker checker(keep);
  RC_TRY(Walker walker, Walker::make(source.definitions(), checker));
  while (!batch.empty()) {
    RC_TRY_STATUS(walker.add(batch));
    RC_TRY(batch, source.next());
  }
  return checker.report(walker.counts());
}

}  // namespace racecast::model
