// Names in the text form of a trace, for its printer (text.cpp) and its parser (text_parse.cpp): how a name is written,
// and which definition it means. Of several definitions with one name, the name means the first; the others are written
// by number (%7) or by address. Definitions are only appended, so what a name means never changes.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "trace/trace.h"

namespace racecast::trace {

inline constexpr std::pair<Flag, std::string_view> kFlagWords[] = {
    {kTry, "try"},           {kFailed, "failed"},     {kCas, "cas"},       {kRecursive, "recursive"},
    {kSpurious, "spurious"}, {kComputed, "computed"}, {kAppend, "append"}, {kUnchecked, "unchecked"},
};

// May it stand without quotes? Where a number could stand too (an address), a name must not look like one.
bool is_plain(std::string_view name, bool beside_numbers);
bool plain_character(char c);
// A thread's name at the start of a line must not look like a definition.
bool plain_thread(std::string_view name);
// The name as it is written: bare or in quotes.
std::string as_word(std::string_view name, bool beside_numbers);
std::string quoted(std::string_view name);

// Names to the first id that has them.
class FirstIds {
 public:
  void add(std::string_view name, std::uint64_t id) { ids_.try_emplace(std::string(name), id); }
  std::optional<std::uint64_t> find(std::string_view name) const {
    const auto found = ids_.find(std::string(name));
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
  }
  bool means(std::string_view name, std::uint64_t id) const { return find(name) == id; }

 private:
  tsl::robin_map<std::string, std::uint64_t> ids_;
};

// Addresses to the symbol that holds them. A symbol that overlaps an earlier one, or whose name means another one, is
// never found.
class SymbolRanges {
 public:
  void add(const Symbol& symbol, std::uint64_t id);
  std::optional<std::uint64_t> find(std::uint64_t address) const;

 private:
  struct Held {
    std::uint64_t size = 0;
    std::uint64_t id = 0;
  };
  std::map<std::uint64_t, Held> by_address_;
  HashMap<std::uint64_t, std::uint64_t> starts_;  // most accesses are to the start of a symbol
};

struct NameIndex {
  FirstIds threads, symbol_names, labels, strings;
  SymbolRanges symbols;
  std::size_t threads_done = 0, symbols_done = 0, locations_done = 0, strings_done = 0;

  // Takes in what was defined since the last call.
  void update(const Definitions& definitions);
};

}  // namespace racecast::trace
