// State outside of memory: which descriptors share it.
#pragma once

namespace racecast::runtime {

// `to` is a duplicate of `from`: one position, one set of flags.
void share_descriptor_state(int from, int to);
// It is another one from now on.
void own_descriptor_state(int descriptor);

}  // namespace racecast::runtime
