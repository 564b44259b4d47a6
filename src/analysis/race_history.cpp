#include "analysis/race_history.h"

namespace racecast::analysis {

using model::ByteMask;
using trace::Event;

void RaceHistory::remember(ThreadHistory& own, const Record& record) const {
  own.last_access = record.time;
  if (record.writes) own.last_write = record.time;
  const Key wanted{(std::uint64_t{index(record.location)} << 32) | (std::uint64_t{record.mask} << 2) |
                       (record.writes ? 2u : 0u) | (record.atomic ? 1u : 0u),
                   options_.by_lockset ? record.lockset : 0};
  const auto known = std::find(own.keys.begin(), own.keys.end(), wanted);
  if (known != own.keys.end()) {
    own.records[static_cast<std::size_t>(known - own.keys.begin())] = record;
  } else {
    own.keys.push_back(wanted);
    own.records.push_back(record);
  }
}

void RaceHistory::report(const Event& e, const Record& record) {
  racy_.add(record.event, e.location);
  std::sort(found_.begin(), found_.end(), [](const auto& a, const auto& b) { return a.second.event < b.second.event; });
  for (const auto& [thread, other] : found_) {
    RacePair pair{side(thread, other), side(e.thread, record), {}};
    if (options_.stamps) {
      model::VectorClock past(other.past.times());
      past.join(record.past.times());
      past.set(thread, std::max<model::Time>(other.time - 1, record.past[thread]));
      past.set(e.thread, record.time - 1);
      pair.past.kept = lanes_.counts(past.times());
    }
    pairs_.push_back(std::move(pair));
  }
}

void RaceHistory::forget(std::vector<ThreadHistory>& threads, ByteMask mask) {
  for (ThreadHistory& history : threads) {
    for (std::size_t i = 0; i < history.records.size();) {
      history.records[i].mask &= static_cast<ByteMask>(~mask);
      if (history.records[i].mask == 0) {
        history.records.erase(history.records.begin() + static_cast<std::ptrdiff_t>(i));
        history.keys.erase(history.keys.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        history.keys[i].what &= ~(std::uint64_t{mask} << 2);
        ++i;
      }
    }
  }
  std::erase_if(threads, [](const ThreadHistory& history) { return history.records.empty(); });
}

void RaceHistory::forget(const Event& e) {
  model::for_granules_of(
      history_, e.address, e.size,
      [](std::vector<ThreadHistory>& threads, ByteMask mask, std::uint64_t) { forget(threads, mask); });
}

finding::Access RaceHistory::side(ThreadId thread, const Record& record) const {
  finding::Access access{EventNo{record.event},
                         lanes_.recorded({thread, record.time}).thread,
                         record.location,
                         record.writes,
                         record.atomic,
                         record.frees,
                         record.address,
                         record.size,
                         {},
                         contexts_.call_sites(record.stack)};
  for (const model::Hold& hold : contexts_.locks(record.lockset)) access.locks.push_back({hold.lock, hold.shared});
  return access;
}

}  // namespace racecast::analysis
