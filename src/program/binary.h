// The binary form of a Program: payload of a trace's PROG chunk. Byte grammar: docs/trace_format.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "program/program.h"

namespace racecast::program {

// The program must be numbered (number_instructions): ids are not written, they follow from the order.
std::vector<std::uint8_t> encode(const Program& program);

// decode(encode(p)) equals p. Bytes that are malformed, refer to what does not exist, or give a program that breaks a
// rule (broken_rule) are bad_input.
Result<Program> decode(std::span<const std::uint8_t> bytes);

}  // namespace racecast::program
