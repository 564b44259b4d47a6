// Which source files are a library's: headers that came with the system, and racecast's own copy of libstdc++'s code.
// What happens there is the library's business; users think of the line of their own that called it.
#pragma once

#include <string_view>

namespace racecast::program {

// Where the sources of libracecast_std.a claim to be (cmake/in_other_processes.cmake).
inline constexpr std::string_view kOwnLibrary = "/usr/lib/racecast/";

// By its path alone, as the compiler had it. Not all of /usr: programs are built in /usr/src, too.
constexpr bool is_library_file(std::string_view path) {
  constexpr std::string_view kFolders[] = {"/usr/include/", "/usr/lib/", "/usr/local/include/", "/usr/local/lib/"};
  for (const std::string_view folder : kFolders)
    if (path.starts_with(folder)) return true;
  return false;
}
static_assert(is_library_file(kOwnLibrary));

}  // namespace racecast::program
