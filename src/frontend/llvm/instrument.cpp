#include "frontend/llvm/instrument.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GlobalIFunc.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "frontend/llvm/atomics.h"
#include "frontend/llvm/border_code.h"
#include "frontend/llvm/call_code.h"
#include "frontend/llvm/call_kind.h"
#include "frontend/llvm/calls.h"
#include "frontend/llvm/embed.h"
#include "frontend/llvm/lower/lower.h"
#include "frontend/llvm/marks.h"
#include "frontend/llvm/plan.h"
#include "frontend/llvm/prepare.h"
#include "frontend/llvm/record_code.h"
#include "frontend/llvm/unchecked.h"

namespace racecast::frontend {
namespace {

// The records of one function, and what else of it has hooks.
struct Work {
  llvm::Function* function = nullptr;
  std::vector<Record> records;
  std::vector<std::uint32_t> first_ids;  // of each record
  std::vector<llvm::Instruction*> atomics;
  std::vector<llvm::CallBase*> calls;
  bool may_be_callback = false;
};

bool resolves_ifunc(const llvm::Function& function) {
  return llvm::any_of(function.getParent()->ifuncs(),
                      [&](const llvm::GlobalIFunc& ifunc) { return ifunc.getResolverFunction() == &function; });
}

// May a record be written in this function at all?
bool can_instrument(const llvm::Function& function) {
  if (function.isDeclaration() || function.hasAvailableExternallyLinkage()) return false;
  if (function.hasFnAttribute(llvm::Attribute::Naked)) return false;
  if (function.getCallingConv() == llvm::CallingConv::X86_INTR) return false;
  return !resolves_ifunc(function) && !forwards_varargs(function);
}

bool has_body(const Lowered& lowered, const llvm::Function& function) {
  const auto found = lowered.functions.find(&function);
  return found != lowered.functions.end() && !lowered.program.functions[found->second].blocks.empty();
}

Work plan_work(llvm::Function& function, const Lowered& lowered, const CallContext& context, Hooks hooks) {
  Work work;
  work.function = &function;
  work.records = plan(function, lowered, context, hooks);
  work.may_be_callback = has_unknown_callers(function);  // asked now: the table of functions will have its address
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      work.calls.push_back(call);
    } else if (is_atomic_step(instruction) && !lowered.local.contains(&instruction)) {
      work.atomics.push_back(&instruction);
    }
  }
  return work;
}

// The record with which an activation begins. Every function has one.
std::size_t entry_of(const Work& work) {
  const auto entry =
      llvm::find_if(work.records, [](const Record& record) { return (record.shape.header.flags & abi::kEntry) != 0; });
  CHECK(entry != work.records.end(), "{} has no entry", work.function->getName().str());
  return static_cast<std::size_t>(entry - work.records.begin());
}

// From the last record to the first: inserting one splits its block and moves only what is behind it. Records with the
// same place go in order, and so does what a landing adds between them.
void insert_records(const Work& work, RecordCode& code, CallCode& calls, BorderCode& border) {
  std::size_t end = work.records.size();
  while (end > 0) {
    llvm::Instruction* before = work.records[end - 1].before;
    std::size_t begin = end - 1;
    while (begin > 0 && work.records[begin - 1].before == before) --begin;
    for (std::size_t i = begin; i < end; ++i) {
      llvm::LandingPadInst* landing = before->getParent()->getLandingPadInst();
      const bool lands = landing != nullptr && landing->getNextNode() == before;
      const Record& record = work.records[i];
      if (record.writer == Writer::Inline) {
        code.write(record, work.first_ids[i]);
      } else {
        calls.write(record, work.first_ids[i]);
      }
      if (lands) border.add_landing(*before);
    }
    end = begin;
  }
}

// Stack slots that are recorded live from the function's entry to its return: two of them must not share a place.
void keep_slots_apart(llvm::Function& function, const Lowered& lowered) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* mark = llvm::dyn_cast<llvm::LifetimeIntrinsic>(&instruction);
    if (mark == nullptr) continue;
    const llvm::AllocaInst* alloca = llvm::findAllocaForValue(mark->getArgOperand(1));
    if (alloca == nullptr || !lowered.local.contains(alloca)) mark->eraseFromParent();
  }
}

// What the optimiser was told or found out about memory is no longer true: functions write records.
void strip_attributes(llvm::Module& module, const CallContext& context) {
  for (llvm::Function& function : module) {
    function.removeFnAttr(llvm::Attribute::SanitizeThread);
    if (function.isIntrinsic()) continue;
    if (!function.isDeclaration()) {
      function.removeFnAttr(llvm::Attribute::Memory);
      function.removeFnAttr(llvm::Attribute::NoSync);
      function.removeFnAttr(llvm::Attribute::NoFree);
    }
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr || call->isInlineAsm() || !may_record(kind_of(*call, context))) continue;
      call->removeFnAttr(llvm::Attribute::Memory);
      if (auto* callee = call->getCalledFunction()) callee->removeFnAttr(llvm::Attribute::Memory);
    }
  }
}

}  // namespace

bool instrument(llvm::Module& module, const program::Library& library, Hooks hooks) {
  if (module.getFunction("__racecast_module_init") != nullptr) return false;
  bool changed = false;
  for (llvm::Function& function : module) {
    if (!can_instrument(function)) continue;
    prepare(function);
    changed = true;
  }
  Lowered lowered = lower(module);
  CHECK(program::broken_rule(lowered.program).empty(), "{}", program::broken_rule(lowered.program));

  CallContext context;
  context.library = &library;
  for (const llvm::Function& function : module) {
    if (can_instrument(function) && has_body(lowered, function)) context.instrumented.insert(&function);
  }
  std::vector<Work> works;
  abi::Model model;
  std::uint32_t ids_used = 0;
  for (llvm::Function& function : module) {
    if (!context.instrumented.contains(&function)) continue;
    Work work = plan_work(function, lowered, context, hooks);
    for (const Record& record : work.records) {
      work.first_ids.push_back(ids_used);
      ids_used += record.shape.header.slots;
      model.shapes.push_back(record.shape);
    }
    works.push_back(std::move(work));
  }
  if (works.empty()) return changed;

  model.program = std::move(lowered.program);
  llvm::GlobalVariable* ids = make_ids(module, ids_used);
  embed(module, lowered, model, *ids);
  RecordCode code(module, *ids);
  CallCode calls(module, *ids);
  BorderCode border(module, *ids);
  CallHooks call_hooks(module, context);
  for (const Work& work : works) {
    insert_records(work, code, calls, border);
    for (llvm::Instruction* atomic : work.atomics) add_atomic_hooks(module, *atomic);
    for (auto call = work.calls.rbegin(); call != work.calls.rend(); ++call) call_hooks.add(**call);
    if (work.may_be_callback) border.add_callback(*work.function, work.first_ids[entry_of(work)]);
    border.add_unwinding(*work.function);
    keep_slots_apart(*work.function, lowered);
  }
  for (const Work& work : works) mark(*work.function);
  strip_attributes(module, context);
  unmark_unchecked(module);
  return changed;
}

}  // namespace racecast::frontend
