// Which branches of a trace are worth turning. They can go another way than recorded, in some schedule and with some
// detours: their condition depends on a read that can return something else, or on a try of a lock that others use; and
// some other thread can still run then.
// No other branch helps to a race. Most branches of a real program depend on memory that forks and joins keep in order,
// or that one thread uses alone.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/hash.h"
#include "model/detour/detours.h"
#include "model/order/fork_join.h"
#include "model/symbolic/symbolic_trace.h"
#include "trace/trace.h"

namespace racecast::analysis::predict {

class MayTurn {
 public:
  // `symbols`: of the trace. Both must outlive it.
  MayTurn(const trace::Trace& trace, const model::SymbolicTrace& symbols);

  bool operator()(EventNo branch) const;
  // The thread may take this path, too: what it writes there, and whatever it would have written from its first detour
  // on, can be otherwise.
  void allow(const model::ThreadPath& path);
  // Takes into account what was allowed since. True: branches may turn that could not before.
  bool update();
  // Of the trace, without joins that an allowed path could leave out. Another one where an update finds more of them.
  std::shared_ptr<const model::ForkJoinOrder> order() const { return order_; }

 private:
  struct Memory;
  bool turns(EventNo branch) const;
  bool others_run(EventNo branch) const;
  void leave_path(ThreadId thread, EventNo from);
  void change(std::uint64_t address, std::uint64_t size);
  void find_order();
  void find_unordered();
  void use_lock(const trace::Event& event);
  void find_changes();

  const trace::Trace& trace_;
  const model::SymbolicTrace& symbols_;
  std::vector<std::vector<EventNo>> by_thread_;
  std::vector<EventNo> off_from_;  // by thread: from here on it may be off its recorded path
  std::vector<char> given_other_;  // by thread: whoever forks it may be off its path by then
  std::shared_ptr<const model::ForkJoinOrder> order_;
  HashSet<std::uint64_t> unordered_;             // granules that threads use without an order by forks and joins
  HashSet<std::uint64_t> allowed_;               // granules that allowed paths change
  HashMap<std::uint64_t, std::uint32_t> users_;  // by lock: its only thread; kNone32: several
  bool everything_ = false;                      // they change all of memory
  bool grown_ = false, left_ = false;            // since the last update: any of these; off_from_
  std::vector<char> may_change_;                 // by node
  std::vector<EventNo> turning_;                 // the branches that may turn, in order
};

}  // namespace racecast::analysis::predict
