// The trace of a litmus program's recorded run, for tests of what is computed from one.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "program/litmus/litmus.h"
#include "trace/recorder.h"

namespace racecast {

inline trace::Trace recorded(const std::string& text) {
  const auto file = program::parse_litmus(text, "t.litmus");
  EXPECT_TRUE(file.has_value()) << (file ? "" : file.error().message);
  if (!file) return {};
  auto trace = trace::record(*file);
  EXPECT_TRUE(trace.has_value()) << (trace ? "" : trace.error().message);
  return trace ? *std::move(trace) : trace::Trace{};
}

}  // namespace racecast
