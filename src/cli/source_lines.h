// Lines of source files that are there, for reports. The trace says which file to open, and whoever made the trace may
// not be trusted: only regular files are read, and only those that lie, with all symbolic links followed, below the
// working folder or the folder of --source-root.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace racecast::cli {

class Command;

class SourceLines {
 public:
  // `root`: --source-root. Relative names are looked up there first, then in the working folder.
  explicit SourceLines(const std::optional<std::string>& root);
  // Empty where there is none. Each file is read once.
  std::string operator()(const std::string& file, std::uint32_t line);

 private:
  std::string read(const std::string& file) const;

  std::vector<std::filesystem::path> roots_;  // without links
  std::map<std::string, std::string> files_;
};

void add_source_root(Command& command, std::optional<std::string>& root);

}  // namespace racecast::cli
