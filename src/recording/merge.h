// Merges the streams of a recorded process into one .rct trace: the order of stamps where there are stamps, and between
// them an order in which plain reads see what they read, where one is found nearby.
//
// The stream with the smallest next stamp goes first: its plain events, then the stamped one. Plain events may stand
// anywhere between the stamps around them, so before a read that memory (values.h) contradicts, other streams are let
// go on as far as a write of the wanted value, and before a write that would take a value away from a read of another
// stream, that stream is let go on as far as this read. Before an object dies others do what they still have to do with
// it. Only streams whose own reads agree go on, never past a stamp, a short look ahead only (a longer one where that
// does not explain a read), and the effort is linear in the number of events. What remains inconsistent is
// counted: memory that code without hooks wrote, or races more entangled than this. Missing code that reaches just
// these bytes is put before such a read, so that no analysis takes the writer in the trace for the true one.
//
// The result passes trace::Validator: events that break a rule are fitted (fitter.h) or dropped, and counted.
//
// Cost: two passes over the streams (which modules are used, which locks were held; then the merge), about 100 ns an
// event; memory for the look-ahead of each stream and for what memory holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "recording/raw_folder.h"
#include "trace/trace.h"

namespace racecast::recording {

struct MergeResult {
  std::uint64_t events = 0;              // written
  std::uint64_t dropped = 0;             // could not be written: they broke a rule
  std::uint64_t inconsistent_reads = 0;  // that do not see what they read
  std::uint64_t lost_bytes = 0;          // of streams that end in something unreadable
  bool stopped = false;                  // recording stopped before the program ended
  std::vector<std::string> gaps;         // what the trace has not got although it happened; gaps_of() says the same
  std::vector<std::string> notes;        // what else was repaired or left out
};

// What a recorded trace has not got although it happened (recording stopped, a stream was damaged, events were left
// out), one sentence each; empty for a trace that is whole. The trace carries them among its strings.
std::vector<std::string> gaps_of(const trace::Definitions& definitions);

// bad_input: the folder is no recording, or the trace cannot be written. Everything else that is wrong is in the gaps
// and notes. `progress` is told the number of events.
Result<MergeResult> merge_recording(const std::string& process_folder, const std::string& rct_path,
                                    Progress* progress = nullptr);

}  // namespace racecast::recording
