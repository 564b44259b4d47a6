#include "cli/commands/dump_program.h"

#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <span>

#include "abi/object_models.h"
#include "base/file.h"
#include "base/printable.h"
#include "cli/litmus_input.h"
#include "cli/open_trace.h"
#include "program/dump.h"
#include "program/link.h"

namespace racecast::cli {
namespace {

constexpr std::uint64_t kMaxObjectFile = std::uint64_t{1} << 32;

std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

bool is_compiled(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string start(4, '\0');
  return file.read(start.data(), static_cast<std::streamsize>(start.size())) && abi::is_elf(bytes_of(start));
}

Result<std::string> dump_compiled(const std::vector<std::string>& paths) {
  std::vector<abi::Model> models;
  std::vector<std::string> files;  // by model
  for (const std::string& path : paths) {
    RC_TRY(const std::string content, read_file(path, kMaxObjectFile));
    auto found = abi::read_models(bytes_of(content));
    if (!found) return bad_input(path + ": " + found.error().message);
    models.insert(models.end(), std::make_move_iterator(found->begin()), std::make_move_iterator(found->end()));
    files.resize(models.size(), path);
  }
  std::vector<program::LinkInput> inputs;
  inputs.reserve(models.size());
  for (std::size_t m = 0; m < models.size(); ++m) inputs.push_back({&models[m].program, {}, {}, {}, files[m]});
  RC_TRY(const program::Linked linked, program::link_by_name(inputs));
  if (const std::string rule = program::broken_rule(linked.program); !rule.empty()) {
    return bad_input(fmt::format("the linked program breaks a rule: {}", rule));
  }
  return printable_lines(program::dump(linked.program));
}

}  // namespace

Result<std::shared_ptr<const program::Program>> program_of_trace(const std::string& path) {
  RC_TRY(const OpenedTrace opened, open_trace(path));
  auto program = opened.source->definitions().program;
  if (program == nullptr) return bad_input(fmt::format("{}: the trace came without a program", path));
  return program;
}

Result<std::string> dump_program(const std::vector<std::string>& paths) {
  if (is_compiled(paths[0])) return dump_compiled(paths);
  if (paths.size() > 1) return bad_input(fmt::format("{}: only files of compiled code can be linked", paths[0]));
  if (paths[0].ends_with(".litmus")) {
    RC_TRY(const program::LitmusFile file, load_litmus(paths[0]));
    return program::dump(*file.program);
  }
  RC_TRY(const auto program, program_of_trace(paths[0]));
  return printable_lines(program::dump(*program));
}

}  // namespace racecast::cli
