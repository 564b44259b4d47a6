#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "base/printable.h"
#include "report/address_names.h"
#include "report/lock_names.h"
#include "report/stats.h"

namespace racecast::report {

namespace {

using model::LockStats;
using model::ThreadStats;
using model::VariableStats;

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-" : fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}
std::string mean(std::uint64_t sum, std::uint64_t count) {
  return count == 0 ? "-" : fmt::format("{:.2f}", static_cast<double>(sum) / static_cast<double>(count));
}
std::string count_of(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// Columns as wide as what they hold; the first is to the left, the others to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> head) { rows_.push_back(std::move(head)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const {
    std::vector<std::size_t> widths(rows_.front().size());
    for (const auto& row : rows_)
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::string out;
    for (const auto& row : rows_) {
      out += fmt::format("  {:<{}}", row[0], widths[0]);
      for (std::size_t i = 1; i < row.size(); ++i) out += fmt::format("  {:>{}}", row[i], widths[i]);
      out += '\n';
    }
    return out;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

// The first `top` of `all` by `less`, which must be a total order.
template <typename T>
std::vector<const T*> top_of(const std::vector<T>& all, std::size_t top,
                             const std::function<bool(const T&, const T&)>& less) {
  std::vector<const T*> chosen;
  chosen.reserve(all.size());
  for (const T& one : all) chosen.push_back(&one);
  const std::size_t count = std::min(top, chosen.size());
  std::partial_sort(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(count), chosen.end(),
                    [&](const T* a, const T* b) { return less(*a, *b); });
  chosen.resize(count);
  return chosen;
}

std::string heading(std::string_view what, std::size_t shown, std::size_t all, std::string_view by) {
  if (shown == all) return fmt::format("\n{}\n", what);
  return fmt::format("\n{} (the {} of {} with the most {}; --top N shows more)\n", what, shown, all, by);
}

std::string kinds(const model::TraceStats& stats) {
  std::vector<std::size_t> order;
  for (std::size_t kind = 0; kind < trace::kEventKinds; ++kind)
    if (stats.by_kind[kind] != 0) order.push_back(kind);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return stats.by_kind[a] != stats.by_kind[b] ? stats.by_kind[a] > stats.by_kind[b] : a < b;
  });
  Table table({"event", "count", "share"});
  for (const std::size_t kind : order)
    table.add({std::string(trace::kKindTable[kind].text), fmt::to_string(stats.by_kind[kind]),
               percent(stats.by_kind[kind], stats.events)});
  return "\nEvents by kind\n" + table.text();
}

std::string threads(const model::TraceStats& stats, const StatsContext& context) {
  const auto shown = top_of<ThreadStats>(stats.threads, context.top, [](const ThreadStats& a, const ThreadStats& b) {
    return a.events != b.events ? a.events > b.events : a.thread < b.thread;
  });
  const auto name = [&](std::optional<ThreadId> id) {
    return id ? name_of_thread(context.definitions, *id) : std::string("-");
  };
  Table table({"thread", "events", "share", "forked by", "joined by"});
  for (const ThreadStats* t : shown)
    table.add({name(t->thread), fmt::to_string(t->events), percent(t->events, stats.events), name(t->forked_by),
               name(t->joined_by)});
  return heading("Threads", shown.size(), stats.threads.size(), "events") + table.text();
}

std::string locks(const model::TraceStats& stats, const StatsContext& context, const LockNames& names) {
  if (stats.locks.empty()) return "";
  const auto shown = top_of<LockStats>(stats.locks, context.top, [](const LockStats& a, const LockStats& b) {
    if (a.contended != b.contended) return a.contended > b.contended;
    return a.acquisitions != b.acquisitions ? a.acquisitions > b.acquisitions : a.address < b.address;
  });
  Table table(
      {"lock", "taken", "threads", "contended", "share", "failed tries", "inside another", "depth mean", "max"});
  for (const LockStats* l : shown)
    table.add({names(l->address), fmt::to_string(l->acquisitions), fmt::to_string(l->threads),
               fmt::to_string(l->contended), percent(l->contended, l->acquisitions), fmt::to_string(l->failed_tries),
               fmt::to_string(l->nested), mean(l->depth_sum, l->acquisitions), fmt::to_string(l->depth_max)});
  return heading("Locks", shown.size(), stats.locks.size(), "contended acquisitions") + table.text() +
         "  contended: the previous holder was another thread\n";
}

std::string nesting(const model::TraceStats& stats) {
  std::uint64_t all = 0, sum = 0;
  for (std::size_t depth = 0; depth < stats.nesting.size(); ++depth) {
    all += stats.nesting[depth];
    sum += depth * stats.nesting[depth];
  }
  if (all == 0) return "";
  Table table({"locks held", "acquisitions", "share"});
  for (std::size_t depth = 1; depth < stats.nesting.size(); ++depth)
    if (stats.nesting[depth] != 0)
      table.add({fmt::to_string(depth), fmt::to_string(stats.nesting[depth]), percent(stats.nesting[depth], all)});
  return fmt::format("\nLock nesting: mean {}, at most {}\n", mean(sum, all), stats.nesting.size() - 1) + table.text();
}

std::string protection(const VariableStats& v, const LockNames& names) {
  if (v.locks.empty()) return v.writes == 0 ? "read only" : "none";
  std::string text;
  for (const std::uint64_t lock : v.locks) text += (text.empty() ? "" : ", ") + names(lock);
  return text;
}

std::string variables(const model::TraceStats& stats, const StatsContext& context, AddressNames& names,
                      const LockNames& lock_names) {
  if (stats.variables.empty()) return "";
  std::vector<VariableStats> shared;
  std::uint64_t read_only = 0, protected_by_lock = 0;
  for (const VariableStats& v : stats.variables) {
    if (!v.shared) continue;
    shared.push_back(v);
    if (v.writes == 0)
      ++read_only;
    else if (!v.locks.empty())
      ++protected_by_lock;
  }
  std::string text = fmt::format(
      "\nMemory: {} of 8 bytes; {} shared ({} read only, {} always under one lock, {} neither)\n"
      "  {} of all accesses are to shared memory\n",
      count_of(stats.variables.size(), "variable"), shared.size(), read_only, protected_by_lock,
      shared.size() - read_only - protected_by_lock, percent(stats.shared_accesses, stats.accesses));
  if (shared.empty()) return text;
  const auto shown = top_of<VariableStats>(shared, context.top, [](const VariableStats& a, const VariableStats& b) {
    return a.accesses != b.accesses ? a.accesses > b.accesses : a.address < b.address;
  });
  Table table({"variable", "reads", "writes", "threads", "common lock"});
  for (const VariableStats* v : shown)
    table.add({names(v->address), fmt::to_string(v->reads), fmt::to_string(v->writes), fmt::to_string(v->threads),
               protection(*v, lock_names)});
  return text + heading("Shared variables", shown.size(), shared.size(), "accesses") + table.text();
}

}  // namespace

std::string stats_text(const model::TraceStats& stats, const StatsContext& context) {
  AddressNames names(context.definitions);
  std::string text = fmt::format("{}: {}, {}, {}, {}\n", printable(context.input), count_of(stats.events, "event"),
                                 count_of(stats.threads.size(), "thread"), count_of(stats.locks.size(), "lock"),
                                 count_of(stats.variables.size(), "variable"));
  text += kinds(stats);
  text += threads(stats, context);
  const LockNames lock_names(context);
  text += locks(stats, context, lock_names);
  text += nesting(stats);
  text += variables(stats, context, names, lock_names);
  return text;
}

}  // namespace racecast::report
