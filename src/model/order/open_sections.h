// Which sections of missing code an event is an own point of, while a trace goes by (docs/semantics.md, section 4): of
// the sections that its thread has open, those of which no callback is open. A callback of a section ends with its
// `return`, or with the section.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/event.h"

namespace racecast::model {

// `Section` is what the user keeps of one.
template <typename Section>
class OpenSections {
 public:
  // The next event of its thread; every event must be given. `begun` stands for the section that it begins, if it does.
  // Returns those that it is an own point of, outermost first; good until the next event of this thread.
  std::span<Section> add(const trace::Event& e, Section begun = {}) {
    if (index(e.thread) >= threads_.size()) threads_.resize(index(e.thread) + 1);
    Thread& thread = threads_[index(e.thread)];
    if (thread.ended) {
      thread.open.pop_back();
      thread.calls.pop_back();
      thread.ended = false;
    }
    if (e.kind == trace::EventKind::MissingBegin) {
      thread.open.push_back(begun);
      thread.calls.push_back(0);
    }
    if (thread.open.empty()) return {};
    std::uint32_t& calls = thread.calls.back();
    if (e.kind == trace::EventKind::Return && calls > 0) --calls;
    if (e.kind == trace::EventKind::MissingEnd) {
      calls = 0;
      thread.ended = true;
    }
    std::size_t first = thread.open.size();
    while (first > 0 && thread.calls[first - 1] == 0) --first;
    if (e.kind == trace::EventKind::Call) ++calls;
    return std::span(thread.open).subspan(first);
  }

 private:
  struct Thread {
    std::vector<Section> open;
    std::vector<std::uint32_t> calls;  // of each section: recorded functions that it is in now
    bool ended = false;                // the last of them ended with the last event
  };
  std::vector<Thread> threads_;
};

}  // namespace racecast::model
