// A Program as readable text: every function, block and instruction with its id, position and label. For people
// (`racecast dump program`) and for tests; it is not read back.
#pragma once

#include <string>

#include "program/program.h"

namespace racecast::program {

std::string dump(const Program& program);
// One instruction, without id, position and label: "%3:i64 = load @x".
std::string dump(const Program& program, const Instruction& instruction);

}  // namespace racecast::program
