#include "program/dump.h"

#include <fmt/format.h>

#include <iterator>

#include "base/printable.h"

namespace racecast::program {
namespace {

constexpr std::string_view kGlobalKindNames[kGlobalKinds] = {"data", "atomic",  "mutex", "rwlock", "cond",
                                                             "sem",  "barrier", "once",  "state"};

std::string type_text(Type type) {
  switch (type.kind) {
    case TypeKind::Void: return "void";
    case TypeKind::Int: return fmt::format("i{}", type.bits);
    case TypeKind::Float: return fmt::format("f{}", type.bits);
    case TypeKind::Ptr: return "ptr";
  }
  return "?";
}

// A name may hold anything, also an end of a line.
std::string name_of(const Program& program, StringId id) {
  return printable(program.text(id));
}

std::string operand_text(const Program& program, const Operand& o) {
  switch (o.kind) {
    case OperandKind::Reg: return fmt::format("%{}", o.value);
    case OperandKind::Const: return fmt::format("{}", static_cast<std::int64_t>(o.value));
    case OperandKind::Global: return "@" + name_of(program, program.globals[o.value].name);
    case OperandKind::Function: return "&" + name_of(program, program.functions[o.value].name);
  }
  return "?";
}

std::string position_text(const Program& program, const Position& p) {
  if (p.line == 0) return {};
  return fmt::format("{}:{}:{}", name_of(program, p.file), p.line, p.column);
}

void dump_binding(const Binding& binding, std::string& out) {
  if (binding.linkage == Linkage::Weak) out += " weak";
  if (binding.linkage == Linkage::Internal) out += " internal";
  if (binding.hidden) out += " hidden";
}

void dump_global(const Program& program, const Global& g, std::string& out) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "global @{} {}", name_of(program, g.name), kGlobalKindNames[static_cast<std::size_t>(g.kind)]);
  if (g.count != 1) fmt::format_to(to, "[{}]", g.count);
  fmt::format_to(to, " size {} at {:#x}", g.size(), g.address);
  if (!g.bytes.empty())
    fmt::format_to(to, " bytes {:02x}", fmt::join(g.bytes, " "));
  else if (g.initial != 0)
    fmt::format_to(to, " = {}", static_cast<std::int64_t>(g.initial));
  if (g.pointee != kNoString) fmt::format_to(to, " points to {}", name_of(program, g.pointee));
  if (g.type) fmt::format_to(to, " struct {}", name_of(program, program.structs[index(*g.type)].name));
  dump_binding(g.binding, out);
  if (g.binding.declared) out += " declared";
  out += '\n';
  for (const Relocation& r : g.relocations) {
    fmt::format_to(to, "  +{} {}", r.offset, operand_text(program, r.target));
    if (r.addend != 0) fmt::format_to(to, " + {}", static_cast<std::int64_t>(r.addend));
    out += '\n';
  }
}

void dump_struct(const Program& program, const Struct& s, std::string& out) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "struct {} size {}", name_of(program, s.name), s.size);
  if (s.base) fmt::format_to(to, " from {}", name_of(program, program.structs[index(*s.base)].name));
  if (s.library) out += " of a library";
  out += '\n';
  for (const Field& f : s.fields) {
    fmt::format_to(to, "  +{} {}", f.offset, f.name == kNoString ? "_" : name_of(program, f.name));
    if (f.type) fmt::format_to(to, " struct {}", name_of(program, program.structs[index(*f.type)].name));
    if (f.pointee != kNoString) fmt::format_to(to, " points to {}", name_of(program, f.pointee));
    if (f.size != 0) fmt::format_to(to, " size {}", f.size);
    if (!f.strides.empty()) fmt::format_to(to, " elements of {}", fmt::join(f.strides, ", "));
    if (f.base) out += " base";
    out += '\n';
  }
  for (std::size_t i = 0; i < s.methods.size(); ++i) {
    const bool abstract = index(s.methods[i]) == kNone32;
    fmt::format_to(to, "  method {} {}\n", i,
                   abstract ? "abstract" : name_of(program, program.function(s.methods[i]).name));
  }
}

void dump_function(const Program& program, const Function& f, std::string& out) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "{}{}fn {}(", f.missing ? "missing " : "", f.unchecked ? "unchecked " : "",
                 name_of(program, f.name));
  for (std::size_t i = 0; i < f.params.size(); ++i) {
    fmt::format_to(to, "{}%{}:{}", i == 0 ? "" : ", ", index(f.params[i]), type_text(f.registers[index(f.params[i])]));
  }
  out += ')';
  if (f.thread) fmt::format_to(to, " thread {}", index(*f.thread));
  dump_binding(f.binding, out);
  out += f.blocks.empty() ? (f.binding.declared || f.missing ? " declared\n" : " without a model\n") : "\n";
  for (std::size_t b = 0; b < f.blocks.size(); ++b) {
    fmt::format_to(to, "b{}:\n", b);
    for (const Instruction& i : f.blocks[b].instructions) {
      const std::string text = dump(program, i);
      const std::string where = position_text(program, i.position);
      fmt::format_to(to, "{:>5}  {}", index(i.id), text);
      if (!where.empty() || i.label != kNoString) {
        fmt::format_to(to, "{:{}}  ; {}", "", text.size() < 44 ? 44 - text.size() : 0, where);
        if (i.label != kNoString) fmt::format_to(to, "{}label {}", where.empty() ? "" : " ", name_of(program, i.label));
      }
      out += '\n';
    }
  }
}

}  // namespace

std::string dump(const Program& program, const Instruction& i) {
  std::string out;
  auto to = std::back_inserter(out);
  if (i.result != kNoReg) {
    fmt::format_to(to, "%{}", index(i.result));
    if (i.result2 != kNoReg) fmt::format_to(to, ", %{}", index(i.result2));
    out += " = ";
  }
  out += text_of(i.op);
  if (i.type.kind != TypeKind::Void) fmt::format_to(to, " {}", type_text(i.type));
  if (i.op == Op::AtomicRmw) fmt::format_to(to, " {}", text_of(i.rmw));
  for (std::size_t k = 0; k < i.operands.size(); ++k) {
    fmt::format_to(to, "{} {}", k == 0 ? "" : ",", operand_text(program, i.operands[k]));
    if (i.op == Op::Phi && k < i.targets.size()) fmt::format_to(to, " from b{}", index(i.targets[k]));
  }
  if (i.op == Op::Opaque)
    fmt::format_to(to, " \"{}\"", program.strings[i.imm]);
  else if (i.imm != 0)
    fmt::format_to(to, " imm {}", static_cast<std::int64_t>(i.imm));
  if (i.order != MemoryOrder::None) fmt::format_to(to, " {}", name_of(i.order));
  if (i.accessed)
    fmt::format_to(to, " in {}+{}", name_of(program, program.structs[index(i.accessed->type)].name),
                   i.accessed->offset);
  if (i.checked) out += " checked";
  if (i.recursive) out += " recursive";
  if (i.op != Op::Phi && !i.targets.empty()) {
    out += " ->";
    for (std::size_t k = 0; k < i.targets.size(); ++k) {
      fmt::format_to(to, " b{}", index(i.targets[k]));
      if (i.op == Op::Switch && k > 0 && k <= i.cases.size()) {
        fmt::format_to(to, " on {}", static_cast<std::int64_t>(i.cases[k - 1]));
      }
    }
  }
  return out;
}

std::string dump(const Program& program) {
  std::string out;
  for (const Struct& s : program.structs) dump_struct(program, s, out);
  for (const Global& g : program.globals) dump_global(program, g, out);
  for (const Alias& a : program.aliases) {
    fmt::format_to(std::back_inserter(out), "alias {} of {}", name_of(program, a.name),
                   operand_text(program, a.target));
    dump_binding(a.binding, out);
    out += '\n';
  }
  for (const Function& f : program.functions) {
    out += '\n';
    dump_function(program, f, out);
  }
  fmt::format_to(std::back_inserter(out), "\nmain is {}{}, {} instructions\n",
                 name_of(program, program.function(program.main).name), program.implicit_main ? " (implicit)" : "",
                 program.instruction_count);
  return out;
}

}  // namespace racecast::program
