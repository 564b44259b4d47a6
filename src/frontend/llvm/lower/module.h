// What the lowering of all functions of a module shares: strings, positions, numbers of globals and functions, and
// which constants the model knows the bytes of. Private to lower*.cpp.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>

#include <optional>
#include <string>
#include <vector>

#include "frontend/llvm/lower/lower.h"
#include "frontend/llvm/lower/struct_table.h"

namespace racecast::frontend {

// Eight bytes of an initialiser that only the linker or the loader knows: the address of a function or a variable.
struct InitialAddress {
  std::uint64_t offset = 0;
  const llvm::GlobalObject* target = nullptr;
  std::uint64_t addend = 0;
};
struct InitialImage {
  std::vector<std::uint8_t> bytes;        // zero where an address is; empty: the model cannot say it
  std::vector<InitialAddress> addresses;  // in ascending order
};

class ModuleLowering {
 public:
  ModuleLowering(const llvm::Module& module, Lowered& out) : module_(module), out_(out), structs_(*this) {}
  void run();

  const llvm::Module& module() const { return module_; }
  const llvm::DataLayout& layout() const { return module_.getDataLayout(); }
  Lowered& out() { return out_; }
  program::StringId intern(llvm::StringRef text);
  // Where an instruction stands in the source; unknown where `location` is null. position.cpp.
  program::Position position_of(const llvm::DILocation* location);
  // Where a variable is declared; `at` is anywhere in its scope, and may be null.
  program::Position position_of(const llvm::DILocalVariable& variable, const llvm::DILocation* at);
  // Where an instruction stands, or is taken to stand; null: nobody knows.
  static const llvm::DILocation* location_of(const llvm::Instruction& i);
  StructTable& structs() { return structs_; }
  // Are the global's bytes in the model, for good? Then a load of it computes, and is no access.
  bool has_constant_bytes(const llvm::GlobalVariable& global) const;

 private:
  void add_global(const llvm::GlobalVariable& global);
  void add_function(const llvm::Function& function);
  void add_relocations();
  void add_alias(const llvm::GlobalAlias& alias);
  std::optional<program::Operand> operand_of(const llvm::GlobalObject& object) const;
  void choose_main();
  program::FrameId frame_of(const llvm::DILocation& location);
  program::StringId file_of(const llvm::DIFile* file);

  const llvm::Module& module_;
  Lowered& out_;
  StructTable structs_;
  llvm::StringMap<program::StringId> strings_;
  llvm::DenseMap<const llvm::DILocation*, program::Position> positions_;
  llvm::DenseMap<const llvm::DIFile*, program::StringId> files_;
  llvm::DenseMap<const llvm::DISubprogram*, program::StringId> function_names_;
  // By function, and where it was inlined (null: it was not).
  llvm::DenseMap<std::pair<const llvm::DISubprogram*, const llvm::DILocation*>, program::FrameId> frames_;
  llvm::DenseSet<const llvm::GlobalVariable*> constant_bytes_;
  std::vector<const llvm::Function*> bodies_;
  struct Addresses {
    std::uint32_t global;
    std::vector<InitialAddress> list;
  };
  std::vector<Addresses> addresses_;  // until all functions have numbers
  std::uint64_t global_bytes_ = 0;
};

// `size` is that of its type. An undefined byte is zero, as compilers write it. initializer.cpp.
InitialImage initial_image(const llvm::Constant& initializer, std::uint64_t size, const llvm::DataLayout& layout);

}  // namespace racecast::frontend
