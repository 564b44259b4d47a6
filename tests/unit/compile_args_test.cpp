// What clang is told for what the user says: which phases get which flags, what is refused, response files.
#include "cli/compile/compile_args.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"
#include "cli/compile/compiler.h"
#include "unit/temp_file.h"

namespace racecast::cli {
namespace {

using Words = std::vector<std::string>;
using test::TempFile;

const Installation kInstalled{"/p/lib/libracecast_plugin.so", "/p/lib/libracecast_marks.so", "/p/lib", "/p/include"};

Words args(const Words& user) {
  const auto result = compile_args(user, kInstalled);
  EXPECT_TRUE(result) << result.error().message;
  return result ? result->args : Words();
}
bool has(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}
bool compiles(const Words& user) {
  return has(args(user), "-fpass-plugin=/p/lib/libracecast_plugin.so");
}
bool links(const Words& user) {
  return has(args(user), "-lracecast_rt");
}

TEST(CompileArgs, TheUsersWordsAreKeptInOrder) {
  const Words user{"-O2", "-c", "a.c", "-o", "a.o", "-DX=a b"};
  const Words all = args(user);
  EXPECT_NE(std::search(all.begin(), all.end(), user.begin(), user.end()), all.end());
  EXPECT_EQ(Words(all.end() - static_cast<std::ptrdiff_t>(user.size()), all.end()), user);
}

TEST(CompileArgs, PhasesDecideAboutTheLink) {
  EXPECT_TRUE(links({"a.c"}));
  EXPECT_TRUE(links({"a.o", "-shared"}));
  EXPECT_TRUE(links({"-x", "c", "-"}));
  EXPECT_TRUE(links({"-lfoo"}));
  for (const char* phase : {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"}) {
    EXPECT_FALSE(links({phase, "a.c"})) << phase;
    EXPECT_TRUE(compiles({phase, "a.c"})) << phase;
  }
  EXPECT_FALSE(links({"-nostdlib", "a.o"}));
  EXPECT_FALSE(links({"-r", "a.o"}));
  // Of these, the first word is no phase: it belongs to the option before it.
  EXPECT_TRUE(links({"-o", "-c", "a.c"}));
  EXPECT_TRUE(links({"-Xclang", "-E", "a.c"}));
}

TEST(CompileArgs, NothingIsAddedWithoutAnInput) {
  for (const Words& user : {Words{}, Words{"-v"}, Words{"--version"}, Words{"-o", "a.c"}, Words{"-print-search-dirs"},
                            Words{"-###", "a.c"}, Words{"-dumpmachine", "a.c"}, Words{"-I", "a.c"}})
    EXPECT_EQ(args(user), user);
}

TEST(CompileArgs, HeadersArePrecompiledAndNotLinked) {
  EXPECT_FALSE(links({"a.hpp"}));
  EXPECT_FALSE(links({"-x", "c++-header", "a", "-o", "a.gch"}));
  EXPECT_FALSE(links({"-xc-header", "a.c"}));
  EXPECT_TRUE(links({"-x", "c++", "a.hpp"}));
  EXPECT_TRUE(links({"a.hpp", "b.cpp"}));
  EXPECT_TRUE(links({"-x", "c-header", "-x", "none", "a.c"}));
}

TEST(CompileArgs, LinkTimeOptimisationIsUndoneLast) {
  const auto result = compile_args({"-flto=thin", "-fwhole-program-vtables", "a.cpp"}, kInstalled);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->warnings.size(), 1u);
  const Words& all = result->args;
  EXPECT_GT(std::find(all.begin(), all.end(), "-fno-lto"), std::find(all.begin(), all.end(), "-flto=thin"));
  EXPECT_TRUE(has(all, "-fno-whole-program-vtables"));
  EXPECT_TRUE(compile_args({"-flto", "-fno-lto", "a.cpp"}, kInstalled)->warnings.empty());
}

TEST(CompileArgs, VectorisersStayOff) {
  const Words all = args({"-O3", "-ftree-vectorize", "-c", "a.c"});
  EXPECT_GT(std::find(all.rbegin(), all.rend(), "-fno-vectorize").base(),
            std::find(all.begin(), all.end(), "-ftree-vectorize"));
}

TEST(CompileArgs, WhatCannotWorkIsRefused) {
  EXPECT_FALSE(compile_args({"-static", "a.c"}, kInstalled));
  EXPECT_FALSE(compile_args({"-static-pie", "a.c"}, kInstalled));
  EXPECT_TRUE(compile_args({"-static", "-c", "a.c"}, kInstalled));
  EXPECT_TRUE(compile_args({"-static-libstdc++", "a.cpp"}, kInstalled));
  EXPECT_FALSE(compile_args({"-fsanitize=thread", "-c", "a.c"}, kInstalled));
  EXPECT_FALSE(compile_args({"-fsanitize=undefined", "-fsanitize=thread", "a.c"}, kInstalled));
  EXPECT_FALSE(compile_args({"-m32", "-c", "a.c"}, kInstalled));
  EXPECT_FALSE(compile_args({"-fopenmp", "-c", "a.c"}, kInstalled));
  EXPECT_FALSE(compile_args({"-fopenmp=libgomp", "a.o"}, kInstalled));
  EXPECT_TRUE(compile_args({"-fopenmp", "-fno-openmp", "a.c"}, kInstalled));
  EXPECT_TRUE(compile_args({"-fopenmp-simd", "a.c"}, kInstalled));
  EXPECT_TRUE(compile_args({"-fopenmp-version=51", "a.c"}, kInstalled));
  const auto address = compile_args({"-fsanitize=address", "a.c"}, kInstalled);
  ASSERT_TRUE(address);
  EXPECT_EQ(address->warnings.size(), 1u);
}

TEST(CompileArgs, HooksAreChosenByAWordOfOurOwn) {
  const Words called = args({"-O1", "--racecast-hooks=call", "-c", "a.c"});
  const Words user{"-O1", "-c", "a.c"};
  EXPECT_EQ(Words(called.end() - 3, called.end()), user);
  EXPECT_TRUE(has(called, "-racecast-hooks=call"));
  EXPECT_TRUE(has(called, "-fplugin=/p/lib/libracecast_plugin.so"));
  EXPECT_FALSE(has(called, "-mllvm=-racecast-hooks=call"));
  EXPECT_EQ(args({"--racecast-hooks=call", "--racecast-hooks=record", "-O1", "-c", "a.c"}), args(user));
  EXPECT_EQ(args({"--racecast-hooks=call", "--version"}), Words{"--version"});
  EXPECT_FALSE(compile_args({"--racecast-hooks=", "-c", "a.c"}, kInstalled));
  EXPECT_FALSE(compile_args({"--racecast-hooks=both", "-c", "a.c"}, kInstalled));
  const TempFile words("words");
  ASSERT_TRUE(write_file(words.path(), "--racecast-hooks=call"));
  EXPECT_FALSE(compile_args({"@" + words.path(), "-c", "a.c"}, kInstalled));
}

TEST(CompileArgs, TheFeatureOfThreadSanitizer) {
  const Words user{"-O1", "-c", "a.c"};
  const Words on = args(user);
  EXPECT_TRUE(has(on, "-fsanitize=thread"));
  EXPECT_EQ(*(std::find(on.begin(), on.end(), "-fsanitize=thread") - 1), "-Xclang");  // not the driver's
  EXPECT_TRUE(has(on, "-D__SANITIZE_THREAD__=1"));
  const Words off = args({"--racecast-tsan-feature=off", "-O1", "-c", "a.c"});
  EXPECT_FALSE(has(off, "-fsanitize=thread"));
  EXPECT_FALSE(has(off, "-D__SANITIZE_THREAD__=1"));
  EXPECT_TRUE(has(off, "-fplugin=/p/lib/libracecast_marks.so"));
  for (const Words& words : {on, off}) EXPECT_TRUE(has(words, "racecast-front"));
  EXPECT_EQ(args({"--racecast-tsan-feature=off", "--racecast-tsan-feature=on", "-O1", "-c", "a.c"}), on);
  EXPECT_FALSE(compile_args({"--racecast-tsan-feature=maybe", "-c", "a.c"}, kInstalled));
  EXPECT_FALSE(compile_args({"--racecast-nonsense", "-c", "a.c"}, kInstalled));
  const Words list = args({"-fsanitize-ignorelist=l.txt", "-c", "a.c"});
  EXPECT_EQ(*(std::find(list.begin(), list.end(), "-fsanitize-ignorelist=l.txt") - 1), "-Xclang");
}

TEST(CompileArgs, WhatIsOurClang) {
  EXPECT_TRUE(is_our_clang("Debian clang version 19.1.7 (3+b1)"));
  EXPECT_TRUE(is_our_clang("clang version 19.0.0git"));
  EXPECT_FALSE(is_our_clang("Debian clang version 18.1.8 (1)"));
  EXPECT_FALSE(is_our_clang("clang version 190.1.0"));
  EXPECT_FALSE(is_our_clang("gcc (Debian 12.2.0-14) 12.2.0"));
  EXPECT_FALSE(is_our_clang("clang version "));
  EXPECT_FALSE(is_our_clang(""));
}

TEST(CompileArgs, ResponseFilesAreLookedInto) {
  const TempFile inner("inner"), outer("outer");
  ASSERT_TRUE(write_file(inner.path(), "-c\n'a b.c' -o \"x.o\"\n"));
  ASSERT_TRUE(write_file(outer.path(), "-O1 @" + inner.path()));
  EXPECT_FALSE(links({"@" + outer.path()}));
  EXPECT_TRUE(compiles({"@" + outer.path()}));
  EXPECT_TRUE(has(args({"@" + outer.path()}), "@" + outer.path()));
  // An option may wait for its value at the end of the file.
  ASSERT_TRUE(write_file(inner.path(), "a.c -o"));
  EXPECT_TRUE(links({"@" + inner.path(), "-c"}));
  // A file that includes itself ends somewhere.
  ASSERT_TRUE(write_file(inner.path(), "a.c @" + inner.path()));
  EXPECT_TRUE(links({"@" + inner.path()}));
  // What cannot be read is clang's to complain about.
  EXPECT_TRUE(has(args({"@/no/such/file"}), "@/no/such/file"));
}

TEST(CompileArgs, ResponseWords) {
  EXPECT_EQ(response_words(" a  'b c'\t\"d\\\"e\" f\\ g \\\\ '' x'y'z\n"),
            (Words{"a", "b c", "d\"e", "f g", "\\", "", "xyz"}));
  EXPECT_EQ(response_words(""), Words{});
  EXPECT_EQ(response_words("open 'to the end"), (Words{"open", "to the end"}));
}

}  // namespace
}  // namespace racecast::cli
