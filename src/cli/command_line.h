// The parser of the command line, as far as the commands use it. It is CLI11, of which every file that includes it
// pays several seconds of compiling; so command_line.cpp alone does, and the commands see these two classes. Names and
// meaning of the functions are CLI11's own.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace racecast::cli {

// One option, flag or positional argument. It belongs to its command, as do all pointers to it.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option* required(bool value = true);
  Option* type_name(const std::string& name);
  Option* description(const std::string& text);
  Option* group(const std::string& name);
  Option* delimiter(char delimiter);
  Option* allow_extra_args(bool value);
  Option* default_str(const std::string& text);
  Option* default_val(int value);
  // `problem` returns what is wrong with a word, or nothing.
  Option* check(const std::function<std::string(const std::string&)>& problem);
  Option* range(int least, int most);
  Option* range(std::uint64_t least, std::uint64_t most);
  Option* range(double least, double most);
  Option* non_negative();
  // A number with a suffix K, M, G: of 1,000 if `kilo_is_1000`, else of 1,024.
  Option* as_size(bool kilo_is_1000);
  Option* excludes(const Option* other);
  template <class... Names>
  Option* excludes(const char* name, Names... more) {
    exclude(name);
    (exclude(more), ...);
    return this;
  }

  std::size_t count() const;  // how often it was given
  std::string get_name() const;
  std::string get_group() const;
  std::vector<std::string> results() const;

 private:
  void exclude(const char* name);

  CLI::Option* option_;
};

// The program or one of its commands. Variables that options write to must live until parse() is over.
class Command {
 public:
  Command(const std::string& description, const std::string& name);
  ~Command();
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  Command* add_subcommand(const std::string& name, const std::string& description);
  Option* add_flag(const std::string& name, bool& value, const std::string& description);
  Option* add_option(const std::string& name, std::string& value, const std::string& description = "");
  Option* add_option(const std::string& name, std::optional<std::string>& value, const std::string& description);
  Option* add_option(const std::string& name, std::vector<std::string>& value, const std::string& description);
  Option* add_option(const std::string& name, int& value, const std::string& description);
  Option* add_option(const std::string& name, unsigned& value, const std::string& description);
  Option* add_option(const std::string& name, std::uint64_t& value, const std::string& description);
  Option* add_option(const std::string& name, double& value, const std::string& description);
  Option* add_option(const std::string& name, std::optional<std::uint64_t>& value, const std::string& description);
  Option* add_option(const std::string& name, const std::function<void(const std::string&)>& take,
                     const std::string& description);
  Option* add_number(const std::string& name, const std::function<void(std::uint64_t)>& take,
                     const std::string& description);
  void set_version_flag(const std::string& name, const std::string& text);
  void require_subcommand();
  void footer(const std::string& text);
  // What to do when all words of this command were understood.
  void callback(std::function<void()> run);

  std::string get_name() const;
  bool has_subcommand(const std::string& name) const;
  Option* get_option(const std::string& name);  // one that was added
  std::vector<const Option*> get_options() const;
  std::size_t count(const std::string& option) const;

  // Runs the callback of what was asked for and returns nothing; or prints the help, the version (0) or what is wrong
  // with the words (not 0) and returns that exit code.
  std::optional<int> parse(int argc, const char* const* argv);

 private:
  explicit Command(CLI::App* app);
  Option* keep(CLI::Option* option);

  std::unique_ptr<CLI::App> root_;  // of the program itself; commands belong to it
  CLI::App* app_;
  std::deque<Option> options_;
  std::vector<std::unique_ptr<Command>> subcommands_;
};

}  // namespace racecast::cli
