// Options that single analyses have of their own. Each is a struct of its own type, declared with its analysis; who
// feeds analyses passes all of them on and looks into none. What the command line can set is a row (NumberOption) that
// the analysis' own row refers to.
#pragma once

#include <any>
#include <cstdint>
#include <map>
#include <string_view>
#include <typeindex>
#include <utility>

namespace racecast::analysis {

class OwnOptions {
 public:
  template <typename T>
  void set(T options) {
    by_type_[typeid(T)] = std::move(options);
  }
  // As it was set; otherwise T().
  template <typename T>
  T get() const {
    const auto it = by_type_.find(typeid(T));
    return it == by_type_.end() ? T() : std::any_cast<const T&>(it->second);
  }

 private:
  std::map<std::type_index, std::any> by_type_;
};

// `FLAG N` on the command line.
struct NumberOption {
  std::string_view flag;
  std::string_view help;  // without the names of the analyses that take it
  std::uint64_t most = 0;
  void (*set)(std::uint64_t number, OwnOptions& options) = nullptr;
};

}  // namespace racecast::analysis
