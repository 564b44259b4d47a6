#include "report/lock_names.h"

#include "report/memory_names.h"

namespace racecast::report {

std::set<Moment> unnamed_locks(const model::TraceStats& stats, const trace::Definitions& definitions) {
  const AddressNames names(definitions);
  std::set<Moment> unnamed;
  for (const model::LockStats& lock : stats.locks)
    if (names.at(lock.address, 1).root.empty()) unnamed.insert({lock.address, std::nullopt});
  return unnamed;
}

std::map<std::uint64_t, std::string> lock_names(const std::set<Moment>& locks, const SecondLook& look,
                                                const trace::Definitions& definitions, const std::string& folder) {
  const Names names(definitions, {}, folder);
  const MemoryNames memories(names, look);
  std::map<std::uint64_t, std::string> made;
  for (const Moment& moment : locks) made[moment.first] = memories.lock(moment.first, moment);
  return made;
}

}  // namespace racecast::report
