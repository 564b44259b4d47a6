// See link_work.h.
#include "program/link_work.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "program/calls.h"

namespace racecast::program {

LinkWork::LinkWork(std::span<const LinkInput> inputs) : inputs_(inputs) {
  linked_.modules.resize(inputs.size());
  if (!inputs.empty()) program().origin = inputs[0].program->origin;
  string_ids_.emplace("", 0);
  for (std::size_t m = 0; m < inputs_.size(); ++m) {
    std::vector<StringId>& ids = strings_.emplace_back();
    for (const std::string& text : inputs_[m].program->strings) ids.push_back(intern(text));
    frames_.emplace_back(inputs_[m].program->frames.size(), kNoFrame);
    module(m).functions.assign(inputs_[m].program->functions.size(), kNone32);
    module(m).bodies.assign(inputs_[m].program->functions.size(), kNone32);
    module(m).globals.assign(inputs_[m].program->globals.size(), kNone32);
  }
}

StringId LinkWork::intern(const std::string& text) {
  const auto [found, is_new] = string_ids_.emplace(text, static_cast<std::uint32_t>(program().strings.size()));
  if (is_new) program().strings.push_back(text);
  return static_cast<StringId>(found->second);
}

// ---- functions and globals

std::uint32_t LinkWork::add_function(std::size_t m, std::size_t f, bool with_body) {
  const Function& from = inputs_[m].program->functions[f];
  Function function;
  function.name = string(m, from.name);
  function.binding = from.binding;
  function.missing = from.missing;
  function.unchecked = from.unchecked;
  function.thread = from.thread;
  function.address = address_at(inputs_[m].functions, f);
  function.params = from.params;
  function.registers = from.registers;
  if (with_body) function.blocks.resize(from.blocks.size());
  program().functions.push_back(std::move(function));
  return static_cast<std::uint32_t>(program().functions.size() - 1);
}

Global LinkWork::copy_of(std::size_t m, std::size_t g) const {
  Global global = inputs_[m].program->globals[g];
  global.name = string(m, global.name);
  global.symbol = string(m, global.symbol);
  global.pointee = string(m, global.pointee);
  global.address = address_at(inputs_[m].globals, g);
  return global;
}

std::uint32_t LinkWork::add_global(std::size_t m, std::size_t g) {
  program().globals.push_back(copy_of(m, g));
  global_from_.push_back(m);
  return static_cast<std::uint32_t>(program().globals.size() - 1);
}

void LinkWork::replace_global(std::uint32_t id, std::size_t m, std::size_t g) {
  program().globals[id] = copy_of(m, g);
  global_from_[id] = m;
}

Operand LinkWork::relocated(std::size_t m, Operand operand) const {
  if (operand.kind == OperandKind::Global) operand.value = linked_.modules[m].globals[operand.value];
  if (operand.kind == OperandKind::Function) operand.value = linked_.modules[m].functions[operand.value];
  return operand;
}

void LinkWork::finish_globals() {
  for (std::size_t g = 0; g < program().globals.size(); ++g) {
    Global& global = program().globals[g];
    const std::size_t m = global_from_[g];
    for (Relocation& relocation : global.relocations) relocation.target = relocated(m, relocation.target);
    if (global.type) global.type = static_cast<StructId>(structs_[m][index(*global.type)]);
  }
}

void LinkWork::copy_aliases(std::size_t m) {
  for (const Alias& from : inputs_[m].program->aliases) {
    program().aliases.push_back({string(m, from.name), from.binding, relocated(m, from.target)});
  }
}

// ---- structs

Struct LinkWork::relocated(std::size_t m, const Struct& from) const {
  Struct to = from;
  to.name = string(m, from.name);
  for (Field& field : to.fields) {
    field.name = string(m, field.name);
    field.pointee = string(m, field.pointee);
    if (field.type) field.type = static_cast<StructId>(structs_[m][index(*field.type)]);
  }
  if (to.base) to.base = static_cast<StructId>(structs_[m][index(*to.base)]);
  for (FunctionId& method : to.methods) {
    if (index(method) != kNone32) method = static_cast<FunctionId>(linked_.modules[m].functions[index(method)]);
  }
  return to;
}

namespace {

// The same for equal structs. Names alone do not tell them apart: those without one have the same.
std::uint64_t hash_of(const Struct& type) {
  std::uint64_t hash = index(type.name);
  const auto add = [&](std::uint64_t value) { hash = MixHash()(hash) + value; };
  add(type.size);
  add(type.library ? 1 : 0);
  add(type.base ? index(*type.base) + 1 : 0);
  for (const Field& field : type.fields) {
    add(index(field.name));
    add(field.offset);
    add(index(field.pointee));
    add(field.size);
    for (const std::uint32_t stride : field.strides) add(stride);
    add(field.base ? 1 : 0);
    add(field.type ? index(*field.type) + 1 : 0);
  }
  for (const FunctionId method : type.methods) add(index(method));
  return hash;
}

}  // namespace

// Modules that include one header have the same structs: they are one.
void LinkWork::copy_structs(std::size_t m) {
  structs_.emplace_back();
  for (const Struct& from : inputs_[m].program->structs) {
    Struct to = relocated(m, from);
    std::vector<std::uint32_t>& known = structs_like_[hash_of(to)];
    const auto same = std::ranges::find_if(known, [&](std::uint32_t id) { return program().structs[id] == to; });
    if (same != known.end()) {
      structs_[m].push_back(*same);
      continue;
    }
    known.push_back(static_cast<std::uint32_t>(program().structs.size()));
    structs_[m].push_back(known.back());
    program().structs.push_back(std::move(to));
  }
}

// ---- bodies

// A function to call with fewer arguments than the definition has parameters: C without prototypes can say that. What
// is passed for the rest is not known, so neither is what the call does.
std::uint32_t LinkWork::without_parameters(std::uint32_t function) {
  const auto [found, is_new] = stubs_.emplace(function, static_cast<std::uint32_t>(program().functions.size()));
  if (is_new) {
    Function stub;
    stub.name = program().functions[function].name;
    stub.binding = {Linkage::Internal, true, false};  // no other module means it
    stub.address = program().functions[function].address;
    program().functions.push_back(std::move(stub));
  }
  return found->second;
}

// Only frames of code that was kept are copied, callers first.
FrameId LinkWork::frame(std::size_t m, FrameId id) {
  std::vector<FrameId> chain;
  for (FrameId at = id; at != kNoFrame && frames_[m][index(at)] == kNoFrame;
       at = inputs_[m].program->frames[index(at)].called.inlined) {
    chain.push_back(at);
  }
  for (; !chain.empty(); chain.pop_back()) {
    InlinedFrame copy = inputs_[m].program->frames[index(chain.back())];
    copy.function = string(m, copy.function);
    copy.called.file = string(m, copy.called.file);
    if (copy.called.inlined != kNoFrame) copy.called.inlined = frames_[m][index(copy.called.inlined)];
    frames_[m][index(chain.back())] = static_cast<FrameId>(program().frames.size());
    program().frames.push_back(copy);
  }
  return id == kNoFrame ? kNoFrame : frames_[m][index(id)];
}

void LinkWork::relocate(std::size_t m, Instruction& instruction) {
  instruction.position.file = string(m, instruction.position.file);
  instruction.position.inlined = frame(m, instruction.position.inlined);
  instruction.label = string(m, instruction.label);
  if (instruction.accessed)
    instruction.accessed->type = static_cast<StructId>(structs_[m][index(instruction.accessed->type)]);
  for (Operand& operand : instruction.operands) operand = relocated(m, operand);
  switch (instruction.op) {
    case Op::Alloc:
    case Op::StackAlloc:
      if (instruction.imm != 0) instruction.imm = structs_[m][instruction.imm - 1] + std::uint64_t{1};
      break;
    case Op::InstanceOf: instruction.imm = structs_[m][instruction.imm]; break;
    case Op::Opaque: instruction.imm = index(string(m, static_cast<StringId>(instruction.imm))); break;
    default: break;
  }
  const std::optional<std::size_t> at = instruction.op == Op::Fork ? 0 : callee_operand(instruction);
  if (!at || instruction.operands[*at].kind != OperandKind::Function) return;
  std::uint64_t& callee = instruction.operands[*at].value;
  if (instruction.operands.size() - 1 < program().functions[callee].params.size())
    callee = without_parameters(static_cast<std::uint32_t>(callee));
}

void LinkWork::copy_bodies(std::size_t m) {
  for (std::size_t f = 0; f < inputs_[m].program->functions.size(); ++f) {
    const std::uint32_t id = module(m).bodies[f];
    if (id == kNone32) continue;
    std::vector<Block> blocks = inputs_[m].program->functions[f].blocks;
    for (Block& block : blocks) {
      for (Instruction& instruction : block.instructions) relocate(m, instruction);
    }
    program().functions[id].blocks = std::move(blocks);
  }
}

void LinkWork::map_instructions(std::size_t m) {
  std::vector<std::uint32_t>& ids = module(m).instructions;
  ids.assign(inputs_[m].program->instruction_count, kNone32);
  for (std::size_t f = 0; f < inputs_[m].program->functions.size(); ++f) {
    const std::uint32_t body = module(m).bodies[f];
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

void LinkWork::choose_main() {
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

Linked LinkWork::finish() {
  for (std::size_t m = 0; m < modules(); ++m) copy_structs(m);
  finish_globals();
  for (std::size_t m = 0; m < modules(); ++m) copy_aliases(m);
  for (std::size_t m = 0; m < modules(); ++m) copy_bodies(m);
  number_instructions(program());
  for (std::size_t m = 0; m < modules(); ++m) map_instructions(m);
  choose_main();
  return std::move(linked_);
}

}  // namespace racecast::program
