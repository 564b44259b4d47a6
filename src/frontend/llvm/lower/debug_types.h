// Types of debug information, as the rest of the lowering wants them: without typedefs and qualifiers. Null stands for
// a type that is not there.
#pragma once

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>

#include <string>

namespace racecast::frontend {

// Without typedefs and qualifiers.
const llvm::DIType* plain_type(const llvm::DIType* type);
// What an array has elements of; anything else is itself.
const llvm::DIType* element_type(const llvm::DIType* type);
// A struct, a class or a union; null: it is none.
const llvm::DICompositeType* as_struct(const llvm::DIType* type);
// The struct that a pointer or a reference points to; null: it is none, or points to something else.
const llvm::DICompositeType* pointee_struct(const llvm::DIType* type);
// A field or a base class that lies at a fixed place.
const llvm::DIDerivedType* as_member(const llvm::DINode* node);
bool is_base_class(const llvm::DIDerivedType& member);

// The variable that the alloca is, and where it is declared; null: none, or a part of one, or what one points to.
struct DeclaredLocal {
  const llvm::DILocalVariable* variable = nullptr;
  const llvm::DILocation* at = nullptr;
};
DeclaredLocal variable_of(const llvm::AllocaInst& alloca);
// The same of a global.
const llvm::DIGlobalVariable* variable_of(const llvm::GlobalVariable& global);

// The variable that a global is, or is a part of: then which fields of it. Null: debug information does not know it.
struct GlobalPart {
  const llvm::DIGlobalVariable* variable = nullptr;
  std::string fields;  // ".level"; empty: all of it, or a part without a name
};
GlobalPart part_of(const llvm::GlobalVariable& global);

// With the namespaces and classes around it.
std::string full_name(const llvm::DIType& type);
// Of a source file, absolute where the compiler said in which folder it worked.
std::string path_of(const llvm::DIFile& file);
// Is it defined in a library's header (program/library_file.h)?
bool is_library_type(const llvm::DIType& type);

}  // namespace racecast::frontend
