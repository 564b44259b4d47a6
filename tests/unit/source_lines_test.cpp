// Which files a trace can have opened: regular ones below the working folder or the root that was given, unless it is
// of a program that was just run.
#include "cli/source_lines.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace racecast::cli {
namespace {

namespace fs = std::filesystem;

// A folder with `here`, which is the working folder meanwhile, and `there`, which is not.
class SourceLinesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    before_ = fs::current_path();
    base_ = fs::path(::testing::TempDir()) / ("racecast." + std::to_string(::getpid()) + ".source_lines");
    fs::create_directories(base_ / "here" / "inner");
    fs::create_directories(base_ / "there");
    write("here/a.c", "one\ntwo\nthree");
    write("here/inner/b.c", "inner\n");
    write("there/c.c", "secret\n");
    write("herein", "secret\n");  // its path begins like that of `here`
    fs::current_path(base_ / "here");
    base_ = fs::canonical(base_);
  }
  void TearDown() override {
    fs::current_path(before_);
    fs::remove_all(base_);
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(base_ / name) << text; }
  std::string at(const std::string& name) const { return (base_ / name).string(); }

  fs::path before_, base_;
};

TEST_F(SourceLinesTest, GivesLines) {
  SourceLines lines(std::nullopt, false);
  EXPECT_EQ(lines("a.c", 1), "one");
  EXPECT_EQ(lines("a.c", 3), "three");
  EXPECT_EQ(lines("a.c", 4), "");
  EXPECT_EQ(lines("./inner/../a.c", 2), "two");
  EXPECT_EQ(lines("inner/b.c", 1), "inner");
  EXPECT_EQ(lines(at("here/a.c"), 2), "two") << "absolute";
  EXPECT_EQ(lines("nowhere.c", 1), "");
  EXPECT_EQ(lines("", 1), "");
}

TEST_F(SourceLinesTest, NotWhatIsOutside) {
  SourceLines lines(std::nullopt, false);
  EXPECT_EQ(lines("/etc/passwd", 1), "");
  EXPECT_EQ(lines("../there/c.c", 1), "");
  EXPECT_EQ(lines("../herein", 1), "");
  EXPECT_EQ(lines(at("there/c.c"), 1), "");
  EXPECT_EQ(lines("/proc/self/environ", 1), "");
}

TEST_F(SourceLinesTest, FollowsLinksBeforeItDecides) {
  fs::create_symlink("../there/c.c", "out.c");
  fs::create_symlink("../there", "folder");
  fs::create_symlink("a.c", "in.c");
  fs::create_symlink(at("here"), at("there/back"));
  SourceLines lines(std::nullopt, false);
  EXPECT_EQ(lines("out.c", 1), "");
  EXPECT_EQ(lines("folder/c.c", 1), "");
  EXPECT_EQ(lines("in.c", 1), "one");
  EXPECT_EQ(lines("../there/back/a.c", 1), "one");
}

TEST_F(SourceLinesTest, OnlyRegularFiles) {
  ASSERT_EQ(mkfifo("fifo", 0600), 0);
  SourceLines lines(std::nullopt, false);
  EXPECT_EQ(lines("fifo", 1), "") << "and it does not wait";
  EXPECT_EQ(lines("inner", 1), "");
  EXPECT_EQ(lines(".", 1), "");
}

TEST_F(SourceLinesTest, NotWhatIsTooLarge) {
  write("here/large.c", "line\n");
  fs::resize_file("large.c", (std::uintmax_t{16} << 20) + 1);
  write("here/fits.c", "line\n");
  fs::resize_file("fits.c", std::uintmax_t{16} << 20);
  SourceLines lines(std::nullopt, false);
  EXPECT_EQ(lines("large.c", 1), "");
  EXPECT_EQ(lines("fits.c", 1), "line");
}

TEST_F(SourceLinesTest, AnotherRoot) {
  write("there/a.c", "another\n");
  SourceLines lines("../there", false);
  EXPECT_EQ(lines("c.c", 1), "secret");
  EXPECT_EQ(lines(at("there/c.c"), 1), "secret");
  EXPECT_EQ(lines("../there/c.c", 1), "secret");
  EXPECT_EQ(lines("a.c", 1), "another") << "it comes first";
  EXPECT_EQ(lines("inner/b.c", 1), "inner") << "the working folder counts, too";
  EXPECT_EQ(lines("../herein", 1), "");
  SourceLines all("/", false);
  EXPECT_EQ(all(at("herein"), 1), "secret");
}

TEST_F(SourceLinesTest, WhatWasBuiltElsewhereIsFoundByItsLastFolders) {
  fs::create_directories(base_ / "there" / "src");
  write("there/src/d.c", "below\n");
  write("there/d.c", "above\n");
  SourceLines lines("../there", false);
  EXPECT_EQ(lines("/build/machine/src/d.c", 1), "below");
  EXPECT_EQ(lines("/build/machine/d.c", 1), "above");
  EXPECT_EQ(lines("/build/machine/src/e.c", 1), "");
  EXPECT_EQ(lines("/build/../../../herein", 1), "") << "not what is outside";
  SourceLines without(std::nullopt, false);
  EXPECT_EQ(without("/build/machine/a.c", 1), "") << "only where a root was given";
}

TEST_F(SourceLinesTest, AnywhereForAProgramThatWasRun) {
  SourceLines lines(std::nullopt, true);
  EXPECT_EQ(lines(at("there/c.c"), 1), "secret");
  EXPECT_EQ(lines("a.c", 1), "one");
  ASSERT_EQ(mkfifo("fifo", 0600), 0);
  EXPECT_EQ(lines(at("here/fifo"), 1), "") << "only regular files all the same";
}

}  // namespace
}  // namespace racecast::cli
