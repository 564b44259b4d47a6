// Links the models of a run's object files into one Program, as the linker and the loader did with their code.
//
// What tells things apart is where the run had them: two entries with one address are one function (one global),
// whatever they are called; two local functions of one name have two addresses. A declared function has no address
// where it is only called: it is the definition of its name, if there is one only (of several, which is not local is
// not known: the call then leads nowhere). Thread-local variables, which have none either, stay apart.
//
// A definition replaces declarations. Of an inline function every object file has a copy with records of its own, of
// which the linker kept one: the copies that the run used keep their bodies (a record's instruction is one of its own
// module), calls go to the first of them, other copies are dropped.
//
// Cost: linear in the size of the models; every kept instruction is copied once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "program/program.h"

namespace racecast::program {

struct LinkInput {
  const Program* program = nullptr;
  std::span<const std::uint64_t> globals;    // addresses in the run by GlobalId; 0, or beyond the end: none
  std::span<const std::uint64_t> functions;  // the same by FunctionId
  // By FunctionId: did the run execute this copy? Empty: all of them.
  std::vector<bool> used;
};

// How a module's ids became those of the linked program.
struct LinkedModule {
  std::vector<std::uint32_t> functions;     // by FunctionId: what a call of it calls
  std::vector<std::uint32_t> bodies;        // by FunctionId: the copy of this module's own body; kNone32: dropped
  std::vector<std::uint32_t> globals;       // by GlobalId
  std::vector<std::uint32_t> instructions;  // by InstrId; kNone32: of a copy that was dropped
};

struct Linked {
  Program program;                    // numbered; main is "main", or the first function that has a body
  std::vector<LinkedModule> modules;  // by input
};

// Every input obeys broken_rule(). So does the result where there is a function with a body and the globals are not too
// large together; callers that cannot be sure ask broken_rule().
Linked link(std::span<const LinkInput> inputs);

}  // namespace racecast::program
