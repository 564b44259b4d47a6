// What the names of a litmus file mean, and whether they are used as what they are. After check_litmus() the lowering
// may take every name and kind for granted.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "program/litmus/ast.h"
#include "program/litmus/litmus.h"
#include "program/program.h"

namespace racecast::program {

// Tables over a tree, which must outlive them: keys and pointers point into it.
struct DeclaredNames {
  struct Variable {
    GlobalId id{};
    const ast::TypeName* type = nullptr;
    const ast::SharedItem* item = nullptr;
    bool is_array() const { return item->count.has_value(); }
  };
  struct Label {
    ast::At at;
    const ast::Body* body = nullptr;  // where it stands
  };
  // Which threads can execute a body: none, one, or several (then `thread` and `other` are two of them).
  struct Reach {
    int threads = 0;  // 0, 1, 2 for several
    ThreadId thread{};
    ThreadId other{};
  };

  std::vector<Variable> variables;  // by GlobalId
  std::unordered_map<std::string_view, Variable> shared;
  std::unordered_map<std::string_view, const ast::Body*> functions;
  std::unordered_map<std::string_view, ThreadId> threads;  // without main
  std::unordered_map<std::string_view, StructId> structs;
  std::unordered_map<std::string_view, std::uint32_t> field_offset;  // the same in every struct
  std::unordered_map<std::string_view, Label> labels;
  std::vector<const ast::StructDecl*> struct_decls;  // by StructId
  std::vector<const ast::Body*> bodies;              // by FunctionId: main (null: implicit), threads, functions
  std::unordered_map<const ast::Body*, FunctionId> body_ids;
  std::size_t thread_count = 0;  // with main: bodies[0 .. thread_count) are threads
  std::vector<Reach> reach;      // by FunctionId
};

// Errors: "FILE:LINE:COLUMN: ..." for the first mistake.
Result<DeclaredNames> check_litmus(const ast::File& file, std::string_view file_name);

// What the entries of a `run` line mean. `position_name` stands where an error gives its file.
Result<std::vector<ScheduleEntry>> resolve_schedule(const DeclaredNames& names,
                                                    const std::vector<ast::RunEntry>& entries,
                                                    std::string_view position_name);

}  // namespace racecast::program
