// Which instructions call something. A Call, a VirtualCall; and in programs of C and C++ an operation of the model that
// a library function does (library.h): pthread_mutex_lock(m) is `lock m @pthread_mutex_lock`. Such an operation has the
// function behind its own operands, and behind that what other arguments the function takes, so that without the
// function the operands are its arguments in order. Its result is what the function returns (of a lock: 0 where it was
// taken). It is a call all the same: at run time another function of that name may be there, and other things may
// happen inside of it (a handler runs, an error is returned and nothing was done).
#pragma once

#include <optional>

#include "program/library.h"
#include "program/program.h"

namespace racecast::program {

// The operand that is called: of a Call the first, of an operation that a library function does that function.
std::optional<std::size_t> callee_operand(const Instruction& instruction);

inline bool is_call(const Instruction& instruction) {
  return instruction.op == Op::VirtualCall || callee_operand(instruction).has_value();
}

// The function that is called by its name, if it is.
std::optional<FunctionId> named_callee(const Instruction& instruction);

// What a call of malloc(), calloc() or `new` asks for: `number` objects of `size` bytes, each where it is a constant.
struct Asked {
  std::optional<std::uint64_t> number, size;
};
Asked asked_for(const Program& program, const Instruction& call);

// How many operands an operation has of its own, if a library function can do it; else 0.
std::size_t own_operands(Op op);

// The operation that a library function does; nullopt: there is none, or its operands are not the first arguments of
// the function (pthread_create, calloc).
std::optional<Op> operation_of(const LibraryFunction& function);

}  // namespace racecast::program
