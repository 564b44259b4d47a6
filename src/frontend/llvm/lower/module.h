// What the lowering of all functions of a module shares: strings, positions, numbers of globals and functions, and
// which constants the model knows the bytes of. Private to lower*.cpp.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>

#include <string>
#include <vector>

#include "frontend/llvm/lower/lower.h"

namespace racecast::frontend {

class ModuleLowering {
 public:
  ModuleLowering(const llvm::Module& module, Lowered& out) : module_(module), out_(out) {}
  void run();

  const llvm::DataLayout& layout() const { return module_.getDataLayout(); }
  Lowered& out() { return out_; }
  program::StringId intern(llvm::StringRef text);
  // Where an instruction stands in the source; unknown where `location` is null. position.cpp.
  program::Position position_of(const llvm::DILocation* location);
  // Where an instruction stands, or is taken to stand; null: nobody knows.
  static const llvm::DILocation* location_of(const llvm::Instruction& i);
  // Are the global's bytes in the model, for good? Then a load of it computes, and is no access.
  bool has_constant_bytes(const llvm::GlobalVariable& global) const;

 private:
  void add_global(const llvm::GlobalVariable& global);
  void add_function(const llvm::Function& function);
  void choose_main();
  const std::string& function_of(const llvm::DILocation& location);
  std::string inlined_text(const llvm::DILocation& location);

  const llvm::Module& module_;
  Lowered& out_;
  llvm::StringMap<program::StringId> strings_;
  llvm::DenseMap<const llvm::DILocation*, program::Position> positions_;
  llvm::DenseMap<const llvm::DISubprogram*, std::string> function_names_;
  llvm::DenseSet<const llvm::GlobalVariable*> constant_bytes_;
  std::vector<const llvm::Function*> bodies_;
  std::uint64_t global_bytes_ = 0;
};

// The bytes of an initialiser; empty where it holds an address that only the linker knows, or is no plain data.
// `size` is that of its type. An undefined byte is zero, as compilers write it. initializer.cpp.
std::vector<std::uint8_t> initial_bytes(const llvm::Constant& initializer, std::uint64_t size,
                                        const llvm::DataLayout& layout);

}  // namespace racecast::frontend
