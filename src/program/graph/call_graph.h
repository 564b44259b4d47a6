// Who calls whom. A call by name has one callee, also one that is an operation of the model (calls.h); one of a virtual
// method those that any struct has in its place; one through a pointer every function whose address is taken somewhere
// (an operand other than what is called, a relocation, a method) and that has no more parameters than there are
// arguments. So the graph has every call inside of the program that C and C++ define, and some that never happen.
//
// What is outside: code without a body may call back any function whose address is taken. leaves() says where that
// is possible. A Fork is no call (the new thread makes it); it is in forks().
//
// Cost: linear in the program, plus the number of edges: indirect calls times functions that fit, once per function and
// number of arguments.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "program/graph/components.h"
#include "program/graph/edges.h"
#include "program/program.h"

namespace racecast::program {

class CallGraph {
 public:
  // Obeys broken_rule().
  explicit CallGraph(const Program& program);

  // Numbers of functions, distinct and ascending.
  std::span<const Edges::Node> callees(FunctionId function) const { return callees_[index(function)]; }
  std::span<const Edges::Node> callers(FunctionId function) const { return callers_[index(function)]; }
  // What a thread that this function starts may begin with.
  std::span<const Edges::Node> forks(FunctionId function) const { return forks_[index(function)]; }
  bool is_address_taken(FunctionId function) const { return taken_[index(function)]; }
  // Does it call code without a body, or through a pointer (which may lead outside)? Not transitive.
  bool leaves(FunctionId function) const { return leaves_[index(function)]; }
  // Can it be entered again before it returns, by calls in the graph?
  bool is_recursive(FunctionId function) const;
  // Functions that call each other; callees come first.
  const Components& components() const { return components_; }

 private:
  struct Found;
  CallGraph(const Program& program, Found found);
  static Found look_at(const Program& program);

  Edges callees_, callers_, forks_;
  std::vector<bool> taken_, leaves_;
  Components components_;
};

}  // namespace racecast::program
