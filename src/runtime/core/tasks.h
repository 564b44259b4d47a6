// The threads of this process as the kernel knows them, those that are not recorded included (/proc/self/task).
#pragma once

#include <cstddef>

namespace racecast::runtime {

// Writes the ids of the first `room` of them, and returns how many there are in all; 0: /proc cannot be read.
std::size_t list_tasks(int* ids, std::size_t room);

// Whether every other thread waits for something that only another thread of this process, or another process, can
// bring about: it is in a system call that may take for ever, and has no time limit. Nothing will then happen any more,
// as far as can be seen. False also where that cannot be seen. By one thread at a time.
bool others_stand_still();

}  // namespace racecast::runtime
