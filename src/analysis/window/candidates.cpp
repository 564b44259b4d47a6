#include "analysis/window/candidates.h"

#include <algorithm>

#include "analysis/window/certain_locks.h"
#include "base/check.h"
#include "base/hash.h"
#include "model/memory/granules.h"

namespace racecast::analysis::predict {

using trace::Event;
using trace::EventKind;

namespace {

// Granules that two threads touch and one of them writes; who frees an object writes what was touched of it.
class SharedMemory {
 public:
  explicit SharedMemory(std::span<const Event> events) {
    add_accesses(events);
    for (const Event& e : events) {
      if (!trace::is_checked_free(e)) continue;
      model::for_granules_of(granules_, e.address, e.size, [&](Use& use, model::ByteMask, std::uint64_t) {
        use.shared |= use.thread != e.thread;
        use.written = true;
      });
    }
  }
  bool contains(std::uint64_t granule) const {
    const auto it = granules_.find(granule);
    return it != granules_.end() && it->second.shared && it->second.written;
  }
  // function(granule) for those of a range.
  template <typename Function>
  void for_each(std::uint64_t address, std::uint64_t size, Function&& function) const {
    model::for_granules_of(granules_, address, size, [&](const Use& use, model::ByteMask, std::uint64_t granule) {
      if (use.shared && use.written) function(granule);
    });
  }
  bool contains(const Event& e) const {
    bool any = false;
    for_each(e.address, e.size, [&](std::uint64_t) { any = true; });
    return any;
  }

 private:
  void add_accesses(std::span<const Event> events) {
    for (const Event& e : events) {
      if (!trace::is_access(e.kind)) continue;
      model::for_each_granule(e.address, e.size, [&](std::uint64_t granule, model::ByteMask) {
        auto [it, fresh] = granules_.try_emplace(granule, Use{e.thread, false, false});
        if (it->second.thread != e.thread) it.value().shared = true;
        if (trace::writes(e)) it.value().written = true;
      });
    }
  }
  struct Use {
    ThreadId thread{};
    bool shared = false, written = false;
  };
  HashMap<std::uint64_t, Use> granules_;
};

// Bytes that some missing code of the trace can reach.
class Reached {
 public:
  explicit Reached(const model::Execution& execution) {
    HashSet<std::uint32_t> sets;
    for (const model::Section& section : execution.sections()) sets.insert(section.reach);
    for (const std::uint32_t set : sets) {
      const trace::ReachSet& reach = execution.trace().definitions.reach[set];
      everything_ |= reach.everything;
      ranges_.insert(ranges_.end(), reach.ranges.begin(), reach.ranges.end());
    }
    std::sort(ranges_.begin(), ranges_.end());
    std::size_t last = 0;
    for (std::size_t i = 1; i < ranges_.size(); ++i) {
      trace::Range& before = ranges_[last];
      if (ranges_[i].address <= before.address + before.size)
        before.size = std::max(before.size, ranges_[i].address + ranges_[i].size - before.address);
      else
        ranges_[++last] = ranges_[i];
    }
    if (!ranges_.empty()) ranges_.resize(last + 1);
  }
  bool contains(const Event& e) const {
    if (everything_) return true;
    const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), e.address + e.size - 1,
                                        [](std::uint64_t a, const trace::Range& range) { return a < range.address; });
    return after != ranges_.begin() && std::prev(after)->address + std::prev(after)->size > e.address;
  }

 private:
  bool everything_ = false;
  std::vector<trace::Range> ranges_;
};

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  return MixHash()(a) + b;
}

struct GranuleOfLife {
  std::uint64_t granule = 0;
  std::uint32_t life = 0;
  bool operator==(const GranuleOfLife&) const = default;
};
struct GranuleHash {
  std::size_t operator()(const GranuleOfLife& g) const { return MixHash()(mix(g.granule, g.life)); }
};

}  // namespace

Candidates::Candidates(const model::Execution& execution, Options options)
    : execution_(execution), options_(std::move(options)) {
  CHECK(execution.size() < kNone32, "a window of {} events", execution.size());
  model::Contexts contexts;
  find_sites(contexts);
  find_bundles(contexts);
  meeting_ = {};
}

// Numbers sites and meetings as they appear, and keeps the first access of a site in each stretch of its thread.
struct Candidates::SiteFinder {
  struct SiteHash {
    std::size_t operator()(const Site& s) const {
      return MixHash()(mix(mix(mix(mix(s.place, s.address), s.life), s.lockset),
                           (std::uint64_t{index(s.thread)} << 34) + (std::uint64_t{s.size} << 2) +
                               (s.writes ? 2U : 0U) + (s.atomic ? 1U : 0U)));
    }
  };

  explicit SiteFinder(Candidates& candidates)
      : all(candidates),
        shared(candidates.execution_.trace().events),
        reached(candidates.execution_),
        stretch(candidates.execution_.threads(), 1) {}

  void add_access(std::size_t i, const Event& e, model::LocksetId lockset) {
    const Site site{e.thread,
                    finding::place_of(all.execution_.trace().definitions, e),
                    lockset,
                    all.execution_.life_of(EventNo{i}),
                    e.address,
                    e.size,
                    trace::overwrites(e),
                    trace::is_atomic(e.kind),
                    e.kind == EventKind::Free};
    const auto [it, fresh] = numbers.try_emplace(site, static_cast<std::uint32_t>(all.sites_.size()));
    if (fresh) add_site(site, it->second);
    const std::uint64_t now = stretch[index(e.thread)];
    if (kept_in[it->second] == now) return;
    kept_in[it->second] = now;
    kept.emplace_back(it->second, static_cast<std::uint32_t>(i));
  }
  void add_site(const Site& site, std::uint32_t number) {
    all.sites_.push_back(site);
    kept_in.push_back(0);
    shared.for_each(site.address, site.size, [&](std::uint64_t granule) {
      const auto [at, first] =
          meeting.try_emplace(GranuleOfLife{granule, site.life}, static_cast<std::uint32_t>(all.meeting_.size()));
      if (first) all.meeting_.push_back({granule, {}});
      all.meeting_[at->second].sites.push_back(number);
    });
  }
  // Could anybody else need the event? Then a stretch of its thread ends with it.
  bool ends_stretch(std::size_t i, const Event& e) const {
    if (!all.execution_.sections_of(EventNo{i}).empty()) return true;  // also a call inside of missing code
    if (trace::is_access(e.kind)) {
      const bool may_write = trace::writes(e) || (e.has(trace::kCas) && all.options_.symbols != nullptr);
      return (may_write && shared.contains(e)) || reached.contains(e);
    }
    // What only its own thread minds.
    return e.kind != EventKind::Branch && e.kind != EventKind::Value && e.kind != EventKind::Marker &&
           e.kind != EventKind::Call && e.kind != EventKind::Return;
  }

  Candidates& all;
  const SharedMemory shared;
  const Reached reached;
  tsl::robin_map<Site, std::uint32_t, SiteHash> numbers;
  tsl::robin_map<GranuleOfLife, std::uint32_t, GranuleHash> meeting;
  std::vector<std::uint64_t> kept_in;                         // by site: the stretch of its last access that is kept
  std::vector<std::uint64_t> stretch;                         // by thread
  std::vector<std::pair<std::uint32_t, std::uint32_t>> kept;  // site, event
};

void Candidates::find_sites(model::Contexts& contexts) {
  const std::vector<Event>& events = execution_.trace().events;
  SiteFinder finder(*this);
  CertainLocks locks(options_.symbols);
  const auto number_of = [&](std::size_t i) {
    const EventNo no = options_.numbers != nullptr ? (*options_.numbers)[i] : EventNo{i};
    return no == model::kUndecided ? std::nullopt : std::optional(no);
  };
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& e = events[i];
    const bool counts = trace::is_checked(e) || trace::is_checked_free(e);
    if (i >= options_.fixed && counts && finder.shared.contains(e)) finder.add_access(i, e, contexts.lockset(e.thread));
    if (!trace::is_access(e.kind)) locks.pass(e, number_of(i), contexts);
    if (finder.ends_stretch(i, e)) ++finder.stretch[index(e.thread)];
  }
  sort_by_site(finder.kept);
}

void Candidates::sort_by_site(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& kept) {
  begin_.assign(sites_.size() + 1, 0);
  for (const auto& [site, event] : kept) ++begin_[site + 1];
  for (std::size_t s = 0; s < sites_.size(); ++s) begin_[s + 1] += begin_[s];
  events_.resize(kept.size());
  std::vector<std::uint64_t> next(begin_.begin(), begin_.end() - 1);
  for (const auto& [site, event] : kept) events_[next[site]++] = event;
}

bool Candidates::conflict(const Site& a, const Site& b) {
  return a.thread != b.thread && (a.writes || b.writes) && !(a.atomic && b.atomic) && !(a.frees && b.frees) &&
         a.life == b.life && a.address < b.address + b.size && b.address < a.address + a.size;
}

// function(x, first, last): the access x of one site (a's, or b's if those are fewer) may be concurrent with the
// accesses [first, last) of the other.
template <typename Function>
void Candidates::for_intervals(std::uint32_t a, std::uint32_t b, Function&& function) const {
  auto few = events_of(a), many = events_of(b);
  if (few.size() > many.size()) std::swap(few, many);
  for (const std::uint32_t x : few) {
    const auto concurrent = [&](std::uint32_t y) { return options_.may_be_concurrent(EventNo{x}, EventNo{y}); };
    // Must-order is part of the recorded order: what is not concurrent and recorded before x, is before x.
    const auto middle = std::lower_bound(many.begin(), many.end(), x);
    const auto first = std::partition_point(many.begin(), middle, [&](std::uint32_t y) { return !concurrent(y); });
    const auto last = std::partition_point(middle, many.end(), concurrent);
    if (first != last) function(x, std::span(first, last));
  }
}

namespace {

AccessPair in_order(std::uint32_t x, std::uint32_t y) {
  return {EventNo{std::min(x, y)}, EventNo{std::max(x, y)}};
}

}  // namespace

void Candidates::find_bundles(model::Contexts& contexts) {
  tsl::robin_map<finding::Places, std::uint32_t, finding::PlacesHash> numbers;
  for (const auto& [granule, sites] : meeting_) {
    if (sites.size() > kMaxSites) ++counts_.cut;
    const std::size_t count = std::min<std::size_t>(sites.size(), kMaxSites);
    for (std::size_t k = 1; k < count; ++k) {
      for (std::size_t j = 0; j < k; ++j) {
        const Site &a = sites_[sites[j]], &b = sites_[sites[k]];
        // Sites that share several granules are looked at in the first of them.
        if (!conflict(a, b) || std::max(a.address, b.address) >> 3 != granule) continue;
        const finding::Places places = std::minmax(a.place, b.place);
        if (options_.leave_out != nullptr && options_.leave_out->contains(places)) {
          left_out_.insert(places);
          continue;
        }
        if (options_.one_of != nullptr && !options_.one_of->contains(places.first) &&
            !options_.one_of->contains(places.second))
          continue;
        const std::uint64_t product = events_of(sites[j]).size() * events_of(sites[k]).size();
        counts_.conflicting += product;
        if (contexts.exclude_each_other(a.lockset, b.lockset)) {
          counts_.locked += product;
          continue;
        }
        Bundle bundle{sites[j], sites[k], 0};
        AccessPair closest;
        const auto distance = [](const AccessPair& pair) { return index(pair.second) - index(pair.first); };
        for_intervals(bundle.a, bundle.b, [&](std::uint32_t x, auto interval) {
          const auto after = std::lower_bound(interval.begin(), interval.end(), x);
          const auto consider = [&](std::uint32_t y) {
            const AccessPair pair = in_order(x, y);
            if (closest == AccessPair() || distance(pair) < distance(closest)) closest = pair;
          };
          if (after != interval.begin()) consider(*std::prev(after));
          if (after != interval.end()) consider(*after);
          bundle.pairs += interval.size();
        });
        counts_.ordered += product - bundle.pairs;
        if (bundle.pairs == 0) continue;
        const auto [it, fresh] = numbers.try_emplace(places, static_cast<std::uint32_t>(pairs_.size()));
        if (fresh) pairs_.push_back({places, {}, closest, false});
        PairOfPlaces& pair = pairs_[it->second];
        if (distance(closest) < distance(pair.closest)) pair.closest = closest;
        if (pair.bundles.size() < kMaxBundles)
          pair.bundles.push_back(bundle);
        else
          pair.cut = true;
      }
    }
  }
}

std::vector<Candidates::Class> Candidates::classes_of(const PairOfPlaces& pair) const {
  std::vector<Class> classes;
  tsl::robin_map<std::uint64_t, std::vector<std::size_t>, MixHash> by_hash;
  for (const Bundle& bundle : pair.bundles) {
    const Site *a = &sites_[bundle.a], *b = &sites_[bundle.b];
    if (std::pair(b->thread, b->lockset) < std::pair(a->thread, a->lockset)) std::swap(a, b);
    const auto same = [&](std::size_t c) {
      const Bundle& other = *classes[c].bundles.front();
      const Site *x = &sites_[other.a], *y = &sites_[other.b];
      if (std::pair(y->thread, y->lockset) < std::pair(x->thread, x->lockset)) std::swap(x, y);
      return x->thread == a->thread && x->lockset == a->lockset && y->thread == b->thread && y->lockset == b->lockset;
    };
    const std::uint64_t hash = mix(mix(mix(index(a->thread), a->lockset), index(b->thread)), b->lockset);
    std::vector<std::size_t>& known = by_hash[hash];
    auto it = std::find_if(known.begin(), known.end(), same);
    if (it == known.end()) {
      it = known.insert(known.end(), classes.size());
      classes.emplace_back();
    }
    classes[*it].bundles.push_back(&bundle);
    classes[*it].pairs += bundle.pairs;
  }
  return classes;
}

void Candidates::all_of(const Class& c, std::vector<AccessPair>& pairs) const {
  for (const Bundle* bundle : c.bundles)
    for_intervals(bundle->a, bundle->b, [&](std::uint32_t x, auto interval) {
      for (const std::uint32_t y : interval) pairs.push_back(in_order(x, y));
    });
}

// Every so many-th of the accesses that have partners, each with the nearest partner before it and after it.
void Candidates::some_of(const Class& c, std::vector<AccessPair>& pairs) const {
  std::vector<AccessPair> nearest;
  for (const Bundle* bundle : c.bundles)
    for_intervals(bundle->a, bundle->b, [&](std::uint32_t x, auto interval) {
      const auto after = std::lower_bound(interval.begin(), interval.end(), x);
      if (after != interval.begin()) nearest.push_back(in_order(*std::prev(after), x));
      if (after != interval.end()) nearest.push_back(in_order(x, *after));
    });
  const std::size_t count = std::min<std::size_t>(nearest.size(), kSomeOfClass);
  for (std::size_t i = 0; i < count; ++i) pairs.push_back(nearest[i * nearest.size() / count]);
}

Candidates::Tries Candidates::tries(std::size_t i) const {
  const PairOfPlaces& pair = pairs_[i];
  Tries tries;
  tries.all = !pair.cut;
  struct Ranked {
    std::size_t rank = 0, of_class = 0;
    AccessPair pair;
  };
  std::vector<Ranked> ranked;
  std::vector<AccessPair> own;
  std::size_t number = 0;
  for (const Class& c : classes_of(pair)) {
    own.clear();
    if (c.pairs <= kAllOfClass) {
      all_of(c, own);
    } else {
      some_of(c, own);
      tries.all = false;
    }
    const auto key = [](const AccessPair& p) { return std::tuple(index(p.second) - index(p.first), p.first); };
    std::sort(own.begin(), own.end(), [&](const AccessPair& x, const AccessPair& y) { return key(x) < key(y); });
    for (std::size_t rank = 0; rank < own.size(); ++rank) ranked.push_back({rank, number, own[rank]});
    ++number;
  }
  std::sort(ranked.begin(), ranked.end(), [](const Ranked& x, const Ranked& y) {
    return std::tuple(x.rank, x.of_class) < std::tuple(y.rank, y.of_class);
  });
  if (ranked.size() > kMaxTries) {
    ranked.resize(kMaxTries);
    tries.all = false;
  }
  for (const Ranked& r : ranked) tries.pairs.push_back(r.pair);
  return tries;
}

}  // namespace racecast::analysis::predict
