#include "report/short_names.h"

#include <gtest/gtest.h>

namespace racecast::report {
namespace {

TEST(ShortNames, BareFunctions) {
  const auto is = [](const char* name, const char* bare) { EXPECT_EQ(bare_function(name), bare) << name; };
  is("main", "main");
  is("worker(int)", "worker");
  is("bank::Cache::size() const", "bank::Cache::size");
  is("void std::vector<int, std::allocator<int> >::push_back<long>(int const&) const", "std::vector::push_back");
  is("std::map<int, std::vector<int> >::operator[](int const&)", "std::map::operator[]");
  is("main::$_0::operator()() const", "main::(lambda)");
  is("main::$_12::operator()(int) const::{lambda()#2}::operator()() const",
     "main::(lambda)(int)::{lambda()#2}::operator()");
  is("words[abi:cxx11]()", "words");
  is("std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::append(char const*)",
     "std::string::append");
  is("main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#1}::operator()");
  is("(anonymous namespace)::helper(char)", "(anonymous namespace)::helper");
  is("std::ostream& operator<< <char>(std::ostream&, char)", "operator<<");
  is("bool operator< <int>(A<int> const&, A<int> const&)", "operator<");
  is("A::operator->() const", "A::operator->");
  is("A<int>::operator bool() const", "A::operator bool");
  is("operator new[](unsigned long)", "operator new[]");
  is("std::thread::thread<void (&)(), , void>(void (&)())", "std::thread::thread");
  is("f(int) [clone .cold]", "f");
  is("(anonymous namespace)::f", "(anonymous namespace)::f");
  is("", "");
  is("a<b", "a");
}

TEST(ShortNames, OnlyWhatIsLongIsShortened) {
  EXPECT_EQ(shortened("std::vector<int>::push_back(int&&)"), "std::vector<int>::push_back(int&&)");
  EXPECT_EQ(
      shortened(
          "std::vector<std::pair<int const, long>, std::allocator<std::pair<int const, long> > >::push_back(int)"),
      "std::vector<...>::push_back(int)");
  EXPECT_EQ(shortened("f(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const&)"),
            "f(std::string const&)");
  EXPECT_EQ(shortened("main::$_0::operator()() const"), "main::(lambda)");
  EXPECT_EQ(shortened("__cxx_global_var_init.4"), "the initialisation of globals");
  EXPECT_EQ(shortened("std::vector<int>::a_function_with_a_long_name(std::string const&, std::string const&, int)"),
            "std::vector::a_function_with_a_long_name");
}

TEST(ShortNames, FilesSeenFromHere) {
  EXPECT_EQ(seen_from("/home/me", "/home/me/src/a.c"), "src/a.c");
  EXPECT_EQ(seen_from("/home/me", "/home/melanie/a.c"), "/home/melanie/a.c");
  EXPECT_EQ(seen_from("/home/me", "a.c"), "a.c");
  EXPECT_EQ(seen_from("", "/home/me/a.c"), "/home/me/a.c");
  EXPECT_EQ(seen_from("/", "/a.c"), "/a.c");
  EXPECT_EQ(seen_from("/home/me", "/home/me/build/../a.c"), "a.c");
  EXPECT_EQ(seen_from("/", "/usr/lib/gcc/12/../../../include/map"), "/usr/include/map");
  EXPECT_EQ(file_name("/home/me/a.c"), "a.c");
  EXPECT_EQ(file_name("a.c"), "a.c");
}

}  // namespace
}  // namespace racecast::report
