// Where instructions stand in the source, from debug information. File names are as the compiler has them. Where calls
// were inlined, `inlined` reads "g, called from f (a.c:12:3), called from main (a.c:30:1)", the innermost function
// first.
//
// In these texts C++ names have no template arguments and no parameters, absolute paths are cut to the file's name, and
// deep chains lose their middle: the full texts of one file of templates, compiled with -O2, took 20 MB. Names are
// made once.
#include <fmt/format.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/Path.h>

#include <cstdlib>

#include "frontend/llvm/lower/module.h"

namespace racecast::frontend {
namespace {

constexpr std::size_t kMaxPhis = 32;  // between an access and its use
constexpr std::size_t kMaxCalls = 8;  // named in a chain; of more, the outer half and the inner half

// "std::vector<int, std::allocator<int>>" becomes "std::vector".
std::string without_arguments(llvm::StringRef name) {
  std::string short_name;
  int depth = 0;
  for (const char c : name) {
    if (c == '<') ++depth;
    if (depth == 0) short_name += c;
    if (c == '>' && depth > 0) --depth;
  }
  return short_name;
}

std::string demangled(const std::string& linkage) {
  llvm::ItaniumPartialDemangler demangler;
  if (demangler.partialDemangle(linkage.c_str()) || !demangler.isFunction()) return llvm::demangle(linkage);
  const auto part = [](char* text) {
    std::string copy = text == nullptr ? "" : text;
    std::free(text);
    return copy;
  };
  const std::string context = without_arguments(part(demangler.getFunctionDeclContextName(nullptr, nullptr)));
  // An operator's name may hold a '<' of its own.
  const std::string name = part(demangler.getFunctionBaseName(nullptr, nullptr));
  return context.empty() ? name : context + "::" + name;
}

std::string function_name(const llvm::DISubprogram& function) {
  const llvm::StringRef linkage = function.getLinkageName();
  return linkage.empty() ? function.getName().str() : demangled(linkage.str());
}

}  // namespace

// The name is good until the next call.
const std::string& ModuleLowering::function_of(const llvm::DILocation& location) {
  const llvm::DISubprogram* function = location.getScope()->getSubprogram();
  const auto [it, is_new] = function_names_.try_emplace(function);
  if (is_new) it->second = function == nullptr ? "?" : function_name(*function);
  return it->second;
}

std::string ModuleLowering::inlined_text(const llvm::DILocation& location) {
  std::vector<const llvm::DILocation*> calls;
  for (const llvm::DILocation* call = location.getInlinedAt(); call != nullptr; call = call->getInlinedAt()) {
    calls.push_back(call);
  }
  std::string text = function_of(location);
  for (std::size_t k = 0; k < calls.size(); ++k) {
    if (calls.size() > kMaxCalls && k == kMaxCalls / 2) {
      text += ", ...";
      k = calls.size() - kMaxCalls / 2;
    }
    llvm::StringRef file = calls[k]->getFilename();
    if (llvm::sys::path::is_absolute(file)) file = llvm::sys::path::filename(file);
    text += fmt::format(", called from {} ({}:{}:{})", function_of(*calls[k]), std::string_view(file),
                        calls[k]->getLine(), calls[k]->getColumn());
  }
  return text;
}

// The optimiser moves loads (out of loops, before branches) and takes their line away. An access without a line is
// where a use of its value is.
const llvm::DILocation* ModuleLowering::location_of(const llvm::Instruction& i) {
  const llvm::DILocation* own = i.getDebugLoc().get();
  if (!i.mayReadFromMemory() || (own != nullptr && own->getLine() != 0)) return own;
  llvm::SmallPtrSet<const llvm::Instruction*, 8> phis;
  llvm::SmallVector<const llvm::Instruction*, 8> sources{&i};
  while (!sources.empty()) {
    for (const llvm::User* user : sources.pop_back_val()->users()) {
      const auto* use = llvm::dyn_cast<llvm::Instruction>(user);
      if (use == nullptr) continue;
      if (llvm::isa<llvm::PHINode>(use)) {
        if (phis.size() < kMaxPhis && phis.insert(use).second) sources.push_back(use);
      } else if (const llvm::DILocation* there = use->getDebugLoc().get(); there != nullptr && there->getLine() != 0) {
        return there;
      }
    }
  }
  return own;
}

program::Position ModuleLowering::position_of(const llvm::DILocation* location) {
  if (location == nullptr) return {};
  const auto [it, is_new] = positions_.try_emplace(location);
  if (is_new) {
    program::Position position;
    position.file = intern(location->getFilename());
    position.line = location->getLine();
    position.column = location->getColumn();
    if (location->getInlinedAt() != nullptr) position.inlined = intern(inlined_text(*location));
    it->second = position;
  }
  return it->second;
}

}  // namespace racecast::frontend
