#include "recording/code.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "abi/model_blob.h"
#include "base/check.h"
#include "base/packed.h"
#include "program/calls.h"
#include "program/link.h"

namespace racecast::recording {
namespace {

using program::Instruction;
using program::Op;

// More ids than any program has: damage.
constexpr std::uint64_t kMaxIds = std::uint64_t{1} << 26;

LocationId location(std::size_t instruction) {
  return static_cast<LocationId>(instruction == kNone32 ? 0 : instruction);
}

bool is_number(std::uint64_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

const program::LibraryFunction* row_of(const program::Program& program, const Instruction& call) {
  const auto callee = program::named_callee(call);
  if (!callee || !program.function(*callee).blocks.empty()) return nullptr;
  return program::Library::builtin().find(program.text(program.function(*callee).name));
}

// Is it an object that the same function made, or a part of it? Where that is, nothing that was read says.
bool is_made_here(const program::Program& program, const program::Definitions& definitions, program::Operand address) {
  for (std::size_t left = definitions.size(); left > 0 && address.kind == program::OperandKind::Reg; --left) {
    const Instruction* from = address.value < definitions.size() ? definitions[address.value] : nullptr;
    if (from == nullptr) return false;
    if (from->op == Op::Alloc || from->op == Op::StackAlloc) return true;
    if (from->op == Op::Call) {
      const program::LibraryFunction* row = row_of(program, *from);
      return row != nullptr && row->role == program::Role::Alloc;
    }
    if (from->op != Op::Offset && from->op != Op::Bitcast) return false;
    address = from->operands[0];
  }
  return false;
}

// Is an argument of this call computed (8), and one that its role is about (4)?
std::uint8_t computed_arguments(const program::Program& program, const program::Definitions& definitions,
                                const Instruction& call) {
  const auto callee = program::callee_operand(call);
  const program::LibraryFunction* row = row_of(program, call);
  Instruction probe;
  probe.op = Op::Lock;
  const bool all = row == nullptr || row->role == program::Role::None ||
                   (row->role == program::Role::Exchange && row->arguments.empty());
  std::uint8_t found = 0, argument = 0;
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    if (i == callee) continue;
    const bool counts = all || std::ranges::find(row->arguments, argument) != row->arguments.end();
    ++argument;
    probe.operands = {call.operands[i]};
    if (program::address_is_computed(definitions, probe) && !is_made_here(program, definitions, call.operands[i]))
      found |= counts ? 12 : 8;
  }
  return found;
}

}  // namespace

struct Code::Module {
  const RawModule* raw = nullptr;
  enum class State : std::uint8_t { Packed, Good, Damaged } state = State::Packed;
  abi::Model model;
  std::vector<CodeShape> shapes;
  std::vector<std::uint32_t> shape_of;  // by id, from the module's first on
  std::vector<bool> used;               // by FunctionId
};

Code::Code(const RawFolder& folder) {
  std::uint64_t packed = 0;
  for (const RawModule& raw : folder.modules) {
    modules_.push_back(std::make_unique<Module>());
    modules_.back()->raw = &raw;
    packed += raw.model.size();
  }
  unpacked_left_ = max_unpacked(packed);
  find_ranges();
}
Code::Code(Code&&) noexcept = default;
Code::~Code() = default;

void Code::find_ranges() {
  std::map<std::uint32_t, Range> found;  // by first id; disjoint
  // What `range` has beyond the ranges that are there.
  const auto add = [&](Range range) {
    std::uint64_t begin = range.begin;
    const std::uint64_t end = std::uint64_t{range.last} + 1;
    auto next = found.upper_bound(range.begin);
    if (next != found.begin()) begin = std::max(begin, std::uint64_t{std::prev(next)->second.last} + 1);
    while (begin < end) {
      const std::uint64_t stop = next == found.end() ? end : std::min(end, std::uint64_t{next->first});
      if (begin < stop) {
        const auto first = static_cast<std::uint32_t>(begin);
        found.emplace_hint(
            next, first,
            Range{first, static_cast<std::uint32_t>(stop - 1), range.offset + (first - range.begin), range.module});
      }
      if (next == found.end()) break;
      begin = std::max(begin, std::uint64_t{next->second.last} + 1);
      ++next;
    }
  };
  for (std::size_t m = modules_.size(); m-- > 0;) {
    const RawModule& raw = *modules_[m]->raw;
    if (raw.ids == 0) continue;
    const auto begin = static_cast<std::uint32_t>(raw.ids_begin);
    const std::uint64_t last = std::uint64_t{begin} + raw.ids - 1;
    const auto module = static_cast<std::uint32_t>(m);
    if (last <= kNone32) {
      add({begin, static_cast<std::uint32_t>(last), 0, module});
    } else {  // the low halves wrap around inside the module
      add({begin, kNone32, 0, module});
      add({0, static_cast<std::uint32_t>(last), kNone32 - begin + 1, module});
    }
  }
  for (const auto& [begin, range] : found) ranges_.push_back(range);
}

const CodeShape* Code::find(std::uint32_t id, std::uint32_t& slot, Hint& hint) {
  if (hint.range >= ranges_.size() || id < ranges_[hint.range].begin || id > ranges_[hint.range].last) [[unlikely]] {
    const auto next = std::ranges::upper_bound(ranges_, id, {}, &Range::begin);
    if (next == ranges_.begin() || std::prev(next)->last < id) return nullptr;
    hint.range = static_cast<std::uint32_t>(std::prev(next) - ranges_.begin());
  }
  const Range& range = ranges_[hint.range];
  Module& module = *modules_[range.module];
  if (module.state != Module::State::Good) [[unlikely]] {
    if (module.state == Module::State::Damaged || program_ != nullptr || !unpack(module)) return nullptr;
  }
  const std::uint32_t offset = id - range.begin + range.offset;
  if (offset >= module.shape_of.size()) return nullptr;
  const CodeShape& shape = module.shapes[module.shape_of[offset]];
  slot = offset - shape.first;
  return &shape;
}

void Code::mark_used(const CodeShape& shape, const Hint& hint) {
  modules_[ranges_[hint.range].module]->used[shape.own_function] = true;
}

bool Code::unpack(Module& module) {
  const auto damaged = [&](const std::string& why) {
    module.state = Module::State::Damaged;
    notes_.push_back(fmt::format("the module at {:#x}: {}", module.raw->ids_begin, why));
    return false;
  };
  const std::uint64_t unpacked = abi::unpacked_bytes(module.raw->model);
  if (unpacked > unpacked_left_)
    return damaged("the models of code would unpack to more than they are believed to hold");
  unpacked_left_ -= unpacked;
  auto model = abi::decode_model(module.raw->model);
  if (!model) return damaged(model.error().message);
  std::uint64_t ids = 0;
  for (const abi::Shape& from : model->shapes) ids += from.header.slots;
  if (ids > module.raw->ids || all_ids_ + ids > kMaxIds) return damaged("its shapes have more ids than it has");
  all_ids_ += ids;
  module.model = *std::move(model);
  module.shape_of.reserve(ids);
  module.shapes.reserve(module.model.shapes.size());
  for (abi::Shape& from : module.model.shapes) {
    CodeShape& to = module.shapes.emplace_back();
    to.payload = static_cast<std::uint32_t>(abi::payload_bytes(from));
    to.first = static_cast<std::uint32_t>(module.shape_of.size());
    to.slots = from.header.slots;
    to.flags = from.header.flags;
    to.own_function = from.header.function;
    to.raw_next = from.header.next;
    to.raw_items = std::move(from.items);
    module.shape_of.insert(module.shape_of.end(), to.slots, static_cast<std::uint32_t>(module.shapes.size() - 1));
  }
  module.used.assign(module.model.program.functions.size(), false);
  module.state = Module::State::Good;
  return true;
}

std::size_t Code::modules_used() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(modules_, [](const auto& module) { return module->state == Module::State::Good; }));
}

void Code::link() {
  CHECK(program_ == nullptr, "linked twice");
  std::vector<program::LinkInput> inputs;
  std::vector<Module*> good;
  for (const auto& module : modules_) {
    if (module->state != Module::State::Good) continue;
    inputs.push_back({&module->model.program, module->raw->globals, module->raw->functions, module->used});
    good.push_back(module.get());
  }
  program::Linked linked = program::link(inputs);
  program_ = std::make_shared<const program::Program>(std::move(linked.program));
  instructions_.reserve(program_->instruction_count);
  for (const program::Function& function : program_->functions) {
    entries_.push_back(static_cast<LocationId>(instructions_.size()));
    for (const program::Block& block : function.blocks) {
      for (const Instruction& instruction : block.instructions) instructions_.push_back(&instruction);
    }
    owners_.resize(instructions_.size(), static_cast<std::uint32_t>(entries_.size() - 1));
  }
  find_computed();
  for (std::size_t m = 0; m < good.size(); ++m) bind(*good[m], linked.modules[m]);
}

void Code::find_computed() {
  computed_.reserve(instructions_.size());
  Instruction probe;  // address_is_computed() of one operand, whatever takes it
  probe.op = Op::Lock;
  for (const program::Function& function : program_->functions) {
    const program::Definitions definitions = program::definitions_of(function);
    for (const program::Block& block : function.blocks) {
      for (const Instruction& instruction : block.instructions) {
        std::uint8_t found = 0;
        if (program::is_call(instruction)) {
          const auto callee = program::callee_operand(instruction);
          unsigned bit = 1;  // of the first argument, then of the second
          for (std::size_t i = 0; i < instruction.operands.size() && bit <= 2; ++i) {
            if (i == callee) continue;
            probe.operands = {instruction.operands[i]};
            if (program::address_is_computed(definitions, probe)) found |= static_cast<std::uint8_t>(bit);
            bit <<= 1;
          }
          found |= computed_arguments(*program_, definitions, instruction);
        } else if ((program::traits_of(instruction.op) & (program::Access | program::Sync)) != 0) {
          if (program::address_is_computed(definitions, instruction)) found = 15;
        } else if (instruction.op == Op::Opaque) {
          found = 15;  // which operand is the address is not known
        }
        computed_.push_back(found);
      }
    }
  }
}

void Code::bind(Module& module, const program::LinkedModule& linked) {
  for (CodeShape& shape : module.shapes) {
    shape.function = linked.bodies[shape.own_function];
    if (shape.function == kNone32) continue;  // a copy that never ran: no record has this shape
    shape.entry = entries_[shape.function];
    shape.has_next = shape.raw_next != kNone32;
    shape.next = shape.has_next ? location(linked.instructions[shape.raw_next]) : shape.entry;
    for (const abi::Item& raw : shape.raw_items) {
      CodeItem& item = shape.items.emplace_back();
      item.kind = raw.kind;
      item.mode = raw.mode;
      item.value_bytes = raw.value_bytes;
      item.base = raw.base;
      item.size = raw.size;
      item.add = static_cast<std::uint64_t>(raw.delta);
      item.has_value = raw.value_bytes == raw.size && is_number(raw.size);
      if (raw.mode == abi::AddressMode::Global) {
        const auto& addresses = module.raw->globals;
        item.add += raw.base < addresses.size() ? addresses[raw.base] : 0;
      }
      if (raw.kind == abi::ItemKind::Param || raw.kind == abi::ItemKind::Frame) {
        item.location = shape.entry;
        item.parameter = raw.instr;
      } else {
        item.location = location(linked.instructions[raw.instr]);
        // What a copy of so many bytes touches is computed, wherever it begins.
        const bool sized =
            (raw.kind == abi::ItemKind::BulkRead || raw.kind == abi::ItemKind::BulkWrite) && raw.value_bytes != 0;
        item.computed = sized || (raw.mode != abi::AddressMode::Global && is_computed(item.location));
        if (raw.kind == abi::ItemKind::Value) {
          shape.second_return = true;
        }
      }
    }
    shape.raw_items = {};
  }
  module.model = {};
  module.used = {};
}

std::uint32_t Code::unwind_branch(LocationId call) const {
  const std::size_t at = index(call);
  if (at + 2 >= instructions_.size()) return kNone32;
  const bool invoke = program::callee_operand(*instructions_[at]) && instructions_[at + 1]->op == Op::Opaque &&
                      instructions_[at + 2]->op == Op::Branch;
  return invoke ? static_cast<std::uint32_t>(at + 2) : kNone32;
}

LocationId Code::target_of(LocationId branch, std::uint32_t slot) const {
  const Instruction& instruction = *instructions_[index(branch)];
  if (slot >= instruction.targets.size()) return branch;
  const program::Function& function = program_->functions[owners_[index(branch)]];
  return location(index(function.blocks[index(instruction.targets[slot])].instructions.front().id));
}

std::optional<std::uint32_t> Code::callee_at(LocationId location) const {
  if (index(location) >= instructions_.size()) return std::nullopt;
  const auto callee = program::named_callee(*instructions_[index(location)]);
  return callee ? std::optional(static_cast<std::uint32_t>(index(*callee))) : std::nullopt;
}

std::optional<LocationId> Code::call_from(LocationId from, std::uint32_t function) const {
  constexpr int kMaxSteps = 256;
  for (int step = 0; step < kMaxSteps && index(from) < instructions_.size(); ++step) {
    const Instruction& instruction = *instructions_[index(from)];
    if (const auto callee = program::named_callee(instruction)) {
      // The first instruction of a function stands for its entry.
      if (index(*callee) == function && from != entries_[owners_[index(from)]]) return from;
      if (index(*callee) == function || !program_->function(*callee).blocks.empty()) return std::nullopt;
      from = location(index(from) + 1);
      continue;
    }
    switch (instruction.op) {
      case Op::Call:
      case Op::VirtualCall:
      case Op::Switch:
      case Op::Return: return std::nullopt;
      case Op::Jump: from = target_of(from, 0); continue;
      case Op::Branch:
        // That of a call that did not unwind is not recorded.
        if (index(from) < 2 || unwind_branch(location(index(from) - 2)) != index(from)) return std::nullopt;
        from = target_of(from, 1);
        continue;
      default: break;
    }
    from = location(index(from) + 1);
  }
  return std::nullopt;
}

}  // namespace racecast::recording
