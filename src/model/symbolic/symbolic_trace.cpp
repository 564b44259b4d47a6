// See symbolic_trace.h: one walk along the window, which tells a SymbolicBuilder.
#include "model/symbolic/symbolic_trace.h"

#include "base/check.h"
#include "model/symbolic/builder.h"

namespace racecast::model {

std::string_view text_of(ConditionKind kind) {
  switch (kind) {
    case ConditionKind::Branch: return "branch";
    case ConditionKind::Switch: return "switch";
    case ConditionKind::Address: return "address";
    case ConditionKind::Size: return "size";
    case ConditionKind::Fault: return "fault";
    case ConditionKind::Cas: return "cas";
    case ConditionKind::Known: return "known";
    case ConditionKind::Argument: return "argument";
    case ConditionKind::Callee: return "callee";
    case ConditionKind::Missing: return "missing";
  }
  return "?";
}

Result<SymbolicTrace> SymbolicTrace::make(const trace::Trace& trace, std::vector<Divergence> divergences) {
  WalkClient client;
  RC_TRY(const Walker walker, Walker::make(trace.definitions, client));
  return make(walker, trace.events, std::move(divergences));
}

Result<SymbolicTrace> SymbolicTrace::make(const Walker& walker, std::span<const trace::Event> window,
                                          std::vector<Divergence> divergences) {
  WalkClient client;
  Walker copy = walker.copy(client);
  SymbolicTrace symbols;
  symbols.divergences_ = std::move(divergences);
  SymbolicBuilder builder(symbols, *copy.definitions().program);
  builder.set_events(window, EventNo{walker.counts().events});
  copy.collect(&builder);
  RC_TRY_STATUS(copy.add(window));
  RC_TRY_STATUS(builder.finish());
  return symbols;
}

NodeNo SymbolicTrace::read(EventNo event) const {
  const NodeNo node = read_[slot(event)];
  const bool own = node < nodes_.size() && nodes_[node].kind == NodeKind::Read && nodes_[node].event == event;
  return own ? node : kConstant;
}

}  // namespace racecast::model
