#include <fmt/format.h>

#include <nlohmann/json.hpp>

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
  for (const LocationId site : a.call_sites) json["stack"].push_back(location(definitions, site));
  return json;
}

Json finding_of(const finding::Finding& finding, const Context& context) {
  Json json;
  json["kind"] = finding::row_of(finding.kind).text;
  json["grade"] = finding::text_of(finding.grade);
  json["analyses"] = finding.analyses;
  json["fingerprint"] = fmt::format("{:016x}", finding.fingerprint);
  json["first"] = access(finding.first, context.definitions);
  json["second"] = access(finding.second, context.definitions);
  json["reason"] = finding.reason;
  if (finding.depends_on) json["depends_on"] = *finding.depends_on;
  if (!finding.schedule) return json;
  json["kept"] = Json::object();
  for (std::size_t t = 0; t < finding.schedule->kept.size(); ++t)
    if (finding.schedule->kept[t] != 0)
      json["kept"][name_of_thread(context.definitions, static_cast<ThreadId>(t))] = finding.schedule->kept[t];
  if (index(finding.second.event) < context.events->size()) {
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

std::string json(const std::vector<finding::Finding>& findings, const std::vector<finding::Finding>& candidates,
                 const std::vector<AnalysisSummary>& analyses, const Context& context) {
  Json root;
  root["tool"] = "racecast";
  root["format"] = 1;
  root["input"] = context.input;
  root["analyses"] = Json::array();
  for (const AnalysisSummary& summary : analyses) {
    Json json = {{"name", summary.name},
                 {"racy_events", summary.racy_events},
                 {"racy_locations", summary.racy_locations},
                 {"pairs", summary.pairs},
                 {"complete", summary.complete}};
    if (!summary.complete) json["limit"] = summary.limit;
    root["analyses"].push_back(std::move(json));
  }
  root["findings"] = Json::array();
  for (const finding::Finding& finding : findings) root["findings"].push_back(finding_of(finding, context));
  root["candidates"] = Json::array();
  for (const finding::Finding& candidate : candidates) {
    Json json = finding_of(candidate, context);
    json.erase("grade");  // it has none
    root["candidates"].push_back(std::move(json));
  }
  // Names come from traces, which may hold any bytes: replace what is not UTF-8 instead of throwing.
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace racecast::report
