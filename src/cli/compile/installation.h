// Where racecast's own files are: the plugin, the runtime, the public header. The build tree and the installed tree
// have the same layout, so they are found relative to the binary that runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace racecast::cli {

struct Installation {
  std::string plugin;     // lib/libracecast_plugin.so
  std::string marks;      // lib/libracecast_marks.so
  std::string libraries;  // lib, where libracecast_rt.so is
  std::string headers;    // include, where racecast/annotations.h is
};

// bad_input if a file is missing, with its name.
Result<Installation> find_installation();

// How the code tells of its accesses: by records that are written in place, or by calls of the runtime
// (docs/recording.md, "Hooks that are called").
enum class Hooks : std::uint8_t { Record, Call };
// "record" or "call"; bad_input for anything else.
Result<Hooks> hooks_named(const std::string& name);
// Whether __has_feature(thread_sanitizer) is true, so that code says what it has to say to ThreadSanitizer: "on" or
// "off"; bad_input for anything else.
Result<bool> tsan_feature_named(const std::string& name);

// What the user chooses about the code that is compiled.
struct CompileChoice {
  Hooks hooks = Hooks::Record;
  bool tsan_feature = true;
};

// What must be added to a compilation, and to a link, as separate words. They go before the user's own words; those
// that the user's must not override are checked by compile_args.h.
std::vector<std::string> compile_flags(const Installation& installation, const CompileChoice& choice = {});
std::vector<std::string> link_flags(const Installation& installation);
// Behind all inputs of a link, and so before libstdc++.so: what is taken from there is for this program alone.
std::vector<std::string> library_flags();

}  // namespace racecast::cli
