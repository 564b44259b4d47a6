#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

namespace racecast::cli {

Option* Option::required(bool value) {
  return option_->required(value), this;
}
Option* Option::type_name(const std::string& name) {
  return option_->type_name(name), this;
}
Option* Option::description(const std::string& text) {
  return option_->description(text), this;
}
Option* Option::group(const std::string& name) {
  return option_->group(name), this;
}
Option* Option::delimiter(char delimiter) {
  return option_->delimiter(delimiter), this;
}
Option* Option::allow_extra_args(bool value) {
  return option_->allow_extra_args(value), this;
}
Option* Option::default_str(const std::string& text) {
  return option_->default_str(text), this;
}
Option* Option::default_val(int value) {
  return option_->default_val(value), this;
}
Option* Option::check(const std::function<std::string(const std::string&)>& problem) {
  return option_->check(problem), this;
}
Option* Option::range(int least, int most) {
  return option_->check(CLI::Range(least, most)), this;
}
Option* Option::range(std::uint64_t least, std::uint64_t most) {
  return option_->check(CLI::Range(least, most)), this;
}
Option* Option::range(double least, double most) {
  return option_->check(CLI::Range(least, most)), this;
}
Option* Option::non_negative() {
  return option_->check(CLI::NonNegativeNumber), this;
}
Option* Option::as_size(bool kilo_is_1000) {
  return option_->transform(CLI::AsSizeValue(kilo_is_1000)), this;
}
Option* Option::excludes(const Option* other) {
  return option_->excludes(other->option_), this;
}
void Option::exclude(const char* name) {
  option_->excludes(std::string(name));
}

std::size_t Option::count() const {
  return option_->count();
}
std::string Option::get_name() const {
  return option_->get_name();
}
std::string Option::get_group() const {
  return option_->get_group();
}
std::vector<std::string> Option::results() const {
  return option_->results();
}

Command::Command(const std::string& description, const std::string& name)
    : root_(std::make_unique<CLI::App>(description, name)), app_(root_.get()) {}
Command::Command(CLI::App* app) : app_(app) {}
Command::~Command() = default;

Command* Command::add_subcommand(const std::string& name, const std::string& description) {
  subcommands_.emplace_back(new Command(app_->add_subcommand(name, description)));
  return subcommands_.back().get();
}

Option* Command::keep(CLI::Option* option) {
  return &options_.emplace_back(option);
}

Option* Command::add_flag(const std::string& name, bool& value, const std::string& description) {
  return keep(app_->add_flag(name, value, description));
}
Option* Command::add_option(const std::string& name, std::string& value, const std::string& description) {
  return keep(app_->add_option(name, value, description));
}
Option* Command::add_option(const std::string& name, std::optional<std::string>& value,
                            const std::string& description) {
  return keep(app_->add_option(name, value, description));
}
Option* Command::add_option(const std::string& name, std::vector<std::string>& value, const std::string& description) {
  return keep(app_->add_option(name, value, description));
}
Option* Command::add_option(const std::string& name, int& value, const std::string& description) {
  return keep(app_->add_option(name, value, description));
}
Option* Command::add_option(const std::string& name, unsigned& value, const std::string& description) {
  return keep(app_->add_option(name, value, description));
}
Option* Command::add_option(const std::string& name, std::uint64_t& value, const std::string& description) {
  return keep(app_->add_option(name, value, description));
}
Option* Command::add_option(const std::string& name, double& value, const std::string& description) {
  return keep(app_->add_option(name, value, description));
}
Option* Command::add_option(const std::string& name, std::optional<std::uint64_t>& value,
                            const std::string& description) {
  return keep(app_->add_option(name, value, description));
}
Option* Command::add_option(const std::string& name, const std::function<void(const std::string&)>& take,
                            const std::string& description) {
  return keep(app_->add_option_function<std::string>(name, take, description));
}
Option* Command::add_number(const std::string& name, const std::function<void(std::uint64_t)>& take,
                            const std::string& description) {
  return keep(app_->add_option_function<std::uint64_t>(name, take, description));
}

void Command::set_version_flag(const std::string& name, const std::string& text) {
  app_->set_version_flag(name, text);
}
void Command::require_subcommand() {
  app_->require_subcommand(1);
}
void Command::footer(const std::string& text) {
  app_->footer(text);
}
void Command::callback(std::function<void()> run) {
  app_->callback(std::move(run));
}

std::string Command::get_name() const {
  return app_->get_name();
}

bool Command::has_subcommand(const std::string& name) const {
  return std::any_of(subcommands_.begin(), subcommands_.end(),
                     [&](const std::unique_ptr<Command>& command) { return command->get_name() == name; });
}

Option* Command::get_option(const std::string& name) {
  const auto found =
      std::find_if(options_.begin(), options_.end(), [&](const Option& option) { return option.get_name() == name; });
  return found == options_.end() ? nullptr : &*found;
}

std::vector<const Option*> Command::get_options() const {
  std::vector<const Option*> options;
  options.reserve(options_.size());
  for (const Option& option : options_) options.push_back(&option);
  return options;
}

std::size_t Command::count(const std::string& option) const {
  return app_->count(option);
}

std::optional<int> Command::parse(int argc, const char* const* argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app_->exit(error);
  }
  return std::nullopt;
}

}  // namespace racecast::cli
