#include "frontend/llvm/effects.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdint>
#include <optional>
#include <utility>

namespace racecast::frontend {
namespace {

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
  if (!number || *number >= abi::kResultPointer) return std::nullopt;
  return static_cast<std::uint8_t>(*number);
}

// What stands behind "*", or kNoArgument where there is no "*".
std::optional<std::uint8_t> eat_factor(std::string_view& text) {
  if (!eat(text, "*")) return abi::kNoArgument;
  return eat_argument(text);
}

bool eat_length(std::string_view& text, abi::Effect& effect) {
  effect.a = effect.b = abi::kNoArgument;
  if (eat(text, "str")) {
    effect.length = abi::Length::String;
    if (text.empty()) return true;
    const auto most = eat_argument(text);
    effect.a = most.value_or(0);
    return most.has_value();
  }
  if (eat(text, "ret")) {
    effect.length = abi::Length::Result;
    const auto factor = eat_factor(text);
    effect.a = factor.value_or(0);
    return factor.has_value();
  }
  if (eat(text, "=")) {
    effect.length = abi::Length::Constant;
    const auto constant = eat_number(text);
    effect.constant = constant.value_or(0);
    return constant.has_value();
  }
  effect.length = abi::Length::Argument;
  const auto argument = eat_argument(text);
  if (!argument) return false;
  effect.a = *argument;
  const auto factor = eat_factor(text);
  effect.b = factor.value_or(0);
  return factor.has_value();
}

std::optional<abi::Effect> parse_effect(std::string_view text) {
  abi::Effect effect{};
  if (eat(text, "w")) {
    effect.write = 1;
  } else if (!eat(text, "r")) {
    return std::nullopt;
  }
  if (eat(text, "ret")) {
    effect.argument = abi::kResultPointer;
  } else if (const auto argument = eat_argument(text)) {
    effect.argument = *argument;
  } else {
    return std::nullopt;
  }
  if (!eat(text, ":") || !eat_length(text, effect) || !text.empty()) return std::nullopt;
  return effect;
}

}  // namespace

Status Effects::add(std::string_view text, std::string_view file_name) {
  for (int line_number = 1; !text.empty(); ++line_number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    line = line.substr(0, line.find('#'));
    std::string_view name = next_word(line);
    if (name.empty()) continue;
    EffectList effects;
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
      const auto effect = parse_effect(word);
      if (!effect) {
        return bad_input(
            fmt::format("{}:{}: found {}, expected an effect such as r0:str, w0:2, r0:1*2, w0:=16 or w1:ret", file_name,
                        line_number, word));
      }
      effects.push_back(*effect);
    }
    if (name.ends_with('*')) {
      name.remove_suffix(1);
      prefixes_.insert_or_assign(std::string(name), std::move(effects));
    } else {
      rows_.insert_or_assign(std::string(name), std::move(effects));
    }
  }
  return {};
}

const EffectList* Effects::find(std::string_view name) const {
  if (const auto row = rows_.find(name); row != rows_.end()) return &row->second;
  for (std::size_t size = name.size() + 1; size-- > 0;) {
    if (const auto row = prefixes_.find(name.substr(0, size)); row != prefixes_.end()) return &row->second;
  }
  return nullptr;
}

}  // namespace racecast::frontend
