// What threads access on their recorded paths and on others (model/detour/detours.h), with the locks they hold: which
// two paths can have a race at all, as far as that and forks and joins say. Asked for every combination of paths before
// a variant is made of it, which costs a hundred times as much.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "analysis/window/certain_locks.h"
#include "finding/finding.h"
#include "model/contexts.h"
#include "model/detour/detours.h"
#include "model/order/fork_join.h"
#include "trace/trace.h"

namespace racecast::analysis::predict {

class PathAccesses {
 public:
  // `order`: of the trace, without joins that a path could leave out. `definitions`: with all places. `symbols`: of the
  // trace. All must outlive it.
  PathAccesses(const trace::Trace& trace, const model::SymbolicTrace& symbols, const trace::Definitions& definitions,
               std::shared_ptr<const model::ForkJoinOrder> order);
  const model::ForkJoinOrder* order() const { return order_.get(); }

  // Numbers of paths. The recorded path of thread t has number t. Of another path, only what comes after its last turn
  // counts: the rest can race without it.
  std::uint32_t add(const model::ThreadPath& path);
  // The pairs of places of accesses of these paths that conflict and that no lock, fork or join keeps apart.
  const std::vector<finding::Places>& meetings(std::uint32_t a, std::uint32_t b);

 private:
  struct Access {
    std::uint64_t address = 0;
    std::uint32_t size = 0;
    model::LocksetId lockset = 0;
    EventNo at{};  // in a detour: its branch
    std::uint64_t place = 0;
    bool writes = false, atomic = false;
  };
  struct Path {
    ThreadId thread{};
    std::vector<Access> accesses, frees;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> by_granule;  // (granule, access), sorted
  };
  // `recorded`: its number, as long as its thread has not left its path.
  void note(Path& path, trace::Event event, EventNo at, std::optional<EventNo> recorded, bool counts);
  bool may_race(const Access& a, const Access& b);
  // Frees of one path with accesses of the other.
  void add_frees(const Path& a, const Path& b, std::vector<finding::Places>& places);

  const trace::Trace& trace_;
  const trace::Definitions& definitions_;
  std::shared_ptr<const model::ForkJoinOrder> order_;
  std::vector<std::vector<EventNo>> by_thread_;
  model::Contexts contexts_;  // each path is a thread of its own there
  CertainLocks locks_;        // and there
  std::vector<Path> paths_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<finding::Places>> meetings_;
};

}  // namespace racecast::analysis::predict
