// Feeds a trace to any number of passes: one reader, one decoding, every batch to every pass. With several jobs, the
// passes of a batch run in parallel, and filters are split by memory; the batches themselves stay in order, so that the
// answer does not depend on it.
#include <fmt/format.h>

#include <algorithm>
#include <barrier>
#include <memory>
#include <thread>

#include "analysis/analysis.h"
#include "analysis/hb/fasttrack.h"
#include "analysis/lockset/unprotected.h"
#include "trace/validator.h"

namespace racecast::analysis {

namespace {

using Passes = std::vector<Pass*>;

// Into how many parts a filter is split at the most: each part computes all clocks.
constexpr unsigned kMaxShards = 4;

// Runs every pass on a batch, on `jobs` threads, the calling one among them. The threads wait between batches.
class Crew {
 public:
  Crew(const Passes& passes, unsigned jobs)
      : passes_(passes),
        count_(static_cast<unsigned>(std::clamp<std::size_t>(jobs, 1, std::max<std::size_t>(passes.size(), 1)))),
        start_(count_),
        end_(count_) {
    for (unsigned i = 1; i < count_; ++i) threads_.emplace_back([this, i] { work(i); });
  }
  ~Crew() {
    done_ = true;
    if (count_ > 1) start_.arrive_and_wait();
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  void run(std::span<const trace::Event> batch, std::uint64_t first) {
    batch_ = batch;
    first_ = first;
    if (count_ > 1) start_.arrive_and_wait();
    share(0);
    if (count_ > 1) end_.arrive_and_wait();
  }

 private:
  void share(unsigned worker) const {
    for (std::size_t i = worker; i < passes_.size(); i += count_) passes_[i]->events(batch_, first_);
  }
  void work(unsigned worker) {
    for (;;) {
      start_.arrive_and_wait();
      if (done_) return;
      share(worker);
      end_.arrive_and_wait();
    }
  }

  const Passes& passes_;
  const unsigned count_;
  std::barrier<> start_, end_;
  std::span<const trace::Event> batch_;  // these three change only between the barriers
  std::uint64_t first_ = 0;
  bool done_ = false;
  std::vector<std::jthread> threads_;
};

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

// Reads the source to its end. Returns the number of events.
Result<std::uint64_t> feed(trace::EventSource& source, const Passes& passes, const Input& input, const Facts& facts,
                           bool check) {
  Crew crew(passes, input.jobs);
  trace::Validator validator(source.definitions());
  std::uint64_t count = 0;
  for (;;) {
    RC_TRY(const auto batch, source.next());
    if (batch.empty()) return count;
    if (check) {
      const std::string name = input.name.empty() ? "" : input.name + ": ";
      if (Status status = validator.add(batch); !status) return bad_input(name + status.error().message);
      if (validator.saw_missing_code() && !facts.has_missing)  // the index of a file is only a claim
        return bad_input(name + "the index says that there is no missing code, but there is: the file is damaged");
    }
    crew.run(batch, count);
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

}  // namespace

Result<Outputs> run(const Input& input, std::span<const std::string> names) {
  std::vector<const Analysis*> wanted;
  bool racy_wanted = false, unprotected_wanted = false;
  for (const std::string& name : names) {
    const Analysis* const analysis = find_analysis(name);
    if (analysis == nullptr) return bad_input(fmt::format("there is no analysis {}", name));
    racy_wanted |= analysis->filter == Filter::Racy;
    unprotected_wanted |= analysis->filter == Filter::Unprotected;
    wanted.push_back(analysis);
  }
  RC_TRY(const auto first_source, input.open());
  RC_TRY(const bool has_missing, has_missing_code(input, *first_source));
  const Facts facts{has_missing};
  const PassContext context{first_source->definitions(), facts, nullptr, input.keep_racy_events};
  std::vector<std::unique_ptr<Pass>> passes(wanted.size());
  Passes first_round;
  const unsigned jobs = std::max(input.jobs, 1u);
  const auto racy = make_filter<FastTrack>(context, racy_wanted, jobs, first_round);
  const auto unprotected = make_filter<Unprotected>(context, unprotected_wanted, jobs, first_round);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]->filter != Filter::None) continue;
    passes[i] = wanted[i]->make(context);
    first_round.push_back(passes[i].get());
  }
  Outputs outputs;
  outputs.facts = facts;
  RC_TRY(outputs.events, feed(*first_source, first_round, input, facts, input.check));

  model::GranuleSet racy_granules, unprotected_granules;
  for (const auto& shard : racy) racy_granules.insert(shard->racy());
  for (const auto& shard : unprotected) unprotected_granules.insert(shard->granules());
  std::unique_ptr<trace::EventSource> second_source;  // the passes refer to its definitions
  if (!racy_granules.empty() || !unprotected_granules.empty()) {
    RC_TRY(second_source, input.open());
    Passes second_round;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const model::GranuleSet& granules = wanted[i]->filter == Filter::Racy ? racy_granules : unprotected_granules;
      if (wanted[i]->filter == Filter::None || granules.empty()) continue;
      passes[i] = wanted[i]->make({second_source->definitions(), facts, &granules, input.keep_racy_events});
      second_round.push_back(passes[i].get());
    }
    RC_TRY_STATUS(feed(*second_source, second_round, input, facts, false));
  }

  outputs.definitions = first_source->definitions();
  Input for_finish = input;
  for (const auto& pass : passes) {
    const std::size_t number = outputs.by_analysis.size();
    outputs.by_analysis.emplace_back();
    if (pass == nullptr) continue;  // its filter let nothing through
    RC_TRY(outputs.by_analysis.back(), pass->finish(for_finish));
    for (finding::Finding& finding : outputs.by_analysis.back().findings) {
      finding.fingerprint = finding::fingerprint_of(finding, outputs.definitions);
      if (input.only_new && finding.schedule)
        for_finish.scheduled.push_back(finding::places_of(finding, outputs.definitions));
    }
    if (input.only_new && names[number] == "maximal") for_finish.after_maximal = true;
    if (input.only_new && names[number] == "value") for_finish.after_value = true;
    for (finding::Finding& finding : outputs.by_analysis.back().candidates)
      finding.fingerprint = finding::fingerprint_of(finding, outputs.definitions);
  }
  return outputs;
}

}  // namespace racecast::analysis
