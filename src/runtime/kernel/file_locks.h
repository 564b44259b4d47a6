// Locks on files. See file_locks.cpp.
#pragma once

namespace racecast::runtime {

// Before a descriptor is closed: whatever locks it had on its file are gone then.
void release_file_locks(int descriptor);

}  // namespace racecast::runtime
