#include "analysis/unseen/ties.h"

#include <algorithm>
#include <array>
#include <map>

#include "analysis/unseen/unrecorded.h"
#include "base/hash.h"
#include "model/order/open_sections.h"

namespace racecast::analysis::unseen {

using model::Time;
using trace::Event;

namespace {

constexpr std::uint64_t kNoName = ~std::uint64_t{0};

class Look {
 public:
  Look(const trace::Definitions& definitions, model::Order order, const std::vector<OrderedPair>& pairs)
      : unrecorded_(definitions), clocks_(order, definitions, true), pairs_(pairs), names_(pairs.size(), kNoName) {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      auto& firsts = firsts_[pairs[i].first.thread];
      firsts.push_back({pairs[i].first.time, {}});
      ends_[pairs[i].second].push_back(i);
    }
    for (auto& [thread, firsts] : firsts_) {
      std::ranges::sort(firsts, {}, &First::time);
      const auto same = std::ranges::unique(firsts, {}, &First::time);
      firsts.erase(same.begin(), same.end());
    }
  }

  // False: all pairs have been seen.
  bool add(const Event& recorded) {
    const Event e = lanes_.rename(recorded);
    clocks_.enter(e);
    // Innermost last; those of other kinds are numbers that no name has.
    const std::span<std::uint64_t> own = sections_.add(e, unrecorded_.is_unrecorded(e.aux) ? e.aux : kNoName);
    const auto name = std::ranges::find_if(own.rbegin(), own.rend(), [](std::uint64_t n) { return n != kNoName; });
    const Time now = clocks_.now(e.thread);
    Thread& self = thread(e.thread);
    if (name != own.rend()) {
      self.own_points[self.next_own_point++ % self.own_points.size()] = {now, *name};
    }
    std::size_t of_thread = 0;
    for (auto& [from, firsts] : firsts_) {
      learn(e.thread, self, from, firsts, of_thread, name == own.rend() ? kNoName : *name);
      ++of_thread;
    }
    clocks_.leave(e);
    if (const auto end = ends_.find({e.thread, now}); end != ends_.end()) {
      for (const std::size_t i : end->second) names_[i] = name_of(e.thread, pairs_[i].first);
      ends_.erase(end);
    }
    return !ends_.empty();
  }

  const std::vector<std::uint64_t>& names() const { return names_; }

 private:
  // How a thread came to know of an event: at its own time, by missing code of this name.
  struct Learned {
    Time time = 0;
    std::uint64_t name = kNoName;
  };
  struct First {
    Time time = 0;
    std::map<ThreadId, Learned> by;  // thread: how it learned of it
  };
  struct OwnPoint {
    Time time = 0;
    std::uint64_t name = kNoName;
  };
  struct Thread {
    std::vector<std::size_t> known;         // of each thread with first events: how many it has learned of
    std::array<OwnPoint, 32> own_points{};  // the last ones
    std::size_t next_own_point = 0;
  };

  Thread& thread(ThreadId id) {
    if (index(id) >= threads_.size()) threads_.resize(index(id) + 1);
    Thread& self = threads_[index(id)];
    self.known.resize(firsts_.size());
    return self;
  }

  // The thread `id` is at an event, an own point of `own`. Of the first events of `from`, which are new to it?
  void learn(ThreadId id, Thread& self, ThreadId from, std::vector<First>& firsts, std::size_t of_thread,
             std::uint64_t own) {
    std::size_t& known = self.known[of_thread];
    const Time now = clocks_.now(id);
    while (known < firsts.size() &&
           (id == from ? firsts[known].time <= now : clocks_.before(from, firsts[known].time, id))) {
      First& first = firsts[known++];
      const std::uint64_t name = id == from ? kNoName : own != kNoName ? own : told(id, first);
      first.by.emplace(id, Learned{now, name});
    }
  }

  // By whom a thread was told that learns of it now, at no own point.
  std::uint64_t told(ThreadId id, const First& first) {
    const model::VectorClock& clock = clocks_.clock(id);
    for (const auto& [other, learned] : first.by)
      if (learned.name != kNoName && learned.time <= clock[other]) return learned.name;
    for (const auto& [other, learned] : first.by) {
      if (learned.time > clock[other]) continue;
      for (const OwnPoint& point : threads_[index(other)].own_points)
        if (point.time == clock[other] && point.name != kNoName) return point.name;
    }
    return kNoName;
  }

  std::uint64_t name_of(ThreadId second, const EventAt& at) {
    const std::vector<First>& firsts = firsts_[at.thread];
    const auto first = std::ranges::lower_bound(firsts, at.time, {}, &First::time);
    const auto learned = first->by.find(second);
    return learned == first->by.end() ? kNoName : learned->second.name;
  }

  UnrecordedSections unrecorded_;
  model::Lanes lanes_;
  model::SyncClocks clocks_;
  const std::vector<OrderedPair>& pairs_;
  std::vector<std::uint64_t> names_;  // of `pairs`
  std::map<ThreadId, std::vector<First>> firsts_;
  std::map<EventAt, std::vector<std::size_t>> ends_;  // second event: its pairs
  std::vector<Thread> threads_;
  model::OpenSections<std::uint64_t> sections_;
};

}  // namespace

Result<std::vector<std::optional<std::string>>> tying_functions(const Input& input, model::Order order,
                                                                const std::vector<OrderedPair>& pairs) {
  std::vector<std::optional<std::string>> functions(pairs.size());
  if (pairs.empty()) return functions;
  RC_TRY(const auto source, input.open());
  Look look(source->definitions(), order, pairs);
  for (bool more = true; more;) {
    RC_TRY(const auto batch, source->next());
    if (batch.empty()) break;
    for (const Event& e : batch)
      if (more) more = look.add(e);
  }
  const std::vector<std::string>& strings = source->definitions().strings;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (const std::uint64_t name = look.names()[i]; name < strings.size()) functions[i] = strings[name];
  return functions;
}

}  // namespace racecast::analysis::unseen
