// Two walks over the same tree, one writing and one reading; every count and id is checked while reading, because
// broken_rule() and the interpreter take ids for granted.
#include "program/binary.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/check.h"

namespace racecast::program {
namespace {

enum InstructionFlag : std::uint8_t {
  kChecked = 1,
  kRecursive = 2,
  kResult = 4,
  kResult2 = 8,
  kImm = 16,
  kTargets = 32,
  kCases = 64,
  kLabel = 128,
};

// In the byte of the memory order.
constexpr std::uint8_t kLocal = 128, kAccessed = 64;
// In the byte of a binding, whose lower bits are the linkage.
constexpr unsigned kLinkageBits = 3, kDeclared = 4, kHidden = 8;

// ---- writing

void put(ByteWriter& out, Type type) {
  out.u8(static_cast<std::uint8_t>(type.kind));
  out.u8(type.bits);
}

template <typename T, typename Put>
void put_all(ByteWriter& out, const std::vector<T>& all, const Put& put_one) {
  out.varint(all.size());
  for (const T& one : all) put_one(one);
}

void put(ByteWriter& out, const Operand& o) {
  out.u8(static_cast<std::uint8_t>(o.kind));
  out.varint(o.value);
}

void put(ByteWriter& out, const Position& p) {
  out.varint(index(p.file));
  out.varint(p.line);
  out.varint(p.column);
  out.varint(p.inlined == kNoFrame ? 0 : index(p.inlined) + 1);
}

void put(ByteWriter& out, const Instruction& i) {
  out.u8(static_cast<std::uint8_t>(i.op));
  out.u8(static_cast<std::uint8_t>((i.checked ? kChecked : 0) | (i.recursive ? kRecursive : 0) |
                                   (i.result != kNoReg ? kResult : 0) | (i.result2 != kNoReg ? kResult2 : 0) |
                                   (i.imm != 0 ? kImm : 0) | (!i.targets.empty() ? kTargets : 0) |
                                   (!i.cases.empty() ? kCases : 0) | (i.label != kNoString ? kLabel : 0)));
  put(out, i.type);
  out.u8(static_cast<std::uint8_t>(static_cast<unsigned>(i.order) | (i.local ? kLocal : 0) |
                                   (i.accessed ? kAccessed : 0)));
  out.u8(static_cast<std::uint8_t>(i.rmw));
  if (i.result != kNoReg) out.varint(index(i.result));
  if (i.result2 != kNoReg) out.varint(index(i.result2));
  if (i.imm != 0) out.varint(i.imm);
  put_all(out, i.operands, [&](const Operand& o) { put(out, o); });
  if (!i.targets.empty()) put_all(out, i.targets, [&](BlockId b) { out.varint(index(b)); });
  if (!i.cases.empty()) put_all(out, i.cases, [&](std::uint64_t c) { out.varint(c); });
  put(out, i.position);
  if (i.label != kNoString) out.varint(index(i.label));
  if (i.accessed) {
    out.varint(index(i.accessed->type));
    out.varint(i.accessed->offset);
  }
}

void put(ByteWriter& out, const Binding& b) {
  out.u8(static_cast<std::uint8_t>(static_cast<unsigned>(b.linkage) | (b.declared ? kDeclared : 0) |
                                   (b.hidden ? kHidden : 0)));
}

void put(ByteWriter& out, std::optional<StructId> type) {
  out.varint(type ? index(*type) + 1 : 0);
}

void put(ByteWriter& out, const Function& f) {
  out.varint(index(f.name));
  put(out, f.binding);
  out.u8(f.missing ? 1 : 0);
  out.u8(f.unchecked ? 1 : 0);
  out.varint(f.address);
  out.varint(f.thread ? index(*f.thread) + 1 : 0);
  put_all(out, f.registers, [&](Type type) { put(out, type); });
  put_all(out, f.params, [&](RegId id) { out.varint(index(id)); });
  put_all(out, f.blocks,
          [&](const Block& b) { put_all(out, b.instructions, [&](const Instruction& i) { put(out, i); }); });
}

void put(ByteWriter& out, const Global& g) {
  out.varint(index(g.name));
  out.varint(index(g.symbol));
  put(out, g.binding);
  out.u8(static_cast<std::uint8_t>(g.kind));
  out.varint(g.element_size);
  out.varint(g.count);
  out.varint(g.initial);
  put_all(out, g.bytes, [&](std::uint8_t byte) { out.u8(byte); });
  put_all(out, g.relocations, [&](const Relocation& r) {
    out.varint(r.offset);
    put(out, r.target);
    out.varint(r.addend);
  });
  put_all(out, g.strides, [&](std::uint32_t stride) { out.varint(stride); });
  out.varint(index(g.pointee));
  put(out, g.type);
  out.varint(g.address);
}

void put(ByteWriter& out, const Struct& s) {
  out.varint(index(s.name));
  out.varint(s.size);
  out.u8(s.library ? 1 : 0);
  put_all(out, s.fields, [&](const Field& f) {
    out.varint(index(f.name));
    out.varint(f.offset);
    out.varint(index(f.pointee));
    out.varint(f.size);
    put_all(out, f.strides, [&](std::uint32_t stride) { out.varint(stride); });
    out.u8(f.base ? 1 : 0);
    put(out, f.type);
  });
  put(out, s.base);
  put_all(out, s.methods, [&](FunctionId id) { out.varint(index(id)); });
}

void check_numbered(const Program& program) {
  std::uint32_t next = 0;
  for (const Function& f : program.functions) {
    for (const Block& b : f.blocks) {
      for (const Instruction& i : b.instructions) {
        CHECK(index(i.id) == next, "instruction {} stands at place {}", index(i.id), next);
        ++next;
      }
    }
  }
  CHECK(program.instruction_count == next, "{} instructions, counted {}", program.instruction_count, next);
}

// ---- reading

class Decoder {
 public:
  explicit Decoder(std::span<const std::uint8_t> bytes) : in_(bytes) {}

  Result<Program> run() {
    Program p;
    get_all(p.strings, 1, [&](std::string& text) { text = in_.text(); });
    if (p.strings.empty() || !p.strings[0].empty()) in_.fail();
    strings_ = p.strings.size();
    get_all(p.frames, 5, [&](InlinedFrame& f) {
      f.function = text();
      f.called = position();
      ++frames_;
    });
    // Functions, globals and structs refer to each other: their numbers come before them.
    p.functions.resize(in_.count(7));
    p.globals.resize(in_.count(13));
    p.structs.resize(in_.count(6));
    functions_ = p.functions.size();
    globals_ = p.globals.size();
    structs_ = p.structs.size();
    for (Function& f : p.functions) get(f);
    for (Global& g : p.globals) get(g);
    for (Struct& s : p.structs) get(s);
    get_all(p.aliases, 4, [&](Alias& a) {
      a.name = text();
      a.binding = binding();
      a.target = operand();
    });
    p.origin = static_cast<Origin>(below(kOrigins));
    p.main = id<FunctionId>(functions_);
    p.implicit_main = flag();
    p.instruction_count = next_id_;
    p.source = in_.text();
    if (!in_.ok() || in_.left() != 0 || !bases_end(p.structs)) return bad_input("the program model is malformed");
    if (const std::string rule = broken_rule(p); !rule.empty()) {
      return bad_input(fmt::format("the program model breaks a rule: {}", rule));
    }
    return p;
  }

 private:
  template <typename T, typename Get>
  void get_all(std::vector<T>& all, std::size_t min_bytes, const Get& get_one) {
    all.resize(in_.count(min_bytes));
    for (T& one : all) {
      if (!in_.ok()) return;
      get_one(one);
    }
  }
  template <typename Id>
  Id id(std::size_t bound) {
    return static_cast<Id>(in_.varint_below(bound));
  }
  StringId text() { return id<StringId>(strings_); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(in_.varint_below(std::uint64_t{1} << 32)); }
  bool flag() { return below(2) != 0; }
  std::uint8_t below(unsigned bound) {
    const std::uint8_t v = in_.u8();
    if (v < bound) return v;
    in_.fail();
    return 0;
  }

  Type type() {
    const auto kind = static_cast<TypeKind>(below(4));
    const std::uint8_t bits = in_.u8();
    const bool good = kind == TypeKind::Void    ? bits == 0
                      : kind == TypeKind::Int   ? bits >= 1 && bits <= 64
                      : kind == TypeKind::Float ? bits == 32 || bits == 64
                                                : bits == 64;
    if (!good) in_.fail();
    return {kind, bits};
  }

  Operand operand() {
    const auto kind = static_cast<OperandKind>(below(4));
    return {kind, kind == OperandKind::Reg        ? in_.varint_below(registers_)
                  : kind == OperandKind::Global   ? in_.varint_below(globals_)
                  : kind == OperandKind::Function ? in_.varint_below(functions_)
                                                  : in_.varint()};
  }
  Binding binding() {
    const unsigned byte = below(16);
    if ((byte & kLinkageBits) > static_cast<unsigned>(Linkage::Internal)) in_.fail();
    return {static_cast<Linkage>(byte & kLinkageBits), (byte & kDeclared) != 0, (byte & kHidden) != 0};
  }
  std::optional<StructId> type_of_struct() {
    const std::uint64_t id = in_.varint_below(structs_ + 1);
    return id == 0 ? std::nullopt : std::optional(static_cast<StructId>(id - 1));
  }

  // Names only frames that were read before it.
  Position position() {
    Position p;
    p.file = text();
    p.line = u32();
    p.column = u32();
    if (const std::uint64_t frame = in_.varint_below(frames_ + 1); frame != 0)
      p.inlined = static_cast<FrameId>(frame - 1);
    return p;
  }

  void get(Instruction& i) {
    i.id = static_cast<InstrId>(next_id_++);
    i.op = static_cast<Op>(below(static_cast<unsigned>(op_count())));
    const std::uint8_t flags = in_.u8();
    i.checked = (flags & kChecked) != 0;
    i.recursive = (flags & kRecursive) != 0;
    i.type = type();
    const std::uint8_t order = in_.u8();
    i.local = (order & kLocal) != 0;
    const unsigned own = order & ~unsigned{kLocal | kAccessed};
    if (own >= kMemoryOrders) return in_.fail();
    i.order = static_cast<MemoryOrder>(own);
    i.rmw = static_cast<Rmw>(below(kRmws));
    if ((flags & kResult) != 0) i.result = id<RegId>(registers_);
    if ((flags & kResult2) != 0) i.result2 = id<RegId>(registers_);
    if ((flags & kImm) != 0) i.imm = in_.varint();
    get_all(i.operands, 2, [&](Operand& o) { o = operand(); });
    if ((flags & kTargets) != 0) get_all(i.targets, 1, [&](BlockId& b) { b = id<BlockId>(blocks_); });
    if ((flags & kCases) != 0) get_all(i.cases, 1, [&](std::uint64_t& c) { c = in_.varint(); });
    i.position = position();
    if ((flags & kLabel) != 0) i.label = text();
    if ((order & kAccessed) != 0) {
      const auto type = id<StructId>(structs_);
      i.accessed = StructByte{type, u32()};
    }
    if (!imm_in_range(i)) in_.fail();
  }

  // Immediates that are ids.
  bool imm_in_range(const Instruction& i) const {
    switch (i.op) {
      case Op::Alloc:
      case Op::StackAlloc: return i.imm <= structs_;
      case Op::InstanceOf: return i.imm < structs_;
      case Op::Opaque: return i.imm < strings_;
      default: return true;
    }
  }

  // No struct is derived from itself. Each chain is walked up to a struct that is known to be good.
  static bool bases_end(const std::vector<Struct>& structs) {
    std::vector<std::size_t> walk(structs.size(), 0);  // number of the walk that came by, from 1
    for (std::size_t i = 0; i < structs.size(); ++i) {
      for (std::size_t at = i; walk[at] == 0;) {
        walk[at] = i + 1;
        if (!structs[at].base) break;
        at = index(*structs[at].base);
        if (walk[at] == i + 1) return false;
      }
    }
    return true;
  }

  void get(Function& f) {
    if (!in_.ok()) return;
    f.name = text();
    f.binding = binding();
    f.missing = flag();
    f.unchecked = flag();
    f.address = in_.varint();
    if (const std::uint64_t thread = in_.varint_below(std::uint64_t{1} << 32); thread != 0) {
      f.thread = static_cast<ThreadId>(thread - 1);
    }
    get_all(f.registers, 2, [&](Type& t) { t = type(); });
    registers_ = f.registers.size();
    get_all(f.params, 1, [&](RegId& r) { r = id<RegId>(registers_); });
    f.blocks.resize(in_.count(1));
    blocks_ = f.blocks.size();
    for (Block& b : f.blocks) {
      if (!in_.ok()) return;
      get_all(b.instructions, 10, [&](Instruction& i) { get(i); });
    }
  }

  void get(Global& g) {
    if (!in_.ok()) return;
    g.name = text();
    g.symbol = text();
    g.binding = binding();
    g.kind = static_cast<GlobalKind>(below(kGlobalKinds));
    g.element_size = u32();
    g.count = u32();
    g.initial = in_.varint();
    get_all(g.bytes, 1, [&](std::uint8_t& byte) { byte = in_.u8(); });
    get_all(g.relocations, 4, [&](Relocation& r) {
      r.offset = in_.varint();
      r.target = operand();
      r.addend = in_.varint();
    });
    get_all(g.strides, 1, [&](std::uint32_t& stride) { stride = u32(); });
    g.pointee = text();
    g.type = type_of_struct();
    g.address = in_.varint();
    if (g.address + g.size() < g.address) in_.fail();
    if (!g.bytes.empty() && g.bytes.size() != g.size()) in_.fail();
  }

  void get(Struct& s) {
    if (!in_.ok()) return;
    s.name = text();
    s.size = u32();
    s.library = flag();
    get_all(s.fields, 7, [&](Field& f) {
      f.name = text();
      f.offset = u32();
      f.pointee = text();
      f.size = u32();
      get_all(f.strides, 1, [&](std::uint32_t& stride) { stride = u32(); });
      f.base = flag();
      f.type = type_of_struct();
    });
    s.base = type_of_struct();
    get_all(s.methods, 1, [&](FunctionId& m) {
      m = static_cast<FunctionId>(u32());
      if (index(m) >= functions_ && index(m) != kNone32) in_.fail();
    });
  }

  ByteReader in_;
  std::size_t strings_ = 0, frames_ = 0, functions_ = 0, globals_ = 0, structs_ = 0, registers_ = 0, blocks_ = 0;
  std::uint32_t next_id_ = 0;
};

}  // namespace

std::vector<std::uint8_t> encode(const Program& program) {
  check_numbered(program);
  ByteWriter out;
  put_all(out, program.strings, [&](const std::string& text) { out.text(text); });
  put_all(out, program.frames, [&](const InlinedFrame& f) {
    out.varint(index(f.function));
    put(out, f.called);
  });
  out.varint(program.functions.size());
  out.varint(program.globals.size());
  out.varint(program.structs.size());
  for (const Function& f : program.functions) put(out, f);
  for (const Global& g : program.globals) put(out, g);
  for (const Struct& s : program.structs) put(out, s);
  put_all(out, program.aliases, [&](const Alias& a) {
    out.varint(index(a.name));
    put(out, a.binding);
    put(out, a.target);
  });
  out.u8(static_cast<std::uint8_t>(program.origin));
  out.varint(index(program.main));
  out.u8(program.implicit_main ? 1 : 0);
  out.text(program.source);
  return std::move(out.bytes());
}

Result<Program> decode(std::span<const std::uint8_t> bytes) {
  return Decoder(bytes).run();
}

}  // namespace racecast::program
