// Feeds a trace to any number of passes: one reader, one decoding, every batch to every pass. With several jobs, the
// passes of a batch run in parallel, and filters are split by memory; the batches themselves stay in order, so that the
// answer does not depend on it.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "analysis/analysis.h"
#include "analysis/crew.h"
#include "analysis/hb/fasttrack.h"
#include "analysis/lockset/unprotected.h"
#include "base/check.h"
#include "trace/validator.h"

namespace racecast::analysis {

namespace {

using Passes = std::vector<Pass*>;

// Into how many parts a filter is split at the most: each part computes all clocks.
constexpr unsigned kMaxShards = 4;

// `opened`: the trace, not yet read. Where it does not know, it is read once more from the start.
Result<bool> has_missing_code(const Input& input, const trace::EventSource& opened) {
  if (const auto known = opened.has_missing_code()) return *known;
  RC_TRY(auto source, input.open());
  for (;;) {
    RC_TRY(const auto batch, source->next());
    if (batch.empty()) return false;
    for (const trace::Event& e : batch)
      if (e.kind == trace::EventKind::MissingBegin) return true;
  }
}

struct Fed {
  std::uint64_t events = 0;
  bool stopped = false;  // a limit was reached before the end
};
// Reads the source to its end.
Result<Fed> feed(trace::EventSource& source, const Passes& passes, const Input& input, const Facts& facts,
                 const Limits& limits, bool check) {
  Crew crew(passes, input.jobs);
  trace::Validator validator(source.definitions());
  std::uint64_t count = 0;
  for (;;) {
    RC_TRY(const auto batch, source.next());
    if (batch.empty()) return Fed{count, false};
    if (count != 0 && limits.reached()) return Fed{count, true};
    if (check) {
      const std::string name = input.name.empty() ? "" : input.name + ": ";
      if (Status status = validator.add(batch); !status) return bad_input(name + status.error().message);
      if (validator.saw_missing_code() && !facts.has_missing)  // the index of a file is only a claim
        return bad_input(name + "the index says that there is no missing code, but there is: the file is damaged");
    }
    RC_TRY_STATUS(crew.run(batch, count));
    count += batch.size();
    if (input.progress) input.progress(count);
  }
}

template <typename FilterPass>
std::vector<std::unique_ptr<FilterPass>> make_filter(const PassContext& context, bool wanted, unsigned jobs,
                                                     Passes& passes) {
  std::vector<std::unique_ptr<FilterPass>> shards;
  const unsigned count = std::min(jobs, kMaxShards);
  for (unsigned i = 0; wanted && i < count; ++i) {
    shards.push_back(std::make_unique<FilterPass>(context, i, count));
    passes.push_back(shards.back().get());
  }
  return shards;
}

// A pass, and the places in the list of the analyses that it is made for: one, or those of a family.
struct Group {
  std::vector<const Analysis*> asked;
  std::vector<std::size_t> places;
  std::unique_ptr<Pass> pass;
  Filter filter() const { return asked.front()->filter; }
  void make(PassContext context) {
    context.asked = asked;
    pass = asked.front()->make(context);
  }
};

Result<std::vector<Group>> groups_of(std::span<const std::string> names) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Analysis* const analysis = find_analysis(names[i]);
    if (analysis == nullptr) return bad_input(fmt::format("there is no analysis {}", names[i]));
    auto group = std::ranges::find_if(groups, [&](const Group& other) {
      return !analysis->family.empty() && other.asked.front()->family == analysis->family;
    });
    if (group == groups.end()) group = groups.emplace(groups.end());
    group->asked.push_back(analysis);
    group->places.push_back(i);
  }
  return groups;
}

// What the group found, to its places; what has a schedule is known to those that come later.
Status finish(Group& group, Input& input, Outputs& outputs) {
  RC_TRY(std::vector<Output> found, group.pass->finish_all(input));
  CHECK(found.size() == group.places.size(), "{} outputs of {} analyses", found.size(), group.places.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::vector<finding::Finding>* const pairs : {&found[i].findings, &found[i].candidates})
      for (finding::Finding& pair : *pairs)
        if (pair.first.frees || pair.second.frees) pair.kind = finding::Kind::UseAfterFree;
    for (finding::Finding& finding : found[i].findings) {
      finding.fingerprint = finding::fingerprint_of(finding, outputs.definitions);
      if (input.only_new && finding.schedule)
        input.scheduled.push_back(finding::places_of(finding, outputs.definitions));
    }
    for (finding::Finding& finding : found[i].candidates)
      finding.fingerprint = finding::fingerprint_of(finding, outputs.definitions);
    outputs.by_analysis[group.places[i]] = std::move(found[i]);
  }
  return {};
}

// So much of the time is for a round at the most, so that there is some left for what comes behind it.
constexpr double kOfRound = 0.4;

// The first events of a trace.
class FirstEvents final : public trace::EventSource {
 public:
  FirstEvents(std::unique_ptr<trace::EventSource> source, std::uint64_t events)
      : source_(std::move(source)), left_(events) {}
  Result<std::span<const trace::Event>> next() override {
    if (left_ == 0) return std::span<const trace::Event>();
    RC_TRY(const auto batch, source_->next());
    const auto some = batch.first(std::min<std::uint64_t>(batch.size(), left_));
    left_ -= some.size();
    return some;
  }
  const trace::Definitions& definitions() const override { return source_->definitions(); }
  std::optional<bool> has_missing_code() const override { return source_->has_missing_code(); }

 private:
  std::unique_ptr<trace::EventSource> source_;
  std::uint64_t left_;
};

Result<std::unique_ptr<trace::EventSource>> only_first(const Input& input, std::uint64_t events) {
  RC_TRY(auto source, input.open());
  return std::make_unique<FirstEvents>(std::move(source), events);
}

void say_stopped(const Group& group, std::uint64_t events, const Limits& limits, Outputs& outputs) {
  for (std::size_t i = 0; i < group.places.size(); ++i) {
    Output& output = outputs.by_analysis[group.places[i]];
    output.complete = false;
    output.limit = fmt::format("{} looked at the first {} events before {} was reached{}{}", group.asked[i]->name,
                               events, limits.what(), output.limit.empty() ? "" : "; ", output.limit);
  }
}

}  // namespace

Result<Outputs> run(const Input& input, std::span<const std::string> names) {
  RC_TRY(std::vector<Group> groups, groups_of(names));
  const auto wanted = [&](Filter filter) {
    return std::ranges::any_of(groups, [&](const Group& group) { return group.filter() == filter; });
  };
  RC_TRY(const auto first_source, input.open());
  RC_TRY(const bool has_missing, has_missing_code(input, *first_source));
  const Facts facts{has_missing};
  const PassContext context{first_source->definitions(), facts, nullptr, input.keep_racy_events};
  Passes first_round;
  const unsigned jobs = std::max(input.jobs, 1u);
  auto racy = make_filter<FastTrack>(context, wanted(Filter::Racy), jobs, first_round);
  auto unprotected = make_filter<Unprotected>(context, wanted(Filter::Unprotected), jobs, first_round);
  for (Group& group : groups) {
    if (group.filter() != Filter::None) continue;
    group.make(context);
    first_round.push_back(group.pass.get());
  }
  Outputs outputs;
  outputs.facts = facts;
  RC_TRY(const Fed first, feed(*first_source, first_round, input, facts, input.limits.part(kOfRound), input.check));
  outputs.events = first.events;
  // The beginning of a trace is a trace. Whoever looks again, looks at what was looked at.
  Input seen = input;
  if (first.stopped) seen.open = [&input, end = first.events] { return only_first(input, end); };

  model::GranuleSet racy_granules, unprotected_granules;
  for (const auto& shard : racy) racy_granules.insert(shard->racy());
  for (const auto& shard : unprotected) unprotected_granules.insert(shard->granules());
  racy.clear();  // they know all memory of the program
  unprotected.clear();
  std::unique_ptr<trace::EventSource> second_source;  // the passes refer to its definitions
  Fed second = first;
  if (!racy_granules.empty() || !unprotected_granules.empty()) {
    RC_TRY(second_source, seen.open());
    Passes second_round;
    for (Group& group : groups) {
      const model::GranuleSet& granules = group.filter() == Filter::Racy ? racy_granules : unprotected_granules;
      if (group.filter() == Filter::None || granules.empty()) continue;
      group.make({second_source->definitions(), facts, &granules, input.keep_racy_events});
      second_round.push_back(group.pass.get());
    }
    RC_TRY(second, feed(*second_source, second_round, input, facts, input.limits.part(kOfRound), false));
  }

  outputs.definitions = first_source->definitions();
  outputs.by_analysis.resize(names.size());
  Input for_finish = seen;
  for (Group& group : groups)
    if (group.pass != nullptr) {  // otherwise its filter let nothing through
      RC_TRY_STATUS(finish(group, for_finish, outputs));
      group.pass.reset();
    }
  for (const Group& group : groups) {
    const Fed& fed = group.filter() == Filter::None ? first : second;
    if (first.stopped || fed.stopped) say_stopped(group, fed.events, input.limits, outputs);
  }
  return outputs;
}

Status refine(const Input& input, std::span<const std::string> names, const Outputs& outputs,
              std::vector<finding::Finding>& findings) {
  const auto asked_for = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
  for (const Analysis& analysis : analyses())
    if (analysis.refine != nullptr && asked_for(analysis.name) && asked_for(analysis.builds_on))
      RC_TRY_STATUS(analysis.refine(input, outputs, findings));
  return {};
}

}  // namespace racecast::analysis
