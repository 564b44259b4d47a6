// Lines of source files that are there, for reports.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/file.h"

namespace racecast::cli {

// Each file is read once.
class SourceLines {
 public:
  std::string operator()(const std::string& file, std::uint32_t line) {
    auto [it, fresh] = files_.try_emplace(file);
    if (fresh) it->second = read_file(file, kMaxSource).value_or("");
    std::string_view text = it->second;
    for (; line > 1; --line) {
      const std::size_t end = text.find('\n');
      if (end == text.npos) return {};
      text.remove_prefix(end + 1);
    }
    return std::string(text.substr(0, text.find('\n')));
  }

 private:
  static constexpr std::uint64_t kMaxSource = 16u << 20;
  std::map<std::string, std::string> files_;
};

}  // namespace racecast::cli
