// See path.h: gives each event to the walk of its thread.
#include "model/path.h"

#include <fmt/format.h>

#include "model/path_thread.h"

namespace racecast::model {

std::string_view text_of(MismatchKind kind) {
  switch (kind) {
    case MismatchKind::Address: return "address";
    case MismatchKind::Size: return "size";
    case MismatchKind::Value: return "value";
    case MismatchKind::Branch: return "branch";
    case MismatchKind::Result: return "result";
    case MismatchKind::Fault: return "fault";
    case MismatchKind::Event: return "event";
    case MismatchKind::Resync: return "resync";
  }
  return "?";
}

struct PathWalker::State {
  State(PathCode code, const trace::Definitions& definitions, PathClient& client, bool tell_instructions)
      : shared{std::move(code),
               ConstantMemory(*definitions.program),
               definitions,
               client,
               tell_instructions,
               {},
               {},
               {}} {}

  PathShared shared;
  std::vector<std::unique_ptr<PathThread>> threads;  // by ThreadId
};

PathWalker::PathWalker(std::unique_ptr<State> state) : state_(std::move(state)) {}
PathWalker::PathWalker(PathWalker&&) noexcept = default;
PathWalker& PathWalker::operator=(PathWalker&&) noexcept = default;
PathWalker::~PathWalker() = default;

Result<PathWalker> PathWalker::make(const trace::Definitions& definitions, PathClient& client, bool tell_instructions) {
  if (definitions.program == nullptr) return bad_input("the trace came without a program");
  RC_TRY(PathCode code, PathCode::make(definitions.program));
  return PathWalker(std::make_unique<State>(std::move(code), definitions, client, tell_instructions));
}

Status PathWalker::add(std::span<const trace::Event> events) {
  State& s = *state_;
  for (const trace::Event& e : events) {
    const std::size_t t = index(e.thread);
    if (t >= s.threads.size()) {
      if (t >= s.shared.definitions.threads.size())
        return bad_input(fmt::format("event {} is of thread {}, which is not defined", s.shared.counts.events, t));
      s.threads.resize(t + 1);
    }
    if (s.threads[t] == nullptr) s.threads[t] = std::make_unique<PathThread>(s.shared, e.thread);
    s.threads[t]->add(e, EventNo{s.shared.counts.events});
  }
  return {};
}

const PathCounts& PathWalker::counts() const {
  return state_->shared.counts;
}

}  // namespace racecast::model
