// See lower.h. Here: the module, its globals and its list of functions. function.h is one function, and says
// which file lowers what.
//
// Time is linear in the module: each instruction is looked at once, each alloca costs its uses (escape.h), strings
// and source positions are interned by hash.
#include "frontend/llvm/lower/lower.h"

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalAlias.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <limits>

#include "frontend/llvm/lower/debug_types.h"
#include "frontend/llvm/lower/function.h"
#include "frontend/llvm/lower/module.h"
#include "frontend/llvm/unchecked.h"

namespace racecast::frontend {
namespace {

constexpr std::uint64_t kMaxInitialBytes = 64 * 1024;
// What all globals of a module may have together, so that those of many modules fit below kHeapBase. LIMIT: a
// global beyond it has no size in the model.
constexpr std::uint64_t kMaxGlobalBytes = std::uint64_t{1} << 30;

// The special globals of LLVM (llvm.used, llvm.global_ctors) are not in memory.
bool is_in_memory(const llvm::GlobalVariable& global) {
  return !global.getName().starts_with("llvm.") && global.getSection() != "llvm.metadata";
}

// A function with control flow that the model does not have is declared only: missing code, as if it were in a library.
bool has_model(const llvm::Function& function) {
  if (function.isDeclaration() || function.hasAvailableExternallyLinkage() ||
      function.hasFnAttribute(llvm::Attribute::Naked)) {
    return false;
  }
  for (const llvm::BasicBlock& block : function) {
    if (llvm::isa<llvm::CallBrInst, llvm::IndirectBrInst, llvm::CatchSwitchInst, llvm::CatchReturnInst,
                  llvm::CleanupReturnInst>(block.getTerminator())) {
      return false;
    }
  }
  return true;
}

program::Binding binding_of(const llvm::GlobalValue& value) {
  using program::Linkage;
  program::Binding binding;
  binding.linkage = value.hasLocalLinkage()                               ? Linkage::Internal
                    : value.isWeakForLinker() || value.hasCommonLinkage() ? Linkage::Weak
                                                                          : Linkage::External;
  binding.declared = value.isDeclarationForLinker();
  binding.hidden = value.hasHiddenVisibility();
  return binding;
}

// As the source has it. A static of a C function is called as one of C++: "f()::x". Of a struct that the optimiser has
// taken apart, each part is one of its fields.
std::string name_of(const llvm::GlobalVariable& global) {
  const GlobalPart part = part_of(global);
  if (part.variable == nullptr) return llvm::demangle(global.getName().str());
  const llvm::DIGlobalVariable& variable = *part.variable;
  std::string name =
      llvm::demangle((variable.getLinkageName().empty() ? variable.getName() : variable.getLinkageName()).str());
  if (variable.getLinkageName().empty() && llvm::isa_and_nonnull<llvm::DILocalScope>(variable.getScope()))
    name = (llvm::cast<llvm::DILocalScope>(variable.getScope())->getSubprogram()->getName() + "()::" + name).str();
  return name + part.fields;
}

}  // namespace

program::StringId ModuleLowering::intern(llvm::StringRef text) {
  if (text.empty()) return program::kNoString;
  auto& strings = out_.program.strings;
  const auto [it, is_new] = strings_.try_emplace(text, static_cast<program::StringId>(strings.size()));
  if (is_new) strings.emplace_back(text);
  return it->second;
}

bool ModuleLowering::has_constant_bytes(const llvm::GlobalVariable& global) const {
  return constant_bytes_.contains(&global);
}

void ModuleLowering::add_global(const llvm::GlobalVariable& global) {
  program::Global made;
  made.name = intern(name_of(global));
  if (const program::StringId symbol = intern(global.getName()); symbol != made.name) made.symbol = symbol;
  made.binding = binding_of(global);
  llvm::Type* type = global.getValueType();
  const std::uint64_t size = type->isSized() ? layout().getTypeAllocSize(type).getKnownMinValue() : 0;
  std::uint64_t element = size;
  if (const auto* array = llvm::dyn_cast<llvm::ArrayType>(type); array != nullptr && size != 0) {
    element = layout().getTypeAllocSize(array->getElementType()).getKnownMinValue();
  }
  const bool fits = size != 0 && size <= kMaxGlobalBytes - global_bytes_;
  made.element_size = fits ? static_cast<std::uint32_t>(element) : 1;
  made.count = fits ? static_cast<std::uint32_t>(size / element) : 0;
  if (fits) global_bytes_ += size;
  if (fits && global.hasInitializer() && size <= kMaxInitialBytes) {
    InitialImage image = initial_image(*global.getInitializer(), size, layout());
    const bool is_constant =
        global.isConstant() && global.hasDefinitiveInitializer() && !global.isThreadLocal() && image.addresses.empty();
    if (!image.bytes.empty() && is_constant) constant_bytes_.insert(&global);
    if (!image.addresses.empty() || std::ranges::any_of(image.bytes, [](std::uint8_t byte) { return byte != 0; }))
      made.bytes = std::move(image.bytes);
    if (!image.addresses.empty()) {
      addresses_.push_back({static_cast<std::uint32_t>(out_.program.globals.size()), std::move(image.addresses)});
    }
  }
  if (fits) made.type = structs_.of(global);
  if (const auto* array = llvm::dyn_cast<llvm::ArrayType>(type); array != nullptr && fits) {
    for (type = array->getElementType(); type->isArrayTy();) {
      type = type->getArrayElementType();
      const std::uint64_t stride = layout().getTypeAllocSize(type).getKnownMinValue();
      if (stride == 0) break;
      made.strides.push_back(static_cast<std::uint32_t>(stride));
    }
  }
  out_.globals[&global] = static_cast<std::uint32_t>(out_.program.globals.size());
  out_.program.globals.push_back(std::move(made));
}

void ModuleLowering::add_function(const llvm::Function& function) {
  const auto id = static_cast<std::uint32_t>(out_.program.functions.size());
  out_.functions[&function] = id;
  program::Function made;
  made.name = intern(function.getName());
  made.binding = binding_of(function);
  made.unchecked = is_unchecked(function);
  out_.program.functions.push_back(std::move(made));
  if (has_model(function)) {
    declare_parameters(function, out_.program.functions.back());
    bodies_.push_back(&function);
  }
}

void ModuleLowering::add_relocations() {
  for (const Addresses& addresses : addresses_) {
    program::Global& global = out_.program.globals[addresses.global];
    for (const InitialAddress& address : addresses.list) {
      const auto target = operand_of(*address.target);
      if (!target) {  // of LLVM's own: nothing is known then
        global.relocations.clear();
        global.bytes.clear();
        break;
      }
      global.relocations.push_back({address.offset, *target, address.addend});
    }
  }
}

std::optional<program::Operand> ModuleLowering::operand_of(const llvm::GlobalObject& object) const {
  if (const auto* function = llvm::dyn_cast<llvm::Function>(&object)) {
    const auto found = out_.functions.find(function);
    if (found != out_.functions.end()) return program::Operand::function(program::FunctionId{found->second});
  } else if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&object)) {
    const auto found = out_.globals.find(variable);
    if (found != out_.globals.end()) return program::Operand::global(program::GlobalId{found->second});
  }
  return std::nullopt;
}

// One that means the beginning of a function or a variable. LIMIT: others are left out; who declares such a name in
// another module finds nothing when linked by name.
void ModuleLowering::add_alias(const llvm::GlobalAlias& alias) {
  const auto* object = llvm::dyn_cast<llvm::GlobalObject>(alias.getAliasee()->stripPointerCasts());
  const auto target = object != nullptr ? operand_of(*object) : std::nullopt;
  if (target) out_.program.aliases.push_back({intern(alias.getName()), binding_of(alias), *target});
}

// Every Program has a main with a body; a module need not.
void ModuleLowering::choose_main() {
  auto& functions = out_.program.functions;
  std::size_t chosen = functions.size();
  for (std::size_t f = functions.size(); f-- > 0;) {
    if (functions[f].blocks.empty()) continue;
    if (chosen == functions.size() || out_.program.text(functions[chosen].name) != "main") chosen = f;
  }
  if (chosen == functions.size()) {
    program::Function none;
    none.name = intern("racecast.no_code");
    none.binding.linkage = program::Linkage::Internal;
    program::Instruction leave;
    leave.op = program::Op::Return;
    none.blocks.push_back({{std::move(leave)}});
    functions.push_back(std::move(none));
  }
  out_.program.main = static_cast<program::FunctionId>(chosen);
}

void ModuleLowering::run() {
  for (const llvm::GlobalVariable& global : module_.globals()) {
    if (is_in_memory(global)) add_global(global);
  }
  // All are known before the first body: any may call any.
  for (const llvm::Function& function : module_) {
    if (!function.isIntrinsic()) add_function(function);
  }
  add_relocations();
  for (const llvm::GlobalAlias& alias : module_.aliases()) add_alias(alias);
  std::uint32_t next_id = 0;
  for (const llvm::Function* function : bodies_) {
    FunctionLowering lowering(*this, *function, out_.program.functions[out_.functions[function]]);
    next_id = lowering.run(next_id);
  }
  choose_main();
  out_.program.origin = program::Origin::Llvm;
  program::number_instructions(out_.program);
}

Lowered lower(const llvm::Module& module) {
  Lowered out;
  ModuleLowering(module, out).run();
  return out;
}

}  // namespace racecast::frontend
