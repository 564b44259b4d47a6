// Names for many addresses of one trace: what trace::name_of_address says, without walking all symbols each time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace racecast::report {

class AddressNames {
 public:
  // `definitions` must outlive it and not grow.
  explicit AddressNames(const trace::Definitions& definitions) : definitions_(definitions) {
    for (const trace::Symbol& symbol : definitions.symbols) by_address_.push_back(&symbol);
    std::sort(by_address_.begin(), by_address_.end(),
              [](const trace::Symbol* a, const trace::Symbol* b) { return a->address < b->address; });
    for (std::size_t i = 1; i < by_address_.size(); ++i) {
      const trace::Symbol& before = *by_address_[i - 1];
      if (by_address_[i]->address - before.address < std::max<std::uint64_t>(before.size, 1)) overlap_ = true;
    }
  }

  std::string operator()(std::uint64_t address) {
    // Of symbols that overlap, the first one defined has the name.
    if (overlap_) return name_of_address(definitions_, address);
    auto next = std::upper_bound(by_address_.begin(), by_address_.end(), address,
                                 [](std::uint64_t a, const trace::Symbol* symbol) { return a < symbol->address; });
    one_.symbols.clear();
    if (next != by_address_.begin()) one_.symbols.push_back(**std::prev(next));
    return name_of_address(one_, address);
  }

 private:
  const trace::Definitions& definitions_;
  std::vector<const trace::Symbol*> by_address_;
  bool overlap_ = false;
  trace::Definitions one_;  // the symbol at hand
};

}  // namespace racecast::report
