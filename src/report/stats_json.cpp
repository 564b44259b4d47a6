#include <nlohmann/json.hpp>

#include "report/address_names.h"
#include "report/lock_names.h"
#include "report/stats.h"

namespace racecast::report {

namespace {

using Json = nlohmann::ordered_json;

Json thread(const model::ThreadStats& t, const trace::Definitions& definitions) {
  Json json = {{"thread", name_of_thread(definitions, t.thread)}, {"events", t.events}};
  if (t.forked_by) json["forked_by"] = name_of_thread(definitions, *t.forked_by);
  if (t.joined_by) json["joined_by"] = name_of_thread(definitions, *t.joined_by);
  return json;
}

Json lock(const model::LockStats& l, const LockNames& names) {
  return {{"lock", names(l.address)},
          {"address", l.address},
          {"kind", l.reader_writer ? "rwlock" : "mutex"},
          {"acquisitions", l.acquisitions},
          {"shared_acquisitions", l.shared},
          {"recursive_acquisitions", l.again},
          {"threads", l.threads},
          {"contended", l.contended},
          {"failed_tries", l.failed_tries},
          {"nested", l.nested},
          {"depth_mean",
           l.acquisitions == 0 ? 0.0 : static_cast<double>(l.depth_sum) / static_cast<double>(l.acquisitions)},
          {"depth_max", l.depth_max}};
}

Json variable(const model::VariableStats& v, const AddressNames& names, const LockNames& locks) {
  Json json = {
      {"variable", names(v.address)}, {"address", v.address}, {"accesses", v.accesses}, {"reads", v.reads},
      {"writes", v.writes},           {"threads", v.threads}, {"shared", v.shared},     {"read_only", v.writes == 0},
      {"locks", Json::array()}};
  for (const std::uint64_t address : v.locks) json["locks"].push_back(locks(address));
  return json;
}

}  // namespace

std::string stats_json(const model::TraceStats& stats, const StatsContext& context) {
  const AddressNames names(context.definitions);
  const LockNames lock_names(context);
  Json root = {{"tool", "racecast"}, {"format", 1}, {"input", context.input}, {"events", stats.events}};
  root["by_kind"] = Json::object();
  for (std::size_t kind = 0; kind < trace::kEventKinds; ++kind)
    if (stats.by_kind[kind] != 0) root["by_kind"][std::string(trace::kKindTable[kind].text)] = stats.by_kind[kind];
  root["threads"] = Json::array();
  for (const model::ThreadStats& t : stats.threads) root["threads"].push_back(thread(t, context.definitions));
  root["locks"] = Json::array();
  for (const model::LockStats& l : stats.locks) root["locks"].push_back(lock(l, lock_names));
  root["nesting"] = Json::array();
  for (std::size_t depth = 1; depth < stats.nesting.size(); ++depth)
    root["nesting"].push_back({{"depth", depth}, {"acquisitions", stats.nesting[depth]}});
  root["accesses"] = stats.accesses;
  root["shared_accesses"] = stats.shared_accesses;
  root["variables"] = Json::array();
  for (const model::VariableStats& v : stats.variables) root["variables"].push_back(variable(v, names, lock_names));
  // Names come from traces, which may hold any bytes: replace what is not UTF-8 instead of throwing.
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace racecast::report
