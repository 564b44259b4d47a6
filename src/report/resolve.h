// From findings, which refer to a trace by numbers, to a report, which does not (report.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "finding/finding.h"
#include "report/names.h"
#include "report/report.h"
#include "trace/trace.h"

namespace racecast::report {

// What findings of one trace refer to.
struct Origin {
  const trace::Definitions& definitions;
  // The first events of the trace: a schedule that needs more of them is not written out. May be null.
  const std::vector<trace::Event>* events = nullptr;
  // Names of memory without a symbol, by address and event of the access.
  std::map<std::pair<std::uint64_t, EventNo>, std::string> objects = {};
  SourceLine source_line = {};
  // Several recordings of one program: in how many of them each race was found, by fingerprint. Else empty.
  std::map<std::uint64_t, unsigned> seen_in = {};
  bool write_out = true;  // schedules, event by event
};

std::vector<Finding> resolve(const std::vector<finding::Finding>& findings, const Origin& origin);

// The schedule of a finding, event by event; nullopt where it cannot be written out. Unless `full`, a long one begins
// where its last stretches do.
std::optional<Witness> resolve_witness(const finding::Finding& finding, const Origin& origin, bool full);

// The schedule of a finding, step by step; nullopt: it has none, or not all events that it needs are there.
std::optional<finding::Schedule> written_out(const finding::Finding& finding, const Origin& origin);
// The events that the numbers of a finding refer to; null: not known.
const std::vector<trace::Event>* events_of(const finding::Finding& finding, const Origin& origin);

}  // namespace racecast::report
