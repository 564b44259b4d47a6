#include "cli/compile/installation.h"

#include <fmt/format.h>

#include <filesystem>

namespace racecast::cli {

Result<Installation> find_installation() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return bad_input(fmt::format("/proc/self/exe cannot be read: {}", error.message()));
  const std::filesystem::path prefix = self.parent_path().parent_path();
  Installation installation{prefix / "lib" / "libracecast_plugin.so", prefix / "lib", prefix / "include"};
  for (const std::string& file : {installation.plugin, installation.libraries + "/libracecast_rt.so"})
    if (!std::filesystem::exists(file, error))
      return bad_input(
          fmt::format("{} is missing: racecast's own files must lie beside its binary ({})", file, self.string()));
  return installation;
}

Result<Hooks> hooks_named(const std::string& name) {
  if (name == "record") return Hooks::Record;
  if (name == "call") return Hooks::Call;
  return bad_input(fmt::format("there are no hooks \"{}\": they are \"record\" (the default) or \"call\"", name));
}

std::vector<std::string> compile_flags(const Installation& installation, Hooks hooks) {
  std::vector<std::string> flags{"-fpass-plugin=" + installation.plugin,
                                 "-g",
                                 "-fno-omit-frame-pointer",
                                 "-fno-vectorize",
                                 "-fno-slp-vectorize",
                                 "-fno-unroll-loops",
                                 "-D__racecast__=1",
                                 "-idirafter",
                                 installation.headers};
  // The plugin has its options only once it is loaded, and -fpass-plugin loads it after they were read. Not -mllvm
  // itself: the assembler would get it, too, and has no plugins.
  if (hooks == Hooks::Call)
    flags.insert(flags.end(),
                 {"-fplugin=" + installation.plugin, "-Xclang", "-mllvm", "-Xclang", "-racecast-hooks=call"});
  return flags;
}

std::vector<std::string> link_flags(const Installation& installation) {
  // Needed even where no symbol of it is: it has to be loaded before libc to stand in for its functions.
  return {"-L" + installation.libraries, "-Wl,-rpath," + installation.libraries, "-Wl,--push-state,--no-as-needed",
          "-lracecast_rt", "-Wl,--pop-state"};
}

std::vector<std::string> library_flags() {
  return {"-Wl,--exclude-libs,libracecast_std.a", "-lracecast_std"};
}

}  // namespace racecast::cli
