// The folder that recordings of a program go to, and what becomes of them: one trace for each process.
//
// A recording can be large, so what nobody asked to keep is removed: at the end, when racecast is interrupted, by the
// guardian when it is killed (guardian.h), and by the next run when that is killed, too (temporary_folder.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/record/guardian.h"
#include "cli/record/temporary_folder.h"

namespace racecast::cli {

class RecordingFolder {
 public:
  // `out`: this folder, which must be empty or not exist, and is kept. Otherwise, with `keep`, the first racecast.out.N
  // of the current folder that is free; or else a temporary one.
  static Result<RecordingFolder> make(const std::optional<std::string>& out, bool keep);
  RecordingFolder(RecordingFolder&& other) noexcept;
  RecordingFolder& operator=(RecordingFolder&&) = delete;
  ~RecordingFolder();  // removes it if it is temporary

  const std::string& path() const { return path_; }  // absolute
  // A folder inside, made now.
  Result<std::string> inside(const std::string& name) const;
  // Where to write when the disk of this folder is full: a temporary folder on another disk that has room for so many
  // bytes, made by the first call; kept (unless it is empty) or removed as this one is. Nullopt: there is none.
  std::optional<std::string> elsewhere(std::uint64_t bytes);
  bool temporary() const { return temporary_; }

 private:
  RecordingFolder(std::string path, bool temporary, int lock = -1);
  std::string path_, elsewhere_;
  bool temporary_;
  int lock_, elsewhere_lock_ = -1;  // of temporary_folder.h; -1: none
  std::unique_ptr<Guardian> guardian_;
};

// One process, merged.
struct RecordedProcess {
  std::string name;  // "bank (12345)"
  std::string path;  // of its trace
  std::uint64_t events = 0;
  bool still_runs = false;  // there may be more than its trace has
};

// Merges what one process wrote into a trace and returns the number of its events. What was repaired is said on
// standard error; what was lost, too, if `say_gaps`: a report of the trace says it by itself (show.cpp).
Result<std::uint64_t> merge_process(const std::string& process_folder, const std::string& path, bool say_gaps);

// The processes of one run.
struct RecordedProcesses {
  std::vector<RecordedProcess> merged;
  std::vector<std::string> unreadable;  // "bank (12345): why": of these there is no trace
};

// Merges what the processes of one run wrote into `folder`, which is `recordings` or inside it, into one .rct each,
// beside them, or elsewhere if that fails. What they wrote is removed unless `keep_raw` or it cannot be merged.
// Processes without any event are left out.
Result<RecordedProcesses> merge_processes(RecordingFolder& recordings, const std::string& folder, bool keep_raw,
                                          bool say_gaps);

}  // namespace racecast::cli
