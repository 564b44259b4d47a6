// Names of locks in the numbers of a trace: a symbol, or what a second look at the trace told.
#pragma once

#include <cstdint>
#include <string>

#include "report/address_names.h"
#include "report/stats.h"

namespace racecast::report {

class LockNames {
 public:
  // `context` must outlive it.
  explicit LockNames(const StatsContext& context) : context_(context), addresses_(context.definitions) {}
  std::string operator()(std::uint64_t address) const {
    const auto known = context_.locks.find(address);
    return known != context_.locks.end() ? known->second : addresses_(address);
  }

 private:
  const StatsContext& context_;
  AddressNames addresses_;
};

}  // namespace racecast::report
