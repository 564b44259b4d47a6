// The table of library functions: how rows are read, what users may add, and what some well-known functions mean.
#include "program/library.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace racecast::program {
namespace {

using Arguments = std::vector<std::uint8_t>;

TEST(Library, MemoryEffectsOfUsersRows) {
  Library library;
  ASSERT_TRUE(
      library
          .add("# comment\n f r0:str w1:str2 w0:2 r0:1*2 # end\ng w0:=16 r1:ret wret:ret*1\n\nh\npre*\nprefix* r0:1",
               "x")
          .has_value());
  const std::vector<MemoryEffect>& f = library.find("f")->memory;
  ASSERT_EQ(f.size(), 4u);
  EXPECT_FALSE(f[0].writes);
  EXPECT_EQ(f[0].length, EffectLength::String);
  EXPECT_EQ(f[0].a, kNoArgument);
  EXPECT_TRUE(f[1].writes);
  EXPECT_EQ(f[1].argument, 1);
  EXPECT_EQ(f[1].a, 2);
  EXPECT_EQ(f[2].length, EffectLength::Argument);
  EXPECT_EQ(f[2].b, kNoArgument);
  EXPECT_EQ(f[3].a, 1);
  EXPECT_EQ(f[3].b, 2);
  const std::vector<MemoryEffect>& g = library.find("g")->memory;
  ASSERT_EQ(g.size(), 3u);
  EXPECT_EQ(g[0].length, EffectLength::Constant);
  EXPECT_EQ(g[0].constant, 16u);
  EXPECT_EQ(g[1].length, EffectLength::Result);
  EXPECT_EQ(g[1].a, kNoArgument);
  EXPECT_EQ(g[2].argument, kResultArgument);
  EXPECT_EQ(g[2].a, 1);
  EXPECT_TRUE(library.find("h")->memory.empty());
  EXPECT_TRUE(library.find("pre_x")->memory.empty());
  EXPECT_EQ(library.find("prefix_x")->memory.size(), 1u);
  EXPECT_EQ(library.find("other"), nullptr);
  EXPECT_EQ(library.find(""), nullptr);
  ASSERT_TRUE(library.add("f", "y").has_value());
  EXPECT_TRUE(library.find("f")->memory.empty());
}

TEST(Library, LengthsUpToTheResultAndOfWideStrings) {
  Library library;
  ASSERT_TRUE(library.add("f r0:until2 r1:until w2:wstr", "x").has_value());
  const std::vector<MemoryEffect>& f = library.find("f")->memory;
  ASSERT_EQ(f.size(), 3u);
  EXPECT_EQ(f[0].length, EffectLength::Until);
  EXPECT_EQ(f[0].a, 2);
  EXPECT_EQ(f[1].length, EffectLength::Until);
  EXPECT_EQ(f[1].a, kNoArgument);
  EXPECT_EQ(f[2].length, EffectLength::Wide);
  EXPECT_FALSE(library.add("g r0:wstr2", "x").has_value());
  EXPECT_FALSE(library.add("g r0:untilx", "x").has_value());
}

TEST(Library, LengthsTimesANumber) {
  Library library;
  ASSERT_TRUE(library.add("f r0:1*=6 w2:ret*=12", "x").has_value());
  const std::vector<MemoryEffect>& f = library.find("f")->memory;
  ASSERT_EQ(f.size(), 2u);
  EXPECT_EQ(f[0].length, EffectLength::Argument);
  EXPECT_EQ(f[0].a, 1);
  EXPECT_EQ(f[0].b, kNoArgument);
  EXPECT_EQ(f[0].constant, 6u);
  EXPECT_EQ(f[1].length, EffectLength::Result);
  EXPECT_EQ(f[1].a, kNoArgument);
  EXPECT_EQ(f[1].constant, 12u);
  EXPECT_FALSE(library.add("f r0:1*=0", "x").has_value());
  EXPECT_FALSE(library.add("f r0:1*=", "x").has_value());
}

TEST(Library, StateOfUsersRows) {
  Library library;
  ASSERT_TRUE(library.add("f r:env w:stream(1) r0:str w:fd(ret) r:hidden(strtok)", "x").has_value());
  const LibraryFunction& f = *library.find("f");
  EXPECT_EQ(f.memory.size(), 1u);
  EXPECT_EQ(f.state, (std::vector<StateEffect>{{false, StateKind::Environment, kNoArgument, ""},
                                               {true, StateKind::Stream, 1, ""},
                                               {true, StateKind::Descriptor, kResultArgument, ""},
                                               {false, StateKind::Hidden, kNoArgument, "strtok"}}));
}

// A role is for the recorder to know: users cannot give one.
TEST(Library, WhatIsWrongWithARow) {
  for (const char* row : {"f x",          "f r:1",       "f r0",           "f r0:",     "f r0:str_",  "f w0:=",
                          "f r0:1*",      "f r0:ret*x",  "f r255:1",       "f r0:1x",   "f r:env(0)", "f r:nosuch",
                          "f w:stream()", "f w:stream(", "f r:stream(1x)", "f lock(0)", "f missing",  "f blocks",
                          "f calls(1)",   "f seen(no)",  "f fails(1)"}) {
    Library library;
    const Status status = library.add(std::string("ok\n") + row, "table");
    ASSERT_FALSE(status.has_value()) << row;
    EXPECT_TRUE(status.error().message.starts_with("table:2: ")) << status.error().message;
    EXPECT_NE(library.find("ok"), nullptr);
  }
}

TEST(Library, UsersRowsReplaceEffectsAndKeepRoles) {
  Library library = Library::builtin();
  ASSERT_TRUE(library.add("pthread_mutex_lock r0:=40\nsetenv r0:str", "x").has_value());
  const LibraryFunction& lock = *library.find("pthread_mutex_lock");
  EXPECT_EQ(lock.role, Role::Lock);
  EXPECT_EQ(lock.arguments, (Arguments{0}));
  EXPECT_EQ(lock.memory.size(), 1u);
  EXPECT_NE(library.find_known("setenv"), nullptr);
  EXPECT_EQ(Library::builtin().find_known("setenv"), nullptr);
}

TEST(Library, Roles) {
  const Library& library = Library::builtin();
  const auto is = [&](const char* name, Role role, const Arguments& arguments) {
    const LibraryFunction* function = library.find(name);
    ASSERT_NE(function, nullptr) << name;
    EXPECT_EQ(function->role, role) << name;
    EXPECT_EQ(function->arguments, arguments) << name;
  };
  is("pthread_mutex_lock", Role::Lock, {0});
  is("mtx_trylock", Role::TryLock, {0});
  EXPECT_EQ(library.find("mtx_trylock")->fails, 1u);
  EXPECT_EQ(library.find("pthread_mutex_lock")->fails, std::nullopt);
  is("pthread_mutex_timedlock", Role::TimedLock, {0});
  is("pthread_rwlock_unlock", Role::RwUnlock, {0});
  is("cnd_wait", Role::Wait, {0, 1});
  is("pthread_create", Role::ThreadCreate, {0, 2, 3});
  is("thrd_create", Role::ThreadCreate, {0, 1, 2});
  is("calloc", Role::Alloc, {0, 1});
  is("aligned_alloc", Role::Alloc, {1});
  is("_Znwm", Role::Alloc, {0});
  is("_ZdlPvm", Role::Free, {0});
  is("__atomic_fetch_add_8", Role::Atomic, {0});
  is("_Fork", Role::ProcessFork, {});
  is("__sigsetjmp", Role::ReturnsTwice, {});
  is("pthread_mutex_consistent", Role::None, {});
  EXPECT_TRUE(blocks(Role::Lock));
  EXPECT_FALSE(blocks(Role::TryLock));
  EXPECT_EQ(text_of(Role::TryLock), "trylock");
  EXPECT_EQ(library.role_of("my_own_lock"), Role::None);
}

// What has state that the program does not see keeps being missing code until an analysis orders calls by it.
TEST(Library, StateAndMissingCode) {
  const Library& library = Library::builtin();
  for (const char* name : {"setenv", "strtok", "setlocale", "qsort", "fcntl"}) {
    ASSERT_NE(library.find(name), nullptr) << name;
    EXPECT_EQ(library.find_known(name), nullptr) << name;
  }
  for (const char* name : {"getenv", "fputs", "rand", "write", "readv", "poll", "pthread_getname_np"}) {
    ASSERT_NE(library.find_known(name), nullptr) << name;
    EXPECT_FALSE(library.find(name)->state.empty()) << name;
  }
  EXPECT_TRUE(library.find("strlen")->state.empty());
  EXPECT_TRUE(library.find("sin")->state.empty());
}

// Every role and every kind of state is used, and no row has an identity for what has none.
TEST(Library, EveryRowIsOfUse) {
  std::set<Role> roles;
  std::set<StateKind> read, written;
  for (const auto& [name, function] : Library::builtin().rows()) {
    roles.insert(function->role);
    for (const StateEffect& state : function->state) (state.writes ? written : read).insert(state.kind);
    EXPECT_TRUE(function->role == Role::None || !text_of(function->role).empty()) << name;
  }
  for (int role = 0; role <= static_cast<int>(Role::Annotation); ++role)
    EXPECT_TRUE(roles.contains(static_cast<Role>(role))) << text_of(static_cast<Role>(role));
  for (int kind = 0; kind <= static_cast<int>(StateKind::Hidden); ++kind)
    EXPECT_TRUE(read.contains(static_cast<StateKind>(kind))) << text_of(static_cast<StateKind>(kind));
  // Nobody writes these.
  for (const StateKind kind : {StateKind::Entropy, StateKind::Network}) EXPECT_FALSE(written.contains(kind));
}

}  // namespace
}  // namespace racecast::program
