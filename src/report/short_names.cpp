#include "report/short_names.h"

#include <filesystem>

namespace racecast::report {

namespace {

constexpr std::size_t kBearable = 60;  // bytes of a name in a line that tells more than it
constexpr std::string_view kOperator = "operator";

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

// How many bytes from `at` on are an operator's name with its signs: those are no brackets.
std::size_t operator_at(std::string_view name, std::size_t at) {
  if (!name.substr(at).starts_with(kOperator) || (at > 0 && is_word(name[at - 1]))) return 0;
  std::size_t end = at + kOperator.size();
  if (end < name.size() && is_word(name[end])) return 0;
  if (name.substr(end).starts_with("()")) return end + 2 - at;
  while (end < name.size() && std::string_view("<>=!+-*/%^&|~,[]").find(name[end]) != std::string_view::npos) {
    // "operator<<int>": the second begins the arguments.
    if (name[end] == '<' && end > at + kOperator.size() && name[end - 1] != '<') break;
    ++end;
  }
  return end - at;
}

// What is between brackets of templates becomes `instead`.
std::string without_arguments(std::string_view name, std::string_view instead) {
  std::string bare;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (const std::size_t length = operator_at(name, i); length != 0) {
      if (depth == 0) bare += name.substr(i, length);
      i += length - 1;
      continue;
    }
    const bool arrow = name[i] == '>' && i > 0 && name[i - 1] == '-';
    if (name[i] == '<' && depth++ == 0) bare += instead;
    if (depth == 0) bare += name[i];
    if (name[i] == '>' && !arrow && depth > 0) --depth;
  }
  return bare;
}

// Where the parameters begin, and what comes behind them ("const", "[clone .cold]"); the end: there are none.
std::size_t parameters_of(std::string_view name) {
  const std::size_t close = name.rfind(')');
  if (close == std::string_view::npos) return name.size();
  for (std::size_t i = close + 1; i < name.size(); ++i)  // a part of a longer name: "(anonymous namespace)::f"
    if (name[i] == ':' || name[i] == '}') return name.size();
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) {
      const bool call_operator = name.substr(0, i).ends_with(kOperator) && close == i + 1;
      return call_operator ? name.size() : i;
    }
  }
  return name.size();
}

}  // namespace

std::string bare_function(std::string_view name) {
  std::string bare = without_arguments(name.substr(0, parameters_of(name)), "");
  while (bare.ends_with(' ')) bare.pop_back();
  // The result of a template function comes before its name.
  int depth = 0;
  for (std::size_t i = bare.size(); i-- > 0;) {
    if (bare[i] == ')' || bare[i] == '}') ++depth;
    if (bare[i] == '(' || bare[i] == '{') --depth;
    if (bare[i] != ' ' || depth != 0) continue;
    // "operator bool", "operator new[]" are names.
    if (std::string_view(bare).substr(0, i).ends_with(kOperator)) continue;
    bare.erase(0, i + 1);
    break;
  }
  return bare.empty() ? std::string(name) : bare;
}

std::string shortened(std::string_view name) {
  if (name.size() <= kBearable) return std::string(name);
  std::string shorter = without_arguments(name, "<...>");
  if (shorter.size() > kBearable) shorter = bare_function(name);
  return shorter;
}

std::string seen_from(const std::string& folder, const std::string& file) {
  if (!file.starts_with('/')) return file;
  std::string plain =
      file.find("/../") == std::string::npos ? file : std::filesystem::path(file).lexically_normal().string();
  if (folder.size() > 1 && plain.size() > folder.size() + 1 && plain.starts_with(folder) && plain[folder.size()] == '/')
    plain.erase(0, folder.size() + 1);
  return plain;
}

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace racecast::report
