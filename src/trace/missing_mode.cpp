#include "trace/missing_mode.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "program/program.h"
#include "trace/definitions_codec.h"

namespace racecast::trace {

namespace {

class ChangedMissing : public EventSource {
 public:
  ChangedMissing(std::unique_ptr<EventSource> source, MissingMode mode) : source_(std::move(source)), mode_(mode) {
    follow_definitions();
  }

  Result<std::span<const Event>> next() override {
    RC_TRY(const auto batch, source_->next());
    follow_definitions();
    if (mode_ == MissingMode::Barrier) return batch;
    events_.assign(batch.begin(), batch.end());
    for (Event& e : events_) ignore(e);
    return std::span<const Event>(events_);
  }
  const Definitions& definitions() const override { return definitions_; }
  std::optional<bool> has_missing_code() const override {
    return mode_ == MissingMode::Ignore ? false : source_->has_missing_code();
  }

 private:
  void follow_definitions() {
    const std::size_t known = definitions_.reach.size();
    append_new(source_->definitions(), definitions_);
    if (mode_ == MissingMode::Barrier) {
      for (std::size_t i = known; i < definitions_.reach.size(); ++i) definitions_.reach[i] = {true, {}};
    } else {
      keep_from_running();
    }
  }
  // A litmus program can be run again along a schedule, to judge it. A run of missing code that the trace does not show
  // would contradict every one.
  void keep_from_running() {
    const auto& program = definitions_.program;
    if (program == nullptr || program->origin != program::Origin::Litmus) return;
    if (std::ranges::none_of(program->functions, &program::Function::missing)) return;
    auto cut = std::make_shared<program::Program>(*program);
    cut->origin = program::Origin::Cut;
    definitions_.program = std::move(cut);
  }
  void ignore(Event& e) {
    if (e.kind != EventKind::MissingBegin && e.kind != EventKind::MissingEnd) return;
    if (index(e.thread) >= open_.size()) open_.resize(index(e.thread) + 1);
    std::vector<std::uint64_t>& names = open_[index(e.thread)];
    if (e.kind == EventKind::MissingBegin) names.push_back(e.aux);
    // An end without a begin breaks a rule of traces, and is left for whoever checks them.
    if (names.empty()) return;
    Event marker;
    marker.kind = EventKind::Marker;
    marker.thread = e.thread;
    marker.location = e.location;
    marker.aux = names.back();
    if (e.kind == EventKind::MissingEnd) names.pop_back();
    e = marker;
  }

  std::unique_ptr<EventSource> source_;
  MissingMode mode_;
  Definitions definitions_;
  std::vector<Event> events_;
  std::vector<std::vector<std::uint64_t>> open_;  // per thread, the names of the functions that it is in
};

}  // namespace

std::optional<MissingMode> missing_mode_of(std::string_view name) {
  if (name == "reach") return MissingMode::Reach;
  if (name == "barrier") return MissingMode::Barrier;
  if (name == "ignore") return MissingMode::Ignore;
  return std::nullopt;
}

std::unique_ptr<EventSource> with_missing_mode(std::unique_ptr<EventSource> source, MissingMode mode) {
  if (mode == MissingMode::Reach) return source;
  return std::make_unique<ChangedMissing>(std::move(source), mode);
}

OpenSource with_missing_mode(OpenSource open, MissingMode mode) {
  if (mode == MissingMode::Reach) return open;
  return [open = std::move(open), mode]() -> Result<std::unique_ptr<EventSource>> {
    RC_TRY(std::unique_ptr<EventSource> source, open());
    return with_missing_mode(std::move(source), mode);
  };
}

}  // namespace racecast::trace
