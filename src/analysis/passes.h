// One function per analysis, or per family of them: makes its pass. The table in analysis.cpp lists them; each is
// defined in the file that carries its name.
#pragma once

#include <memory>

#include "analysis/analysis.h"

namespace racecast::analysis {

std::unique_ptr<Pass> make_fasttrack(const PassContext& context);  // hb/fasttrack.cpp
std::unique_ptr<Pass> make_hb(const PassContext& context);         // hb/hb.cpp
std::unique_ptr<Pass> make_shb(const PassContext& context);        // hb/shb.cpp
std::unique_ptr<Pass> make_lockset(const PassContext& context);    // lockset/lockset.cpp
std::unique_ptr<Pass> make_hybrid(const PassContext& context);     // lockset/hybrid.cpp
std::unique_ptr<Pass> make_wcp(const PassContext& context);        // wcp/wcp.cpp
std::unique_ptr<Pass> make_cp(const PassContext& context);         // wcp/cp.cpp
std::unique_ptr<Pass> make_syncp(const PassContext& context);      // syncp/syncp.cpp
std::unique_ptr<Pass> make_maximal(const PassContext& context);    // maximal/maximal.cpp; also value and path
std::unique_ptr<Pass> make_nondet(const PassContext& context);     // nondet/nondet.cpp

}  // namespace racecast::analysis
