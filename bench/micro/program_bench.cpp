// What the model of a large program costs, and what it would cost with flat instructions: program_bench COPIES FILE...
//
// FILEs were compiled with racecast (object files, executables). Their models are taken COPIES times, as if that many
// files were linked, so that a large program comes out. Each step is timed by itself (CPU seconds of the process, the
// best of three), memory is what the allocator has handed out (mallinfo2). The last rows copy the linked program into
// instructions without vectors of their own (operands, targets and cases in one array for each function) and walk both.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <limits>
#include <string>

#include "abi/object_models.h"
#include "base/file.h"
#include "program/binary.h"
#include "program/link.h"
#include "program/program.h"

namespace {

using namespace racecast;
using namespace racecast::program;

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::size_t allocated() {
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

template <typename T>
T must(Result<T> result) {
  if (!result) {
    fmt::print(stderr, "program_bench: {}\n", result.error().message);
    std::exit(2);
  }
  return *std::move(result);
}

// Runs it three times; the result of the last one is kept while memory is measured.
template <typename Make>
auto measure(const char* what, std::size_t instructions, const Make& make) {
  double best = std::numeric_limits<double>::max();
  std::size_t bytes = 0;
  for (int round = 0;; ++round) {
    const std::size_t before = allocated();
    const double start = cpu_seconds();
    auto made = make();
    best = std::min(best, cpu_seconds() - start);
    bytes = allocated() - before;
    if (round < 2) continue;
    const auto n = static_cast<double>(instructions);
    fmt::print("| {} | {:.3f} | {:.0f} | {:.1f} | {:.0f} |\n", what, best, best * 1e9 / n,
               static_cast<double>(bytes) / (1 << 20), static_cast<double>(bytes) / n);
    return made;
  }
}

// ---- the same, flat

struct FlatInstruction {
  InstrId id{};
  Op op = Op::Mark;
  Type type;
  MemoryOrder order = MemoryOrder::None;
  Rmw rmw = Rmw::Exchange;
  std::uint8_t flags = 0;
  RegId result = kNoReg;
  RegId result2 = kNoReg;
  std::uint64_t imm = 0;
  std::uint32_t first_operand = 0, first_target = 0, first_case = 0;
  std::uint32_t operands = 0, targets = 0, cases = 0;
  Position position;
  StringId label = kNoString;
};
struct FlatFunction {
  std::vector<FlatInstruction> instructions;
  std::vector<std::uint32_t> blocks;  // the first instruction of each
  std::vector<Operand> operands;
  std::vector<BlockId> targets;
  std::vector<std::uint64_t> cases;
};

FlatFunction flat(const Function& function) {
  FlatFunction out;
  std::size_t instructions = 0, operands = 0, targets = 0, cases = 0;
  for (const Block& block : function.blocks) {
    for (const Instruction& i : block.instructions) {
      ++instructions;
      operands += i.operands.size();
      targets += i.targets.size();
      cases += i.cases.size();
    }
  }
  out.instructions.reserve(instructions);
  out.operands.reserve(operands);
  out.targets.reserve(targets);
  out.cases.reserve(cases);
  out.blocks.reserve(function.blocks.size());
  const auto size = [](const auto& all) { return static_cast<std::uint32_t>(all.size()); };
  for (const Block& block : function.blocks) {
    out.blocks.push_back(size(out.instructions));
    for (const Instruction& i : block.instructions) {
      FlatInstruction to{i.id,
                         i.op,
                         i.type,
                         i.order,
                         i.rmw,
                         0,
                         i.result,
                         i.result2,
                         i.imm,
                         size(out.operands),
                         size(out.targets),
                         size(out.cases),
                         size(i.operands),
                         size(i.targets),
                         size(i.cases),
                         i.position,
                         i.label};
      out.instructions.push_back(to);
      out.operands.insert(out.operands.end(), i.operands.begin(), i.operands.end());
      out.targets.insert(out.targets.end(), i.targets.begin(), i.targets.end());
      out.cases.insert(out.cases.end(), i.cases.begin(), i.cases.end());
    }
  }
  return out;
}

std::uint64_t walk(const Program& program) {
  std::uint64_t sum = 0;
  for (const Function& function : program.functions) {
    for (const Block& block : function.blocks) {
      for (const Instruction& i : block.instructions) {
        sum += static_cast<std::uint64_t>(i.op) + index(i.result);
        for (const Operand& operand : i.operands) sum += operand.value;
        for (const BlockId target : i.targets) sum += index(target);
      }
    }
  }
  return sum;
}

std::uint64_t walk(const std::vector<FlatFunction>& functions) {
  std::uint64_t sum = 0;
  for (const FlatFunction& function : functions) {
    for (const FlatInstruction& i : function.instructions) {
      sum += static_cast<std::uint64_t>(i.op) + index(i.result);
      for (std::uint32_t k = 0; k < i.operands; ++k) sum += function.operands[i.first_operand + k].value;
      for (std::uint32_t k = 0; k < i.targets; ++k) sum += index(function.targets[i.first_target + k]);
    }
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: program_bench COPIES FILE...\n");
    return 2;
  }
  const std::size_t copies = std::stoul(argv[1]);
  std::vector<std::vector<std::uint8_t>> packed;  // models as bytes, each once
  for (int k = 2; k < argc; ++k) {
    const std::string content = must(read_file(argv[k], std::uint64_t{1} << 32));
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(content.data()), content.size());
    for (const abi::Model& model : must(abi::read_models(bytes))) packed.push_back(encode(model.program));
  }
  const auto decode_all = [&] {
    std::vector<Program> programs;
    for (std::size_t c = 0; c < copies; ++c) {
      for (const auto& bytes : packed) programs.push_back(must(decode(bytes)));
    }
    return programs;
  };
  std::size_t bytes = 0, instructions = 0;
  for (const auto& one : packed) {
    bytes += one.size() * copies;
    instructions += must(decode(one)).instruction_count * copies;
  }
  fmt::print("{} models, {} instructions of {} bytes (vectors apart); encoded {:.1f} bytes each, strings included\n\n",
             packed.size() * copies, instructions, sizeof(Instruction),
             static_cast<double>(bytes) / static_cast<double>(instructions));
  fmt::print("| step | CPU s | ns/instruction | MiB | bytes/instruction |\n|---|---|---|---|---|\n");
  const std::vector<Program> programs = measure("decode", instructions, decode_all);
  measure("broken_rule (in decode)", instructions, [&] {
    std::size_t broken = 0;
    for (const Program& program : programs) broken += broken_rule(program).size();
    return broken;
  });
  // No addresses: every copy stays.
  std::vector<LinkInput> inputs;
  for (const Program& program : programs) inputs.push_back({&program, {}, {}, {}});
  const Linked linked = measure("link", instructions, [&] { return link(inputs); });
  measure("InstructionIndex", instructions, [&] { return InstructionIndex(linked.program); });
  volatile std::uint64_t sum = 0;  // so that walking is done
  measure("walk", instructions, [&] {
    sum = walk(linked.program);
    return 0;
  });
  const auto functions = measure("copy to flat instructions", instructions, [&] {
    std::vector<FlatFunction> all;
    all.reserve(linked.program.functions.size());
    for (const Function& function : linked.program.functions) all.push_back(flat(function));
    return all;
  });
  const Program copy = measure("copy as it is", instructions, [&] { return linked.program; });
  measure("walk flat instructions", instructions, [&] {
    sum = walk(functions);
    return 0;
  });
  if (walk(functions) != walk(copy)) {
    fmt::print(stderr, "program_bench: the copies differ\n");
    return 1;
  }
  return 0;
}
