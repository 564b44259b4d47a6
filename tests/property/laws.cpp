#include "property/laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "program/binary.h"
#include "program/litmus/ast.h"
#include "program/machine/explore.h"
#include "property/laws_orders.h"
#include "trace/reader.h"
#include "trace/text.h"
#include "trace/writer.h"
#include "witness/judge.h"

namespace racecast::property {

using oracle::Pair;
using trace::Trace;

LocationPair in_order(LocationId a, LocationId b) {
  return {std::min(a, b), std::max(a, b)};
}

std::string describe(const Trace& trace, const std::set<LocationPair>& pairs) {
  std::string out;
  for (const auto& [a, b] : pairs)
    out += fmt::format(" ({}[{}],{}[{}])", name_of_location(trace.definitions, a), index(a),
                       name_of_location(trace.definitions, b), index(b));
  return out.empty() ? " none" : out;
}

namespace {

std::string text_of(const std::vector<EventNo>& schedule) {
  std::string out;
  for (const EventNo e : schedule) out += fmt::format(" {}", index(e));
  return out;
}

// The schedule with what each of its reads returns, where that is known.
finding::Schedule with_values(const oracle::Facts& facts, const std::vector<EventNo>& events) {
  oracle::Execution execution(facts);
  finding::Schedule schedule;
  for (const EventNo event : events) {
    const int e = static_cast<int>(index(event));
    finding::ScheduleStep step{event, std::nullopt};
    if (trace::reads(facts.event(e))) step.value = execution.returns(e);
    schedule.push_back(step);
    execution.append(e);
  }
  return schedule;
}

// What the oracle says about a schedule with claimed values: a claim that is not what the read returns breaks `value`.
std::optional<oracle::Breach> breach(const oracle::Facts& facts, const finding::Schedule& schedule) {
  oracle::Execution execution(facts);
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    if (index(schedule[i].event) >= facts.trace.events.size()) return oracle::Breach{i, {"prefix"}};
    const int e = static_cast<int>(index(schedule[i].event));
    oracle::Rules broken = execution.broken_by(e);
    if (broken.empty() && trace::reads(facts.event(e)) && schedule[i].value &&
        execution.returns(e) != schedule[i].value)
      broken.insert("value");
    if (!broken.empty()) return oracle::Breach{i, broken};
    execution.append(e);
  }
  return std::nullopt;
}

std::string compare(const oracle::Facts& facts, const witness::Judge& judge, const finding::Schedule& schedule) {
  const std::optional<oracle::Breach> wrong = breach(facts, schedule);
  const witness::Judgement said = judge.reordering(schedule);
  if (said.accepted == !wrong && (said.accepted || (said.step == wrong->step && wrong->rules.contains(said.rule))))
    return "";
  std::string steps;
  for (const finding::ScheduleStep& step : schedule)
    steps += step.value ? fmt::format(" {}={}", index(step.event), *step.value) : fmt::format(" {}", index(step.event));
  return fmt::format("schedule{}: the judge says {} (step {}, {}), the oracle {}", steps,
                     said.accepted ? "correct" : said.rule, said.step, said.detail,
                     wrong ? fmt::format("{} (step {})", fmt::join(wrong->rules, ", "), wrong->step) : "correct");
}

// Do judge and oracle agree on whether a and b are both next after the (correct) schedule of `execution`?
std::string compare_race(const oracle::Facts& facts, const oracle::Execution& execution, const witness::Judge& judge,
                         const finding::Schedule& schedule, int a, int b) {
  const bool race = facts.conflict(a, b) && execution.broken_by_next(a).empty() && execution.broken_by_next(b).empty();
  const witness::Judgement said = judge.race(schedule, static_cast<EventNo>(a), static_cast<EventNo>(b));
  if (said.accepted == race) return "";
  std::string steps;
  for (const int e : execution.events()) steps += fmt::format(" {}", e);
  return fmt::format("after{}: {} and {} are {} for the oracle, the judge says {}: {}", steps, a, b,
                     race ? "a race" : "no race", said.rule, said.detail);
}

}  // namespace

int scaled(int count) {
  const char* text = std::getenv("RACECAST_PROPERTY_SCALE");
  const double scale = text == nullptr ? 1.0 : std::strtod(text, nullptr);
  return std::max(1, static_cast<int>(scale * count));
}

std::string describe(const Trace& trace) {
  std::string out;
  trace::EventPrinter printer(trace.definitions);
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    out += fmt::format("{:4}  ", i);
    printer.print(trace.events[i], out);
    out += '\n';
  }
  return out;
}

std::string earliest_hb_race_is_a_race(const Trace& trace, const oracle::Races& races) {
  if (!races.search.complete || !first_race_is_certain(trace, "hb")) return "";
  const std::set<Pair> pairs = oracle::hb_pairs(trace);
  if (pairs.empty()) return "";
  EventNo earliest = pairs.begin()->second;
  for (const auto& [a, b] : pairs) earliest = std::min(earliest, b);
  for (const auto& [a, b] : pairs)
    if (b == earliest && !races.witnesses.contains({a, b}))
      return fmt::format("the earliest hb race ({},{}) is no race", index(a), index(b));
  return "";
}

std::string judge_accepts_witnesses(const Trace& trace, const oracle::Races& races) {
  const witness::Judge judge(trace);
  const oracle::Facts facts(trace);
  for (const auto& [pair, events] : races.witnesses) {
    const witness::Judgement said = judge.race(with_values(facts, events), pair.first, pair.second);
    if (!said.accepted)
      return fmt::format("race ({},{}) after{}: the judge says {} at step {}: {}", index(pair.first),
                         index(pair.second), text_of(events), said.rule, said.step, said.detail);
  }
  return "";
}

std::string judge_agrees_everywhere(const Trace& trace, std::uint64_t* judged) {
  const witness::Judge judge(trace);
  const oracle::Facts facts(trace);
  std::string complaint;
  oracle::for_all_reorderings(facts, {.memoise = false}, [&](const oracle::Execution& execution) {
    if (!complaint.empty()) return;
    finding::Schedule schedule;
    for (const int e : execution.events()) schedule.push_back({static_cast<EventNo>(e), std::nullopt});
    for (int e = 0; e < facts.size() && complaint.empty(); ++e) {
      schedule.push_back({static_cast<EventNo>(e), std::nullopt});
      complaint = compare(facts, judge, schedule);
      schedule.pop_back();
      for (int f = 0; f < e && complaint.empty(); ++f)
        if (facts.conflict(f, e)) complaint = compare_race(facts, execution, judge, schedule, f, e);
      if (judged != nullptr) ++*judged;
    }
  });
  return complaint;
}

std::string judge_agrees_on_random_schedules(const Trace& trace, Random& random, int rounds) {
  const witness::Judge judge(trace);
  const oracle::Facts facts(trace);
  const int threads = static_cast<int>(facts.of_thread.size());
  for (int round = 0; round < rounds; ++round) {
    oracle::Execution execution(facts);
    finding::Schedule schedule;
    const int length = random.below(2 * facts.size() + 1);
    const bool claims = random.chance(50);
    for (int i = 0; i < length; ++i) {
      std::vector<int> possible;
      for (int t = 0; t < threads; ++t)
        if (const int e = execution.next_of(t); e >= 0 && execution.broken_by(e).empty()) possible.push_back(e);
      if (possible.empty()) break;
      const int e = random.pick(possible);
      finding::ScheduleStep step{static_cast<EventNo>(e), std::nullopt};
      if (claims && trace::reads(facts.event(e))) step.value = execution.returns(e);
      schedule.push_back(step);
      execution.append(e);
    }
    if (std::string complaint = compare(facts, judge, schedule); !complaint.empty()) return complaint;
    // Any event after it.
    for (int e = 0; e < facts.size(); ++e) {
      schedule.push_back({static_cast<EventNo>(e), std::nullopt});
      if (std::string complaint = compare(facts, judge, schedule); !complaint.empty()) return complaint;
      schedule.pop_back();
    }
    // Any pair next after it.
    for (int s = 0; s < threads; ++s)
      for (int t = s + 1; t < threads; ++t) {
        const int a = execution.next_of(s), b = execution.next_of(t);
        if (a < 0 || b < 0) continue;
        if (std::string c = compare_race(facts, execution, judge, schedule, std::min(a, b), std::max(a, b)); !c.empty())
          return c;
      }
    if (schedule.empty()) continue;
    const auto anywhere = [&] { return random.below(static_cast<int>(schedule.size())); };
    for (int mutation = 0; mutation < 6; ++mutation) {
      finding::Schedule other = schedule;
      const int i = anywhere(), k = anywhere();
      switch (mutation) {
        case 0: std::swap(other[i], other[k]); break;
        case 1: other.erase(other.begin() + i); break;
        case 2: other.insert(other.begin() + k, other[i]); break;
        case 3: std::rotate(other.begin() + std::min(i, k), other.begin() + std::max(i, k), other.end()); break;
        case 4: other.erase(other.begin() + std::min(i, k), other.begin() + std::max(i, k)); break;
        default: other[i].value = other[i].value.value_or(0) + static_cast<std::uint64_t>(random.below(2)); break;
      }
      if (std::string complaint = compare(facts, judge, other); !complaint.empty()) return complaint;
    }
  }
  return "";
}

std::string trace_forms_agree(const Trace& trace, const std::string& scratch_file) {
  const std::string text = trace::print_text(trace);
  if (const Status written = trace::write_trace(trace, scratch_file); !written) return written.error().message;
  Result<trace::Reader> reader = trace::Reader::open(scratch_file);
  if (!reader) return reader.error().message;
  const Result<Trace> back = trace::read_all(*reader);
  if (!back) return back.error().message;
  if (reader->damage()) return "the file is damaged: " + reader->damage()->text;
  if (back->events != trace.events) return "the binary form gives other events";
  if (trace::print_text(*back) != text) return "the binary form gives another text:\n" + trace::print_text(*back);
  const bool had = trace.definitions.program != nullptr, has = back->definitions.program != nullptr;
  if (had != has || (had && *trace.definitions.program != *back->definitions.program))
    return "the binary form gives another program";
  const Result<Trace> parsed = trace::parse_text(text, "printed");
  if (!parsed) return "what was printed does not parse: " + parsed.error().message + "\n" + text;
  if (parsed->events != trace.events) return "the text form gives other events:\n" + text;
  if (trace::print_text(*parsed) != text) return "printing what was parsed gives another text:\n" + text;
  return "";
}

std::string program_forms_agree(const program::LitmusFile& file) {
  const std::string printed = program::print_litmus(*file.tree);
  const Result<program::LitmusFile> again = program::parse_litmus(printed, "printed");
  if (!again) return "what was printed does not parse: " + again.error().message + "\n" + printed;
  if (!(*again->tree == *file.tree)) return "what was printed gives another tree:\n" + printed;
  if (program::print_litmus(*again->tree) != printed) return "printing it again gives another text:\n" + printed;
  if (again->run != file.run) return "printing it loses the run line";
  const std::vector<std::uint8_t> bytes = program::encode(*file.program);
  const Result<program::Program> decoded = program::decode(bytes);
  if (!decoded) return "its binary form does not decode: " + decoded.error().message;
  if (!(*decoded == *file.program)) return "its binary form gives another program";
  return "";
}

std::string races_are_real(const program::LitmusFile& file, const Trace& trace, const oracle::Races& races) {
  const Result<program::Exploration> all = program::explore(file.program, {.max_states = 100'000});
  if (!all) return "exploration failed: " + all.error().message;
  if (!all->complete) return "";
  std::set<LocationPair> real;
  for (const program::ExploredRace& race : all->races)
    real.insert(in_order(static_cast<LocationId>(index(race.a)), static_cast<LocationId>(index(race.b))));
  for (const auto& [pair, witness] : races.witnesses) {
    const LocationPair found =
        in_order(trace.events[index(pair.first)].location, trace.events[index(pair.second)].location);
    if (!real.contains(found))
      return fmt::format("race ({},{}), that is{}, after{}, is no race of the program, which has{}", index(pair.first),
                         index(pair.second), describe(trace, {found}), text_of(witness), describe(trace, real));
  }
  return "";
}

}  // namespace racecast::property
