#include "frontend/llvm/plan.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <utility>

#include "base/check.h"
#include "base/ids.h"
#include "frontend/llvm/atomics.h"
#include "frontend/llvm/embed.h"
#include "frontend/llvm/lower/escape.h"
#include "frontend/llvm/values.h"

namespace racecast::frontend {
namespace {

using abi::AddressMode;
using abi::Item;
using abi::ItemKind;

// The first instruction from here on that is no alloca. A record between allocas would cut their block, and what is
// allocated behind the first block of a function costs more.
llvm::Instruction& behind_allocas(llvm::Instruction& from) {
  llvm::Instruction* at = &from;
  while (llvm::isa<llvm::AllocaInst>(at)) at = at->getNextNode();
  return *at;
}

class Planner {
 public:
  Planner(llvm::Function& function, const Lowered& lowered, const CallContext& context, Hooks hooks)
      : function_(function),
        lowered_(lowered),
        context_(context),
        layout_(function.getParent()->getDataLayout()),
        calls_hooks_(hooks == Hooks::Call) {}

  std::vector<Record> run() {
    has_frame_ = function_.callsFunctionThatReturnsTwice() ||
                 llvm::any_of(function_, [](const llvm::BasicBlock& block) { return block.isLandingPad(); });
    for (llvm::BasicBlock& block : function_) plan_block(block);
    return std::move(records_);
  }

 private:
  // What goes into a segment.
  void add_params();
  void add_frame();
  void add_access(ItemKind kind, llvm::Instruction& access, llvm::Value* pointer, llvm::Value* value, llvm::Type* type);
  void add_bulk(ItemKind kind, llvm::MemIntrinsic& intrinsic, llvm::Value* pointer);
  void add_alloca(llvm::AllocaInst& alloca);
  void add_value(llvm::Instruction& instruction);
  void add(const Item& item, const Field& field);
  void add_with_address(Item item, Field field, llvm::Value* pointer, llvm::Instruction& before);
  void set_address(Item& item, Field& field, llvm::Value* pointer);

  // Where segments end.
  void plan_block(llvm::BasicBlock& block);
  void plan_instruction(llvm::Instruction& instruction);
  void plan_call(llvm::CallBase& call);
  void plan_end(llvm::Instruction& terminator);
  void begin_landing();
  void close(llvm::Instruction& before, std::uint32_t next, std::uint8_t flags, std::uint32_t slots = 1);

  std::uint32_t id_of(const llvm::Instruction& instruction) const {
    const auto found = lowered_.instr.find(&instruction);
    CHECK(found != lowered_.instr.end(), "{} in {} has no id", instruction.getOpcodeName(), function_.getName().str());
    return found->second;
  }
  bool wants_value(const llvm::Instruction& instruction) const;

  llvm::Function& function_;
  const Lowered& lowered_;
  const CallContext& context_;
  const llvm::DataLayout& layout_;
  const bool calls_hooks_;
  bool has_frame_ = false;
  std::vector<Record> records_;

  Record segment_;       // being filled
  bool landed_ = false;  // segment_ is a landing: it ends before the next instruction
  struct Origin {
    std::uint32_t item;
    std::int64_t offset;
  };
  llvm::DenseMap<const llvm::Value*, Origin> origins_;  // of the segment's explicit addresses, by base
};

void Planner::add(const Item& item, const Field& field) {
  segment_.shape.items.push_back(item);
  segment_.fields.push_back(field);
}

void Planner::set_address(Item& item, Field& field, llvm::Value* pointer) {
  llvm::APInt offset_bits(layout_.getIndexTypeSizeInBits(pointer->getType()), 0);
  const llvm::Value* base = pointer->stripAndAccumulateConstantOffsets(layout_, offset_bits, /*AllowNonInbounds=*/true);
  const std::int64_t offset = offset_bits.getSExtValue();
  if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(base)) {
    const auto found = lowered_.globals.find(global);
    if (found != lowered_.globals.end() && has_table_address(*global)) {
      item.mode = AddressMode::Global;
      item.base = found->second;
      item.delta = offset;
      return;
    }
  }
  const auto number = static_cast<std::uint32_t>(segment_.shape.items.size());
  const auto [origin, added] = origins_.try_emplace(base, Origin{number, offset});
  if (added) {
    item.mode = AddressMode::Explicit;
    field.address = pointer;
  } else {
    item.mode = AddressMode::Shared;
    item.base = origin->second.item;
    item.delta = offset - origin->second.offset;
  }
}

// An item that is at `pointer`. Where hooks are called, it is a record of its own, in front of which what the segment
// holds so far is written.
void Planner::add_with_address(Item item, Field field, llvm::Value* pointer, llvm::Instruction& before) {
  if (calls_hooks_) close(before, kNone32, 0);
  set_address(item, field, pointer);
  if (calls_hooks_) {
    field.address = pointer;
    segment_.writer = Writer::Access;
  }
  add(item, field);
  if (calls_hooks_) close(before, kNone32, 0);
}

// Callers of this module pass what the model computes, except for aggregates that are passed as a copy: only the callee
// knows where the copy is.
void Planner::add_params() {
  const bool all = has_unknown_callers(function_);
  for (llvm::Argument& argument : function_.args()) {
    const unsigned bytes = value_bytes(argument.getType());
    if (bytes == 0 || argument.getArgNo() >= kMaxParams) continue;
    if (!all && !argument.hasByValAttr()) continue;
    Item item{};
    item.kind = ItemKind::Param;
    item.value_bytes = static_cast<std::uint8_t>(bytes);
    item.instr = argument.getArgNo();
    add(item, {nullptr, &argument});
  }
}

void Planner::add_frame() {
  Item item{};
  item.kind = ItemKind::Frame;
  item.mode = AddressMode::Explicit;
  add(item, {});
}

void Planner::add_access(ItemKind kind, llvm::Instruction& access, llvm::Value* pointer, llvm::Value* value,
                         llvm::Type* type) {
  // A pointer of another address space (a segment of x86) is no address.
  if (lowered_.local.contains(&access) || pointer->getType()->getPointerAddressSpace() != 0) return;
  Item item{};
  Field field;
  item.kind = kind;
  item.instr = id_of(access);
  item.size = layout_.getTypeStoreSize(type).getKnownMinValue();
  item.value_bytes = static_cast<std::uint8_t>(value_bytes(type));
  if (item.value_bytes != 0) field.value = value;
  add_with_address(item, field, pointer, access);
}

void Planner::add_bulk(ItemKind kind, llvm::MemIntrinsic& intrinsic, llvm::Value* pointer) {
  if (is_local_pointer(pointer) || pointer->getType()->getPointerAddressSpace() != 0) return;
  Item item{};
  Field field;
  item.kind = kind;
  item.instr = id_of(intrinsic);
  if (const auto* length = llvm::dyn_cast<llvm::ConstantInt>(intrinsic.getLength())) {
    item.size = length->getZExtValue();
    if (item.size == 0) return;
  } else {
    item.value_bytes = 8;
    field.value = intrinsic.getLength();
  }
  add_with_address(item, field, pointer, intrinsic);
}

void Planner::add_alloca(llvm::AllocaInst& alloca) {
  if (lowered_.local.contains(&alloca)) return;
  Item item{};
  Field field;
  item.instr = id_of(alloca);
  if (const auto size = alloca.getAllocationSize(layout_)) {
    item.kind = ItemKind::Alloca;
    item.size = size->getKnownMinValue();
  } else {
    item.kind = ItemKind::AllocaOfSize;
    item.value_bytes = 8;
    field.value = alloca.getArraySize();
  }
  add_with_address(item, field, &alloca, behind_allocas(alloca));
}

void Planner::add_value(llvm::Instruction& instruction) {
  const unsigned bytes = value_bytes(instruction.getType());
  if (bytes == 0) return;
  Item item{};
  item.kind = ItemKind::Value;
  item.value_bytes = static_cast<std::uint8_t>(bytes);
  item.instr = id_of(instruction);
  add(item, {nullptr, &instruction});
}

// Is the result of this call, or of this instruction that the model cannot compute, to be recorded? Where the callee
// has hooks the model computes it; where it is missing code the runtime records it.
bool Planner::wants_value(const llvm::Instruction& instruction) const {
  if (lowered_.recorded.contains(&instruction)) return true;
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr || call->use_empty()) return false;
  const CallKind kind = kind_of(*call, context_);
  return kind == CallKind::Known || kind == CallKind::Pure || call->isInlineAsm();
}

void Planner::close(llvm::Instruction& before, std::uint32_t next, std::uint8_t flags, std::uint32_t slots) {
  if (calls_hooks_ && (flags & (abi::kReturn | abi::kCallsOut)) != 0) {
    if (!segment_.shape.items.empty()) close(before, kNone32, 0);
    segment_.writer = (flags & abi::kReturn) != 0 ? Writer::Leave : Writer::At;
  }
  abi::ShapeHeader& header = segment_.shape.header;
  header.flags = static_cast<std::uint8_t>(header.flags | flags);
  header.function = lowered_.functions.lookup(&function_);
  header.next = next;
  header.slots = slots;
  header.items = static_cast<std::uint32_t>(segment_.shape.items.size());
  segment_.before = &before;
  if (header.items != 0 || header.flags != 0 || slots > 1) records_.push_back(std::move(segment_));
  segment_ = {};
  origins_.clear();
  landed_ = false;
}

void Planner::begin_landing() {
  segment_.shape.header.flags = abi::kLanding;
  if (calls_hooks_) segment_.writer = Writer::Landed;
  landed_ = true;
  add_frame();
}

void Planner::plan_call(llvm::CallBase& call) {
  const CallKind kind = kind_of(call, context_);
  const bool invoke = llvm::isa<llvm::InvokeInst>(call);
  if (may_record(kind) || invoke || call.hasFnAttr(llvm::Attribute::ReturnsTwice)) {
    const bool out = kind != CallKind::Inside || invoke;
    close(call, id_of(call), out ? abi::kCallsOut : std::uint8_t{0});
  }
  if (invoke) return;  // its result is recorded where it went on normally
  if (call.hasFnAttr(llvm::Attribute::ReturnsTwice)) {
    begin_landing();
    add_value(call);
    return;
  }
  if (auto* bulk = llvm::dyn_cast<llvm::MemIntrinsic>(&call)) {
    const std::size_t before = records_.size();
    if (auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(bulk)) {
      add_bulk(ItemKind::BulkRead, *bulk, transfer->getRawSource());
    }
    const std::size_t between = records_.size();
    add_bulk(ItemKind::BulkWrite, *bulk, bulk->getRawDest());
    if (between > before && records_.size() > between) {
      records_[between - 1].joined = true;
      records_[between].joins = true;
    }
  }
  if (wants_value(call)) add_value(call);
}

void Planner::plan_end(llvm::Instruction& terminator) {
  if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(&terminator); branch && branch->isConditional()) {
    close(terminator, id_of(terminator), 0, 2);
  } else if (auto* sw = llvm::dyn_cast<llvm::SwitchInst>(&terminator)) {
    close(terminator, id_of(terminator), 0, sw->getNumCases() + 1);
  } else if (llvm::isa<llvm::ReturnInst, llvm::ResumeInst>(terminator)) {
    close(terminator, id_of(terminator), abi::kReturn);
  } else if (auto* call = llvm::dyn_cast<llvm::CallBase>(&terminator)) {
    plan_call(*call);
  } else {
    close(terminator, kNone32, 0);
  }
}

void Planner::plan_instruction(llvm::Instruction& instruction) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load && !load->isAtomic()) {
    // What cannot change (a constant table with addresses in it) is no access, but its result is not in the model.
    if (lowered_.recorded.contains(load)) {
      add_value(*load);
    } else {
      add_access(ItemKind::Load, *load, load->getPointerOperand(), load, load->getType());
    }
  } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction); store && !store->isAtomic()) {
    llvm::Value* value = store->getValueOperand();
    add_access(ItemKind::Store, *store, store->getPointerOperand(), value, value->getType());
  } else if (is_atomic_step(instruction)) {
    if (!lowered_.local.contains(&instruction)) close(instruction, id_of(instruction), abi::kCallsOut);
    if (lowered_.recorded.contains(&instruction)) add_value(instruction);
  } else if (auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
    add_alloca(*alloca);
  } else if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    plan_call(*call);
  } else if (wants_value(instruction)) {
    add_value(instruction);
  }
}

void Planner::plan_block(llvm::BasicBlock& block) {
  if (&block == &function_.getEntryBlock()) {
    segment_.shape.header.flags = abi::kEntry;
    if (has_frame_ || calls_hooks_) add_frame();
    if (calls_hooks_) {
      segment_.writer = Writer::Enter;
      close(behind_allocas(block.front()), kNone32, 0);
    }
    add_params();
  }
  if (const llvm::BasicBlock* before = block.getUniquePredecessor()) {
    auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(before->getTerminator());
    if (invoke != nullptr && invoke->getNormalDest() == &block && wants_value(*invoke)) {
      add_value(*const_cast<llvm::InvokeInst*>(invoke));
    }
  }
  for (llvm::Instruction& instruction : block) {
    const bool first_place = llvm::isa<llvm::PHINode>(instruction) || llvm::isa<llvm::LandingPadInst>(instruction);
    const bool full = segment_.shape.items.size() + 2 > kMaxItems;
    if (!first_place && (landed_ || full)) close(instruction, kNone32, 0);
    if (llvm::isa<llvm::LandingPadInst>(instruction)) {
      begin_landing();
    } else if (instruction.isTerminator()) {
      plan_end(instruction);
    } else {
      plan_instruction(instruction);
    }
  }
}

}  // namespace

bool has_unknown_callers(const llvm::Function& function) {
  return !function.hasLocalLinkage() || function.hasAddressTaken();
}

std::vector<Record> plan(llvm::Function& function, const Lowered& lowered, const CallContext& context, Hooks hooks) {
  return Planner(function, lowered, context, hooks).run();
}

}  // namespace racecast::frontend
