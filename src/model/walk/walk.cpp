// See walk.h: gives each event to the walk of its thread.
#include "model/walk/walk.h"

#include <fmt/format.h>

#include "model/walk/thread.h"

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

struct Walker::State {
  WalkShared shared;
  std::vector<std::unique_ptr<WalkThread>> threads;  // by ThreadId
};

Walker::Walker(std::unique_ptr<State> state) : state_(std::move(state)) {}
Walker::Walker(Walker&&) noexcept = default;
Walker& Walker::operator=(Walker&&) noexcept = default;
Walker::~Walker() = default;

Result<Walker> Walker::make(const trace::Definitions& definitions, WalkClient& client, bool tell_instructions) {
  if (definitions.program == nullptr) return bad_input("the trace came without a program");
  RC_TRY(WalkCode code, WalkCode::make(definitions.program));
  auto state = std::make_unique<State>();
  state->shared.code = std::make_shared<const WalkCode>(std::move(code));
  state->shared.constants = std::make_shared<const ConstantMemory>(*definitions.program);
  state->shared.definitions = &definitions;
  state->shared.client = &client;
  state->shared.tell_instructions = tell_instructions;
  return Walker(std::move(state));
}

Status Walker::add(std::span<const trace::Event> events) {
  return add(events, true);
}

Status Walker::add_unknown(const trace::Event& event) {
  return add(std::span(&event, 1), false);
}

Status Walker::add_free(const trace::Event& event) {
  return add(std::span(&event, 1), true, true);
}

Status Walker::add(std::span<const trace::Event> events, bool known, bool free) {
  State& s = *state_;
  for (const trace::Event& e : events) {
    const std::size_t t = index(e.thread);
    if (t >= s.threads.size()) {
      if (t >= s.shared.definitions->threads.size())
        return bad_input(fmt::format("event {} is of thread {}, which is not defined", s.shared.counts.events, t));
      s.threads.resize(t + 1);
    }
    if (s.threads[t] == nullptr) s.threads[t] = std::make_unique<WalkThread>(s.shared, e.thread);
    s.threads[t]->add(e, EventNo{s.shared.counts.events}, known, free);
  }
  return {};
}

const WalkCounts& Walker::counts() const {
  return state_->shared.counts;
}

Walker Walker::copy(WalkClient& client) const {
  auto state = std::make_unique<State>();
  state->shared = state_->shared;
  state->shared.client = &client;
  state->shared.symbols = nullptr;
  state->threads.resize(state_->threads.size());
  for (std::size_t t = 0; t < state->threads.size(); ++t) {
    if (state_->threads[t] != nullptr)
      state->threads[t] = std::make_unique<WalkThread>(*state_->threads[t], state->shared);
  }
  return Walker(std::move(state));
}

void Walker::collect(SymbolicBuilder* symbols) {
  state_->shared.symbols = symbols;
}

const trace::Definitions& Walker::definitions() const {
  return *state_->shared.definitions;
}

}  // namespace racecast::model
