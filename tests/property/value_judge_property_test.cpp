// The judge that runs the program model (witness/model_run.h) against the interpreter: a schedule of recorded events is
// accepted exactly if the interpreter, run along it, does the recorded events: same instructions, addresses and
// branches. And then reads and writes have the interpreter's values, tries and compare-and-swaps its outcomes. Programs
// without missing functions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "program/litmus/litmus.h"
#include "program/machine/machine.h"
#include "property/laws.h"
#include "property/random_litmus.h"
#include "trace/recorder.h"
#include "witness/judge.h"

namespace racecast::property {
namespace {

using finding::Schedule;
using trace::Event;
using trace::EventKind;

bool ends_otherwise(const Event& a, const Event& b) {
  return (a.has(trace::kTry) || a.has(trace::kCas)) && a.has(trace::kFailed) != b.has(trace::kFailed);
}

// The same event, save for the values of accesses, and outcomes.
bool same_event(Event a, Event b) {
  if (ends_otherwise(a, b)) a.flags ^= trace::kFailed;
  if (trace::is_access(a.kind)) a.value = a.aux = b.value = b.aux = 0;
  return a == b;
}

// The interpreter, driven by a schedule of recorded events. Local computation is done with the step before it, so
// events are compared when the schedule comes to them, not when they happen.
class Follower : public trace::EventSink {
 public:
  Follower(const model::Execution& execution, const Schedule& schedule)
      : execution_(execution),
        recorder_(execution.trace().definitions.program, definitions_, *this),
        observer_(recorder_.observer()),
        done_(execution.threads()),
        events_(execution.threads()) {
    for (std::size_t i = 0; i < schedule.size(); ++i) place_[schedule[i].event] = i;
    machine_.emplace(*program::Machine::start(execution.trace().definitions.program, observer_));
  }

  bool follow(EventNo no) {
    const Event& recorded = execution_.event(no);
    const std::size_t t = index(recorded.thread);
    if (execution_.position(no) != done_[t]) return false;
    // The machine runs ahead: a thread may have begun before the schedule comes to its fork.
    if (const auto fork = execution_.fork_of(recorded.thread);
        fork && execution_.position(*fork) >= done_[index(execution_.event(*fork).thread)])
      return false;
    // And a thread that has left its path is never joined, even if it has ended.
    if (recorded.kind == EventKind::Join &&
        done_[index(recorded.child())] != execution_.events_of(recorded.child()).size())
      return false;
    while (events_[t].size() <= done_[t])
      if (!advance(recorded.thread)) return false;
    const Event& event = events_[t][done_[t]++];
    if (!same_event(event, recorded)) return false;
    if (trace::reads(event) && event.value != recorded.value) reads_.push_back({no, event.value});
    if (ends_otherwise(event, recorded)) ended_.push_back(no);
    if (trace::writes(event) &&
        (!trace::writes(recorded) || trace::stored_value(event) != trace::stored_value(recorded)))
      writes_.push_back({no, trace::stored_value(event)});
    return true;
  }

  const Schedule& reads() const { return reads_; }              // that do not return what was recorded
  const Schedule& writes() const { return writes_; }            // that do not store what was recorded
  const std::vector<EventNo>& ended() const { return ended_; }  // otherwise than recorded

 private:
  Status add(const Event& event) override {
    if (index(event.thread) >= events_.size()) events_.resize(index(event.thread) + 1);
    events_[index(event.thread)].push_back(event);
    return {};
  }

  bool advance(ThreadId thread) {
    if (index(thread) >= machine_->threads() || !machine_->next(thread).enabled) return false;
    const program::NextStep next = machine_->next(thread);
    const bool notify = next.instruction->op == program::Op::Notify;
    if (!machine_->step(thread, observer_, notify ? sleeper_to_wake(next.address) : 0)) return false;
    if (next.instruction->op == program::Op::Wait && !next.second_half) sleepers_[next.address].push_back(thread);
    if (next.instruction->op == program::Op::NotifyAll) sleepers_[next.address].clear();
    return true;
  }

  // Of the sleepers in order of arrival, the one that the schedule wakes first.
  std::size_t sleeper_to_wake(std::uint64_t condition) {
    std::vector<ThreadId>& sleepers = sleepers_[condition];
    if (sleepers.empty()) return 0;
    const auto wakes_at = [&](ThreadId sleeper) {
      const auto events = execution_.events_of(sleeper);
      const std::size_t next = events_[index(sleeper)].size();
      const auto at = next < events.size() ? place_.find(events[next]) : place_.end();
      return at == place_.end() ? ~std::size_t{0} : at->second;
    };
    const auto chosen = std::ranges::min_element(sleepers, {}, wakes_at);
    const std::size_t place = static_cast<std::size_t>(chosen - sleepers.begin());
    sleepers.erase(chosen);
    return place;
  }

  const model::Execution& execution_;
  trace::Definitions definitions_;
  trace::Recorder recorder_;
  program::Observer observer_;
  std::optional<program::Machine> machine_;
  std::vector<std::size_t> done_;           // by thread
  std::vector<std::vector<Event>> events_;  // by thread: what the machine did
  std::map<EventNo, std::size_t> place_;
  std::map<std::uint64_t, std::vector<ThreadId>> sleepers_;
  Schedule reads_, writes_;
  std::vector<EventNo> ended_;
};

struct Counts {
  std::uint64_t accepted = 0, rejected = 0;
  std::uint64_t deviating = 0;  // accepted, with another value
  std::uint64_t ended = 0;      // accepted, with another outcome
  std::uint64_t beyond = 0;     // of these, those that need the model
  std::uint64_t undecided = 0;  // see is_undecided()
  std::map<std::string, std::uint64_t, std::less<>> rules;
};

std::string text_of(const Schedule& schedule) {
  std::string text;
  for (const finding::ScheduleStep& step : schedule)
    text += step.value ? fmt::format(" {}={}", index(step.event), *step.value) : fmt::format(" {}", index(step.event));
  return text;
}

class Comparison {
 public:
  Comparison(const trace::Trace& trace, Counts& counts)
      : judge_(trace, witness::Values::Model), recorded_(trace), counts_(counts) {}

  const model::Execution& execution() const { return judge_.execution(); }
  const std::string& complaint() const { return complaint_; }

  // Does the interpreter accept the schedule (all of its steps but the last are known to be accepted)? Complains if the
  // judge does not agree.
  bool accepts(const Schedule& schedule) {
    Follower machine(execution(), schedule);
    std::size_t steps = 0;
    while (steps < schedule.size() && machine.follow(schedule[steps].event)) ++steps;
    const bool expected = steps == schedule.size();
    const witness::Judgement judgement = judge_.reordering(schedule);
    if (judgement.accepted) {
      ++counts_.accepted;
      if (!judgement.deviating.empty()) ++counts_.deviating;
      if (!judgement.ended.empty()) ++counts_.ended;
      if (!recorded_.reordering(schedule).accepted) ++counts_.beyond;
    } else {
      ++counts_.rejected;
      ++counts_.rules[std::string(judgement.rule)];
    }
    if (expected && !judgement.accepted && is_undecided(schedule, judgement)) {
      ++counts_.undecided;
      return false;
    }
    if (expected != judgement.accepted) {
      complain(schedule, expected
                             ? fmt::format("rejected by {} at {}: {}", judgement.rule, judgement.step, judgement.detail)
                             : fmt::format("accepted; the interpreter leaves the path at step {}", steps));
    } else if (expected && judgement.deviating != machine.reads()) {
      complain(schedule, fmt::format("other reads:{} but the interpreter:{}", text_of(judgement.deviating),
                                     text_of(machine.reads())));
    } else if (expected && judgement.stored != machine.writes()) {
      complain(schedule, fmt::format("other writes:{} but the interpreter:{}", text_of(judgement.stored),
                                     text_of(machine.writes())));
    } else if (expected && judgement.ended != machine.ended()) {
      complain(schedule, "other outcomes than those of the interpreter");
    } else if (!expected && judgement.step != steps) {
      complain(schedule, fmt::format("rejected at {} by {}, not at {}", judgement.step, judgement.rule, steps));
    }
    return expected;
  }

 private:
  // Whether an index other than the recorded one is out of bounds as well, the judge does not know.
  bool is_undecided(const Schedule& schedule, const witness::Judgement& judgement) const {
    if (judgement.step >= schedule.size()) return false;
    const Event& e = execution().event(schedule[judgement.step].event);
    if (e.kind != EventKind::Branch || e.value != 1) return false;
    for (const program::Function& f : execution().trace().definitions.program->functions)
      for (const program::Block& block : f.blocks)
        for (const program::Instruction& i : block.instructions)
          if (index(i.id) == index(e.location)) return i.op == program::Op::Index;
    return false;
  }

  void complain(const Schedule& schedule, const std::string& what) {
    if (complaint_.empty()) complaint_ = fmt::format("schedule{}: {}", text_of(schedule), what);
  }

  witness::Judge judge_, recorded_;
  Counts& counts_;
  std::string complaint_;
};

std::vector<EventNo> next_events(const model::Execution& execution, const std::vector<std::uint32_t>& done) {
  std::vector<EventNo> next;
  for (std::uint32_t t = 0; t < execution.threads(); ++t) {
    const auto events = execution.events_of(ThreadId{t});
    if (done[t] < events.size()) next.push_back(events[done[t]]);
  }
  return next;
}

void shuffle(std::vector<EventNo>& events, Random& random) {
  for (std::size_t k = events.size(); k > 1; --k)
    std::swap(events[k - 1], events[static_cast<std::size_t>(random.below(static_cast<int>(k)))]);
}

// One random schedule, as long as it goes; each step that cannot be taken is tried, too.
void walk_randomly(Comparison& compare, Random& random) {
  const model::Execution& execution = compare.execution();
  std::vector<std::uint32_t> done(execution.threads());
  Schedule schedule;
  for (bool progress = true; progress && compare.complaint().empty();) {
    progress = false;
    std::vector<EventNo> next = next_events(execution, done);
    shuffle(next, random);
    for (const EventNo no : next) {
      const std::uint32_t thread = static_cast<std::uint32_t>(index(execution.event(no).thread));
      schedule.push_back({no, std::nullopt});
      if (!compare.accepts(schedule)) {
        schedule.pop_back();
        continue;
      }
      ++done[thread];
      progress = true;
      break;
    }
  }
}

// Nobody else sees it, and nobody can stop it.
bool is_private(EventKind kind) {
  return kind == EventKind::ThreadBegin || kind == EventKind::ThreadEnd || kind == EventKind::Branch ||
         kind == EventKind::Call || kind == EventKind::Return || kind == EventKind::Fork;
}

// Every schedule, depth first, but for where private events are: they come first. False: there were more than `budget`.
bool walk_everywhere(Comparison& compare, int& budget, std::vector<std::uint32_t>& done, Schedule& schedule) {
  const model::Execution& execution = compare.execution();
  for (const EventNo no : next_events(execution, done)) {
    if (!compare.complaint().empty()) return true;
    // Joins that come too early are for the other tests.
    const Event& e = execution.event(no);
    if (e.kind == EventKind::Join && done[index(e.child())] < execution.events_of(e.child()).size()) continue;
    if (--budget < 0) return false;
    schedule.push_back({no, std::nullopt});
    if (compare.accepts(schedule)) {
      ++done[index(execution.event(no).thread)];
      if (!walk_everywhere(compare, budget, done, schedule)) return false;
      --done[index(execution.event(no).thread)];
      if (is_private(execution.event(no).kind)) {
        schedule.pop_back();
        return true;
      }
    }
    schedule.pop_back();
  }
  return true;
}

// The recorded order, and then again and again two neighbours of different threads exchanged: mostly no schedule any
// more. Judge and interpreter agree on it.
void mutate(Comparison& compare, Random& random) {
  const model::Execution& execution = compare.execution();
  Schedule schedule;
  for (std::size_t i = 0; i < execution.size(); ++i) schedule.push_back({EventNo{i}, std::nullopt});
  for (int k = 0; k < 40 && schedule.size() > 1 && compare.complaint().empty(); ++k) {
    const auto at = static_cast<std::size_t>(random.below(static_cast<int>(schedule.size()) - 1));
    if (execution.event(schedule[at].event).thread == execution.event(schedule[at + 1].event).thread) continue;
    std::swap(schedule[at], schedule[at + 1]);
    if (!compare.accepts(schedule)) std::swap(schedule[at], schedule[at + 1]);
  }
}

// What the judge without a model accepts, the one with a model does, too: maximal is part of value. Also with missing
// code.
void includes_maximal(const trace::Trace& trace, Random& random, Counts& counts, std::string& complaint) {
  const witness::Judge recorded(trace), model(trace, witness::Values::Model);
  const model::Execution& execution = recorded.execution();
  std::vector<std::uint32_t> done(execution.threads());
  Schedule schedule;
  for (bool progress = true; progress;) {
    progress = false;
    std::vector<EventNo> next = next_events(execution, done);
    shuffle(next, random);
    for (const EventNo no : next) {
      schedule.push_back({no, std::nullopt});
      if (!recorded.reordering(schedule).accepted) {
        schedule.pop_back();
        continue;
      }
      ++done[index(execution.event(no).thread)];
      progress = true;
      break;
    }
  }
  const witness::Judgement by_model = model.reordering(schedule), by_recording = recorded.reordering(schedule);
  ++counts.accepted;
  if (!by_recording.deviating.empty()) ++counts.deviating;
  if (!by_model.accepted)
    complaint = fmt::format("schedule{}: rejected by {} at {}: {}", text_of(schedule), by_model.rule, by_model.step,
                            by_model.detail);
}

// A small program in which values matter: arithmetic, branches, indices, divisions and atomics on few variables.
class ValueProgram {
 public:
  explicit ValueProgram(std::uint64_t seed) : random_(seed) {}

  std::string text() {
    std::string text =
        "struct S {\n int f\n}\nshared int x = 1, y = 0, a[3] = 2\nshared atomic c = 0\nshared S* p\nshared mutex m\n";
    const int threads = 2 + random_.below(2);
    for (int t = 1; t <= threads; ++t) {
      text += fmt::format("thread T{} {{\n", t);
      const int count = threads == 2 ? 1 + random_.below(2) : 1;
      for (int k = 0; k < count; ++k) text += statement(true);
      text += "}\n";
    }
    return text;
  }

 private:
  std::string place() { return random_.pick<std::string>({"x", "y", fmt::format("a[{}]", expression()), "l", "a[1]"}); }
  std::string atom() { return random_.pick<std::string>({"x", "y", "l", "a[y]", "a[x & 1]", "1", "2", "c"}); }
  std::string expression() {
    const std::string op = random_.pick<std::string>({"+", "-", "*", "%", "/", "&", "<", "==", "!="});
    if (random_.chance(40)) return atom();
    return fmt::format("({} {} {})", atom(), op,
                       op == "%" || op == "/" ? random_.pick<std::string>({"2", "3", "x"}) : atom());
  }
  std::string statement(bool nested) {
    switch (random_.below(nested ? 10 : 7)) {
      case 0: return fmt::format("l = add c {}\n", atom());
      case 1: return fmt::format("l = cas c {} {}\n", atom(), atom());
      case 2: return random_.chance(50) ? "p = new S\n" : "p.f = x\n";
      case 3:
      case 4:
      case 5: return fmt::format("{} = {}\n", place(), expression());
      case 6:
        return random_.chance(50) ? "l = trylock m\n"
                                  : fmt::format("if (trylock m) {{\n{} = l\nunlock m\n}}\n", place());
      case 7: return fmt::format("lock m\n{}unlock m\n", statement(false));
      case 8: return fmt::format("if ({}) {{\n{}}} else {{\n{}}}\n", expression(), statement(false), statement(false));
      default: return fmt::format("while ({}) {{\n{}l = l + 1\n}}\n", expression(), statement(false));
    }
  }
  Random random_;
};

// Records `text` and applies the law to the trace: what is wrong, or nothing.
using Law = std::function<std::string(const trace::Trace&, Random&)>;
std::string apply(const Law& law, const std::string& text, std::uint64_t seed, std::uint64_t max_steps) {
  Result<program::LitmusFile> file = program::parse_litmus(text, "random.litmus");
  if (!file) return "";
  Result<trace::Trace> trace = trace::record(*file, {.schedule = {}, .seed = seed, .limits = {max_steps}});
  if (!trace) return "";
  Random random(seed);
  return law(*trace, random);
}

void for_random_programs(int count, std::uint64_t first_seed, const Flavour& flavour, std::uint64_t max_steps,
                         const Law& law) {
  for (std::uint64_t seed = first_seed; seed < first_seed + static_cast<std::uint64_t>(count); ++seed) {
    const RandomProgram program = random_program(seed, flavour);
    const std::string complaint = apply(law, text_of(program), seed, max_steps);
    if (complaint.empty()) continue;
    const auto fails = [&](const std::string& text) { return !apply(law, text, seed, max_steps).empty(); };
    const std::string small = text_of(shrink(program, fails));
    FAIL() << "seed " << seed << ": " << complaint << "\n--- shrunk: " << apply(law, small, seed, max_steps) << "\n"
           << small;
  }
}

// The interpreter knows what is got where other things were put, the judge does not.
constexpr Flavour kWithoutMissing{.missing = false, .callbacks = false, .outside = false};

std::uint64_t at_least(int count) {
  return static_cast<std::uint64_t>(scaled(count));
}

void print(const Counts& counts) {
  std::string rules;
  for (const auto& [rule, count] : counts.rules) rules += fmt::format(" {} {}", rule, count);
  fmt::print(
      "accepted {}, with other values {}, other outcomes {}, only by the model {}; undecided {}; rejected {}:{}\n",
      counts.accepted, counts.deviating, counts.ended, counts.beyond, counts.undecided, counts.rejected, rules);
}

TEST(ValueJudgeProperty, RandomSchedules) {
  Counts counts;
  for_random_programs(scaled(1500), 1, kWithoutMissing, 60, [&](const trace::Trace& trace, Random& random) {
    Comparison compare(trace, counts);
    for (int k = 0; k < 2; ++k) walk_randomly(compare, random);
    return compare.complaint();
  });
  print(counts);
  EXPECT_GE(counts.beyond, at_least(100));
}

TEST(ValueJudgeProperty, MutatedSchedules) {
  Counts counts;
  for_random_programs(scaled(1500), 50'000, kWithoutMissing, 60, [&](const trace::Trace& trace, Random& random) {
    Comparison compare(trace, counts);
    mutate(compare, random);
    return compare.complaint();
  });
  print(counts);
}

TEST(ValueJudgeProperty, MaximalIsIncluded) {
  Counts counts;
  for_random_programs(scaled(3000), 100'000, {}, 60, [&](const trace::Trace& trace, Random& random) {
    std::string complaint;
    includes_maximal(trace, random, counts, complaint);
    return complaint;
  });
  print(counts);
  EXPECT_GE(counts.deviating, at_least(50));
}

// Both sides of the law: what is accepted, and what is not.
TEST(ValueJudgeProperty, AllSchedulesOfSmallPrograms) {
  Counts counts;
  int complete = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(scaled(150)); ++seed) {
    const std::string text = ValueProgram(seed).text();
    ASSERT_TRUE(program::parse_litmus(text, "random.litmus").has_value()) << text;
    const std::string complaint = apply(
        [&](const trace::Trace& trace, Random&) {
          Comparison compare(trace, counts);
          int budget = 3000;
          std::vector<std::uint32_t> done(compare.execution().threads());
          Schedule schedule;
          complete += walk_everywhere(compare, budget, done, schedule) ? 1 : 0;
          return compare.complaint();
        },
        text, seed, 40);
    ASSERT_EQ(complaint, "") << "seed " << seed << "\n" << text;
  }
  print(counts);
  fmt::print("{} programs with all of their schedules\n", complete);
  if (scaled(100) < 100) return;  // too few programs to have seen everything
  EXPECT_GT(complete, scaled(150) / 4);
  EXPECT_GE(counts.beyond, at_least(1000));
  EXPECT_GE(counts.ended, at_least(1000));
  for (const char* rule : {"value-branch", "value-address", "value-fault"})
    EXPECT_GE(counts.rules[rule], at_least(10)) << rule;
}

}  // namespace
}  // namespace racecast::property
