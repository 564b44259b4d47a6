#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "program/program.h"
#include "report/report.h"

namespace racecast::report {

namespace {

using Json = nlohmann::ordered_json;

Json location(const trace::Definitions& definitions, LocationId id) {
  Json json;
  if (index(id) >= definitions.locations.size()) return json;
  const trace::Location& l = definitions.locations[index(id)];
  if (!l.file.empty()) json["file"] = l.file;
  if (l.line != 0) json["line"] = l.line;
  if (l.column != 0) json["column"] = l.column;
  if (!l.function.empty()) json["function"] = l.function;
  if (!l.label.empty()) json["label"] = l.label;
  if (!l.inlined.empty()) json["inlined"] = l.inlined;
  return json;
}

Json access(const finding::Access& a, const trace::Definitions& definitions) {
  Json json;
  json["access"] = a.writes ? "write" : "read";
  json["atomic"] = a.atomic;
  json["thread"] = name_of_thread(definitions, a.thread);
  json["event"] = index(a.event);
  json["variable"] = name_of_address(definitions, a.address);
  json["address"] = a.address;
  json["size"] = a.size;
  json["location"] = location(definitions, a.location);
  json["locks"] = Json::array();
  for (const finding::HeldLock& lock : a.locks)
    json["locks"].push_back({{"lock", name_of_address(definitions, lock.address)}, {"shared", lock.shared}});
  json["stack"] = Json::array();
  for (const LocationId site : a.call_sites) {
    Json frame = location(definitions, site);
    if (!is_call_site(definitions, site)) frame = Json{{"function", frame.value("function", "")}};
    json["stack"].push_back(std::move(frame));
  }
  return json;
}

void add_witness(Json& json, const finding::Witness& witness, const trace::Definitions& definitions) {
  if (const auto* prefix = std::get_if<finding::Prefix>(&witness)) {
    json["kept"] = Json::object();
    for (std::size_t t = 0; t < prefix->kept.size(); ++t)
      if (prefix->kept[t] != 0) json["kept"][name_of_thread(definitions, static_cast<ThreadId>(t))] = prefix->kept[t];
    return;
  }
  const auto& interleaving = std::get<finding::Interleaving>(witness);
  if (interleaving.recorded != 0) json["recorded_events"] = interleaving.recorded;
  json["stretches"] = Json::array();
  for (const finding::Stretch& stretch : interleaving.stretches)
    json["stretches"].push_back({{"thread", name_of_thread(definitions, stretch.thread)}, {"events", stretch.events}});
}

// What is no access has a variable alone.
void add_seen(Json& json, const finding::Finding& finding, const trace::Definitions& definitions) {
  const finding::SeenWrite& seen = *finding.seen;
  const auto variable = [&](const finding::Access& a) {
    return Json{{"variable", name_of_address(definitions, a.address)}, {"address", a.address}, {"size", a.size}};
  };
  if (seen.from_start) json["first"] = variable(finding.first);
  if (seen.at_end) json["second"] = variable(finding.second);
  json["recorded_write"] = seen.recorded ? access(*seen.recorded, definitions) : Json();
  json["from_start"] = seen.from_start;
  json["at_end"] = seen.at_end;
  json["decides"] = seen.decides;
}

Json finding_of(const finding::Finding& finding, const Context& context) {
  Json json;
  json["kind"] = finding::row_of(finding.kind).text;
  json["grade"] = finding::text_of(finding.grade);
  json["analyses"] = finding.analyses;
  json["fingerprint"] = fmt::format("{:016x}", finding.fingerprint);
  json["first"] = access(finding.first, context.definitions);
  json["second"] = access(finding.second, context.definitions);
  if (finding.seen) add_seen(json, finding, context.definitions);
  if (context.objects.contains({finding.second.address, finding.second.event}))
    json["object"] = variable_of(finding, context);
  json["reason"] = finding.reason;
  if (finding.depends_on) json["depends_on"] = *finding.depends_on;
  for (const finding::Turn& turn : finding.turns)
    json["turns"].push_back({{"thread", name_of_thread(context.definitions, turn.thread)},
                             {"location", location(context.definitions, turn.location)},
                             {"recorded", turn.recorded},
                             {"now", turn.now}});
  if (!finding.schedule) return json;
  add_witness(json, *finding.schedule, context.definitions);
  if (can_write_out(finding, context)) {
    json["schedule"] = Json::array();
    for (const finding::ScheduleStep& step : written_out(finding, context)) {
      Json entry = {{"event", index(step.event)}};
      if (step.value) entry["value"] = *step.value;
      json["schedule"].push_back(std::move(entry));
    }
  }
  if (const std::string option = schedule_option(finding, context); !option.empty()) json["schedule_option"] = option;
  return json;
}

}  // namespace

std::string json(std::span<const Part> parts) {
  Json root;
  root["tool"] = "racecast";
  root["format"] = 2;
  root["input"] = parts.front().context.input;
  if (parts.front().context.runs > 1) root["runs"] = parts.front().context.runs;
  root["analyses"] = Json::array();
  root["findings"] = Json::array();
  root["candidates"] = Json::array();
  for (const Part& part : parts) {
    const auto add = [&](const char* list, Json json) {
      if (parts.size() > 1) json["input"] = part.context.input;
      root[list].push_back(std::move(json));
    };
    for (const AnalysisSummary& summary : part.analyses) {
      Json json = {{"name", summary.name},
                   {"racy_events", summary.racy_events},
                   {"racy_locations", summary.racy_locations},
                   {"pairs", summary.pairs},
                   {"complete", summary.complete}};
      if (!summary.complete) json["limit"] = summary.limit;
      for (const auto& [name, value] : summary.figures) json["figures"][name] = value;
      add("analyses", std::move(json));
    }
    const std::size_t before = root["findings"].size();
    for (const finding::Finding& finding : part.findings) {
      Json json = finding_of(finding, part.context);
      if (finding.depends_on) json["depends_on"] = before + *finding.depends_on;
      if (const auto seen = part.context.seen_in.find(finding.fingerprint);
          part.context.runs > 1 && seen != part.context.seen_in.end())
        json["seen_in"] = seen->second;
      add("findings", std::move(json));
    }
    for (const finding::Finding& candidate : part.candidates) {
      Json json = finding_of(candidate, part.context);
      json.erase("grade");  // it has none
      add("candidates", std::move(json));
    }
  }
  // Names come from traces, which may hold any bytes: replace what is not UTF-8 instead of throwing.
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace racecast::report
