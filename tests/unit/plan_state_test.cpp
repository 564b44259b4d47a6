// What the recorder is told of a call's state (frontend/llvm/state_rows.h).
#include "frontend/llvm/state_rows.h"

#include <gtest/gtest.h>

#include <string>

namespace racecast::frontend {
namespace {

using abi::StateWhich;
using program::StateKind;

// r and w, the kind, how the object is found and by which argument.
std::string told(const std::string& row, bool used, const std::string& name = "f") {
  program::Library library;
  EXPECT_TRUE(library.add(name + " " + row, "x").has_value()) << row;
  std::string text;
  for (const abi::StateEffect& e : state_effects(*library.find(name), name, used)) {
    text += (e.write != 0 ? "w" : "r") + std::string(program::text_of(static_cast<StateKind>(e.kind))) + "/" +
            std::to_string(static_cast<int>(e.which)) + "/" + std::to_string(e.argument) + " ";
  }
  return text;
}
std::string one(const std::string& what, StateWhich which, int argument = abi::kNoArgument) {
  return what + "/" + std::to_string(static_cast<int>(which)) + "/" + std::to_string(argument) + " ";
}

TEST(StateRows, ReadsComeFirst) {
  EXPECT_EQ(told("w:env r:env", true), one("renv", StateWhich::All) + one("wenv", StateWhich::All));
}

// Who uses nothing of it has learnt nothing: a line that is printed orders nobody.
TEST(StateRows, WhatNobodyLearnsIsNotRead) {
  EXPECT_EQ(told("r:stream(0) w:stream(0)", false), one("wstream", StateWhich::File, 0));
  EXPECT_EQ(told("r:env", false), "");
  // Into memory, or into other state, it goes on.
  EXPECT_EQ(told("w0:=8 r:env", false), one("renv", StateWhich::All));
  EXPECT_EQ(told("r:env w:zone", false), one("renv", StateWhich::All) + one("wzone", StateWhich::All));
  EXPECT_EQ(told("r:stream(0) w:stream(1)", false),
            one("rstream", StateWhich::File, 0) + one("wstream", StateWhich::File, 1));
}

TEST(StateRows, HowObjectsAreFound) {
  EXPECT_EQ(told("r:stream(stdin)", true), one("rstream", StateWhich::Standard));
  EXPECT_EQ(told("w:stream(ret)", true), one("wstream", StateWhich::Result));
  EXPECT_EQ(told("w:fd(ret) r:fd(1)", true),
            one("rfd", StateWhich::Descriptor, 1) + one("wfd", StateWhich::NewDescriptor));
  EXPECT_EQ(told("r:position(2)", true), one("rposition", StateWhich::Position, 2));
  EXPECT_EQ(told("w:fs(flags1)", true), one("wfs", StateWhich::IfFlags, 1));
  EXPECT_EQ(told("w:fs(mode2)", true), one("wfs", StateWhich::IfMode, 2));
  EXPECT_EQ(told("w:fs(0)", true), one("wfs", StateWhich::Content, 0));
  EXPECT_EQ(told("w:fs(0)", true, "_ZNSof"), one("wfs", StateWhich::StreamContent, 0));
  EXPECT_EQ(told("r:thread(0)", true), one("rthread", StateWhich::Argument, 0));
  EXPECT_EQ(told("r:hidden(strtok)", true), one("rhidden", StateWhich::Number));
}

TEST(StateRows, NamesAreToldApart) {
  program::Library library;
  ASSERT_TRUE(library.add("f r:hidden(a) r:hidden(b)", "x").has_value());
  const auto effects = state_effects(*library.find("f"), "f", true);
  ASSERT_EQ(effects.size(), 2u);
  EXPECT_NE(effects[0].number, effects[1].number);
}

TEST(StateRows, WhatOtherRecordsTell) {
  EXPECT_EQ(told("r:any w:any", true), "");
  EXPECT_EQ(told("r:heap w:heap", true), "");
  EXPECT_EQ(told("r:entropy", true), "");
  const program::Library& library = program::Library::builtin();
  const auto of = [&](const char* name) { return state_effects(*library.find(name), name, true); };
  EXPECT_TRUE(of("setjmp").empty());
  EXPECT_TRUE(of("malloc").empty());
  EXPECT_TRUE(of("mallinfo").empty());   // orders everything
  ASSERT_EQ(of("sem_wait").size(), 1u);  // it learns what its role says
  EXPECT_EQ(of("sem_wait")[0].write, 1);
  EXPECT_EQ(of("sem_getvalue")[0].write, 0);
}

}  // namespace
}  // namespace racecast::frontend
