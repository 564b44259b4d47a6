#include "report/nondet_table.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "report/columns.h"

namespace racecast::report {

std::string nondet_table_text(const NondetTable& table) {
  const auto number = [](std::uint64_t n) { return std::to_string(n); };
  std::vector<Column> columns = {
      {"threads", number(table.threads)},
      {"events", number(table.events)},
      {"lock events", number(table.lock_events)},
      {"locks", number(table.locks)},
      {"accesses", number(table.accesses)},
      {"variables", number(table.variables)},
      {"wait/notify", number(table.wait_notify)},
      {"witnesses", number(table.witnesses)},
      {"with cycles", number(table.cycles)},
      {"without choices", number(table.without_choices)},
      {"with choices", number(table.with_choices)},
      {"choice graphs possible", fmt::format("{:.3g}", table.possible_graphs)},
      {"explored", fmt::format("{:.3g}", table.explored_graphs)},
      {"s", fmt::format("{:.3f}", table.seconds)},
      {"feasible", number(table.feasible)},
      {"infeasible", number(table.infeasible)},
      {"graphs per witness", fmt::format("{:.4f}", table.graphs)},
  };
  if (table.unknown != 0) columns.push_back({"unknown", number(table.unknown)});
  return row_of_columns(columns);
}

std::string nondet_table_json(const NondetTable& table) {
  const nlohmann::ordered_json root = {{"tool", "racecast"},
                                       {"format", 1},
                                       {"input", table.input},
                                       {"threads", table.threads},
                                       {"events", table.events},
                                       {"lock_events", table.lock_events},
                                       {"locks", table.locks},
                                       {"accesses", table.accesses},
                                       {"variables", table.variables},
                                       {"wait_notify", table.wait_notify},
                                       {"witnesses", table.witnesses},
                                       {"cycles", table.cycles},
                                       {"without_choices", table.without_choices},
                                       {"with_choices", table.with_choices},
                                       {"possible_graphs", table.possible_graphs},
                                       {"explored_graphs", table.explored_graphs},
                                       {"seconds", table.seconds},
                                       {"feasible", table.feasible},
                                       {"infeasible", table.infeasible},
                                       {"unknown", table.unknown},
                                       {"graphs", table.graphs}};
  return root.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace racecast::report
