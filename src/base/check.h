// CHECK: our own invariants, on in release builds. A failed CHECK is a bug of racecast, never of its input; it prints
// the condition and the values and ends the process with exit code 3.
#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace racecast {

[[noreturn]] inline void check_failed(const char* file, int line, const char* condition, const std::string& detail) {
  std::fputs(fmt::format("racecast: internal error at {}:{}: CHECK({}) failed{}{}\n", file, line, condition,
                         detail.empty() ? "" : ": ", detail)
                 .c_str(),
             stderr);
  std::_Exit(3);
}

}  // namespace racecast

#define CHECK(condition, ...)                                                                  \
  do {                                                                                         \
    if (!(condition)) [[unlikely]]                                                             \
      ::racecast::check_failed(__FILE__, __LINE__, #condition, ::fmt::format("" __VA_ARGS__)); \
  } while (false)
