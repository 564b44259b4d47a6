// look_up_all. See interceptor.h.
#include "runtime/posix/interceptor.h"

// Made by the linker: where the section begins and ends.
extern "C" __attribute__((visibility("hidden"))) racecast::runtime::RealName __start_racecast_real[];
extern "C" __attribute__((visibility("hidden"))) racecast::runtime::RealName __stop_racecast_real[];

namespace racecast::runtime {

void look_up_all() {
  for (RealName* real = __start_racecast_real; real != __stop_racecast_real; ++real) real->find();
}

}  // namespace racecast::runtime
