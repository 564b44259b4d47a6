// See link.h. Two rounds: first every module's functions and globals find their place in the linked program, then the
// bodies are copied with all numbers in them replaced.
#include "program/link.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/check.h"
#include "base/hash.h"

namespace racecast::program {
namespace {

std::uint64_t at(std::span<const std::uint64_t> addresses, std::size_t i) {
  return i < addresses.size() ? addresses[i] : 0;
}

class Linker {
 public:
  explicit Linker(std::span<const LinkInput> inputs) : inputs_(inputs) { linked_.modules.resize(inputs.size()); }

  Linked run() {
    string_ids_.emplace("", 0);
    for (std::size_t m = 0; m < inputs_.size(); ++m) place_strings(m);
    for (std::size_t m = 0; m < inputs_.size(); ++m) place_globals(m);
    place_functions();
    for (std::size_t m = 0; m < inputs_.size(); ++m) copy_structs(m);
    for (std::size_t m = 0; m < inputs_.size(); ++m) copy_bodies(m);
    number_instructions(program());
    map_instructions();
    choose_main();
    return std::move(linked_);
  }

 private:
  Program& program() { return linked_.program; }

  // ---- strings

  void place_strings(std::size_t m) {
    std::vector<StringId>& ids = strings_.emplace_back();
    for (const std::string& text : inputs_[m].program->strings) ids.push_back(intern(text));
  }
  StringId intern(const std::string& text) {
    const auto [found, is_new] = string_ids_.emplace(text, static_cast<std::uint32_t>(program().strings.size()));
    if (is_new) program().strings.push_back(text);
    return static_cast<StringId>(found->second);
  }
  StringId string(std::size_t m, StringId id) const { return strings_[m][index(id)]; }

  // ---- globals

  // Does `b` say more about the object than `a`? A declaration has no content, and of an array perhaps no size.
  static bool says_more(const Global& a, const Global& b) {
    if (a.bytes.empty() != b.bytes.empty()) return a.bytes.empty();
    if (a.size() != b.size()) return a.size() < b.size();
    return a.initial == 0 && b.initial != 0;
  }

  void place_globals(std::size_t m) {
    const LinkInput& input = inputs_[m];
    std::vector<std::uint32_t>& ids = linked_.modules[m].globals;
    for (std::size_t g = 0; g < input.program->globals.size(); ++g) {
      Global global = input.program->globals[g];
      global.name = string(m, global.name);
      global.pointee = string(m, global.pointee);
      global.address = at(input.globals, g);
      // An object without bytes may share its address with the next one.
      const bool shared = global.address != 0 && global.size() != 0;
      const auto next = static_cast<std::uint32_t>(program().globals.size());
      std::uint32_t id = next;
      if (shared) id = global_at_.emplace(global.address, next).first->second;
      ids.push_back(id);
      if (id == next) {
        program().globals.push_back(std::move(global));
      } else if (Global& known = program().globals[id]; says_more(known, global)) {
        known = std::move(global);
      }
    }
  }

  // ---- functions

  bool is_used(std::size_t m, std::size_t f) const {
    return inputs_[m].used.empty() || (f < inputs_[m].used.size() && inputs_[m].used[f]);
  }

  std::uint32_t new_function(std::size_t m, std::size_t f, bool with_body) {
    const Function& from = inputs_[m].program->functions[f];
    Function function;
    function.name = string(m, from.name);
    function.missing = from.missing;
    function.thread = from.thread;
    function.address = at(inputs_[m].functions, f);
    function.params = from.params;
    function.registers = from.registers;
    if (with_body) function.blocks.resize(from.blocks.size());
    program().functions.push_back(std::move(function));
    return static_cast<std::uint32_t>(program().functions.size() - 1);
  }

  // ---- what stands for an entry: by address, else by name

  static const std::uint32_t* find(const HashMap<std::uint64_t, std::uint32_t>& map, std::uint64_t key) {
    const auto found = map.find(key);
    return found == map.end() || found->second == kNone32 ? nullptr : &found->second;
  }
  std::uint64_t name_of(std::size_t m, std::size_t f) const {
    return index(string(m, inputs_[m].program->functions[f].name));
  }
  // A definition of that name elsewhere makes the name ambiguous.
  void remember_body(std::size_t m, std::size_t f, std::uint32_t id) {
    const std::uint64_t address = at(inputs_[m].functions, f);
    if (address != 0) function_at_.emplace(address, id);
    const auto [named, is_new] = defined_.emplace(name_of(m, f), id);
    if (is_new || named->second == kNone32) return;
    if (address == 0 || program().functions[named->second].address != address) named.value() = kNone32;
  }

  template <typename Use>
  void for_each_function(const Use& use) {
    for (std::size_t m = 0; m < inputs_.size(); ++m) {
      for (std::size_t f = 0; f < inputs_[m].program->functions.size(); ++f) use(m, f);
    }
  }

  // Copies that the run used first, so that calls go to them; then definitions that nothing stands for yet; then
  // declarations.
  void place_functions() {
    for (std::size_t m = 0; m < inputs_.size(); ++m) {
      const std::size_t count = inputs_[m].program->functions.size();
      linked_.modules[m].functions.assign(count, kNone32);
      linked_.modules[m].bodies.assign(count, kNone32);
    }
    const auto keep = [&](std::size_t m, std::size_t f) {
      const std::uint32_t id = new_function(m, f, true);
      linked_.modules[m].functions[f] = linked_.modules[m].bodies[f] = id;
      remember_body(m, f, id);
    };
    const auto has_body = [&](std::size_t m, std::size_t f) {
      return !inputs_[m].program->functions[f].blocks.empty();
    };
    for_each_function([&](std::size_t m, std::size_t f) {
      if (has_body(m, f) && is_used(m, f)) keep(m, f);
    });
    for_each_function([&](std::size_t m, std::size_t f) {
      if (!has_body(m, f) || linked_.modules[m].bodies[f] != kNone32) return;
      // Without an address the run cannot say whether another body of that name is the same: it may be a local one.
      const std::uint64_t address = at(inputs_[m].functions, f);
      const std::uint32_t* const id = address == 0 ? nullptr : find(function_at_, address);
      if (id != nullptr)
        linked_.modules[m].functions[f] = *id;
      else
        keep(m, f);
    });
    for_each_function([&](std::size_t m, std::size_t f) {
      if (has_body(m, f)) return;
      const std::uint64_t address = at(inputs_[m].functions, f);
      const std::uint32_t* id = address != 0 ? find(function_at_, address) : find(defined_, name_of(m, f));
      if (id == nullptr) id = find(declared_, name_of(m, f));
      if (id == nullptr) {
        const std::uint32_t added = new_function(m, f, false);
        declared_.emplace(name_of(m, f), added);
        linked_.modules[m].functions[f] = added;
      } else {
        linked_.modules[m].functions[f] = *id;
      }
      Function& function = program().functions[linked_.modules[m].functions[f]];
      if (function.address == 0) function.address = address;
    });
  }

  // ---- structs and bodies

  void copy_structs(std::size_t m) {
    first_struct_.push_back(static_cast<std::uint32_t>(program().structs.size()));
    for (const Struct& from : inputs_[m].program->structs) {
      Struct to = from;
      to.name = string(m, from.name);
      for (Field& field : to.fields) {
        field.name = string(m, field.name);
        field.pointee = string(m, field.pointee);
      }
      if (to.base) to.base = static_cast<StructId>(index(*to.base) + first_struct_[m]);
      for (FunctionId& method : to.methods) {
        if (index(method) != kNone32) method = static_cast<FunctionId>(linked_.modules[m].functions[index(method)]);
      }
      program().structs.push_back(std::move(to));
    }
  }

  // A function to call with fewer arguments than the definition has parameters: C without prototypes can say that. What
  // is passed for the rest is not known, so neither is what the call does.
  std::uint32_t without_parameters(std::uint32_t function) {
    const auto [found, is_new] = stubs_.emplace(function, static_cast<std::uint32_t>(program().functions.size()));
    if (is_new) {
      Function stub;
      stub.name = program().functions[function].name;
      stub.address = program().functions[function].address;
      program().functions.push_back(std::move(stub));
    }
    return found->second;
  }

  void relocate(std::size_t m, Instruction& instruction) {
    const LinkedModule& module = linked_.modules[m];
    instruction.position.file = string(m, instruction.position.file);
    instruction.position.inlined = string(m, instruction.position.inlined);
    instruction.label = string(m, instruction.label);
    for (Operand& operand : instruction.operands) {
      if (operand.kind == OperandKind::Global) operand.value = module.globals[operand.value];
      if (operand.kind == OperandKind::Function) operand.value = module.functions[operand.value];
    }
    switch (instruction.op) {
      case Op::Alloc:
      case Op::StackAlloc:
        if (instruction.imm != 0) instruction.imm += first_struct_[m];
        break;
      case Op::InstanceOf: instruction.imm += first_struct_[m]; break;
      case Op::Opaque: instruction.imm = index(string(m, static_cast<StringId>(instruction.imm))); break;
      case Op::Call:
      case Op::Fork: {
        Operand& callee = instruction.operands[0];
        if (callee.kind == OperandKind::Function &&
            instruction.operands.size() - 1 < program().functions[callee.value].params.size()) {
          callee.value = without_parameters(static_cast<std::uint32_t>(callee.value));
        }
        break;
      }
      default: break;
    }
  }

  void copy_bodies(std::size_t m) {
    for (std::size_t f = 0; f < inputs_[m].program->functions.size(); ++f) {
      const std::uint32_t id = linked_.modules[m].bodies[f];
      if (id == kNone32) continue;
      std::vector<Block> blocks = inputs_[m].program->functions[f].blocks;
      for (Block& block : blocks) {
        for (Instruction& instruction : block.instructions) relocate(m, instruction);
      }
      program().functions[id].blocks = std::move(blocks);
    }
  }

  void map_instructions() {
    for (std::size_t m = 0; m < inputs_.size(); ++m) {
      std::vector<std::uint32_t>& ids = linked_.modules[m].instructions;
      ids.assign(inputs_[m].program->instruction_count, kNone32);
      for (std::size_t f = 0; f < inputs_[m].program->functions.size(); ++f) {
        const std::uint32_t body = linked_.modules[m].bodies[f];
        if (body == kNone32) continue;
        const std::vector<Block>& from = inputs_[m].program->functions[f].blocks;
        const std::vector<Block>& to = program().functions[body].blocks;
        for (std::size_t b = 0; b < from.size(); ++b) {
          for (std::size_t i = 0; i < from[b].instructions.size(); ++i) {
            ids[index(from[b].instructions[i].id)] = static_cast<std::uint32_t>(index(to[b].instructions[i].id));
          }
        }
      }
    }
  }

  void choose_main() {
    bool any = false;
    for (std::size_t f = 0; f < program().functions.size(); ++f) {
      const Function& function = program().functions[f];
      if (function.blocks.empty()) continue;
      if (!any) program().main = static_cast<FunctionId>(f);
      any = true;
      if (program().text(function.name) != "main") continue;
      program().main = static_cast<FunctionId>(f);
      return;
    }
  }

  std::span<const LinkInput> inputs_;
  Linked linked_;
  std::vector<std::vector<StringId>> strings_;  // by module
  std::unordered_map<std::string, std::uint32_t> string_ids_;
  HashMap<std::uint64_t, std::uint32_t> global_at_, function_at_;  // by address
  HashMap<std::uint64_t, std::uint32_t> defined_;                  // bodies by name's string; kNone32: several
  HashMap<std::uint64_t, std::uint32_t> declared_;                 // functions without a body, the same
  HashMap<std::uint64_t, std::uint32_t> stubs_;
  std::vector<std::uint32_t> first_struct_;
};

}  // namespace

Linked link(std::span<const LinkInput> inputs) {
  return Linker(inputs).run();
}

}  // namespace racecast::program
