// What both ways to link share (link.h): the linked program while it grows, and the copying of all that the modules
// have once it is known what becomes what. Private to link*.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "program/link.h"

namespace racecast::program {

inline std::uint64_t address_at(std::span<const std::uint64_t> addresses, std::size_t i) {
  return i < addresses.size() ? addresses[i] : 0;
}

class LinkWork {
 public:
  explicit LinkWork(std::span<const LinkInput> inputs);

  const LinkInput& input(std::size_t m) const { return inputs_[m]; }
  std::size_t modules() const { return inputs_.size(); }
  Program& program() { return linked_.program; }
  // To be filled: `functions`, `bodies` and `globals` of every module, before finish().
  LinkedModule& module(std::size_t m) { return linked_.modules[m]; }

  // A string of a module, in the linked program.
  StringId string(std::size_t m, StringId id) const { return strings_[m][index(id)]; }
  // Adds a function of a module, with its body (which finish() copies) or without; returns its number.
  std::uint32_t add_function(std::size_t m, std::size_t f, bool with_body);
  // The same for a global, or in the place of global `id`.
  std::uint32_t add_global(std::size_t m, std::size_t g);
  void replace_global(std::uint32_t id, std::size_t m, std::size_t g);

  // Copies the rest: structs, relocations, aliases, bodies; numbers the instructions and chooses main.
  Linked finish();

 private:
  StringId intern(const std::string& text);
  Global copy_of(std::size_t m, std::size_t g) const;
  Operand relocated(std::size_t m, Operand operand) const;
  Struct relocated(std::size_t m, const Struct& from) const;
  void copy_structs(std::size_t m);
  void copy_aliases(std::size_t m);
  void finish_globals();
  std::uint32_t without_parameters(std::uint32_t function);
  FrameId frame(std::size_t m, FrameId id);
  void relocate(std::size_t m, Instruction& instruction);
  void copy_bodies(std::size_t m);
  void map_instructions(std::size_t m);
  void choose_main();

  std::span<const LinkInput> inputs_;
  Linked linked_;
  std::vector<std::vector<StringId>> strings_;  // by module
  std::unordered_map<std::string, std::uint32_t> string_ids_;
  std::vector<std::vector<FrameId>> frames_;                         // by module; kNoFrame: not used so far
  std::vector<std::size_t> global_from_;                             // by linked global: the module that it is of
  std::vector<std::vector<std::uint32_t>> structs_;                  // by module and StructId
  HashMap<std::uint64_t, std::vector<std::uint32_t>> structs_like_;  // linked structs, by hash of what they hold
  HashMap<std::uint64_t, std::uint32_t> stubs_;
};

}  // namespace racecast::program
