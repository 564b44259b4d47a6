// libFuzzer target for the litmus language: whatever is accepted prints and parses back to an equal tree, and lowers to
// a program that breaks no rule. Whatever is refused says where.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "program/litmus/ast.h"
#include "program/litmus/litmus.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace racecast;
  using namespace racecast::program;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto file = parse_litmus(text, "fuzz.litmus");
  if (!file) {
    CHECK(file.error().message.starts_with("fuzz.litmus:"), "{}", file.error().message);
    return 0;
  }
  const std::string broken = broken_rule(*file->program);
  CHECK(broken.empty(), "{}", broken);
  const std::string printed = print_litmus(*file->tree);
  const auto again = parse_litmus(printed, "printed.litmus");
  CHECK(again.has_value(), "{}", again.error().message);
  CHECK(*again->tree == *file->tree, "{}", printed);
  CHECK(print_litmus(*again->tree) == printed, "{}", printed);
  return 0;
}
