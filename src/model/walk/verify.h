// Does the program model, run along the recorded path, compute what was recorded? The first client of walk.h.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/walk/walk.h"

namespace racecast::model {

struct WalkReport {
  WalkCounts counts;
  std::array<std::uint64_t, kMismatchKinds> mismatches{};  // by MismatchKind
  std::vector<Mismatch> first;                             // of them, in order
  std::uint64_t of(MismatchKind kind) const { return mismatches[static_cast<std::size_t>(kind)]; }
  std::uint64_t resyncs() const { return of(MismatchKind::Resync); }
  std::uint64_t total() const;  // of all kinds
};

// Collects the mismatches of a walk; keeps the first `keep`.
class WalkChecker : public WalkClient {
 public:
  explicit WalkChecker(std::size_t keep = 20) : keep_(keep) {}
  void mismatch(const Mismatch& mismatch) override;
  // What was seen so far; `counts` are those of the walker.
  WalkReport report(const WalkCounts& counts) const;

 private:
  std::size_t keep_;
  WalkReport report_;
};

// Reads the source to its end. bad_input: it cannot be read, or it has no program. That the order of the events is
// legal is for the validator to say.
Result<WalkReport> verify_paths(trace::EventSource& source, std::size_t keep = 20);

}  // namespace racecast::model
