// The plugin of clang (-fpass-plugin). At the start of the pipeline every function gets sanitize_thread, but for those
// that are not to be checked (unchecked.h), so that the optimiser invents no accesses (no speculative stores, no merged
// or widened ones); nothing is vectorised, as vectors read what lies between the elements that the source reads; last
// in the optimiser the module is instrumented. The first and the last also at -O0.
//
// Vectorisers are kept off here and not only by flags of the compiler: a later -O2 undoes -fno-vectorize, and a pragma
// outdoes it.
//
// Where it runs was chosen as ThreadSanitizer's place: the fewest events, and what is recorded is what runs. The model
// is then of the optimised code; its positions still name the source, inlined calls included.
//
// -racecast-hooks=call (an option of LLVM's, so -mllvm, and the plugin must be loaded by -fplugin, too) has accesses
// told by calls of the runtime instead of records that are written in place.
//
// RACECAST_EFFECTS in the environment names a file with more rows for the table of library functions.
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/MemoryBuffer.h>

#include <cstdlib>

#include "frontend/llvm/instrument.h"
#include "frontend/llvm/unchecked.h"
#include "program/library.h"

namespace racecast::frontend {
namespace {

const llvm::cl::opt<Hooks> hooks_option("racecast-hooks", llvm::cl::desc("how racecast is told of accesses"),
                                        llvm::cl::init(Hooks::Record),
                                        llvm::cl::values(clEnumValN(Hooks::Record, "record",
                                                                    "by records that are written in place"),
                                                         clEnumValN(Hooks::Call, "call", "by calls of the runtime")));

// -fopenmp leaves this in the module, also without a pragma. The driver refuses it before; here it is for those who
// call clang themselves (`racecast flags`). (-fopenmp-simd is no matter: it makes no threads.)
void refuse_openmp(llvm::Module& module) {
  if (module.getModuleFlag("openmp") == nullptr) return;
  module.getContext().emitError(
      "racecast: what OpenMP's runtime orders is not recorded, so that correct programs would seem to race: leave out "
      "-fopenmp, and the pragmas are ignored");
}

// Waiting for an atomic and waking who waits, <atomic> calls futexes; by the rules of C++ that orders nothing, and it
// is told from futexes of the program, which do, while it is not inlined yet.
void spare_futexes_of_library(llvm::Module& module) {
  llvm::Function* futex = module.getFunction("syscall");
  if (futex == nullptr) return;
  for (llvm::User* user : llvm::make_early_inc_range(futex->users())) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    if (call == nullptr || call->getCalledOperand() != futex) continue;
    if (!call->getFunction()->getName().starts_with("_ZNSt8__detail")) continue;
    call->setCalledFunction(
        module.getOrInsertFunction("__racecast_syscall", futex->getFunctionType(), futex->getAttributes()));
  }
}

// Keeps the optimiser from inventing accesses. What is declared only keeps its attributes.
struct Start : llvm::PassInfoMixin<Start> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    refuse_openmp(module);
    mark_unchecked(module);
    spare_futexes_of_library(module);
    return llvm::PreservedAnalyses::all();
  }
};

// Of a function whose noimplicitfloat is ours.
constexpr llvm::StringLiteral kNoVectors = "racecast-no-vectors";

// Right before the vectorisers, which leave functions with noimplicitfloat alone. What the source asked for is taken
// out of the loops: clang would warn that it was not done.
struct ForbidVectors : llvm::PassInfoMixin<ForbidVectors> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    if (!function.hasFnAttribute(llvm::Attribute::NoImplicitFloat)) {
      function.addFnAttr(llvm::Attribute::NoImplicitFloat);
      function.addFnAttr(kNoVectors);
    }
    for (llvm::BasicBlock& block : function) {
      llvm::Instruction* end = block.getTerminator();
      llvm::MDNode* loop = end->getMetadata(llvm::LLVMContext::MD_loop);
      if (loop == nullptr) continue;
      end->setMetadata(llvm::LLVMContext::MD_loop,
                       llvm::makePostTransformationMetadata(function.getContext(), loop,
                                                            {"llvm.loop.vectorize.", "llvm.loop.interleave."}, {}));
    }
    return llvm::PreservedAnalyses::all();
  }
};

void allow_vectors(llvm::Function& function) {
  if (!function.hasFnAttribute(kNoVectors)) return;
  function.removeFnAttr(kNoVectors);
  function.removeFnAttr(llvm::Attribute::NoImplicitFloat);
}

Status add_users_rows(program::Library& library, const char* path) {
  const auto file = llvm::MemoryBuffer::getFile(path);
  if (!file) return bad_input(std::string(path) + ": " + file.getError().message());
  const llvm::StringRef text = (*file)->getBuffer();
  return library.add({text.data(), text.size()}, path);
}

struct Instrument : llvm::PassInfoMixin<Instrument> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    for (llvm::Function& function : module) allow_vectors(function);
    program::Library library = program::Library::builtin();
    Status status;
    const char* path = std::getenv("RACECAST_EFFECTS");
    if (path != nullptr && *path != '\0') status = add_users_rows(library, path);
    if (!status) {
      module.getContext().emitError("racecast: " + status.error().message);
      return llvm::PreservedAnalyses::all();
    }
    return instrument(module, library, hooks_option) ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
};

void register_passes(llvm::PassBuilder& builder) {
  keep_out_thread_sanitizer(builder);
  builder.registerPipelineStartEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(Start()); });
  builder.registerVectorizerStartEPCallback(
      [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) { passes.addPass(ForbidVectors()); });
  builder.registerOptimizerLastEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(Instrument()); });
  builder.registerPipelineParsingCallback(  // opt -passes=racecast
      [](llvm::StringRef name, llvm::ModulePassManager& passes, llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
        if (name != "racecast") return false;
        passes.addPass(Instrument());
        return true;
      });
}

}  // namespace
}  // namespace racecast::frontend

extern "C" LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "racecast", "1", racecast::frontend::register_passes};
}
