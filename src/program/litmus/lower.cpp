// Declarations of a litmus file into globals, structs and functions, and the main that a file without one means.
//
// FunctionIds: main, the threads in order (so a thread's function has the number of the thread), then the functions.
#include "program/litmus/lower.h"

#include <fmt/core.h>

#include <algorithm>

#include "program/litmus/parser.h"
#include "program/litmus/ssa_builder.h"

namespace racecast::program {
namespace {

GlobalKind global_kind(ast::VarKind kind) {
  switch (kind) {
    case ast::VarKind::Int:
    case ast::VarKind::Ref: return GlobalKind::Data;
    case ast::VarKind::Atomic: return GlobalKind::Atomic;
    case ast::VarKind::Mutex: return GlobalKind::Mutex;
    case ast::VarKind::RwLock: return GlobalKind::RwLock;
    case ast::VarKind::Cond: return GlobalKind::Cond;
    case ast::VarKind::Sem: return GlobalKind::Semaphore;
    case ast::VarKind::Barrier: return GlobalKind::Barrier;
    case ast::VarKind::State: return GlobalKind::State;
  }
  return GlobalKind::Data;
}

void lower_globals(const DeclaredNames& symbols, Interner& intern, Program& program) {
  for (const DeclaredNames::Variable& variable : symbols.variables) {
    Global& global = program.globals.emplace_back();
    global.name = intern(variable.item->name);
    global.kind = global_kind(variable.type->kind);
    global.count = variable.item->count.value_or(1);
    global.initial = variable.item->initial.value_or(0);
    if (variable.type->kind == ast::VarKind::Ref) global.pointee = intern(variable.type->struct_name);
  }
}

void lower_structs(const DeclaredNames& symbols, Interner& intern, Program& program) {
  for (const ast::StructDecl* decl : symbols.struct_decls) {
    Struct& lowered = program.structs.emplace_back();
    lowered.name = intern(decl->name);
    lowered.size = 8;  // also without fields: every object has an address of its own
    for (const ast::FieldDecl& field : decl->fields) {
      const std::uint32_t offset = symbols.field_offset.at(field.name);
      const bool is_reference = field.type.kind == ast::VarKind::Ref;
      lowered.fields.push_back(
          {intern(field.name), offset, is_reference ? intern(field.type.struct_name) : kNoString, 8, std::nullopt});
      lowered.size = std::max(lowered.size, offset + 8);
    }
  }
}

// Fork every thread in order, join every thread in order.
void lower_implicit_main(const DeclaredNames& symbols, StringId file, Function& out) {
  SsaBuilder build(out);
  const auto position = [&](std::size_t t) {
    return Position{file, symbols.bodies[t]->at.line, symbols.bodies[t]->at.column};
  };
  for (std::size_t t = 1; t < symbols.thread_count; ++t) {
    build.emit(Op::Fork, kVoid, position(t), {Operand::function(static_cast<FunctionId>(t))});
  }
  for (std::size_t t = 1; t < symbols.thread_count; ++t) {
    build.emit(Op::Join, kVoid, position(t), {Operand::constant(t)});
  }
  build.emit(Op::Return, kVoid, Position{file, 0, 0});
  build.finish();
}

}  // namespace

StringId Interner::operator()(std::string_view text) {
  const auto [it, is_new] = ids_.try_emplace(std::string(text), static_cast<StringId>(program_.strings.size()));
  if (is_new) program_.strings.emplace_back(text);
  return it->second;
}

Result<Program> lower_litmus(const ast::File& file, const DeclaredNames& symbols, std::string_view text,
                             std::string_view file_name) {
  Program program;
  program.origin = Origin::Litmus;
  program.source = text;
  Interner intern(program);
  const StringId file_id = intern(file_name);
  lower_globals(symbols, intern, program);
  lower_structs(symbols, intern, program);
  std::size_t budget = kMaxLitmusInstructions;
  for (std::size_t i = 0; i < symbols.bodies.size(); ++i) {
    const ast::Body* body = symbols.bodies[i];
    Function function;
    function.name = intern(body == nullptr ? "main" : body->name);
    if (i < symbols.thread_count) function.thread = static_cast<ThreadId>(i);
    if (body == nullptr) {
      program.implicit_main = true;
      lower_implicit_main(symbols, file_id, function);
    } else {
      function.missing = body->kind == ast::BodyKind::Missing;
      function.unchecked = body->unchecked;
      if (!lower_body(*body, symbols, program, intern, file_name, budget, function)) {
        return litmus_error(
            file_name, file.end,
            fmt::format("the program has more than {} instructions, expected a smaller one", kMaxLitmusInstructions));
      }
    }
    for (const Block& block : function.blocks) budget -= std::min(budget, block.instructions.size());
    program.functions.push_back(std::move(function));
  }
  layout(program);
  number_instructions(program);
  return program;
}

}  // namespace racecast::program
