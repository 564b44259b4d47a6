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

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}

// "main::$_0::operator()" becomes "main::(lambda)": numbers change with every lambda before it.
void name_lambdas(std::string& name) {
  for (std::size_t at = 0; (at = name.find("$_", at)) != std::string::npos;) {
    std::size_t end = at + 2;
    while (end < name.size() && name[end] >= '0' && name[end] <= '9') ++end;
    constexpr std::string_view kCall = "::operator()";
    if (std::string_view(name).substr(end).starts_with(kCall)) end += kCall.size();
    name.replace(at, end - at, "(lambda)");
  }
}

}  // namespace

std::string without_abi_tags(std::string_view name) {
  std::string plain(name);
  for (std::size_t at = 0; (at = plain.find("[abi:", at)) != std::string::npos;)
    plain.erase(at, plain.find(']', at) == std::string::npos ? std::string::npos : plain.find(']', at) + 1 - at);
  return plain;
}

std::string bare_function(std::string_view name) {
  std::string bare = without_arguments(name.substr(0, parameters_of(name)), "");
  bare = without_abi_tags(bare);
  replace_all(bare, "std::__cxx11::", "std::");
  replace_all(bare, "std::basic_string::", "std::string::");
  replace_all(bare, ") const::", ")::");
  name_lambdas(bare);
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
  if (name.starts_with("__cxx_global_var_init")) return "the initialisation of globals";
  std::string plain = without_abi_tags(name);
  replace_all(plain, "std::__cxx11::", "std::");
  replace_all(plain, "std::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string");
  if (plain.find("$_") != std::string::npos) return bare_function(plain);
  if (plain.size() <= kBearable) return plain;
  std::string shorter = without_arguments(plain, "<...>");
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
