// The structs of a module, for Program::structs: names, sizes and fields of what globals and stack variables are, and
// of what is accessed through pointers (pointer_types.h). From debug information where it has the whole type (the
// compiler driver asks for it, -g); else from the type in the IR, which knows no names of fields. Clang leaves the type
// of a class out where another object file is to have it: then the IR must do.
//
// Bounded: a module has at most kMaxStructs with kMaxFields fields together, further ones are not known.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <optional>
#include <string>

#include "program/program.h"

namespace racecast::frontend {

class ModuleLowering;

class StructTable {
 public:
  explicit StructTable(ModuleLowering& module) : module_(module) {}

  // The struct that the variable is, or is an array of; nullopt: it is none, or nobody knows.
  std::optional<program::StructId> of(const llvm::GlobalVariable& global);
  std::optional<program::StructId> of(const llvm::AllocaInst& variable);
  // The same of a struct, a class or a union.
  std::optional<program::StructId> of(const llvm::DICompositeType& type);

 private:
  static constexpr std::size_t kMaxStructs = 4096, kMaxFields = 65536;
  static constexpr unsigned kMaxDepth = 64;
  using Found = std::optional<program::StructId>;

  Found of_type(const llvm::DIType* type, unsigned depth);
  Found of_type(llvm::Type* type, unsigned depth);
  Found make(const llvm::DICompositeType& type, unsigned depth);
  std::string name_of(const llvm::DICompositeType& type);
  Found make(llvm::StructType& type, unsigned depth);
  void add_member(const llvm::DIDerivedType& member, program::Struct& made, unsigned depth);
  Found add(program::Struct made);
  // Only where an object of `bytes` can be one or several of it.
  Found fitting(Found found, std::uint64_t bytes) const;
  bool is_full() const;

  ModuleLowering& module_;
  llvm::DenseMap<const llvm::DIType*, Found> of_debug_type_;  // nullopt: not known, or being made
  llvm::DenseMap<const llvm::Type*, Found> of_ir_type_;
  std::optional<llvm::DenseMap<const llvm::DIType*, const llvm::DIType*>> typedefs_;  // of types without a name
  std::size_t fields_ = 0;
};

}  // namespace racecast::frontend
