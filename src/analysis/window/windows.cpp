#include "analysis/window/windows.h"

#include <algorithm>

namespace racecast::analysis::predict {

WindowSize fitting(std::uint64_t memory) {
  WindowSize size;
  if (memory == 0) return size;
  const std::uint64_t events = std::max(memory / kBytesOfEvent, kLeastWindow);
  return {std::min(size.whole, events), std::min(size.window, events)};
}

std::uint64_t count_windows(std::uint64_t events, const WindowSize& size) {
  if (events <= size.whole) return 1;
  if (events <= size.window) return 1;
  const std::uint64_t step = std::max<std::uint64_t>(size.window, 2) / 2;
  return 1 + (events - size.window + step - 1) / step;
}

finding::Interleaving in_trace(finding::Interleaving schedule, const WindowOfTrace& window) {
  schedule.recorded = window.first + schedule.recorded - window.fixed;
  schedule.end = schedule.end > window.fixed ? window.first + schedule.end - window.fixed : window.first;
  for (finding::Schedule* steps : {&schedule.others, &schedule.stored})
    for (finding::ScheduleStep& step : *steps) step.event = window.number(step.event);
  for (finding::Ended& one : schedule.ended) one.event = window.number(one.event);
  return schedule;
}

Windows::Windows(std::unique_ptr<trace::EventSource> source, WindowSize size, const SemaphoreStarts& starts)
    : source_(std::move(source)),
      size_{size.whole, std::max<std::uint64_t>(size.window, 2)},
      state_(source_->definitions(), starts) {}

Status Windows::fill(std::uint64_t events) {
  while (!ended_ && buffer_.size() < events) {
    RC_TRY(const auto batch, source_->next());
    if (batch.empty()) ended_ = true;
    buffer_.insert(buffer_.end(), batch.begin(), batch.end());
  }
  return {};
}

Result<std::optional<WindowOfTrace>> Windows::next() {
  WindowOfTrace window;
  if (!started_) {
    started_ = true;
    RC_TRY_STATUS(fill(size_.whole + 1));
    if (buffer_.size() <= size_.whole) {
      window.trace = {source_->definitions(), std::move(buffer_)};
      window.whole = true;
      buffer_ = {};
      return window;
    }
  } else {
    // Was the last window the last? It had all that is there.
    if (ended_ && buffer_.size() <= size_.window) return std::optional<WindowOfTrace>();
    const std::uint64_t step = size_.window / 2;
    for (std::uint64_t i = 0; i < step; ++i) state_.add(buffer_[i]);
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(step));
  }
  RC_TRY_STATUS(fill(size_.window + 1));
  const std::span events(buffer_.data(), std::min<std::uint64_t>(buffer_.size(), size_.window));
  window.first = state_.events();
  window.trace.definitions = source_->definitions();
  window.trace.events = state_.carry(events);
  window.fixed = window.trace.events.size();
  window.trace.events.insert(window.trace.events.end(), events.begin(), events.end());
  state_.say_counts(std::span(window.trace.events).subspan(window.fixed));
  return window;
}

}  // namespace racecast::analysis::predict
