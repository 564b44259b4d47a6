// See library_state.h. Looked up some hundred times for each library that is called, once: rows are compared one after
// the other.
#include "runtime/missing/library_state.h"

#include <string_view>

namespace racecast::program {
extern const char kLibraryText[];  // made of library.txt when racecast is built
}

namespace racecast::runtime {
namespace {

constexpr std::string_view kKinds[] = {
#define ROLE(name, word, least, most, traits, meaning)
#define STATE(name, word, which, meaning) word,
#include "program/library.def"
#undef ROLE
#undef STATE
};
constexpr std::string_view kLeftOut[] = {"any",  "clock", "zone",    "locale", "entropy", "heap",
                                         "exit", "keys",  "mapping", "net",    "machine"};

// The first word of `text`, which loses it; empty: there are no more.
std::string_view take_word(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

std::uint64_t kind_of(std::string_view word) {
  if (word.size() < 3 || word[1] != ':' || (word[0] != 'r' && word[0] != 'w')) return 0;
  word.remove_prefix(2);
  word = word.substr(0, word.find('('));
  for (const std::string_view left_out : kLeftOut)
    if (word == left_out) return 0;
  for (unsigned kind = 0; kind < sizeof(kKinds) / sizeof(kKinds[0]); ++kind)
    if (word == kKinds[kind]) return std::uint64_t{1} << kind;
  return 0;
}

std::uint64_t kinds_in(std::string_view row) {
  std::uint64_t kinds = 0;
  while (true) {
    const std::string_view word = take_word(row);
    if (word.empty()) return kinds;
    if (word == "noreturn") return 0;  // nobody is after it
    kinds |= kind_of(word);
  }
}

}  // namespace

std::uint64_t state_kinds_of(const char* function) {
  const std::string_view name = function;
  std::string_view text = program::kLibraryText, best;
  std::size_t best_prefix = 0;
  while (!text.empty()) {
    std::string_view row = text.substr(0, text.find('\n'));
    text.remove_prefix(row.size() < text.size() ? row.size() + 1 : row.size());
    if (row.empty() || row.front() != name.front()) continue;
    std::string_view of = take_word(row);
    if (of == name) return kinds_in(row);
    if (of.back() != '*') continue;
    of.remove_suffix(1);
    if (of.size() <= best_prefix || name.substr(0, of.size()) != of) continue;
    best_prefix = of.size();
    best = row;
  }
  return kinds_in(best);
}

}  // namespace racecast::runtime
