#include "program/graph/call_graph.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "program/calls.h"

namespace racecast::program {

struct CallGraph::Found {
  std::vector<bool> taken, leaves;
  Edges::List calls, forks;
};

namespace {

using Node = Edges::Node;

// What a function calls, not by name.
struct Indirect {
  std::set<std::size_t> arguments;       // of calls through pointers: how many there are
  std::set<std::size_t> fork_arguments;  // the same of Fork
  std::set<std::uint64_t> methods;       // places of virtual methods
};

// The operand that is called, or that the new thread of a Fork calls.
std::optional<std::size_t> called_operand(const Instruction& instruction) {
  return instruction.op == Op::Fork ? 0 : callee_operand(instruction);
}

void take(const Operand& operand, std::vector<bool>& taken) {
  if (operand.kind == OperandKind::Function) taken[operand.value] = true;
}

std::vector<bool> address_taken(const Program& program) {
  std::vector<bool> taken(program.functions.size());
  for (const Global& global : program.globals) {
    for (const Relocation& relocation : global.relocations) take(relocation.target, taken);
  }
  for (const Struct& type : program.structs) {
    for (const FunctionId method : type.methods) {
      if (index(method) != kNone32) taken[index(method)] = true;
    }
  }
  for (const Function& function : program.functions) {
    for (const Block& block : function.blocks) {
      for (const Instruction& instruction : block.instructions) {
        const auto callee = called_operand(instruction);
        for (std::size_t k = 0; k < instruction.operands.size(); ++k) {
          if (k != callee) take(instruction.operands[k], taken);
        }
      }
    }
  }
  return taken;
}

// By number of arguments; asked for again and again with the same few.
class Fitting {
 public:
  Fitting(const Program& program, const std::vector<bool>& taken) : program_(program) {
    for (std::size_t f = 0; f < taken.size(); ++f) {
      if (taken[f]) taken_.push_back(static_cast<Node>(f));
    }
  }
  const std::vector<Node>& operator()(std::size_t arguments) {
    const auto [it, is_new] = known_.try_emplace(arguments);
    if (is_new) {
      for (const Node f : taken_) {
        if (program_.functions[f].params.size() <= arguments) it->second.push_back(f);
      }
    }
    return it->second;
  }

 private:
  const Program& program_;
  std::vector<Node> taken_;
  std::map<std::size_t, std::vector<Node>> known_;
};

// By their place, in all structs.
std::vector<std::set<Node>> methods_of(const Program& program) {
  std::vector<std::set<Node>> methods;
  for (const Struct& type : program.structs) {
    if (methods.size() < type.methods.size()) methods.resize(type.methods.size());
    for (std::size_t place = 0; place < type.methods.size(); ++place) {
      if (const auto method = index(type.methods[place]); method != kNone32)
        methods[place].insert(static_cast<Node>(method));
    }
  }
  return methods;
}

void add_all(Node from, std::set<Node>& to, Edges::List& list) {
  for (const Node callee : to) list.emplace_back(from, callee);
  to.clear();
}

}  // namespace

CallGraph::Found CallGraph::look_at(const Program& program) {
  Found found;
  found.taken = address_taken(program);
  found.leaves.resize(program.functions.size());
  Fitting fitting(program, found.taken);
  const std::vector<std::set<Node>> methods = methods_of(program);
  std::set<Node> called, forked;
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    Indirect indirect;
    for (const Block& block : program.functions[f].blocks) {
      for (const Instruction& i : block.instructions) {
        if (i.op == Op::VirtualCall) indirect.methods.insert(i.imm);
        const auto at = called_operand(i);
        if (!at) continue;
        const Operand& callee = i.operands[*at];
        if (callee.kind == OperandKind::Function)
          (i.op == Op::Fork ? forked : called).insert(static_cast<Node>(callee.value));
        else
          (i.op == Op::Fork ? indirect.fork_arguments : indirect.arguments).insert(i.operands.size() - 1);
      }
    }
    found.leaves[f] = !indirect.arguments.empty() || !indirect.methods.empty() ||
                      std::ranges::any_of(called, [&](Node g) { return program.functions[g].blocks.empty(); });
    for (const std::size_t n : indirect.arguments) called.insert(fitting(n).begin(), fitting(n).end());
    for (const std::size_t n : indirect.fork_arguments) forked.insert(fitting(n).begin(), fitting(n).end());
    for (const std::uint64_t place : indirect.methods) {
      if (place < methods.size()) called.insert(methods[place].begin(), methods[place].end());
    }
    add_all(static_cast<Node>(f), called, found.calls);
    add_all(static_cast<Node>(f), forked, found.forks);
  }
  return found;
}

CallGraph::CallGraph(const Program& program) : CallGraph(program, look_at(program)) {}

CallGraph::CallGraph(const Program& program, Found found)
    : callees_(program.functions.size(), found.calls),
      callers_(callees_.reversed()),
      forks_(program.functions.size(), found.forks),
      taken_(std::move(found.taken)),
      leaves_(std::move(found.leaves)),
      components_(callees_) {}

bool CallGraph::is_recursive(FunctionId function) const {
  return components_.members[components_.of[index(function)]].size() > 1 ||
         std::ranges::binary_search(callees(function), index(function));
}

}  // namespace racecast::program
