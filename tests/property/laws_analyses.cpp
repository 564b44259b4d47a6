#include "property/laws_analyses.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "analysis/analysis.h"
#include "property/laws.h"
#include "witness/judge.h"

namespace racecast::property {

using analysis::Output;
using finding::Finding;
using oracle::Pair;
using trace::Trace;

namespace {

std::string text_of(const finding::Witness& witness) {
  if (const auto* prefix = std::get_if<finding::Prefix>(&witness))
    return fmt::format("{}", fmt::join(prefix->kept, " "));
  const auto& interleaving = std::get<finding::Interleaving>(witness);
  std::string out = fmt::format("{} recorded", interleaving.recorded);
  for (const finding::Stretch& stretch : interleaving.stretches)
    out += fmt::format(" {}*{}", index(stretch.thread), stretch.events);
  for (const finding::ScheduleStep& step : interleaving.others)
    out += fmt::format(" {}={}", index(step.event), step.value ? std::to_string(*step.value) : "?");
  return out;
}

std::string text_of(const std::set<EventNo>& events) {
  std::string out;
  for (const EventNo e : events) out += fmt::format(" {}", index(e));
  return out.empty() ? " none" : out;
}

// Everything that an answer says.
std::string text_of(const Finding& f) {
  std::string out = fmt::format("({},{}) at ({},{}) {} by {}, fingerprint {:x}, reason {}", index(f.first.event),
                                index(f.second.event), index(f.first.location), index(f.second.location),
                                text_of(f.grade), fmt::join(f.analyses, " "), f.fingerprint, f.reason);
  if (f.schedule) out += ", schedule " + text_of(*f.schedule);
  if (f.depends_on) out += fmt::format(", depends on {}", *f.depends_on);
  return out + "\n";
}
std::string text_of(const Output& output) {
  std::string out = fmt::format("{} racy events at {} locations:", output.racy.count, output.racy.locations);
  for (const EventNo e : output.racy.events) out += fmt::format(" {}", index(e));
  out += fmt::format("\n{} {}\n", output.complete ? "complete" : "not complete:", output.limit);
  for (const Finding& f : output.findings) out += "finding " + text_of(f);
  for (const Finding& f : output.candidates) out += "candidate " + text_of(f);
  for (const std::string& text : output.rejected) out += "rejected " + text + "\n";
  return out;
}

Result<std::vector<Output>> run(const Trace& trace, std::span<const std::string> names, unsigned jobs = 1) {
  analysis::Input input = analysis::input_of(trace);
  input.keep_racy_events = true;
  input.jobs = jobs;
  Result<analysis::Outputs> outputs = analysis::run(input, names);
  if (!outputs) return std::unexpected(outputs.error());
  return std::move(outputs->by_analysis);
}
Result<Output> run(const Trace& trace, const std::string& name) {
  Result<std::vector<Output>> outputs = run(trace, std::span(&name, 1));
  if (!outputs) return std::unexpected(outputs.error());
  return std::move(outputs->front());
}

// Runs some analyses together (company_changes_nothing: that is as good as alone) and asks `law` about each answer.
template <typename Law>
std::string for_answers(const Trace& trace, const std::vector<std::string>& names, const Law& law) {
  if (names.empty()) return "";
  const Result<std::vector<Output>> outputs = run(trace, names);
  if (!outputs) return fmt::format("{} failed: {}", fmt::join(names, ", "), outputs.error().message);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (std::string complaint = law(names[i], (*outputs)[i]); !complaint.empty()) return complaint;
  return "";
}

// The rules that a finding with a schedule must obey, by the judge and by the oracle.
std::string is_scheduled(const oracle::Facts& facts, const witness::Judge& judge, const Finding& f) {
  const finding::Schedule schedule = finding::schedule_of(*f.schedule, facts.trace.events);
  const witness::Judgement said = judge.race(schedule, f.first.event, f.second.event);
  if (!said.accepted) return fmt::format("the judge says {}: {}", said.rule, said.detail);
  std::vector<EventNo> events;
  for (const finding::ScheduleStep& step : schedule) events.push_back(step.event);
  if (const std::optional<oracle::Breach> wrong = oracle::breach(facts, events))
    return fmt::format("step {} breaks {}", wrong->step, fmt::join(wrong->rules, ", "));
  oracle::Execution execution(facts);
  for (const EventNo e : events) execution.append(static_cast<int>(index(e)));
  const int a = static_cast<int>(index(f.first.event)), b = static_cast<int>(index(f.second.event));
  if (!facts.conflict(a, b)) return "no conflict";
  if (!execution.broken_by_next(a).empty() || !execution.broken_by_next(b).empty()) return "not both next";
  return "";
}

std::string is_exact(const Trace& trace, const std::string& analysis, const Output& output,
                     const oracle::Limits& limits) {
  const std::optional<std::set<Pair>> pairs = oracle::pairs_of(analysis, trace, limits);
  if (!pairs) return "";
  if (!output.complete) return fmt::format("{} gave up: {}", analysis, output.limit);

  std::set<LocationPair> found, wanted;
  for (const std::vector<Finding>* list : {&output.findings, &output.candidates})
    for (const Finding& f : *list) {
      if (!found.insert(in_order(f.first.location, f.second.location)).second)
        return fmt::format("{} says the same pair twice:\n{}", analysis, text_of(output));
      const bool frees = trace.events[index(f.second.event)].kind == trace::EventKind::Free;
      if (f.first.frees || f.second.frees != frees || (f.kind == finding::Kind::UseAfterFree) != frees)
        return fmt::format("{} does not tell a free from an access:\n{}", analysis, text_of(output));
    }
  for (const auto& [a, b] : *pairs)
    wanted.insert(in_order(trace.events[index(a)].location, trace.events[index(b)].location));
  if (found != wanted)
    return fmt::format("{} finds{}, the oracle{}", analysis, describe(trace, found), describe(trace, wanted));

  const std::set<EventNo> racy_wanted = oracle::racy_events(*pairs);
  const std::set<EventNo> racy(output.racy.events.begin(), output.racy.events.end());
  if (racy != racy_wanted)
    return fmt::format("{} has the racy events{}, the oracle{}", analysis, text_of(racy), text_of(racy_wanted));
  std::set<LocationId> locations;
  for (const EventNo e : racy) locations.insert(trace.events[index(e)].location);
  if (output.racy.count != racy.size() || output.racy.locations != locations.size() ||
      !std::is_sorted(output.racy.events.begin(), output.racy.events.end()))
    return fmt::format("{} counts {} racy events at {} locations", analysis, output.racy.count, output.racy.locations);
  return "";
}

std::string is_certain(const Trace& trace, const std::string& analysis, const Output& output,
                       const oracle::Races& races) {
  if (!output.rejected.empty())
    return fmt::format("the judge rejected a schedule of {}: {}", analysis, output.rejected.front());
  const bool promises_schedules = analysis == "shb" || analysis == "syncp";
  if (promises_schedules && !output.candidates.empty()) return analysis + " has candidates";
  if (output.findings.empty()) return "";
  const witness::Judge judge(trace);
  const oracle::Facts facts(trace);
  for (const Finding& f : output.findings) {
    const std::string name = fmt::format("{} finding ({},{})", analysis, index(f.first.event), index(f.second.event));
    if (races.search.complete && !races.witnesses.contains(std::minmax(f.first.event, f.second.event)))
      return name + " is not among the oracle's races";
    if (promises_schedules && !f.schedule) return name + " has no schedule";
    if (!f.schedule) continue;
    if (const std::string complaint = is_scheduled(facts, judge, f); !complaint.empty()) return name + ": " + complaint;
  }
  return "";
}

}  // namespace

const std::vector<std::string>& analyses_under_law() {
  static const std::vector<std::string> names{"hb", "shb", "fasttrack", "lockset", "hybrid", "wcp", "cp", "syncp"};
  return names;
}

std::string all_are_exact(const Trace& trace, const oracle::Limits& limits) {
  return for_answers(trace, analyses_under_law(), [&](const std::string& name, const Output& output) {
    return is_exact(trace, name, output, limits);
  });
}

std::string findings_are_certain(const Trace& trace, const std::string& analysis, const oracle::Races& races) {
  return for_answers(trace, {analysis}, [&](const std::string& name, const Output& output) {
    return is_certain(trace, name, output, races);
  });
}

std::string all_are_certain(const Trace& trace, const oracle::Races& races) {
  std::vector<std::string> names;
  for (const std::string& name : analyses_under_law())
    if (name == "shb" || name == "syncp" || name == "wcp" || name == "cp") names.push_back(name);
  return for_answers(trace, names, [&](const std::string& name, const Output& output) {
    return is_certain(trace, name, output, races);
  });
}

std::string company_changes_nothing(const Trace& trace) {
  const std::vector<std::string>& names = analyses_under_law();
  const Result<std::vector<Output>> together = run(trace, names);
  if (!together) return together.error().message;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Result<Output> alone = run(trace, names[i]);
    if (!alone) return alone.error().message;
    if (text_of(*alone) != text_of((*together)[i]))
      return fmt::format("{} alone:\n{}and in company:\n{}", names[i], text_of(*alone), text_of((*together)[i]));
  }
  return "";
}

std::string jobs_change_nothing(const Trace& trace, unsigned jobs) {
  const std::vector<std::string>& names = analyses_under_law();
  const Result<std::vector<Output>> one = run(trace, names), many = run(trace, names, jobs);
  if (!one) return one.error().message;
  if (!many) return many.error().message;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (text_of((*one)[i]) != text_of((*many)[i]))
      return fmt::format("{} with one job:\n{}and with {}:\n{}", names[i], text_of((*one)[i]), jobs,
                         text_of((*many)[i]));
  return "";
}

}  // namespace racecast::property
