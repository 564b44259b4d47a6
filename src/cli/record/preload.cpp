#include "cli/record/preload.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/printable.h"
#include "cli/compile/installation.h"

namespace racecast::cli {

namespace {

constexpr std::string_view kRuntime = "libracecast_rt.so";

// As a shell finds it; empty: nowhere.
std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* folders = std::getenv("PATH");
  std::string_view rest = folders != nullptr ? folders : "/bin:/usr/bin";
  for (;;) {
    const std::size_t end = rest.find(':');
    const std::string folder(rest.substr(0, end));
    std::string path = (folder.empty() ? "." : folder) + "/" + name;
    struct stat about{};
    if (stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) && access(path.c_str(), X_OK) == 0) return path;
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
}

// Whether the file names the runtime, which every program that is linked with it does. Nullopt: it cannot be read.
std::optional<bool> names_runtime(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat about{};
  if (file < 0) return std::nullopt;
  std::optional<bool> answer;
  if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
    const auto size = static_cast<std::size_t>(about.st_size);
    void* const bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes != MAP_FAILED) {
      answer = std::string_view(static_cast<const char*>(bytes), size).find(kRuntime) != std::string_view::npos;
      munmap(bytes, size);
    }
  }
  close(file);
  return answer;
}

}  // namespace

std::optional<std::string> preload_for(const std::string& program) {
  const std::string path = find_program(program);
  if (path.empty() || names_runtime(path).value_or(true)) return std::nullopt;
  const auto installation = find_installation();
  if (!installation) return std::nullopt;
  std::string value = installation->libraries + "/" + std::string(kRuntime);
  // These separate names there, and nothing takes their meaning away.
  if (value.find_first_of(": ") != std::string::npos) {
    fmt::print(
        stderr,
        "racecast: {} cannot be preloaded, because of the colon or blank in its path: a library that {} loads is "
        "not recorded\n",
        printable(value), printable(program));
    return std::nullopt;
  }
  const char* before = std::getenv("LD_PRELOAD");
  if (before == nullptr || *before == '\0') return value;
  if (std::string_view(before).find(kRuntime) != std::string_view::npos) return std::nullopt;
  return value + ":" + before;
}

}  // namespace racecast::cli
