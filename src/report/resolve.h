// From findings, which refer to a trace by numbers, to a report, which does not (report.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "finding/finding.h"
#include "finding/group.h"
#include "report/names.h"
#include "report/report.h"
#include "report/second_look.h"
#include "trace/trace.h"

namespace racecast::report {

// What findings of one trace refer to.
struct Origin {
  const trace::Definitions& definitions;
  // The first events of the trace: a schedule that needs more of them is not written out. May be null.
  const std::vector<trace::Event>* events = nullptr;
  const SecondLook* look = nullptr;  // at the memory and the threads of the findings; may be null
  SourceLine source_line = {};
  std::string folder = {};  // files below it are named as seen from there
  // Several recordings of one program: in how many of them each finding was found, by fingerprint. Else empty.
  std::map<std::uint64_t, unsigned> seen_in = {};
  bool write_out = true;  // schedules, event by event
};

// What is one finding. Needs `look` of the origin to tell objects apart, and nothing else of it but the definitions.
std::vector<finding::Group> group_by_cause(const std::vector<finding::Finding>& pairs, const Origin& origin);

// One for each group. Schedules of further pairs are not written out.
std::vector<Finding> resolve(const std::vector<finding::Finding>& pairs, const std::vector<finding::Group>& groups,
                             const Origin& origin);
std::vector<Finding> resolve(const std::vector<finding::Finding>& pairs, const Origin& origin);

// What a pair is about (Memory::name).
std::string memory_name(const finding::Finding& pair, const Origin& origin);

// The schedule of a pair, event by event; nullopt where it cannot be written out. Unless `full`, a long one begins
// where its last stretches do.
std::optional<Witness> resolve_witness(const finding::Finding& finding, const Origin& origin, bool full);

// The schedule of a pair, step by step; nullopt: it has none, or not all events that it needs are there.
std::optional<finding::Schedule> written_out(const finding::Finding& finding, const Origin& origin);
// The events that the numbers of a pair refer to; null: not known.
const std::vector<trace::Event>* events_of(const finding::Finding& finding, const Origin& origin);

}  // namespace racecast::report
