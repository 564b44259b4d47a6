// Builds one Function in SSA form from structured code: the caller emits instructions block by block, reads and writes
// numbered locals, and says where regions (sides of a branch, bodies of loops) begin and end.
//
// Structured code needs no dominance frontiers (Brandis and Mössenböck, 1994): at a join a phi for every local that one
// side changed, at the head of a loop one for every local that its body may change; finish() then drops the phis that
// turned out to be trivial or unused. The changes of a region are a log, so nothing is ever copied. Braun's on-the-fly
// construction would do as well, but recurses through predecessors as far as the function is long, which a hostile file
// can make very long.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "program/program.h"

namespace racecast::program {

class SsaBuilder {
 public:
  using Local = std::uint32_t;
  using Changes = std::vector<std::pair<Local, Operand>>;

  // Builds into `out`, which must outlive the builder. Starts in the entry block.
  explicit SsaBuilder(Function& out);

  // Carried by every instruction emitted from now on.
  void set_label(StringId label) { label_ = label; }
  StringId label() const { return label_; }

  BlockId new_block();
  BlockId block() const { return block_; }
  void enter(BlockId block);
  // False after an instruction that ended the block, until the next enter().
  bool alive() const { return alive_; }
  std::size_t emitted() const { return emitted_; }

  RegId new_register(Type type);
  // The reference lives until the next call.
  Instruction& emit(Op op, Type type, Position position, std::vector<Operand> operands = {});
  // The same with a result of type `result`.
  Operand emit_value(Op op, Type type, Type result, Position position, std::vector<Operand> operands);
  void jump(BlockId target, Position position);
  void branch(Operand condition, BlockId yes, BlockId no, Position position);
  void set_target(BlockId from, std::size_t which, BlockId to);  // of the instruction that ends `from`
  // At the start of the current block; sources are its predecessors.
  Operand phi(Type type, Position position, std::vector<Operand> operands, std::vector<BlockId> sources);

  Local new_local();  // 0 at first
  Operand read(Local local) const { return locals_[local].value; }
  void write(Local local, Operand value);

  // A region sees the locals as they are. When it closes they are again as they were when it opened, and its changes
  // are handed out, in order of first change.
  void open_region();
  Changes close_region();
  // Goes on in the current block, which has these two predecessors, with what each of them left in the locals.
  void merge(BlockId from_a, const Changes& a, BlockId from_b, const Changes& b, Position position);
  void apply(const Changes& changes);

  // The head of a loop: the current block, with one predecessor so far. Every local of `changed` gets a phi.
  struct LoopHead {
    BlockId block{};
    std::vector<Local> changed;
  };
  LoopHead open_loop(BlockId from, std::vector<Local> changed, Position position);
  // From the current block, with the locals as they are at the end of the body.
  void close_loop(const LoopHead& head, Position position);

  // Drops needless phis and numbers registers densely, parameters first.
  void finish();

 private:
  struct LocalState {
    Operand value = Operand::constant(0);
    std::uint32_t logged_in = 0;  // serial of the innermost region that has logged it
  };
  struct Logged {
    Local local;
    LocalState before;
  };
  struct Region {
    std::uint32_t serial;
    std::vector<Logged> log;
  };

  Instruction make(Op op, Type type, Position position, std::vector<Operand> operands) const;
  void end_block() { alive_ = false; }

  Function& out_;
  StringId label_ = kNoString;
  BlockId block_{0};
  bool alive_ = true;
  std::size_t emitted_ = 0;
  std::vector<LocalState> locals_;
  std::vector<Region> regions_;
  std::uint32_t next_serial_ = 1;
};

}  // namespace racecast::program
