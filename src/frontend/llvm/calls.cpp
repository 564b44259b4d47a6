#include "frontend/llvm/calls.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "abi/abi.h"
#include "base/check.h"
#include "frontend/llvm/builder.h"
#include "frontend/llvm/state_rows.h"
#include "frontend/llvm/values.h"

namespace racecast::frontend {
namespace {

static_assert(abi::kNoArgument == program::kNoArgument && abi::kResultPointer == program::kResultArgument);

abi::Length length_of(program::EffectLength length) {
  switch (length) {
    case program::EffectLength::Constant: return abi::Length::Constant;
    case program::EffectLength::Argument: return abi::Length::Argument;
    case program::EffectLength::String: return abi::Length::String;
    case program::EffectLength::Result: return abi::Length::Result;
    case program::EffectLength::Until: return abi::Length::Until;
    case program::EffectLength::Wide: return abi::Length::Wide;
    case program::EffectLength::Stream: return abi::Length::Stream;
  }
  return abi::Length::Constant;
}

bool writes_state(const program::LibraryFunction& function) {
  return llvm::any_of(function.state, [](const program::StateEffect& effect) { return effect.writes; });
}

// The instruction before which what follows the call belongs.
llvm::Instruction* after(llvm::CallBase& call) {
  if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call)) return &*invoke->getNormalDest()->getFirstInsertionPt();
  return call.getNextNode();
}

// Can memory that changes be reached from this pointer? Not from null, a function with hooks, a constant without
// pointers in it. (A function without hooks has what its library has.)
bool leads_somewhere(const llvm::Value* pointer, const CallContext& context) {
  if (pointer->getType()->getPointerAddressSpace() != 0) return false;
  const llvm::Value* base = pointer->stripInBoundsOffsets();
  if (llvm::isa<llvm::ConstantData>(base)) return false;
  if (const auto* function = llvm::dyn_cast<llvm::Function>(base)) return !context.instrumented.contains(function);
  const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(base);
  return global == nullptr || !global->isConstant() || !global->hasDefinitiveInitializer() ||
         !llvm::isa<llvm::ConstantData>(global->getInitializer());
}

// All pointers in `value`: itself, or those in an aggregate.
void collect_pointers(llvm::IRBuilder<>& builder, llvm::Value* value, const CallContext& context,
                      std::vector<llvm::Value*>& pointers) {
  llvm::Type* type = value->getType();
  if (type->isPointerTy()) {
    if (leads_somewhere(value, context)) pointers.push_back(value);
  } else if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
    for (unsigned i = 0; i < structure->getNumElements(); ++i) {
      collect_pointers(builder, builder.CreateExtractValue(value, i), context, pointers);
    }
  } else if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    for (unsigned i = 0; i < array->getNumElements(); ++i) {
      collect_pointers(builder, builder.CreateExtractValue(value, i), context, pointers);
    }
  } else if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
             vector && vector->getElementType()->isPointerTy()) {
    for (unsigned i = 0; i < vector->getNumElements(); ++i) {
      pointers.push_back(builder.CreateExtractElement(value, i));
    }
  }
}

void store_arguments(llvm::IRBuilder<>& builder, llvm::CallBase& call, llvm::Value* to) {
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    llvm::Value* argument = call.getArgOperand(i);
    llvm::Value* bits = value_bytes(argument->getType()) != 0 ? as_integer(builder, argument, 8) : builder.getInt64(0);
    builder.CreateStore(bits, builder.CreateConstInBoundsGEP1_64(builder.getInt64Ty(), to, i));
  }
}

llvm::Value* result_bits(llvm::IRBuilder<>& builder, llvm::CallBase& call) {
  return value_bytes(call.getType()) != 0 ? as_integer(builder, &call, 8) : builder.getInt64(0);
}

}  // namespace

std::string has_symbol(const llvm::GlobalValue& function) {
  return ("__racecast_has." + symbol_name(function)).str();
}

namespace {

// As large as the largest that is asked for.
llvm::AllocaInst* room(llvm::Function& function, llvm::AllocaInst*& alloca, std::size_t words, const char* name) {
  llvm::IRBuilder<> builder(&function.getEntryBlock(), function.getEntryBlock().begin());
  if (alloca == nullptr) alloca = builder.CreateAlloca(builder.getInt64Ty(), builder.getInt32(0), name);
  const std::uint64_t size = llvm::cast<llvm::ConstantInt>(alloca->getArraySize())->getZExtValue();
  if (words > size) alloca->setOperand(0, builder.getInt32(static_cast<std::uint32_t>(words)));
  return alloca;
}

constexpr std::size_t kStateCallWords = sizeof(abi::StateCall) / sizeof(std::uint64_t);

}  // namespace

llvm::AllocaInst* CallHooks::scratch(llvm::Function& function, std::size_t words) {
  return room(function, scratch_[&function], words, "racecast_arguments");
}
llvm::AllocaInst* CallHooks::state_call(llvm::Function& function, std::size_t arguments) {
  return room(function, state_calls_[&function], kStateCallWords + arguments, "racecast_state");
}

llvm::Value* CallHooks::has_no_hooks(llvm::IRBuilder<>& builder, const llvm::GlobalValue& callee) {
  const std::string name = has_symbol(callee);
  llvm::GlobalValue* symbol = module_.getNamedValue(name);
  if (symbol == nullptr) {
    symbol = new llvm::GlobalVariable(module_, builder.getInt8Ty(), /*isConstant=*/true,
                                      llvm::GlobalValue::ExternalWeakLinkage, nullptr, name);
  }
  return builder.CreateIsNull(symbol);
}

llvm::Value* CallHooks::has_no_mark(llvm::IRBuilder<>& builder, llvm::Value* callee) {
  // A null callee must crash in the call, not here: look at something that is no mark.
  llvm::GlobalVariable* no_mark = module_.getGlobalVariable("__racecast_no_mark", /*AllowInternal=*/true);
  if (no_mark == nullptr) {
    no_mark = new llvm::GlobalVariable(module_, builder.getInt64Ty(), /*isConstant=*/true,
                                       llvm::GlobalValue::InternalLinkage, builder.getInt64(0), "__racecast_no_mark");
  }
  llvm::Value* before_entry = builder.CreateConstGEP1_64(builder.getInt8Ty(), callee, static_cast<std::uint64_t>(-8));
  llvm::Value* place = builder.CreateSelect(builder.CreateIsNull(callee), no_mark, before_entry);
  llvm::Value* mark = builder.CreateAlignedLoad(builder.getInt64Ty(), place, llvm::Align(1));
  return builder.CreateICmpNE(mark, builder.getInt64(abi::kFunctionMark));
}

llvm::Value* CallHooks::is_missing(llvm::IRBuilder<>& builder, llvm::CallBase& call, CallKind kind) {
  switch (kind) {
    case CallKind::Outside: {
      const llvm::GlobalValue& callee = *callee_of(call);
      if (is_defined_here(callee)) return builder.getTrue();
      return has_no_hooks(builder, callee);
    }
    case CallKind::Indirect: return has_no_mark(builder, call.getCalledOperand());
    default: return builder.getTrue();
  }
}

llvm::GlobalVariable* CallHooks::row(const llvm::GlobalValue& callee, const program::LibraryFunction& function,
                                     const std::vector<program::MemoryEffect>& effects, When when) {
  llvm::GlobalVariable*& global = rows_[{&function, static_cast<int>(when)}];
  if (global != nullptr) return global;
  llvm::IRBuilder<> builder(module_.getContext());
  std::vector<llvm::Constant*> entries;
  for (const program::MemoryEffect& effect : effects) {  // abi::Effect, member by member; three bytes of zeros
    llvm::Constant* members[] = {builder.getInt8(effect.writes ? 1 : 0),
                                 builder.getInt8(effect.argument),
                                 builder.getInt8(static_cast<std::uint8_t>(length_of(effect.length))),
                                 builder.getInt8(effect.a),
                                 builder.getInt8(effect.b),
                                 llvm::ConstantAggregateZero::get(llvm::ArrayType::get(builder.getInt8Ty(), 3)),
                                 builder.getInt64(effect.constant)};
    entries.push_back(llvm::ConstantStruct::getAnon(module_.getContext(), members));
  }
  llvm::Constant* table =
      llvm::ConstantArray::get(llvm::ArrayType::get(entries.front()->getType(), entries.size()), entries);
  global = new llvm::GlobalVariable(module_, table->getType(), /*isConstant=*/true, llvm::GlobalValue::PrivateLinkage,
                                    table, "__racecast_effects." + symbol_name(callee));
  return global;
}

void CallHooks::add_effects(llvm::CallBase& call) {
  const llvm::StringRef name = symbol_name(*callee_of(call));
  const program::LibraryFunction& function = *context_.library->find_known({name.data(), name.size()});
  add_effects(call, function, When::After);
  add_effects(call, function, When::Before);
}

void CallHooks::add_effects(llvm::CallBase& call, const program::LibraryFunction& function, When when) {
  std::vector<program::MemoryEffect> effects;
  for (const program::MemoryEffect& effect : function.memory) {
    // Who waits has read before what it is given; what is written to state is made of what was read.
    const bool before = (program::gives(function.role) || function.may_block || writes_state(function)) &&
                        !effect.writes && effect.argument != program::kResultArgument &&
                        effect.length != program::EffectLength::Result && effect.length != program::EffectLength::Until;
    if (before == (when == When::Before)) effects.push_back(effect);
  }
  if (effects.empty() || (when == When::After && call.doesNotReturn())) return;
  // What it writes, and how much, is made of what it reads.
  std::ranges::stable_partition(effects, [](const program::MemoryEffect& effect) { return !effect.writes; });
  const llvm::GlobalValue& callee = *callee_of(call);
  Builder builder(when == When::Before ? call : *after(call), call.getDebugLoc());
  llvm::Instruction* then = llvm::SplitBlockAndInsertIfThen(has_no_hooks(builder, callee), &*builder.GetInsertPoint(),
                                                            /*Unreachable=*/false);
  Builder inside(*then, call.getDebugLoc());
  llvm::AllocaInst* arguments = scratch(*call.getFunction(), call.arg_size());
  store_arguments(inside, call, arguments);
  const llvm::FunctionCallee hook =
      module_.getOrInsertFunction("__racecast_effect", inside.getVoidTy(), inside.getPtrTy(), inside.getInt32Ty(),
                                  inside.getInt64Ty(), inside.getPtrTy());
  llvm::Value* result = when == When::Before ? inside.getInt64(0) : result_bits(inside, call);
  inside.CreateCall(hook, {row(callee, function, effects, when),
                           inside.getInt32(static_cast<std::uint32_t>(effects.size())), result, arguments});
}

bool CallHooks::orders_everything(const llvm::CallBase& call, CallKind kind) const {
  if (kind == CallKind::Assembly) return leaves_program(call);
  if (kind != CallKind::Outside) return false;
  const llvm::StringRef name = symbol_name(*callee_of(call));
  const program::LibraryFunction* row = context_.library->find({name.data(), name.size()});
  return row != nullptr && row->everything;
}

void CallHooks::add_missing(llvm::CallBase& call, CallKind kind) {
  Builder builder(call);
  llvm::Value* missing = is_missing(builder, call, kind);
  llvm::Instruction* then = llvm::SplitBlockAndInsertIfThen(missing, &call, /*Unreachable=*/false);
  Builder inside(*then, call.getDebugLoc());
  std::vector<llvm::Value*> pointers;
  const bool everything = orders_everything(call, kind);
  if (!everything)
    for (llvm::Value* argument : call.args()) collect_pointers(inside, argument, context_, pointers);
  llvm::Value* array = llvm::ConstantPointerNull::get(inside.getPtrTy());
  if (!pointers.empty()) {
    array = scratch(*call.getFunction(), pointers.size());
    for (std::size_t i = 0; i < pointers.size(); ++i) {
      inside.CreateStore(pointers[i], inside.CreateConstInBoundsGEP1_64(inside.getPtrTy(), array, i));
    }
  }
  llvm::Value* callee =
      call.isInlineAsm() ? llvm::ConstantPointerNull::get(inside.getPtrTy()) : call.getCalledOperand();
  if (everything) {
    inside.CreateCall(module_.getOrInsertFunction("__racecast_everything_begin", inside.getVoidTy(), inside.getPtrTy()),
                      {callee});
  } else {
    const llvm::FunctionCallee begin = module_.getOrInsertFunction(
        "__racecast_missing_begin", inside.getVoidTy(), inside.getPtrTy(), inside.getInt32Ty(), inside.getPtrTy());
    inside.CreateCall(begin, {callee, inside.getInt32(static_cast<std::uint32_t>(pointers.size())), array});
  }

  if (call.doesNotReturn()) return;
  then = llvm::SplitBlockAndInsertIfThen(missing, after(call), /*Unreachable=*/false);
  Builder ending(*then, call.getDebugLoc());
  const llvm::FunctionCallee end = module_.getOrInsertFunction("__racecast_missing_end", ending.getVoidTy(),
                                                               ending.getInt32Ty(), ending.getInt64Ty());
  ending.CreateCall(end, {ending.getInt32(value_bytes(call.getType()) != 0 ? 1 : 0), result_bits(ending, call)});
}

llvm::GlobalVariable* CallHooks::state_row(const llvm::GlobalValue& callee, const program::LibraryFunction& function,
                                           const std::vector<abi::StateEffect>& effects, bool result_is_used) {
  llvm::GlobalVariable*& global =
      state_rows_[{&function, static_cast<int>(2 * effects.size() + (result_is_used ? 1 : 0))}];
  if (global != nullptr) return global;
  llvm::IRBuilder<> builder(module_.getContext());
  std::vector<llvm::Constant*> entries;
  for (const abi::StateEffect& effect : effects) {
    llvm::Constant* members[] = {builder.getInt8(effect.write),
                                 builder.getInt8(effect.kind),
                                 builder.getInt8(static_cast<std::uint8_t>(effect.which)),
                                 builder.getInt8(effect.argument),
                                 builder.getInt32(0),
                                 builder.getInt64(effect.number)};
    entries.push_back(llvm::ConstantStruct::getAnon(module_.getContext(), members));
  }
  llvm::Constant* table =
      llvm::ConstantArray::get(llvm::ArrayType::get(entries.front()->getType(), entries.size()), entries);
  global = new llvm::GlobalVariable(module_, table->getType(), /*isConstant=*/true, llvm::GlobalValue::PrivateLinkage,
                                    table, "__racecast_state." + symbol_name(callee));
  return global;
}

void CallHooks::add_state(llvm::CallBase& call) {
  const llvm::GlobalValue& callee = *callee_of(call);
  const llvm::StringRef name = symbol_name(callee);
  const program::LibraryFunction* function = context_.library->find({name.data(), name.size()});
  if (function == nullptr) return;
  const bool used = !call.use_empty();
  std::vector<abi::StateEffect> effects = state_effects(*function, {name.data(), name.size()}, used);
  // A program may declare such a function with fewer arguments than it has.
  std::erase_if(effects, [&](const abi::StateEffect& effect) {
    return effect.argument != abi::kNoArgument && effect.argument >= call.arg_size();
  });
  if (effects.empty()) return;
  llvm::GlobalVariable* row = state_row(callee, *function, effects, used);
  llvm::Value* kept = state_call(*call.getFunction(), call.arg_size());
  const auto count = static_cast<std::uint32_t>(effects.size());
  const auto if_missing = [&](llvm::Instruction& before) {
    Builder builder(before, call.getDebugLoc());
    return llvm::SplitBlockAndInsertIfThen(has_no_hooks(builder, callee), &before, /*Unreachable=*/false);
  };
  if (!call.doesNotReturn()) {
    Builder ending(*if_missing(*after(call)), call.getDebugLoc());
    const llvm::FunctionCallee end =
        module_.getOrInsertFunction("__racecast_state_end", ending.getVoidTy(), ending.getPtrTy(), ending.getInt32Ty(),
                                    ending.getInt64Ty(), ending.getPtrTy());
    ending.CreateCall(end, {row, ending.getInt32(count), result_bits(ending, call), kept});
  }
  Builder beginning(*if_missing(call), call.getDebugLoc());
  llvm::Value* arguments = beginning.CreateConstInBoundsGEP1_64(beginning.getInt64Ty(), kept, kStateCallWords);
  store_arguments(beginning, call, arguments);
  const llvm::FunctionCallee begin =
      module_.getOrInsertFunction("__racecast_state_begin", beginning.getVoidTy(), beginning.getPtrTy(),
                                  beginning.getInt32Ty(), beginning.getPtrTy(), beginning.getPtrTy());
  beginning.CreateCall(begin, {row, beginning.getInt32(count), arguments, kept});
}

void CallHooks::add(llvm::CallBase& call) {
  const CallKind kind = kind_of(call, context_);
  if (kind == CallKind::Known) add_effects(call);
  if (may_miss(kind)) add_missing(call, kind);
  if (kind == CallKind::Known || (kind == CallKind::Outside && !is_defined_here(*callee_of(call)))) add_state(call);
}

}  // namespace racecast::frontend
