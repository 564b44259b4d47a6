// What the code can do: the three-address model that every front end lowers to and every analysis reads.
//
// A Program is functions of basic blocks of instructions over typed registers in SSA form. The same few operations
// (op.def) serve C and C++ (byte addresses, machine integers of 1 to 64 bits, floats, indirect calls), Java (checked
// element access, structs with methods, recursive locks) and litmus files. A value is 64 bits; an integer of n bits
// keeps its upper bits zero, a float its bit pattern, a pointer its address.
//
// Addresses are plain numbers. Globals have fixed ones (layout() below); objects get theirs from the interpreter or, in
// a recorded run, from the real allocator. "checked" address arithmetic faults at the arithmetic, as Java and litmus
// want it; unchecked arithmetic never faults, as in C, and the access does.
//
// Instruction ids are dense, in order of functions, blocks and position: the same source gives the same ids.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/memory_order.h"

namespace racecast::program {

enum class FunctionId : std::uint32_t {};
enum class BlockId : std::uint32_t {};
enum class RegId : std::uint32_t {};
enum class GlobalId : std::uint32_t {};
enum class StructId : std::uint32_t {};
enum class StringId : std::uint32_t {};  // index into Program::strings; 0 is the empty string
enum class FrameId : std::uint32_t {};   // index into Program::frames

inline constexpr RegId kNoReg{kNone32};
inline constexpr StringId kNoString{0};
inline constexpr FrameId kNoFrame{kNone32};

enum class TypeKind : std::uint8_t { Void, Int, Float, Ptr };
struct Type {
  TypeKind kind = TypeKind::Void;
  std::uint8_t bits = 0;  // Int: 1..64, Float: 32 or 64, Ptr: 64
  bool operator==(const Type&) const = default;
};
inline constexpr Type kVoid{};
inline constexpr Type kI1{TypeKind::Int, 1};
inline constexpr Type kI64{TypeKind::Int, 64};
inline constexpr Type kPtr{TypeKind::Ptr, 64};
constexpr std::uint32_t bytes_of(Type type) {
  return (type.bits + 7u) / 8u;
}

// A position without a line (line 0) means: unknown.
struct Position {
  StringId file = kNoString;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  FrameId inlined = kNoFrame;  // where calls were inlined: the function that one sees there in the source
  bool operator==(const Position&) const = default;
};

// A function of the source whose code stands in another one, because a call of it was inlined at `called`; that
// position has a frame of its own, which comes before this one in Program::frames. The outermost function, the one that
// holds the code, has a frame, too, and is called from nowhere.
struct InlinedFrame {
  StringId function = kNoString;  // as the source has it: without template arguments and parameters
  Position called;
  bool operator==(const InlinedFrame&) const = default;
};

enum class OperandKind : std::uint8_t { Reg, Const, Global, Function };
struct Operand {
  OperandKind kind = OperandKind::Const;
  std::uint64_t value = 0;  // RegId, the constant's bits, GlobalId (meaning its address), FunctionId
  bool operator==(const Operand&) const = default;

  static Operand reg(RegId id) { return {OperandKind::Reg, index(id)}; }
  static Operand constant(std::uint64_t bits) { return {OperandKind::Const, bits}; }
  static Operand global(GlobalId id) { return {OperandKind::Global, index(id)}; }
  static Operand function(FunctionId id) { return {OperandKind::Function, index(id)}; }
};

enum OpTrait : std::uint8_t { Pure = 1, Access = 2, Sync = 4, End = 8 };
enum class Op : std::uint8_t {
#define OP(name, text, traits, meaning) name,
#include "program/op.def"
#undef OP
};
std::string_view text_of(Op op);
std::string_view meaning_of(Op op);
std::uint8_t traits_of(Op op);
std::size_t op_count();
inline bool is_step(Op op) {
  return (traits_of(op) & (Access | Sync)) != 0;
}
inline bool ends_block(Op op) {
  return (traits_of(op) & End) != 0;
}

enum class Rmw : std::uint8_t { Exchange, Add, Sub, And, Or, Xor, Nand, SMax, SMin, UMax, UMin };
inline constexpr int kRmws = 11;
std::string_view text_of(Rmw rmw);

// A byte of a struct, as its number there.
struct StructByte {
  StructId type{};
  std::uint32_t offset = 0;
  bool operator==(const StructByte&) const = default;
};

struct Instruction {
  InstrId id{};
  Op op = Op::Mark;
  Type type;
  MemoryOrder order = MemoryOrder::None;
  Rmw rmw = Rmw::Exchange;
  bool checked = false;    // Offset, Index: null and bounds are checked here
  bool recursive = false;  // Lock, TryLock, Unlock: the holder may take it again
  bool local = false;      // Load, Store: memory that no other thread can reach; such an access is not recorded
  RegId result = kNoReg;
  RegId result2 = kNoReg;
  std::uint64_t imm = 0;
  std::vector<Operand> operands;
  std::vector<BlockId> targets;      // Jump, Branch, Switch, Phi
  std::vector<std::uint64_t> cases;  // Switch
  Position position;
  // Of the statement; a litmus label. Of a StackAlloc of compiled code: the variable that it is.
  StringId label = kNoString;
  // Of an access of compiled code: what the source has at its address, where types say it; of a call that allocates:
  // what begins at the object's first byte. For names only: memory may hold something else.
  std::optional<StructByte> accessed;
  bool operator==(const Instruction&) const = default;
};

// `imm` of a Branch: is it the test of a loop, is the number of rounds fixed when the loop is entered ("counted": its
// bounds depend on nothing that changes meanwhile, and name no shared variable), and which target goes round once more?
enum class LoopTest : std::uint8_t { None, CountedBody0, OtherBody0, CountedBody1, OtherBody1 };
constexpr LoopTest loop_test_of(const Instruction& branch) {
  return branch.op == Op::Branch && branch.imm <= 4 ? static_cast<LoopTest>(branch.imm) : LoopTest::None;
}
constexpr bool is_counted(LoopTest test) {
  return test == LoopTest::CountedBody0 || test == LoopTest::CountedBody1;
}
// The number of the target that goes round once more. Not of None.
constexpr std::uint64_t body_of(LoopTest test) {
  return test == LoopTest::CountedBody1 || test == LoopTest::OtherBody1 ? 1 : 0;
}

struct Block {
  std::vector<Instruction> instructions;  // the last one ends the block, no other does; phis come first
  bool operator==(const Block&) const = default;
};

// How other modules see a function or a global, as object files have it (link.h).
enum class Linkage : std::uint8_t { External, Weak, Internal };
struct Binding {
  Linkage linkage = Linkage::External;
  bool declared = false;  // its definition is in another module, or nowhere
  bool hidden = false;    // not to be seen from outside of its executable or shared library
  bool operator==(const Binding&) const = default;
};

struct Function {
  StringId name = kNoString;  // of compiled code: its symbol
  Binding binding;
  std::vector<RegId> params;
  std::vector<Type> registers;  // by RegId
  std::vector<Block> blocks;    // empty: declared, or without a model; the first is the entry
  bool missing = false;         // its body is not recorded (docs/semantics.md, missing code)
  bool unchecked = false;       // its plain accesses are in no report: no_sanitize("thread")
  std::uint64_t address = 0;    // where a recorded run had it; 0: nowhere, function_address() is its value then
  // A thread of a litmus file: Fork of this function gives this thread id, and only once. Threads of real programs
  // have none and are numbered as they start.
  std::optional<ThreadId> thread;
  bool operator==(const Function&) const = default;
};

// State: outside of memory (base/state_addresses.h).
enum class GlobalKind : std::uint8_t { Data, Atomic, Mutex, RwLock, Cond, Semaphore, Barrier, Once, State };
inline constexpr int kGlobalKinds = 9;

// Eight bytes of an initialiser that are an address: that of `target` (a Global or a Function) plus `addend`.
struct Relocation {
  std::uint64_t offset = 0;
  Operand target;
  std::uint64_t addend = 0;
  bool operator==(const Relocation&) const = default;
};
inline constexpr std::uint64_t kRelocationBytes = 8;

struct Global {
  StringId name = kNoString;
  StringId symbol = kNoString;  // what linkers call it, where that is not its name
  Binding binding;
  GlobalKind kind = GlobalKind::Data;
  std::uint32_t element_size = 8;
  std::uint32_t count = 1;
  // Every element's value at the start (Data, Atomic, Semaphore) or the number of parties (Barrier).
  std::uint64_t initial = 0;
  std::vector<std::uint8_t> bytes;  // if not empty: the bytes at the start, instead of `initial`
  // What of `bytes` is an address, in ascending order. The bytes there are zero until resolve() knows it.
  std::vector<Relocation> relocations;
  std::vector<std::uint32_t> strides = {};  // of elements that are arrays again: as of a Field
  std::optional<StructId> type;             // of each element, where it is a struct that the front end knows
  StringId pointee = kNoString;             // Data that points to a struct of this name
  std::uint64_t address = 0;                // set by layout()
  std::uint64_t size() const { return std::uint64_t{element_size} * count; }
  bool operator==(const Global&) const = default;
};

struct Field {
  StringId name = kNoString;
  std::uint32_t offset = 0;
  StringId pointee = kNoString;             // it points to a struct of this name
  std::uint32_t size = 0;                   // in bytes; 0: not known
  std::optional<StructId> type;             // it is this struct, or an array of them
  std::vector<std::uint32_t> strides = {};  // of an array: bytes of an element, of each dimension from the first on
  bool base = false;                        // a class that this one is derived from: its fields count as this one's own
  bool operator==(const Field&) const = default;
};
// A class, a struct or a union (whose fields lie over each other). Structs inside of it, its base among them, come
// before it in Program::structs.
struct Struct {
  StringId name = kNoString;
  std::uint32_t size = 0;
  std::vector<Field> fields;
  std::optional<StructId> base;
  std::vector<FunctionId> methods;  // what VirtualCall's imm selects; kNone32: abstract
  bool library = false;             // of a library (library_file.h): users do not know its fields
  bool operator==(const Struct&) const = default;
};

// Another name of a function or a global of the same module: C++ has them for constructors. For linking by name; code
// of the module itself names the target.
struct Alias {
  StringId name = kNoString;
  Binding binding;
  Operand target;
  bool operator==(const Alias&) const = default;
};

// Where a program came from, and so what is known about it.
enum class Origin : std::uint8_t {
  Litmus,  // all of it is here: it can be run again, its objects have known addresses and content, threads are numbers
  Llvm,    // compiled code, of which a run may have done more than the model says
  Cut,     // a litmus program whose trace does not show all that it did (trace/missing_mode.h): as little is known
};
inline constexpr int kOrigins = 3;

struct Program {
  std::vector<std::string> strings{""};
  std::vector<Function> functions;
  std::vector<Global> globals;
  std::vector<Struct> structs;
  std::vector<Alias> aliases;
  std::vector<InlinedFrame> frames;
  Origin origin = Origin::Llvm;
  FunctionId main{0};
  bool implicit_main = false;  // a litmus file without main: its forks happen before anything that is scheduled
  std::uint32_t instruction_count = 0;
  std::string source;  // the text it came from; for reports only, and may be empty
  bool operator==(const Program&) const = default;

  const std::string& text(StringId id) const { return strings[index(id)]; }
  const Function& function(FunctionId id) const { return functions[index(id)]; }
  const Global& global(GlobalId id) const { return globals[index(id)]; }
  StringId intern(std::string_view text);  // linear in the number of strings: for building, not for hot paths
};

// Gives every global an address: 64-byte aligned from kGlobalBase upwards, in order; of state, from kState.
inline constexpr std::uint64_t kGlobalBase = 0x10000;
inline constexpr std::uint64_t kHeapBase = 0x100000000;
// Where the interpreter puts the object that `thread` makes at `site` for the count-th time, from 0: the same in every
// run. Nullopt: the numbers are so large that it depends on the run.
std::optional<std::uint64_t> object_address(ThreadId thread, InstrId site, std::uint64_t count, std::uint64_t size);
void layout(Program& program);
// Writes the address of every relocation's target into the bytes, where the target has one.
void resolve(Program& program);

// Numbers all instructions densely; sets instruction_count.
void number_instructions(Program& program);

// Where an instruction stands, by id. Built once, O(1) look-up. Holds pointers into `program`, which must outlive it.
class InstructionIndex {
 public:
  struct Place {
    FunctionId function{};
    BlockId block{};
    const Instruction* instruction = nullptr;
  };
  explicit InstructionIndex(const Program& program);
  const Place& operator[](InstrId id) const { return places_[index(id)]; }
  std::size_t size() const { return places_.size(); }

 private:
  std::vector<Place> places_;
};

// The instruction that defines each register; null for parameters. Holds pointers into `function`.
using Definitions = std::vector<const Instruction*>;
Definitions definitions_of(const Function& function);

// Is an address that this access or synchronisation operation takes computed from values (an Index, or a base that is
// not a global)? Such an event is kept in a reordering only where every read before it returned its recorded value
// (docs/semantics.md). `definitions` are those of its function.
bool address_is_computed(const Definitions& definitions, const Instruction& instruction);

// The rules that every Program must obey: registers defined once and typed, operand counts, targets in range, phis
// first, one End per block at its end. Returns what is broken, or an empty string. Front ends and the binary reader
// call it, so that the interpreter need not.
std::string broken_rule(const Program& program);

}  // namespace racecast::program
