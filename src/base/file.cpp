#include "base/file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace racecast {

namespace {
struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Closer>;
}  // namespace

Result<std::string> read_file(const std::string& path, std::uint64_t max_bytes) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return bad_input(fmt::format("{}: is a directory; name a file", path));
  File file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) return bad_input(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
  std::string content;
  char buffer[1 << 16];
  for (;;) {
    const std::size_t count = std::fread(buffer, 1, sizeof buffer, file.get());
    content.append(buffer, count);
    if (content.size() > max_bytes) return bad_input(fmt::format("{}: is larger than {} bytes", path, max_bytes));
    if (count < sizeof buffer) break;
  }
  if (std::ferror(file.get()) != 0) return bad_input(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  return content;
}

Status refuse_same_file(const std::string& in, const std::string& out) {
  std::error_code error;
  if (std::filesystem::equivalent(in, out, error) && !error)
    return bad_input(fmt::format("{} cannot be both input and output", in));
  return {};
}

Status write_file(const std::string& path, const std::string& content) {
  File file(std::fopen(path.c_str(), "wb"));
  if (file == nullptr) return bad_input(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
  const bool written = std::fwrite(content.data(), 1, content.size(), file.get()) == content.size();
  if (!written || std::fflush(file.get()) != 0)
    return bad_input(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
  return {};
}

}  // namespace racecast
