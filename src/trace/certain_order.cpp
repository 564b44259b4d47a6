#include "trace/certain_order.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "trace/annotations.h"

namespace racecast::trace {
namespace {

class Certain : public EventSource {
 public:
  explicit Certain(std::unique_ptr<EventSource> source) : source_(std::move(source)) {}

  Result<std::span<const Event>> next() override {
    RC_TRY(const auto batch, source_->next());
    events_.assign(batch.begin(), batch.end());
    for (Event& e : events_)
      if (is_left_out(e)) e = marker(e);
    return std::span<const Event>(events_);
  }
  const Definitions& definitions() const override { return source_->definitions(); }
  std::optional<bool> has_missing_code() const override { return source_->has_missing_code(); }

 private:
  bool orders_everything(const Event& begin) {
    const std::vector<std::string>& strings = definitions().strings;
    return begin.aux < strings.size() && strings[begin.aux].ends_with(kOrdersEverything);
  }
  bool is_left_out(const Event& e) {
    if (is_uncertain(e)) return true;
    if (e.kind != EventKind::MissingBegin && e.kind != EventKind::MissingEnd) return false;
    if (index(e.thread) >= open_.size()) open_.resize(index(e.thread) + 1);
    std::vector<bool>& sections = open_[index(e.thread)];
    if (e.kind == EventKind::MissingBegin) {
      sections.push_back(orders_everything(e));
      return sections.back();
    }
    if (sections.empty()) return false;
    const bool left_out = sections.back();
    sections.pop_back();
    return left_out;
  }
  static Event marker(const Event& e) {
    Event made;
    made.kind = EventKind::Marker;
    made.thread = e.thread;
    made.location = e.location;
    return made;
  }

  std::unique_ptr<EventSource> source_;
  std::vector<Event> events_;
  std::vector<std::vector<bool>> open_;  // per thread, of the sections that it is in: whether they are left out
};

}  // namespace

bool has_uncertain_order(const Definitions& definitions) {
  return std::ranges::find(definitions.strings, kHasUncertainOrder) != definitions.strings.end();
}

OpenSource with_certain_order(OpenSource open) {
  return [open = std::move(open)]() -> Result<std::unique_ptr<EventSource>> {
    RC_TRY(std::unique_ptr<EventSource> source, open());
    return std::make_unique<Certain>(std::move(source));
  };
}

}  // namespace racecast::trace
