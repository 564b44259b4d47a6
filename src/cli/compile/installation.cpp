#include "cli/compile/installation.h"

#include <fmt/format.h>

#include <filesystem>

namespace racecast::cli {

Result<Installation> find_installation() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return bad_input(fmt::format("/proc/self/exe cannot be read: {}", error.message()));
  const std::filesystem::path prefix = self.parent_path().parent_path();
  Installation installation{prefix / "lib" / "libracecast_plugin.so", prefix / "lib" / "libracecast_marks.so",
                            prefix / "lib", prefix / "include"};
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

Result<bool> tsan_feature_named(const std::string& name) {
  if (name == "on") return true;
  if (name == "off") return false;
  return bad_input(fmt::format("the feature of ThreadSanitizer is \"on\" (the default) or \"off\", not \"{}\"", name));
}

std::vector<std::string> compile_flags(const Installation& installation, const CompileChoice& choice) {
  std::vector<std::string> flags{"-fpass-plugin=" + installation.plugin, "-g", "-fno-omit-frame-pointer",
                                 "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops", "-D__racecast__=1",
                                 // Headers of libc have no code of their own that looks into a FILE: what is called has
                                 // a row in the table of library functions.
                                 "-D__NO_INLINE__=1", "-idirafter", installation.headers};
  const auto add = [&](std::initializer_list<std::string> words) { flags.insert(flags.end(), words); };
  // Which functions are marked no_sanitize("thread"), the plugin learns from clang's front end:
  // frontend/llvm/unchecked.h. It is the front end alone that is told of the sanitizer (-Xclang); the driver would link
  // its runtime.
  add({"-Xclang", "-default-function-attr", "-Xclang", "racecast-front"});
  if (choice.tsan_feature) {
    add({"-Xclang", "-fsanitize=thread", "-D__SANITIZE_THREAD__=1"});
  } else {
    add({"-fplugin=" + installation.marks});
  }
  // The plugin has its options only once it is loaded, and -fpass-plugin loads it after they were read. Not -mllvm
  // itself: the assembler would get it, too, and has no plugins.
  if (choice.hooks == Hooks::Call)
    add({"-fplugin=" + installation.plugin, "-Xclang", "-mllvm", "-Xclang", "-racecast-hooks=call"});
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
