// See path_verify.h.
#include "model/path_verify.h"

#include <numeric>

namespace racecast::model {

std::uint64_t PathReport::total() const {
  return std::accumulate(mismatches.begin(), mismatches.end(), std::uint64_t{0});
}

void PathChecker::mismatch(const Mismatch& mismatch) {
  ++report_.mismatches[static_cast<std::size_t>(mismatch.kind)];
  if (report_.first.size() < keep_) report_.first.push_back(mismatch);
}

PathReport PathChecker::report(const PathCounts& counts) const {
  PathReport report = report_;
  report.counts = counts;
  return report;
}

Result<PathReport> verify_paths(trace::EventSource& source, std::size_t keep) {
  // A source that is read in pieces has its program before its first event, not before its first batch.
  RC_TRY(std::span<const trace::Event> batch, source.next());
  PathChecker checker(keep);
  RC_TRY(PathWalker walker, PathWalker::make(source.definitions(), checker));
  while (!batch.empty()) {
    RC_TRY_STATUS(walker.add(batch));
    RC_TRY(batch, source.next());
  }
  return checker.report(walker.counts());
}

}  // namespace racecast::model
