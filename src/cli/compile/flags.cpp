// racecast flags: what `racecast cc` adds, for build systems that call clang-19 themselves.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/compile/installation.h"

namespace racecast::cli {

namespace {

std::string quoted(const std::string& word) {
  if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+=:@%,-") == word.npos)
    return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

}  // namespace

void add_flags(Command& app, Outcome& outcome) {
  struct Options {
    bool compile = false, link = false, libraries = false;
    std::string hooks = "record", tsan_feature = "on";
  };
  auto options = std::make_shared<Options>();
  Command* command = app.add_subcommand("flags", "print the flags for clang-19, for build systems of another kind");
  command->add_flag("--cflags", options->compile, "only those for compiling C and C++");
  command->add_flag("--ldflags", options->link, "only those for linking; they come before all inputs");
  command->add_flag("--libs", options->libraries, "only those for linking C++ that come behind all inputs");
  command
      ->add_option("--hooks", options->hooks, "how accesses are recorded: record (in place) or call (by the runtime)")
      ->default_str("record");
  command
      ->add_option("--tsan-feature", options->tsan_feature,
                   "whether __has_feature(thread_sanitizer) is true: on or off")
      ->default_str("on");
  command->footer(
      "Without an option: those of --cflags and --ldflags, which come before the inputs.\nExample: racecast flags "
      "--cflags");
  command->callback([options, &outcome] {
    outcome = [&]() -> Outcome {
      RC_TRY(const Installation installation, find_installation());
      CompileChoice choice;
      RC_TRY(choice.hooks, hooks_named(options->hooks));
      RC_TRY(choice.tsan_feature, tsan_feature_named(options->tsan_feature));
      const bool both = !options->compile && !options->link && !options->libraries;
      std::vector<std::string> words;
      if (both || options->compile) words = compile_flags(installation, choice);
      if (both || options->link)
        for (const std::string& flag : link_flags(installation)) words.push_back(flag);
      if (options->libraries)
        for (const std::string& flag : library_flags()) words.push_back(flag);
      std::string line;
      for (const std::string& word : words) line += (line.empty() ? "" : " ") + quoted(word);
      print(line + "\n");
      return kNothingFound;
    }();
  });
}

}  // namespace racecast::cli
