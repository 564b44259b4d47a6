// Links the models of object files into one Program, as the linker and the loader do with their code.
//
// **link()**, after a run. What tells things apart is where the run had them: two entries with one address are one
// function (one global), whatever they are called; two local functions of one name have two addresses. A declared
// function has no address where it is only called: it is the definition of its name, if there is one only (of several,
// which is not local is not known: the call then leads nowhere). Thread-local variables, which have none either, stay
// apart.
//
// A definition replaces declarations. Of an inline function every object file has a copy with records of its own, of
// which the linker kept one: the copies that the run used keep their bodies (a record's instruction is one of its own
// module), calls go to the first of them, other copies are dropped.
//
// **link_by_name()**, without a run, as a static linker does it. What is internal stays apart. Of what has one symbol,
// a strong definition comes before a weak one, the first weak one before the others, and any definition before a
// declaration; two strong ones are an error. Aliases define their name, too. A copy that is not chosen is dropped.
//
// Cost: linear in the size of the models; every kept instruction is copied once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "program/program.h"

namespace racecast::program {

struct LinkInput {
  const Program* program = nullptr;
  std::span<const std::uint64_t> globals;    // addresses in the run by GlobalId; 0, or beyond the end: none
  std::span<const std::uint64_t> functions;  // the same by FunctionId
  // By FunctionId: did the run execute this copy? Empty: all of them. Not for link_by_name().
  std::vector<bool> used;
  std::string file{};  // for errors
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

// The same promise. Where no input comes with addresses of globals, they are laid out (layout()); functions have none
// then. Two strong definitions of a symbol are bad_input that names both files.
Result<Linked> link_by_name(std::span<const LinkInput> inputs);

}  // namespace racecast::program
