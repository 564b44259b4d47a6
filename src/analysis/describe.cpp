#include "analysis/describe.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/check.h"
#include "base/hash.h"
#include "model/contexts.h"

namespace racecast::analysis {

namespace {

constexpr const char* kShorter = "the trace ends earlier than when it was first read";

// What is wanted of one thread, in order, and how far the trace has come.
struct Wanted {
  std::vector<model::Time> times;
  std::vector<finding::Access> accesses;
  std::size_t next = 0;
  model::Time time = 0;
};

finding::Access access_of(const trace::Event& e, std::uint64_t number, model::Contexts& contexts) {
  finding::Access access{EventNo{number},
                         e.thread,
                         e.location,
                         trace::overwrites(e),
                         trace::is_atomic(e.kind),
                         e.kind == trace::EventKind::Free,
                         e.address,
                         e.size,
                         {},
                         contexts.call_sites(contexts.stack(e.thread))};
  for (const model::Hold& hold : contexts.locks(contexts.lockset(e.thread)))
    access.locks.push_back({hold.lock, hold.shared});
  return access;
}

struct PairOfAccesses {
  const finding::Access* first;
  const finding::Access* second;
};

Described assemble(std::vector<PairOfAccesses> pairs, const trace::Definitions& definitions, bool keep_racy_events) {
  std::sort(pairs.begin(), pairs.end(), [](const PairOfAccesses& x, const PairOfAccesses& y) {
    return std::pair(x.second->event, x.first->event) < std::pair(y.second->event, y.first->event);
  });
  Described described;
  std::set<std::pair<std::uint64_t, std::uint64_t>> places;
  HashSet<std::uint32_t> locations;
  std::optional<EventNo> last;
  for (const auto& [first, second] : pairs) {
    finding::Finding finding;
    finding.first = *first;
    finding.second = *second;
    if (last != second->event) {
      last = second->event;
      ++described.racy.count;
      locations.insert(static_cast<std::uint32_t>(index(second->location)));
      if (keep_racy_events) described.racy.events.push_back(second->event);
    }
    if (places.insert(finding::places_of(finding, definitions)).second)
      described.findings.push_back(std::move(finding));
  }
  described.racy.locations = locations.size();
  return described;
}

}  // namespace

Result<Described> describe_races(const Input& input, const std::vector<RaceAt>& races) {
  if (races.empty()) return Described();
  std::vector<Wanted> threads;
  std::size_t left = 0;
  const auto want = [&](const EventAt& at) {
    if (index(at.thread) >= threads.size()) threads.resize(index(at.thread) + 1);
    threads[index(at.thread)].times.push_back(at.time);
  };
  for (const RaceAt& race : races) {
    want(race.second);
    std::for_each(race.firsts.begin(), race.firsts.end(), want);
  }
  for (Wanted& wanted : threads) {
    std::sort(wanted.times.begin(), wanted.times.end());
    wanted.times.erase(std::unique(wanted.times.begin(), wanted.times.end()), wanted.times.end());
    left += wanted.times.size();
  }

  RC_TRY(auto source, input.open());
  model::Contexts contexts;
  for (std::uint64_t number = 0; left > 0;) {
    RC_TRY(const auto batch, source->next());
    if (batch.empty()) return bad_input(kShorter);
    for (const trace::Event& e : batch) {
      if (!trace::is_access(e.kind)) contexts.on_event(e);
      if (index(e.thread) < threads.size()) {
        Wanted& wanted = threads[index(e.thread)];
        ++wanted.time;
        if (wanted.next < wanted.times.size() && wanted.times[wanted.next] == wanted.time) {
          wanted.accesses.push_back(access_of(e, number, contexts));
          ++wanted.next;
          --left;
        }
      }
      ++number;
    }
  }
  const auto access_at = [&](const EventAt& at) -> const finding::Access& {
    const Wanted& wanted = threads[index(at.thread)];
    const auto place = std::lower_bound(wanted.times.begin(), wanted.times.end(), at.time);
    return wanted.accesses[static_cast<std::size_t>(place - wanted.times.begin())];
  };

  std::vector<PairOfAccesses> pairs;
  for (const RaceAt& race : races) {
    const finding::Access* first = nullptr;
    for (const EventAt& at : race.firsts) {
      const finding::Access& candidate = access_at(at);
      if (first == nullptr || first->event < candidate.event) first = &candidate;
    }
    CHECK(first != nullptr, "a race with one access");
    pairs.push_back({first, &access_at(race.second)});
  }
  return assemble(std::move(pairs), source->definitions(), input.keep_racy_events);
}

namespace {

// Reads the source up to the last of them.
Status describe_accesses(trace::EventSource& source, std::map<EventNo, finding::Access>& accesses) {
  model::Contexts contexts;
  auto next = accesses.begin();
  for (std::uint64_t number = 0; next != accesses.end();) {
    RC_TRY(const auto batch, source.next());
    if (batch.empty()) return bad_input(kShorter);
    for (const trace::Event& e : batch) {
      if (!trace::is_access(e.kind)) contexts.on_event(e);
      if (next != accesses.end() && number == index(next->first)) (next++)->second = access_of(e, number, contexts);
      ++number;
    }
  }
  return {};
}

}  // namespace

Result<std::map<EventNo, finding::Access>> describe_accesses(const Input& input, const std::set<EventNo>& numbers) {
  std::map<EventNo, finding::Access> accesses;
  for (const EventNo no : numbers) accesses[no];
  if (accesses.empty()) return accesses;
  RC_TRY(const auto source, input.open());
  RC_TRY_STATUS(describe_accesses(*source, accesses));
  return accesses;
}

Result<Described> describe_pairs(const Input& input, const std::vector<std::pair<EventNo, EventNo>>& numbers) {
  if (numbers.empty()) return Described();
  std::map<EventNo, finding::Access> accesses;
  for (const auto& [a, b] : numbers) {
    accesses[a];
    accesses[b];
  }
  RC_TRY(const auto source, input.open());
  RC_TRY_STATUS(describe_accesses(*source, accesses));
  return describe_pairs(accesses, numbers, source->definitions(), input.keep_racy_events);
}

Described describe_pairs(const std::map<EventNo, finding::Access>& accesses,
                         const std::vector<std::pair<EventNo, EventNo>>& numbers, const trace::Definitions& definitions,
                         bool keep_racy_events) {
  std::vector<PairOfAccesses> pairs;
  pairs.reserve(numbers.size());
  for (const auto& [a, b] : numbers) pairs.push_back({&accesses.at(a), &accesses.at(b)});
  return assemble(std::move(pairs), definitions, keep_racy_events);
}

}  // namespace racecast::analysis
