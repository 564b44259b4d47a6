#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "report/render.h"

namespace racecast::report {

namespace {

using Json = nlohmann::ordered_json;

// One member; each is written once.
template <typename Value>
void set(Json& json, const char* name, Value&& value) {
  CHECK(!json.contains(name), "{} is written twice", name);
  json[name] = std::forward<Value>(value);
}

Json frame_of(const Frame& frame) {
  Json json = {{"function", frame.function}};
  if (frame.library) json["library"] = true;
  if (!frame.file.empty()) json["file"] = frame.file;
  if (frame.line != 0) json["line"] = frame.line;
  if (frame.column != 0) json["column"] = frame.column;
  return json;
}

Json location(const Place& place) {
  Json json;
  if (!place.file.empty()) json["file"] = place.file;
  if (place.line != 0) json["line"] = place.line;
  if (place.column != 0) json["column"] = place.column;
  if (!place.function.empty()) json["function"] = place.function;
  if (!place.label.empty()) json["label"] = place.label;
  if (place.library) json["library"] = true;
  for (const Frame& frame : place.inlined) json["inlined"].push_back(frame_of(frame));
  return json;
}

Json caller(const Caller& caller) {
  return caller.known ? location(caller.place) : Json{{"function", caller.place.function}};
}

Json user_place(const UserPlace& user) {
  Json json = frame_of(user.frame);
  if (!user.inside.empty()) json["inside"] = user.inside;
  return json;
}

Json stack(const std::vector<Caller>& callers) {
  Json json = Json::array();
  for (const Caller& one : callers) json.push_back(caller(one));
  return json;
}

Json occasion(const Occasion& occasion) {
  return {{"thread", occasion.thread},
          {"location", location(occasion.place)},
          {"user", user_place(occasion.user)},
          {"stack", stack(occasion.callers)}};
}

// What is no access has a variable alone.
Json access(const Access& a) {
  Json json;
  if (a.happens) {
    json["access"] = a.frees ? "free" : a.writes ? "write" : "read";
    json["atomic"] = a.atomic;
    json["thread"] = a.thread;
    json["event"] = a.event;
  }
  json["variable"] = a.variable;
  json["address"] = a.address;
  json["size"] = a.size;
  if (!a.happens) return json;
  if (a.both) json["both"] = true;
  json["location"] = location(a.place);
  json["user"] = user_place(a.user);
  json["locks"] = Json::array();
  for (const Lock& lock : a.locks) json["locks"].push_back({{"lock", lock.name}, {"shared", lock.shared}});
  json["stack"] = stack(a.callers);
  return json;
}

void add_seen(Json& json, const SeenWrite& seen) {
  set(json, "recorded_write", seen.recorded ? access(*seen.recorded) : Json());
  set(json, "from_start", seen.from_start);
  set(json, "at_end", seen.at_end);
  set(json, "decides", seen.decides);
}

void add_schedule(Json& json, const Schedule& schedule) {
  if (schedule.kept) {
    Json kept = Json::object();
    for (const Share& share : *schedule.kept) kept[share.thread] = share.events;
    set(json, "kept", std::move(kept));
  } else {
    if (schedule.recorded_events != 0) set(json, "recorded_events", schedule.recorded_events);
    Json stretches = Json::array();
    for (const Share& share : schedule.stretches)
      stretches.push_back({{"thread", share.thread}, {"events", share.events}});
    set(json, "stretches", std::move(stretches));
  }
  Json ended;
  for (const Ended& one : schedule.ended)
    ended.push_back(
        {{"event", one.event}, {"thread", one.thread}, {"location", location(one.place)}, {"failed", one.failed}});
  if (!ended.empty()) set(json, "ended", std::move(ended));
  if (schedule.steps) {
    Json steps = Json::array();
    for (const finding::ScheduleStep& step : *schedule.steps) {
      Json entry = {{"event", index(step.event)}};
      if (step.value) entry["value"] = *step.value;
      steps.push_back(std::move(entry));
    }
    set(json, "schedule", std::move(steps));
  }
  if (!schedule.option.empty()) set(json, "schedule_option", schedule.option);
}

Json memory_of(const Memory& memory) {
  Json json = {{"name", memory.name}};
  if (!memory.type.empty()) json["type"] = memory.type;
  if (memory.bytes != 0) {
    json["offset"] = memory.offset;
    json["bytes"] = memory.bytes;
  }
  if (memory.allocated) json["allocated"] = occasion(*memory.allocated);
  return json;
}

// What is told of a pair, whether it stands for its finding or is one more.
void add_pair(Json& json, const Pair& pair) {
  set(json, "first", access(pair.first));
  set(json, "second", access(pair.second));
  set(json, "reason", pair.reason);
  Json turns;
  for (const Turn& turn : pair.turns)
    turns.push_back(
        {{"thread", turn.thread}, {"location", location(turn.place)}, {"recorded", turn.recorded}, {"now", turn.now}});
  if (!turns.empty()) set(json, "turns", std::move(turns));
  if (pair.schedule) add_schedule(json, *pair.schedule);
  if (const auto& assumed = pair.assumes) {
    Json calls = Json::array();
    calls.push_back({{"function", assumed->first_function}, {"thread", assumed->first_thread}});
    calls.push_back({{"function", assumed->second_function}, {"thread", assumed->second_thread}});
    set(json, "assumes",
        Json{{"assumption", "these calls do not synchronise with each other"}, {"calls", std::move(calls)}});
  }
}

// A candidate has no grade.
void add_belief(Json& json, finding::Grade grade, const std::vector<std::string>& analyses, std::uint64_t fingerprint,
                bool candidate) {
  if (!candidate) set(json, "grade", finding::text_of(grade));
  set(json, "analyses", analyses);
  set(json, "fingerprint", fmt::format("{:016x}", fingerprint));
}

// `before`: how many findings of other parts come before those of its part.
Json finding_of(const Finding& finding, std::size_t before, bool candidate) {
  Json json;
  set(json, "kind", finding::row_of(finding.kind).text);
  add_belief(json, finding.grade, finding.analyses, finding.fingerprint, candidate);
  set(json, "memory", memory_of(finding.memory));
  add_pair(json, finding.pair);
  if (finding.seen) add_seen(json, *finding.seen);
  if (finding.depends_on) set(json, "depends_on", before + *finding.depends_on);
  if (finding.seen_in && !candidate) set(json, "seen_in", *finding.seen_in);
  Json threads = Json::object();
  for (const Creation& creation : finding.creations) threads[creation.thread] = occasion(creation.created);
  if (!threads.empty()) set(json, "created", std::move(threads));
  Json also = Json::array();
  for (const Pair& pair : finding.also) {
    Json one;
    add_belief(one, pair.grade, pair.analyses, pair.fingerprint, candidate);
    add_pair(one, pair);
    also.push_back(std::move(one));
  }
  if (!also.empty()) set(json, "also", std::move(also));
  return json;
}

Json summary_of(const AnalysisSummary& summary) {
  Json json = {{"name", summary.name},
               {"racy_events", summary.racy_events},
               {"racy_locations", summary.racy_locations},
               {"pairs", summary.pairs},
               {"complete", summary.complete}};
  if (!summary.complete) json["limit"] = summary.limit;
  for (const auto& [name, value] : summary.figures) json["figures"][name] = value;
  return json;
}

}  // namespace

std::string json(const Report& report) {
  Json root;
  root["tool"] = "racecast";
  root["format"] = 3;
  root["input"] = report.parts.front().input;
  root["complete"] = report.complete;
  if (!report.not_looked_at.empty()) root["not_looked_at"] = report.not_looked_at;
  if (report.runs > 1) root["runs"] = report.runs;
  root["analyses"] = Json::array();
  root["findings"] = Json::array();
  root["candidates"] = Json::array();
  for (const Part& part : report.parts) {
    const auto add = [&](const char* list, Json json) {
      if (report.parts.size() > 1) set(json, "input", part.input);
      root[list].push_back(std::move(json));
    };
    for (const AnalysisSummary& summary : part.analyses) add("analyses", summary_of(summary));
    if (part.uncertain.pairs != 0 || !part.uncertain.everything.empty()) {
      Json uncertain = {{"pairs", part.uncertain.pairs}, {"orders_everything", Json::object()}};
      for (const auto& [name, times] : part.uncertain.everything) uncertain["orders_everything"][name] = times;
      add("uncertain_order", std::move(uncertain));
    }
    if (part.hidden.pairs != 0 || !part.hidden.all) {
      Json hidden = {{"pairs", part.hidden.pairs}, {"all", part.hidden.all}, {"functions", Json::object()}};
      for (const auto& [name, pairs] : part.hidden.functions) hidden["functions"][name] = pairs;
      add("hidden", std::move(hidden));
    }
    const std::size_t before = root["findings"].size();
    for (const Finding& finding : part.findings) add("findings", finding_of(finding, before, false));
    for (const Finding& candidate : part.candidates) add("candidates", finding_of(candidate, 0, true));
  }
  // Names come from traces, which may hold any bytes: replace what is not UTF-8 instead of throwing.
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace racecast::report
