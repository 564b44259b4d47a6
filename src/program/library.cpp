// See library.h.
#include "program/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/check.h"

namespace racecast::program {

// The text of library.txt; made by the build.
extern const char kLibraryText[];

namespace {

enum RoleTrait : std::uint8_t { Recorded = 1, Blocks = 2 };

struct RoleRow {
  std::string_view word;
  std::size_t least = 0, most = 0;  // arguments
  int traits = 0;
};
constexpr RoleRow kRoles[] = {
    {"", 0, 0, 0},
#define ROLE(name, word, least, most, traits, meaning) {word, least, most, traits},
#define STATE(name, word, which, meaning)
#include "program/library.def"
#undef ROLE
#undef STATE
};

struct StateRow {
  std::string_view word;
  bool has_identity = false;
};
constexpr StateRow kStates[] = {
#define ROLE(name, word, least, most, traits, meaning)
#define STATE(name, word, which, meaning) {word, !std::string_view(which).empty()},
#include "program/library.def"
#undef ROLE
#undef STATE
};

std::string_view next_word(std::string_view& line) {
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.front())) != 0) line.remove_prefix(1);
  std::size_t size = 0;
  while (size < line.size() && std::isspace(static_cast<unsigned char>(line[size])) == 0) ++size;
  const std::string_view word = line.substr(0, size);
  line.remove_prefix(size);
  return word;
}

bool eat(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<std::uint64_t> eat_number(std::string_view& text) {
  constexpr std::uint64_t kMax = std::uint64_t{1} << 48;
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) == 0) return std::nullopt;
  std::uint64_t number = 0;
  while (!text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0) {
    number = number * 10 + static_cast<std::uint64_t>(text.front() - '0');
    if (number > kMax) return std::nullopt;
    text.remove_prefix(1);
  }
  return number;
}

std::optional<std::uint8_t> eat_argument(std::string_view& text) {
  const auto number = eat_number(text);
  if (!number || *number >= kResultArgument) return std::nullopt;
  return static_cast<std::uint8_t>(*number);
}

// What stands behind "*": an argument, or kNoArgument where there is no "*" or a number ("*=12"), which goes to the
// effect.
std::optional<std::uint8_t> eat_factor(std::string_view& text, MemoryEffect& effect) {
  if (!eat(text, "*")) return kNoArgument;
  if (!eat(text, "=")) return eat_argument(text);
  const auto constant = eat_number(text);
  effect.constant = constant.value_or(0);
  return effect.constant == 0 ? std::nullopt : std::optional(kNoArgument);
}

bool eat_length(std::string_view& text, MemoryEffect& effect) {
  if (eat(text, "stream")) {
    effect.length = EffectLength::Stream;
    return true;
  }
  if (eat(text, "str")) {
    effect.length = EffectLength::String;
    if (text.empty()) return true;
    const auto most = eat_argument(text);
    effect.a = most.value_or(0);
    return most.has_value();
  }
  if (eat(text, "wstr")) {
    effect.length = EffectLength::Wide;
    return true;
  }
  if (eat(text, "until")) {
    effect.length = EffectLength::Until;
    if (text.empty()) return true;
    const auto otherwise = eat_argument(text);
    effect.a = otherwise.value_or(0);
    return otherwise.has_value();
  }
  if (eat(text, "ret")) {
    effect.length = EffectLength::Result;
    const auto factor = eat_factor(text, effect);
    effect.a = factor.value_or(0);
    return factor.has_value();
  }
  if (eat(text, "=")) {
    effect.length = EffectLength::Constant;
    const auto constant = eat_number(text);
    effect.constant = constant.value_or(0);
    return constant.has_value();
  }
  effect.length = EffectLength::Argument;
  const auto argument = eat_argument(text);
  if (!argument) return false;
  effect.a = *argument;
  const auto factor = eat_factor(text, effect);
  effect.b = factor.value_or(0);
  return factor.has_value();
}

// r0:str, w0:2, ...
std::optional<MemoryEffect> parse_memory(std::string_view text) {
  MemoryEffect effect;
  if (eat(text, "w")) {
    effect.writes = true;
  } else if (!eat(text, "r")) {
    return std::nullopt;
  }
  if (eat(text, "ret")) {
    effect.argument = kResultArgument;
  } else if (const auto argument = eat_argument(text)) {
    effect.argument = *argument;
  } else {
    return std::nullopt;
  }
  if (!eat(text, ":") || !eat_length(text, effect) || !text.empty()) return std::nullopt;
  return effect;
}

// What stands in parentheses behind `text`, which loses both; null: they are not closed. Empty: there are none.
std::optional<std::string_view> take_parentheses(std::string_view& text) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos) return std::string_view();
  if (!text.ends_with(')') || text.size() < open + 3) return std::nullopt;
  const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  text = text.substr(0, open);
  return inside;
}

// r:env, w:stream(0), ...
std::optional<StateEffect> parse_state(std::string_view text) {
  StateEffect effect;
  if (eat(text, "w:")) {
    effect.writes = true;
  } else if (!eat(text, "r:")) {
    return std::nullopt;
  }
  auto which = take_parentheses(text);
  const auto* kind = std::ranges::find(kStates, text, &StateRow::word);
  if (!which || kind == std::end(kStates)) return std::nullopt;
  effect.kind = static_cast<StateKind>(kind - kStates);
  if (which->empty()) return effect;
  if (!kind->has_identity) return std::nullopt;
  if (*which == "ret") {
    effect.argument = kResultArgument;
  } else if (std::string_view rest = *which; const auto argument = eat_argument(rest)) {
    if (!rest.empty()) return std::nullopt;
    effect.argument = *argument;
  } else {
    effect.name = *which;
  }
  return effect;
}

std::optional<std::vector<std::uint8_t>> parse_arguments(std::string_view text) {
  std::vector<std::uint8_t> arguments;
  while (!text.empty()) {
    const auto argument = eat_argument(text);
    if (!argument || (!text.empty() && (!eat(text, ",") || text.empty()))) return std::nullopt;
    arguments.push_back(*argument);
  }
  return arguments;
}

// What only our own rows may say: role, fails(N), blocks, calls(N), seen(HOW), missing, everything.
bool parse_other(std::string_view word, LibraryFunction& function) {
  const auto inside = take_parentheses(word);
  if (!inside) return false;
  if (word == "seen") {
    constexpr std::pair<std::string_view, Seen> kWays[] = {
        {"inside", Seen::Inside}, {"runtime", Seen::Runtime}, {"no", Seen::No}};
    const auto way = std::ranges::find(kWays, *inside, &std::pair<std::string_view, Seen>::first);
    if (way == std::end(kWays)) return false;
    function.seen = way->second;
    return true;
  }
  if (std::string_view number = *inside; word == "fails") {
    function.fails = eat_number(number);
    return function.fails && number.empty();
  }
  if (word == "blocks" && !inside->empty()) {  // for whom
    constexpr std::string_view kReasons[] = {"time", "signal", "names", "inside"};
    function.may_block = true;
    return std::ranges::find(kReasons, *inside) != std::end(kReasons);
  }
  auto arguments = parse_arguments(*inside);
  if (!arguments) return false;
  if (word == "calls" && arguments->size() == 1) {
    function.calls_back.push_back(arguments->front());
    return true;
  }
  if (inside->empty() && word == "blocks") {
    function.may_block = true;
    return true;
  }
  if (inside->empty() && word == "everything") {
    function.missing = function.everything = true;
    return true;
  }
  if (inside->empty() && word == "missing") {
    function.missing = true;
    return true;
  }
  const auto* row = std::ranges::find(kRoles, word, &RoleRow::word);
  if (word.empty() || row == std::end(kRoles) || function.role != Role::None) return false;
  if (arguments->size() < row->least || arguments->size() > row->most) return false;
  function.role = static_cast<Role>(row - kRoles);
  function.arguments = std::move(*arguments);
  return true;
}

}  // namespace

std::string_view text_of(Role role) {
  return kRoles[static_cast<std::size_t>(role)].word;
}

bool blocks(Role role) {
  return (kRoles[static_cast<std::size_t>(role)].traits & Blocks) != 0;
}

std::string_view text_of(StateKind kind) {
  return kStates[static_cast<std::size_t>(kind)].word;
}

const Library& Library::builtin() {
  static const Library library = [] {
    Library made;
    const Status status = made.add(kLibraryText, "library.txt", Whose::Ours);
    CHECK(status.has_value(), "{}", status.error().message);
    return made;
  }();
  return library;
}

Status Library::add(std::string_view text, std::string_view file_name) {
  return add(text, file_name, Whose::Users);
}

Status Library::add(std::string_view text, std::string_view file_name, Whose whose) {
  for (int line_number = 1; !text.empty(); ++line_number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    line = line.substr(0, line.find('#'));
    std::string_view name = next_word(line);
    if (name.empty()) continue;
    LibraryFunction function;
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
      if (const auto memory = parse_memory(word)) {
        function.memory.push_back(*memory);
      } else if (auto state = parse_state(word)) {
        function.state.push_back(std::move(*state));
      } else if (whose == Whose::Users || !parse_other(word, function)) {
        return bad_input(
            fmt::format("{}:{}: found {}, expected an effect such as r0:str, w0:2, r0:1*2, w0:=16 or w1:ret", file_name,
                        line_number, word));
      }
    }
    Rows& rows = name.ends_with('*') ? prefixes_ : rows_;
    if (name.ends_with('*')) name.remove_suffix(1);
    if (const auto known = rows.find(name); known != rows.end()) {
      if (whose == Whose::Ours) return bad_input(fmt::format("{}:{}: {} again", file_name, line_number, name));
      function.role = known->second.role;
      function.arguments = known->second.arguments;
      function.fails = known->second.fails;
      function.seen = known->second.seen;
    }
    rows.insert_or_assign(std::string(name), std::move(function));
  }
  return {};
}

const LibraryFunction* Library::find(std::string_view name) const {
  if (const auto row = rows_.find(name); row != rows_.end()) return &row->second;
  for (std::size_t size = name.size() + 1; size-- > 0;) {
    if (const auto row = prefixes_.find(name.substr(0, size)); row != prefixes_.end()) return &row->second;
  }
  return nullptr;
}

const LibraryFunction* Library::find_known(std::string_view name) const {
  const LibraryFunction* function = find(name);
  return function != nullptr && !function->missing ? function : nullptr;
}

Role Library::role_of(std::string_view name) const {
  const LibraryFunction* function = find(name);
  return function == nullptr ? Role::None : function->role;
}

std::vector<std::pair<std::string, const LibraryFunction*>> Library::rows() const {
  std::vector<std::pair<std::string, const LibraryFunction*>> all;
  for (const auto& [name, function] : rows_) all.emplace_back(name, &function);
  for (const auto& [name, function] : prefixes_) all.emplace_back(name + "*", &function);
  return all;
}

}  // namespace racecast::program
