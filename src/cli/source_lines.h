// Lines of source files that are there, for reports. The trace says which file to open, and whoever made the trace may
// not be trusted: only regular files are read, and only those that lie, with all symbolic links followed, below the
// working folder or the folder of --source-root. A program that racecast has just run could read and print any file
// itself: those that it names are shown wherever they are.
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
  // `root`: --source-root. Relative names are looked up there first, then in the working folder; an absolute name that
  // is not there, below `root` by its last folders: the program may have been built elsewhere.
  SourceLines(const std::optional<std::string>& root, bool anywhere);
  // The working folder; empty where there is none.
  const std::string& folder() const { return folder_; }
  // Empty where there is none. Each file is read once.
  std::string operator()(const std::string& file, std::uint32_t line);

 private:
  std::string read(const std::string& file) const;

  std::optional<std::string> read_if_allowed(const std::filesystem::path& file) const;

  std::vector<std::filesystem::path> roots_;   // without links
  std::optional<std::filesystem::path> root_;  // of these, --source-root
  std::string folder_;
  bool anywhere_;
  std::map<std::string, std::string> files_;
};

void add_source_root(Command& command, std::optional<std::string>& root);

}  // namespace racecast::cli
