// A process that outlives racecast when racecast is killed (SIGKILL, the kernel out of memory), and ends what would be
// left: the program under test with all that it started, which nobody waits for any more, and the temporary folder.
//
// It waits at the end of a pipe that racecast holds: racecast says goodbye when it is done, and if the pipe ends
// without that, racecast was killed. What belongs to the run is known by its environment (RACECAST_DIR), which children
// inherit; the program itself also gets the kernel's signal at the death of its parent (run_program.cpp), should the
// guardian be killed, too. What is left then is the folder, which the next run removes (temporary_folder.h).
#pragma once

#include <sys/types.h>

#include <string>

namespace racecast::cli {

class Guardian {
 public:
  // Watches over the recordings in `folder` (absolute); `remove`: it is temporary. Without a process or a pipe to be
  // had there is none, which is no error. Call it while there is one thread.
  Guardian(const std::string& folder, bool remove);
  ~Guardian();  // the goodbye
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;

 private:
  int pipe_ = -1;
  pid_t process_ = -1;
};

}  // namespace racecast::cli
