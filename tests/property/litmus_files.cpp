#include "property/litmus_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "source_dir.h"

namespace racecast::property {

std::vector<LitmusOfTree> litmus_files(std::initializer_list<std::string_view> folders) {
  std::vector<std::filesystem::path> paths;
  for (const std::string_view folder : folders)
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(RACECAST_SOURCE_DIR) / "tests" / folder))
      if (entry.path().extension() == ".litmus") paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<LitmusOfTree> files;
  for (const std::filesystem::path& path : paths) {
    const std::string name = path.filename().string();
    auto text = read_file(path.string(), 1 << 20);
    if (!text) {
      ADD_FAILURE() << text.error().message;
      continue;
    }
    auto file = program::parse_litmus(*text, name);
    if (!file) {
      ADD_FAILURE() << file.error().message;
      continue;
    }
    files.push_back({name, *std::move(text), *std::move(file)});
  }
  return files;
}

}  // namespace racecast::property
