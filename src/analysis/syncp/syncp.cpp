// `syncp`: all sync-preserving races, complete for the definition (docs/semantics.md, section 6).
//
// If a and b are no such race, then a and any later event of b's thread are none either (the ideal only grows). So for
// every thread, the accesses of another thread that have failed once are dropped for good, and the number of ideals is
// bounded by accesses × threads, plus one for every pair of locations reported, plus one for every racy event. Of
// accesses of one thread at one place, without a scope begun or anything learnt between them, only the last is kept: it
// races with all that the earlier ones race with. (The latest alone would not do: it may hold a lock that the earlier
// one does not.) Memory: those accesses, on granules that the filter let through.
#include "analysis/certify.h"
#include "analysis/passes.h"
#include "analysis/racy_counter.h"
#include "analysis/syncp/ideal.h"
#include "base/hash.h"

namespace racecast::analysis {

using model::ByteMask;
using trace::Event;
using trace::EventKind;

namespace {

struct Remembered {
  std::uint64_t event = 0;
  std::uint64_t address = 0;
  std::uint32_t size = 0;
  std::uint32_t stack = 0;
  Point point;
};

// What has not failed yet for one other thread: indices into Group::accesses.
struct Alive {
  ThreadId thread{};
  std::uint32_t seen = 0;  // accesses before this one have been taken in
  std::vector<std::uint32_t> accesses;
};

// The accesses of one thread at one place of the source to the same bytes of a granule.
struct Group {
  ThreadId thread{};
  LocationId location{};
  ByteMask mask = 0;
  bool writes = false, atomic = false;
  std::vector<Remembered> accesses;
  std::vector<Alive> alive;  // by the other thread
};

class SyncpPass final : public SinglePass {
 public:
  explicit SyncpPass(const PassContext& context)
      : definitions_(context.definitions),
        granules_(*context.granules),
        ideals_(context.definitions, context.facts),
        racy_(context.keep_racy_events) {}

  void events(std::span<const Event> batch, std::uint64_t first) override {
    for (const Event& recorded : batch) {
      const Event e = lanes_.rename(recorded);
      ideals_.enter(e, first);
      if (trace::is_checked(e)) {
        if (granules_.overlaps(e.address, e.size)) access(e, first);
      } else if (e.kind == EventKind::Alloc || e.kind == EventKind::Free) {
        if (trace::is_checked_free(e)) free(e, first);
        forget(e);
      }
      ideals_.leave(e);
      ++first;
    }
  }

  Result<Output> finish(const Input& input) override {
    Output output;
    output.racy = racy_.take();
    RC_TRY_STATUS(certify(input, definitions_, "syncp", std::move(pairs_), output));
    return output;
  }

 private:
  void access(const Event& e, std::uint64_t number) {
    const Remembered now{number, e.address, e.size, ideals_.contexts().stack(e.thread), ideals_.here(e.thread)};
    bool racy = false;
    // New pairs first: each of them that succeeds shows that the event is racy, too.
    for (const bool only_new : {true, false}) {
      if (!only_new && racy) break;
      model::for_each_granule(e.address, e.size, [&](std::uint64_t granule, ByteMask mask) {
        if (!granules_.contains(granule)) return;
        compare(history_[granule], mask, e, now, only_new, racy);
      });
    }
    model::for_each_granule(e.address, e.size, [&](std::uint64_t granule, ByteMask mask) {
      if (granules_.contains(granule)) remember(history_[granule], e, mask, now);
    });
    if (racy) racy_.add(number, e.location);
  }

  // An access to all of the object, and its last one.
  void free(const Event& e, std::uint64_t number) {
    bool racy = false;
    std::optional<Remembered> now;
    for (const bool only_new : {true, false}) {
      if (!only_new && racy) break;
      model::for_granules_of(
          history_, e.address, e.size, [&](std::vector<Group>& groups, ByteMask mask, std::uint64_t) {
            if (!now) now = {number, e.address, e.size, ideals_.contexts().stack(e.thread), ideals_.here(e.thread)};
            compare(groups, mask, e, *now, only_new, racy);
          });
    }
    if (racy) racy_.add(number, e.location);
  }

  void compare(std::vector<Group>& groups, ByteMask mask, const Event& e, const Remembered& now, bool only_new,
               bool& racy) {
    for (Group& group : groups) {
      if (group.thread == e.thread || (group.mask & mask) == 0 || !(group.writes || trace::overwrites(e)) ||
          (group.atomic && trace::is_atomic(e.kind)))
        continue;
      if (only_new ? is_new(group, e) : !racy) racy |= look(group, e, now, only_new);
    }
  }

  finding::Places places_of(const Group& group, const Event& e) const {
    const std::uint64_t address = group.accesses.empty() ? 0 : group.accesses.back().address;
    return std::minmax({finding::place_of(definitions_, group.location, address), finding::place_of(definitions_, e)});
  }
  bool is_new(const Group& group, const Event& e) const { return !reported_.contains(places_of(group, e)); }

  // Is one of the group's accesses a race with e? The latest is tried first, what fails is dropped.
  bool look(Group& group, const Event& e, const Remembered& now, bool report) {
    auto alive =
        std::find_if(group.alive.begin(), group.alive.end(), [&](const Alive& x) { return x.thread == e.thread; });
    if (alive == group.alive.end()) alive = group.alive.insert(alive, Alive{e.thread, 0, {}});
    // The last access may yet be replaced by a later one, so it is never taken in for good.
    const auto count = static_cast<std::uint32_t>(group.accesses.size());
    for (; alive->seen < count; ++alive->seen) alive->accesses.push_back(alive->seen);
    while (!alive->accesses.empty()) {
      const Remembered& earlier = group.accesses[alive->accesses.back()];
      std::optional<std::vector<model::Time>> schedule;
      if (earlier.point.time > now.point.past[group.thread] &&
          !ideals_.contexts().exclude_each_other(earlier.point.lockset, now.point.lockset))
        schedule = ideals_.schedule(earlier.point, now.point);
      if (schedule) {
        if (report) {
          reported_.insert(places_of(group, e));
          pairs_.push_back({side(group.thread, group, earlier), side(e, now), {lanes_.counts(*schedule)}});
        }
        return true;
      }
      alive->accesses.pop_back();
    }
    return false;
  }

  void remember(std::vector<Group>& groups, const Event& e, ByteMask mask, const Remembered& now) {
    const bool writes = trace::writes(e), atomic = trace::is_atomic(e.kind);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& g) {
      return g.thread == e.thread && g.location == e.location && g.mask == mask && g.writes == writes &&
             g.atomic == atomic;
    });
    if (group == groups.end()) group = groups.insert(group, Group{e.thread, e.location, mask, writes, atomic, {}, {}});
    if (!group->accesses.empty()) {
      Remembered& last = group->accesses.back();
      if (last.point.epoch == now.point.epoch && last.point.past.is(now.point.past)) {
        // It may live where its predecessor has failed.
        const auto place = static_cast<std::uint32_t>(group->accesses.size() - 1);
        for (Alive& alive : group->alive)
          if (alive.seen > place && (alive.accesses.empty() || alive.accesses.back() != place)) alive.seen = place;
        last = now;
        return;
      }
    }
    group->accesses.push_back(now);
  }

  void forget(const Event& e) {
    model::for_granules_of(history_, e.address, e.size, [](std::vector<Group>& groups, ByteMask mask, std::uint64_t) {
      model::forget_bytes(groups, mask);
    });
  }

  finding::Access side(ThreadId thread, const Group& group, const Remembered& access) {
    return side(thread, group.location, group.writes, group.atomic, false, access);
  }
  finding::Access side(const Event& e, const Remembered& access) {
    const bool frees = e.kind == EventKind::Free;
    return side(e.thread, e.location, trace::overwrites(e), trace::is_atomic(e.kind), frees, access);
  }
  finding::Access side(ThreadId thread, LocationId location, bool writes, bool atomic, bool frees,
                       const Remembered& access) {
    finding::Access result{EventNo{access.event},
                           lanes_.recorded({thread, access.point.time}).thread,
                           location,
                           writes,
                           atomic,
                           frees,
                           access.address,
                           access.size,
                           {},
                           ideals_.contexts().call_sites(access.stack)};
    for (const model::Hold& hold : ideals_.contexts().locks(access.point.lockset))
      result.locks.push_back({hold.lock, hold.shared});
    return result;
  }

  const trace::Definitions& definitions_;
  const model::GranuleSet granules_;
  model::Lanes lanes_;  // the threads of all that follows are lanes, but for those of pairs_
  SyncIdeals ideals_;
  HashMap<std::uint64_t, std::vector<Group>> history_;
  tsl::robin_set<finding::Places, finding::PlacesHash> reported_;
  std::vector<RacePair> pairs_;
  RacyCounter racy_;
};

}  // namespace

std::unique_ptr<Pass> make_syncp(const PassContext& context) {
  return std::make_unique<SyncpPass>(context);
}

}  // namespace racecast::analysis
