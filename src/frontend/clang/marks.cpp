// A plugin of clang's front end (-fplugin), for `racecast cc --racecast-tsan-feature=off`: functions are told apart by
// their marks (llvm/unchecked.h), although the source is not to see that ThreadSanitizer is there.
//
// The front end has one switch for both, LangOptions::Sanitize. The source asks it while it is preprocessed; code is
// generated in between, whenever a declaration is complete, and at the end. So the switch is on while the consumer that
// generates code is at work: one consumer before it turns it on, one behind it turns it off again. Where no code is
// generated (a header is precompiled) it stays off.
#include <clang/AST/ASTConsumer.h>
#include <clang/AST/DeclGroup.h>
#include <clang/Basic/LangOptions.h>
#include <clang/Basic/Sanitizers.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendOptions.h>
#include <clang/Frontend/FrontendPluginRegistry.h>

#include <memory>
#include <string>
#include <vector>

namespace {

class Switch : public clang::ASTConsumer {
 public:
  Switch(clang::LangOptions& options, bool on) : options_(options), on_(on) {}

  void Initialize(clang::ASTContext&) override { turn(); }
  bool HandleTopLevelDecl(clang::DeclGroupRef) override { return turn(); }
  void HandleInlineFunctionDefinition(clang::FunctionDecl*) override { turn(); }
  void HandleInterestingDecl(clang::DeclGroupRef) override { turn(); }
  void HandleCXXImplicitFunctionInstantiation(clang::FunctionDecl*) override { turn(); }
  void HandleCXXStaticMemberVarInstantiation(clang::VarDecl*) override { turn(); }
  void HandleTagDeclDefinition(clang::TagDecl*) override { turn(); }
  void HandleVTable(clang::CXXRecordDecl*) override { turn(); }
  void CompleteTentativeDefinition(clang::VarDecl*) override { turn(); }
  void HandleTranslationUnit(clang::ASTContext&) override { turn(); }

 private:
  bool turn() {
    options_.Sanitize.set(clang::SanitizerKind::Thread, on_);
    return true;
  }
  clang::LangOptions& options_;
  bool on_;
};

bool generates_code(const clang::CompilerInstance& instance) {
  switch (instance.getFrontendOpts().ProgramAction) {
    case clang::frontend::EmitAssembly:
    case clang::frontend::EmitBC:
    case clang::frontend::EmitLLVM:
    case clang::frontend::EmitLLVMOnly:
    case clang::frontend::EmitCodeGenOnly:
    case clang::frontend::EmitObj: return true;
    default: return false;
  }
}

template <bool on>
class Marks : public clang::PluginASTAction {
 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& instance, llvm::StringRef) override {
    return std::make_unique<Switch>(instance.getLangOpts(), on && generates_code(instance));
  }
  bool ParseArgs(const clang::CompilerInstance&, const std::vector<std::string>&) override { return true; }
  ActionType getActionType() override { return on ? AddBeforeMainAction : AddAfterMainAction; }
};

const clang::FrontendPluginRegistry::Add<Marks<true>> before("racecast-marks-begin", "see functions' marks");
const clang::FrontendPluginRegistry::Add<Marks<false>> behind("racecast-marks-end", "see functions' marks");

}  // namespace
