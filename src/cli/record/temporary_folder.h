// Temporary folders of recordings: where they are made, and how those that a killed racecast left behind are told and
// removed.
//
// A folder is called racecast.PID.START.XXXXXX: the process that made it and when that started, so that a number that
// came again is not taken for it. Its maker also holds a lock on the folder as long as it lives, since a process in
// another container may not be seen. A folder is removed if it is this user's, its maker does not run, and the lock can
// be had. One that somebody asked to keep is called racecast.kept.XXXXXX, and removed by nobody.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace racecast::cli {

struct TemporaryFolder {
  std::string path;  // absolute
  int lock = -1;     // to be closed when the folder is gone
};

// Where temporary folders may be, best first: TMPDIR where that is set, /var/tmp (which is seldom memory), /tmp, the
// working folder.
std::vector<std::string> temporary_places();

// A new one in `place`; those that were left behind there are removed. `kept`: it will outlive racecast. On failure,
// why.
Result<TemporaryFolder> make_temporary_folder_in(const std::string& place, bool kept = false);

// In the first place that lets us; if that is not the first of all, it is said which and why.
Result<TemporaryFolder> make_temporary_folder();

}  // namespace racecast::cli
