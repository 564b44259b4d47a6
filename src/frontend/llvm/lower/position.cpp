// Where instructions stand in the source, from debug information. File names are absolute (debug_types.h). Where calls
// were inlined, a position has a frame, and that one its caller's (program::InlinedFrame). Frames are shared: the texts
// of whole chains, for one file of templates compiled with -O2, took 20 MB.
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>

#include <cstdlib>

#include "frontend/llvm/lower/debug_types.h"
#include "frontend/llvm/lower/module.h"

namespace racecast::frontend {
namespace {

constexpr std::size_t kMaxPhis = 32;  // between an access and its use

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

// The function that `location` is in, and where it was inlined.
program::FrameId ModuleLowering::frame_of(const llvm::DILocation& location) {
  const llvm::DISubprogram* function = location.getScope()->getSubprogram();
  const llvm::DILocation* called = location.getInlinedAt();
  if (const auto known = frames_.find({function, called}); known != frames_.end()) return known->second;
  program::InlinedFrame frame;
  const auto [name, is_new] = function_names_.try_emplace(function);
  if (is_new) name->second = intern(function == nullptr ? "?" : function_name(*function));
  frame.function = name->second;
  if (called != nullptr) {
    frame.called = position_of(called);
    frame.called.inlined = frame_of(*called);
  }
  const auto id = static_cast<program::FrameId>(out_.program.frames.size());
  out_.program.frames.push_back(frame);
  frames_[{function, called}] = id;
  return id;
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

program::StringId ModuleLowering::file_of(const llvm::DIFile* file) {
  if (file == nullptr) return program::kNoString;
  const auto [known, is_new] = files_.try_emplace(file);
  if (is_new) known->second = intern(path_of(*file));
  return known->second;
}

program::Position ModuleLowering::position_of(const llvm::DILocalVariable& variable, const llvm::DILocation* at) {
  program::Position position;
  position.file = file_of(variable.getFile());
  position.line = variable.getLine();
  if (at != nullptr && at->getInlinedAt() != nullptr) position.inlined = frame_of(*at);
  return position;
}

program::Position ModuleLowering::position_of(const llvm::DILocation* location) {
  if (location == nullptr) return {};
  if (const auto known = positions_.find(location); known != positions_.end()) return known->second;
  program::Position position;
  position.file = file_of(location->getFile());
  position.line = location->getLine();
  position.column = location->getColumn();
  if (location->getInlinedAt() != nullptr) position.inlined = frame_of(*location);
  positions_[location] = position;
  return position;
}

}  // namespace racecast::frontend
