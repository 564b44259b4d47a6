// A trace written as text, without its header line; a mistake in it fails the test.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "trace/text.h"

namespace racecast {

inline trace::Trace text_trace(const std::string& events) {
  auto trace = trace::parse_text(std::string(trace::kTextHeader) + "\n" + events, "test");
  EXPECT_TRUE(trace) << trace.error().message;
  return trace ? std::move(*trace) : trace::Trace{};
}

}  // namespace racecast
