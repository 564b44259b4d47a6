// The laws of the prefix judge (witness/prefix_judge.h), on random traces and random litmus programs:
// - sound: what it accepts, the full judge accepts as a written-out schedule;
// - complete for its users: it accepts every pair that the definitions of shb and syncp promise (docs/semantics.md,
//   section 6), whose schedules are made here from the text: close what is before the two accesses under what events
//   need;
// - 64 claims at once get the same judgements as one by one.
// Claims are promised ones, their near misses, and random prefixes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "program/litmus/litmus.h"
#include "property/laws.h"
#include "property/oracle_facts.h"
#include "property/random_litmus.h"
#include "property/random_traces.h"
#include "trace/recorder.h"
#include "trace/validator.h"
#include "witness/judge.h"
#include "witness/prefix_judge.h"

namespace racecast::property {
namespace {

using oracle::Facts;
using oracle::Piece;
using trace::Event;
using trace::EventKind;
using witness::Judgement;
using witness::PrefixClaim;

struct Scope {
  int object = 0, thread = 0;
  bool shared = false;
  int begin = 0, end = -1;
};

// What each event needs, but for locks: the edges of `must` (without synchronises-with, which the judge does not ask
// for) and the execution edges, one clause per sentence of the text.
class Needs {
 public:
  explicit Needs(const Facts& facts) : facts_(facts), needs_(facts.trace.events.size()), reads_(needs_.size()) {
    find_scopes();
    for (int e = 0; e < facts_.size(); ++e) {
      threads_and_memory(e);
      for (int f = 0; f < e; ++f) sync(f, e);
      failed_try(e);
    }
    conditions();
  }

  // The events that must be kept for a and b to be next; nothing if one of the two is among them. `preserving`: syncp,
  // else shb.
  std::optional<finding::Prefix> close(int a, int b, bool preserving) const {
    std::vector<int> kept(facts_.of_thread.size());
    std::vector<int> work;
    const auto add = [&](int e) {
      for (int& count = kept[facts_.thread_of(e)]; count <= facts_.position[e]; ++count)
        work.push_back(facts_.of_thread[facts_.thread_of(e)][count]);
    };
    const auto has = [&](int e) { return facts_.position[e] < kept[facts_.thread_of(e)]; };
    for (const int e : {a, b}) {
      if (facts_.position[e] > 0) add(facts_.of_thread[facts_.thread_of(e)][facts_.position[e] - 1]);
      for (const int f : needs_[e]) add(f);
    }
    for (bool changed = true; changed;) {
      while (!work.empty()) {
        const int e = work.back();
        work.pop_back();
        for (const int f : needs_[e]) add(f);
        for (const int f : reads_[e]) add(f);
      }
      for (const Scope& later : scopes_) {
        if (!has(later.begin)) continue;
        for (const Scope& earlier : scopes_) {
          if (earlier.begin >= later.begin || earlier.object != later.object) continue;
          if ((earlier.shared && later.shared) || earlier.end > later.begin) continue;
          if (preserving && !has(earlier.begin)) continue;
          if (earlier.end >= 0) add(earlier.end);
        }
      }
      changed = !work.empty();
    }
    if (has(a) || has(b)) return std::nullopt;
    finding::Prefix prefix;
    for (const int count : kept) prefix.kept.push_back(static_cast<std::uint32_t>(count));
    return prefix;
  }

 private:
  const Event& event(int e) const { return facts_.event(e); }
  bool failed(int e) const { return event(e).has(trace::kFailed); }

  void find_scopes() {
    std::map<std::pair<int, int>, std::pair<std::size_t, int>> open;  // (object, thread) -> scope, depth
    std::map<int, int> slept;                                         // thread -> depth
    for (int e = 0; e < facts_.size(); ++e) {
      const EventKind kind = event(e).kind;
      const bool of_wait = kind == EventKind::Wait || kind == EventKind::Wake;
      const std::pair key(of_wait ? facts_.mutex[e] : facts_.object[e], facts_.thread_of(e));
      const bool takes = kind == EventKind::Lock || kind == EventKind::RdLock || kind == EventKind::WrLock;
      if ((takes && !failed(e)) || kind == EventKind::Wake) {
        auto [it, fresh] = open.try_emplace(key, scopes_.size(), 0);
        if (fresh) scopes_.push_back({key.first, key.second, kind == EventKind::RdLock, e, -1});
        it->second.second += kind == EventKind::Wake ? slept[key.second] : 1;
      }
      if (kind != EventKind::Unlock && kind != EventKind::RwUnlock && kind != EventKind::Wait) continue;
      auto& [scope, depth] = open.at(key);
      if (kind == EventKind::Wait) slept[key.second] = std::exchange(depth, 1);
      if (--depth > 0) continue;
      scopes_[scope].end = e;
      open.erase(key);
    }
  }

  void threads_and_memory(int e) {
    const int fork = facts_.forked_by[facts_.thread_of(e)];
    if (fork >= 0) needs_[e].push_back(fork);
    if (event(e).kind == EventKind::Join && !facts_.of_thread[event(e).aux].empty())
      needs_[e].push_back(facts_.of_thread[event(e).aux].back());
    for (const int f : facts_.tied[e]) needs_[e].push_back(f);
    for (const Piece& piece : facts_.pieces[e]) {
      if (facts_.cells[piece.cell].alloc >= 0) needs_[e].push_back(facts_.cells[piece.cell].alloc);
      if (trace::reads(event(e)) && piece.recorded_writer >= 0) reads_[e].push_back(piece.recorded_writer);
      for (int f = 0; f < e && trace::reads(event(e)); ++f)  // a state read: every earlier append
        if (trace::is_append(event(f)) && event(f).address == event(e).address) reads_[e].push_back(f);
    }
    if (event(e).kind != EventKind::Free) return;
    for (int f = 0; f < e; ++f)
      if (event(f).kind == EventKind::Alloc && event(f).address == event(e).address) needs_[e].push_back(f);
  }

  int round_of(int arrival) const {
    int earlier = 0;
    for (int f = 0; f < arrival; ++f)
      if (event(f).kind == EventKind::BarrierArrive && facts_.object[f] == facts_.object[arrival]) ++earlier;
    return earlier / *facts_.parties[facts_.object[arrival]];
  }
  void sync(int f, int e) {
    if (facts_.object[f] < 0 || facts_.object[f] != facts_.object[e]) return;
    const EventKind from = event(f).kind, to = event(e).kind;
    if (from == EventKind::SemPost && to == EventKind::SemWait) needs_[e].push_back(f);
    if (from == EventKind::SemWait && to == EventKind::SemWait && failed(e) && !failed(f)) needs_[e].push_back(f);
    if (from == EventKind::OnceDone && to == EventKind::OnceSeen) needs_[e].push_back(f);
    if (from != EventKind::BarrierArrive) return;
    const bool known = facts_.parties[facts_.object[e]].has_value();
    if (to == EventKind::BarrierArrive && known && round_of(f) < round_of(e)) needs_[e].push_back(f);
    if (to != EventKind::BarrierLeave) return;
    int own = -1;
    for (int g = 0; g < e; ++g)
      if (event(g).kind == EventKind::BarrierArrive && event(g).thread == event(e).thread &&
          facts_.object[g] == facts_.object[e])
        own = g;
    if (!known || round_of(f) == round_of(own)) needs_[e].push_back(f);
  }

  void failed_try(int e) {
    const EventKind kind = event(e).kind;
    if (!failed(e) || (kind != EventKind::Lock && kind != EventKind::RdLock && kind != EventKind::WrLock)) return;
    for (const Scope& scope : scopes_) {  // in order: the oldest hold comes first
      if (scope.object != facts_.object[e] || scope.begin > e || (scope.end >= 0 && scope.end < e)) continue;
      if (kind == EventKind::RdLock && scope.shared) continue;
      needs_[e].push_back(scope.begin);
      return;
    }
  }

  void conditions() {
    std::map<int, std::deque<int>> sleepers;
    std::map<int, int> woken_by;  // thread -> notify
    for (int e = 0; e < facts_.size(); ++e) {
      std::deque<int>& queue = sleepers[facts_.object[e]];
      const EventKind kind = event(e).kind;
      if (kind == EventKind::Wait) queue.push_back(facts_.thread_of(e));
      if (kind == EventKind::Notify || kind == EventKind::NotifyAll) {
        for (bool first = true; !queue.empty() && (first || kind == EventKind::NotifyAll); first = false) {
          woken_by[queue.front()] = e;
          queue.pop_front();
        }
      }
      if (kind != EventKind::Wake) continue;
      if (!failed(e) && !event(e).has(trace::kSpurious)) needs_[e].push_back(woken_by.at(facts_.thread_of(e)));
      woken_by.erase(facts_.thread_of(e));
      std::erase(queue, facts_.thread_of(e));
    }
  }

  const Facts& facts_;
  std::vector<std::vector<int>> needs_, reads_;
  std::vector<Scope> scopes_;
};

struct Counts {
  std::uint64_t pairs = 0, promised = 0, others = 0, others_accepted = 0;
};

struct Sample {
  PrefixClaim claim;
  bool promised = false;
};

std::vector<Sample> samples(const trace::Trace& trace, Random& random, Counts& counts) {
  const Facts facts(trace);
  const Needs needs(facts);
  std::vector<std::pair<int, int>> pairs;
  for (int b = 0; b < facts.size(); ++b)
    for (int a = 0; a < b; ++a)
      if (facts.conflict(a, b)) pairs.emplace_back(a, b);
  std::vector<Sample> all;
  for (int i = 0; i < 12 && !pairs.empty(); ++i) {
    const auto [a, b] = random.pick(pairs);
    ++counts.pairs;
    const bool swap = random.chance(50);
    const EventNo first{static_cast<std::uint64_t>(swap ? b : a)}, second{static_cast<std::uint64_t>(swap ? a : b)};
    for (const bool preserving : {false, true}) {
      const std::optional<finding::Prefix> prefix = needs.close(a, b, preserving);
      if (!prefix) continue;
      all.push_back({{*prefix, first, second}, true});
      // A near miss: one thread a little shorter or longer.
      finding::Prefix near = *prefix;
      std::uint32_t& kept = near.kept[static_cast<std::size_t>(random.below(static_cast<int>(near.kept.size())))];
      kept = random.chance(60) && kept > 0 ? kept - 1 : kept + 1;
      all.push_back({{near, first, second}, false});
    }
    finding::Prefix wild;
    for (const auto& events : facts.of_thread)
      wild.kept.push_back(static_cast<std::uint32_t>(random.below(static_cast<int>(events.size()) + 1)));
    if (random.chance(90))
      for (const int e : {a, b})
        wild.kept[static_cast<std::size_t>(facts.thread_of(e))] = static_cast<std::uint32_t>(facts.position[e]);
    all.push_back({{wild, first, second}, false});
  }
  return all;
}

std::string text_of(const PrefixClaim& claim) {
  return fmt::format("events {} and {} after {}", index(claim.a), index(claim.b), fmt::join(claim.prefix.kept, " "));
}
std::string text_of(const Judgement& said) {
  return said.accepted ? "accepted" : fmt::format("{} at step {}: {}", said.rule, said.step, said.detail);
}

std::string check_laws(const trace::Trace& trace, Random& random, Counts& counts) {
  const std::vector<Sample> all = samples(trace, random, counts);
  std::vector<PrefixClaim> claims;
  for (const Sample& sample : all) claims.push_back(sample.claim);
  const auto open = [&]() -> Result<std::unique_ptr<trace::EventSource>> {
    return std::make_unique<trace::MemorySource>(trace);
  };
  const Result<std::vector<Judgement>> judged = witness::judge_prefixes(open, claims);
  if (!judged) return "the prefix judge failed: " + judged.error().message;
  const witness::Judge judge(trace);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Judgement& said = (*judged)[i];
    const PrefixClaim& claim = claims[i];
    (all[i].promised ? counts.promised : counts.others) += 1;
    if (!all[i].promised && said.accepted) ++counts.others_accepted;
    if (all[i].promised && !said.accepted) return fmt::format("{}: promised, but {}", text_of(claim), text_of(said));
    if (said.accepted) {
      const Judgement full = judge.race(finding::schedule_of(claim.prefix, trace.events), claim.a, claim.b);
      if (!full.accepted) return fmt::format("{}: accepted, but the judge says {}", text_of(claim), text_of(full));
    }
    if (!random.chance(20)) continue;
    const auto alone = witness::judge_prefixes(open, std::span(claims).subspan(i, 1));
    if (!alone) return "the prefix judge failed: " + alone.error().message;
    if (text_of(alone->front()) != text_of(said))
      return fmt::format("{}: {}, but alone {}", text_of(claim), text_of(said), text_of(alone->front()));
  }
  return "";
}

void expect_enough(const Counts& counts) {
  std::printf("%llu pairs, %llu promised claims, %llu others, of which %llu accepted\n",
              static_cast<unsigned long long>(counts.pairs), static_cast<unsigned long long>(counts.promised),
              static_cast<unsigned long long>(counts.others), static_cast<unsigned long long>(counts.others_accepted));
  // Of two definitions for each pair; a law over few claims says little.
  EXPECT_GT(counts.promised, counts.pairs / 4);
  EXPECT_GT(counts.others_accepted, counts.others / 50);
  EXPECT_LT(counts.others_accepted, counts.others * 9 / 10);
}

void for_random_traces(int count, const TraceFlavour& flavour) {
  Counts counts;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(count); ++seed) {
    const trace::Trace trace = random_trace(seed, flavour);
    const auto apply = [&](const trace::Trace& candidate, Counts& into) {
      Random random(seed);
      return check_laws(candidate, random, into);
    };
    const std::string complaint = apply(trace, counts);
    if (complaint.empty()) continue;
    Counts ignored;
    const trace::Trace small = shrink(trace, [&](const trace::Trace& candidate) {
      return trace::validate(candidate).has_value() && !apply(candidate, ignored).empty();
    });
    FAIL() << "seed " << seed << ": " << complaint << "\n"
           << describe(trace) << "\n--- shrunk: " << apply(small, ignored) << "\n"
           << describe(small);
  }
  expect_enough(counts);
}

TEST(PrefixJudgeLaws, ShortTraces) {
  for_random_traces(scaled(20'000), {});
}
TEST(PrefixJudgeLaws, LongTraces) {
  for_random_traces(scaled(4'000), {.max_events = 60});
}
TEST(PrefixJudgeLaws, LongTracesWithoutMissingCode) {
  for_random_traces(scaled(8'000), {.max_events = 60, .missing = false});
}

TEST(PrefixJudgeLaws, LitmusPrograms) {
  Counts counts;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(scaled(8'000)); ++seed) {
    const std::string text = text_of(random_program(seed, {}));
    const Result<program::LitmusFile> file = program::parse_litmus(text, "random.litmus");
    ASSERT_TRUE(file) << file.error().message;
    const Result<trace::Trace> trace = trace::record(*file, {.schedule = {}, .seed = seed, .limits = {150}});
    ASSERT_TRUE(trace) << trace.error().message;
    Random random(seed);
    const std::string complaint = check_laws(*trace, random, counts);
    ASSERT_EQ(complaint, "") << "seed " << seed << "\n" << text << "\n" << describe(*trace);
  }
  expect_enough(counts);
}

}  // namespace
}  // namespace racecast::property
