// Random litmus programs, as text for the real parser: up to about 25 statements with every kind of synchronisation,
// arrays, structs, functions, missing and unchecked ones, state outside of memory, loops and branches. The same seed
// gives the same program. Programs may deadlock, fault, or leave threads blocked for ever; they never break a rule of
// the language (but see Flavour::outcomes).
//
// A program is kept as a tree of statements, so that a failing one can be shrunk: shrink() drops statements, scopes,
// bodies and declarations for as long as the program still fails.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace racecast::property {

// Small, fast, and the same on every machine (splitmix64).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  std::uint64_t next();
  int below(int bound) { return static_cast<int>(next() % static_cast<std::uint64_t>(bound)); }
  bool chance(int percent) { return below(100) < percent; }
  template <typename T>
  const T& pick(const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(below(static_cast<int>(choices.size())))];
  }

 private:
  std::uint64_t state_;
};

// "lock m" BODY "unlock m", "if (x == 1) {" BODY "} else {" OTHERWISE "}", or a line alone.
struct Sentence {
  std::string head;
  std::vector<Sentence> body, otherwise;
  std::string tail;  // what closes the body; empty: no body
};

struct Unit {  // thread, main, fn, missing fn
  std::string head;
  std::vector<Sentence> body;
};

struct RandomProgram {
  std::vector<std::string> declarations;
  std::vector<Unit> units;
};

// What a program may contain, beside plain accesses, mutexes and branches.
struct Flavour {
  bool relaxed = true;         // atomics weaker than acquire and release
  bool tries = true;           // trylock
  bool missing = true;         // missing functions
  bool callbacks = true;       // ordinary functions called by missing ones
  bool faults = true;          // expressions that may end a thread
  bool computed_locks = true;  // lock ms[e]
  bool outside = true;         // state outside of memory
  bool values = false;         // mostly values that decide: written several times, read, computed with, branched on
  bool outcomes = false;  // mostly tries and compare-and-swaps, whose outcome decides something, or nothing. Such a
                          // program may give back a mutex that it does not hold: it does not run then
  bool state = false;     // mostly state outside of memory
  int statements = 25;    // at most about so many
};

RandomProgram random_program(std::uint64_t seed, const Flavour& flavour = {});
std::string text_of(const RandomProgram& program);
int statements_in(const RandomProgram& program);

// The smallest program that it finds for which `fails` holds, by dropping parts. `fails(text_of(program))` must hold,
// and must be false for texts that are no programs.
RandomProgram shrink(RandomProgram program, const std::function<bool(const std::string&)>& fails);

}  // namespace racecast::property
