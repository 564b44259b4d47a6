// Names and kinds of a litmus file: declarations first (so that everything may be used before it is declared), then
// every statement, then who can reach which function. Linear in the size of the file.
#include "program/litmus/check.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_set>

#include "program/litmus/lexer.h"
#include "program/litmus/parser.h"

namespace racecast::program {
namespace {

using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;
using ast::VarKind;

constexpr std::uint64_t kMaxElements = 10'000'000;  // of all shared variables together
constexpr std::size_t kMaxFieldNames = 10'000;
constexpr std::size_t kMaxThreads = 10'000;

std::string a(VarKind kind) {
  return fmt::format("{} {}", kind == VarKind::Int || kind == VarKind::Atomic ? "an" : "a", text_of(kind));
}

class Checker {
 public:
  Checker(const ast::File& file, std::string_view file_name) : file_(file), file_name_(file_name) {}

  Result<DeclaredNames> check() {
    symbols_.bodies.push_back(nullptr);
    RC_TRY_STATUS(declare_all());
    for (const ast::Body* body : symbols_.bodies) {
      if (body == nullptr) continue;
      body_ = body;
      RC_TRY_STATUS(check_params(*body));
      RC_TRY_STATUS(check_block(body->statements));
    }
    propagate_reach();
    RC_TRY_STATUS(check_expectations());
    return std::move(symbols_);
  }

 private:
  std::unexpected<Error> error(ast::At at, std::string_view message) const {
    return litmus_error(file_name_, at, message);
  }
  std::unexpected<Error> declared_twice(ast::At at, std::string_view what, std::string_view name) const {
    return error(at, fmt::format("{} '{}' is declared twice, expected another name", what, name));
  }

  // ---- declarations

  Status declare_all() {
    std::vector<const ast::Body*> functions;
    for (const ast::Item& item : file_.items) {
      if (const auto* decl = std::get_if<ast::StructDecl>(&item)) RC_TRY_STATUS(declare_struct(*decl));
      const auto* body = std::get_if<ast::Body>(&item);
      if (body == nullptr) continue;
      if (body->kind == ast::BodyKind::Main) {
        if (symbols_.bodies[0] != nullptr) return declared_twice(body->at, "the thread", "main");
        symbols_.bodies[0] = body;
      } else if (body->kind == ast::BodyKind::Thread) {
        const auto id = static_cast<ThreadId>(symbols_.bodies.size());
        if (!symbols_.threads.emplace(body->name, id).second) return declared_twice(body->at, "the thread", body->name);
        symbols_.bodies.push_back(body);
        if (symbols_.bodies.size() > kMaxThreads) {
          return error(body->at, fmt::format("more than {} threads", kMaxThreads));
        }
      } else {
        if (!symbols_.functions.emplace(body->name, body).second) {
          return declared_twice(body->at, "the function", body->name);
        }
        functions.push_back(body);
      }
    }
    if (symbols_.bodies.size() == 1 && symbols_.bodies[0] == nullptr) {
      return error(file_.end, "found the end of the file, expected a thread or main");
    }
    symbols_.thread_count = symbols_.bodies.size();
    symbols_.bodies.insert(symbols_.bodies.end(), functions.begin(), functions.end());
    for (std::size_t i = 0; i < symbols_.bodies.size(); ++i) {
      symbols_.body_ids.emplace(symbols_.bodies[i], static_cast<FunctionId>(i));
    }
    for (const ast::StructDecl* decl : symbols_.struct_decls) {
      for (const ast::FieldDecl& field : decl->fields) RC_TRY_STATUS(check_type(field.type));
    }
    for (const ast::Item& item : file_.items) {
      if (const auto* shared = std::get_if<ast::Shared>(&item)) RC_TRY_STATUS(declare_shared(*shared));
    }
    return {};
  }

  Status declare_struct(const ast::StructDecl& decl) {
    const auto id = static_cast<StructId>(symbols_.struct_decls.size());
    if (!symbols_.structs.emplace(decl.name, id).second) return declared_twice(decl.at, "the struct", decl.name);
    symbols_.struct_decls.push_back(&decl);
    std::unordered_set<std::string_view> own;
    for (const ast::FieldDecl& field : decl.fields) {
      if (!own.insert(field.name).second) return declared_twice(field.at, "the field", field.name);
      symbols_.field_offset.emplace(field.name, static_cast<std::uint32_t>(8 * symbols_.field_offset.size()));
      fields_.insert(fmt::format("{}.{}", decl.name, field.name));
      if (symbols_.field_offset.size() > kMaxFieldNames) {
        return error(field.at, fmt::format("more than {} names of fields", kMaxFieldNames));
      }
    }
    return {};
  }

  Status check_type(const ast::TypeName& type) {
    if (type.kind != VarKind::Ref || symbols_.structs.contains(type.struct_name)) return {};
    return error(type.at, fmt::format("unknown struct '{}'", type.struct_name));
  }

  Status declare_shared(const ast::Shared& shared) {
    RC_TRY_STATUS(check_type(shared.type));
    for (const ast::SharedItem& item : shared.items) {
      const DeclaredNames::Variable variable{static_cast<GlobalId>(symbols_.variables.size()), &shared.type, &item};
      if (!symbols_.shared.emplace(item.name, variable).second) {
        return declared_twice(item.at, "the shared variable", item.name);
      }
      if (symbols_.functions.contains(item.name)) {
        return error(item.at, fmt::format("'{}' is a function already, expected another name", item.name));
      }
      symbols_.variables.push_back(variable);
      elements_ += item.count.value_or(1);
      if (elements_ > kMaxElements) {
        return error(item.at, fmt::format("more than {} elements of shared variables in all", kMaxElements));
      }
      RC_TRY_STATUS(check_initial(shared.type.kind, item));
    }
    return {};
  }

  Status check_initial(VarKind kind, const ast::SharedItem& item) {
    constexpr std::uint64_t kMaxCount = 1'000'000'000;
    switch (kind) {
      case VarKind::Int:
      case VarKind::Atomic: return {};
      case VarKind::Sem:
        if (item.initial.value_or(0) <= kMaxCount) return {};
        return error(item.at, fmt::format("the sem '{}' starts with 0 to {}", item.name, kMaxCount));
      case VarKind::Barrier:
        if (!item.initial) {
          return error(item.at, fmt::format("the barrier '{}' has no number of parties, expected {} = NUMBER",
                                            item.name, item.name));
        }
        if (*item.initial >= 1 && *item.initial <= kMaxCount) return {};
        return error(item.at, fmt::format("the barrier '{}' has {} parties, expected 1 to {}", item.name,
                                          static_cast<std::int64_t>(*item.initial), kMaxCount));
      case VarKind::Ref:
        if (!item.initial) return {};
        return error(item.at, fmt::format("the reference '{}' starts as null and takes no initial value", item.name));
      case VarKind::State:
        if (item.count) return error(item.at, fmt::format("the state '{}' is one object, and no array", item.name));
        [[fallthrough]];
      case VarKind::Mutex:
      case VarKind::RwLock:
      case VarKind::Cond:
        if (!item.initial) return {};
        return error(item.at, fmt::format("the {} '{}' takes no initial value", text_of(kind), item.name));
    }
    return {};
  }

  // ---- bodies

  Status check_params(const ast::Body& body) {
    std::unordered_set<std::string_view> names;
    for (const ast::Word& param : body.params) {
      if (!names.insert(param.text).second) return declared_twice(param.at, "the parameter", param.text);
      RC_TRY_STATUS(check_local(param.at, "parameter", param.text));
    }
    return {};
  }

  Status check_local(ast::At at, std::string_view what, std::string_view name) {
    if (symbols_.shared.contains(name)) {
      return error(at, fmt::format("the {} '{}' has the name of a shared variable, expected another name", what, name));
    }
    if (symbols_.functions.contains(name)) {
      return error(at, fmt::format("the {} '{}' has the name of a function, expected another name", what, name));
    }
    return {};
  }

  Status check_block(const std::vector<Stmt>& statements) {
    for (const Stmt& s : statements) {
      if (!s.label.empty()) {
        const auto [it, is_new] = symbols_.labels.emplace(s.label, DeclaredNames::Label{s.label_at, body_});
        if (!is_new) {
          return error(s.label_at, fmt::format("the label '{}' is used twice (first in line {}), expected another one",
                                               s.label, it->second.at.line));
        }
      }
      RC_TRY_STATUS(check_statement(s));
    }
    return {};
  }

  Status check_statement(const Stmt& s) {
    if (s.target) RC_TRY_STATUS(check_value_place(*s.target, true));
    switch (s.kind) {
      case StmtKind::New:
        if (symbols_.structs.contains(s.name)) return {};
        return error(s.name_at, fmt::format("unknown struct '{}'", s.name));
      case StmtKind::Call: return check_call(s);
      case StmtKind::For: RC_TRY_STATUS(check_local(s.name_at, "loop variable", s.name)); [[fallthrough]];
      case StmtKind::Assign:
      case StmtKind::If:
      case StmtKind::While:
      case StmtKind::Return: RC_TRY_STATUS(check_values(s, 0)); break;
      case StmtKind::Lock:
      case StmtKind::Unlock: return check_object(s.args[0], VarKind::Mutex);
      case StmtKind::RdLock:
      case StmtKind::WrLock:
      case StmtKind::RwUnlock: return check_object(s.args[0], VarKind::RwLock);
      case StmtKind::Wait:
        RC_TRY_STATUS(check_object(s.args[0], VarKind::Cond));
        return check_object(s.args[1], VarKind::Mutex);
      case StmtKind::Notify:
      case StmtKind::NotifyAll: return check_object(s.args[0], VarKind::Cond);
      case StmtKind::Post:
      case StmtKind::Down: return check_object(s.args[0], VarKind::Sem);
      case StmtKind::Arrive: return check_object(s.args[0], VarKind::Barrier);
      case StmtKind::Put:
      case StmtKind::Get: RC_TRY_STATUS(check_object(s.args[0], VarKind::State)); return check_values(s, 1);
      case StmtKind::Store:
      case StmtKind::Load:
      case StmtKind::Add:
      case StmtKind::Cas: RC_TRY_STATUS(check_object(s.args[0], VarKind::Atomic)); return check_values(s, 1);
      case StmtKind::Fork:
      case StmtKind::Join:
        if (symbols_.threads.contains(s.name)) return {};
        if (s.name == "main") {
          return error(s.name_at, "found 'main', expected another thread: main starts by itself and ends last");
        }
        return error(s.name_at, fmt::format("unknown thread '{}'", s.name));
      case StmtKind::Fence:
      case StmtKind::Skip: return {};
    }
    RC_TRY_STATUS(check_block(s.body));
    return check_block(s.otherwise);
  }

  Status check_values(const Stmt& s, std::size_t first) {
    for (std::size_t i = first; i < s.args.size(); ++i) RC_TRY_STATUS(check_value(s.args[i]));
    return {};
  }

  Status check_call(const Stmt& s) {
    const auto callee = symbols_.functions.find(s.name);
    if (callee == symbols_.functions.end()) {
      const bool is_operation = s.name == "lock" || s.name == "unlock" || s.name == "wait" || s.name == "load" ||
                                s.name == "store" || s.name == "add" || s.name == "cas" || s.name == "fork" ||
                                s.name == "join" || s.name == "notify" || s.name == "post" || s.name == "down" ||
                                s.name == "arrive" || s.name == "fence" || s.name == "rdlock" || s.name == "wrlock" ||
                                s.name == "rwunlock" || s.name == "notifyall" || s.name == "put" || s.name == "get";
      return error(s.name_at, fmt::format("unknown function '{}'{}", s.name,
                                          is_operation ? " (the operation is written without parentheses)" : ""));
    }
    const std::size_t wanted = callee->second->params.size();
    if (s.args.size() != wanted) {
      return error(s.name_at,
                   fmt::format("found {} argument{}, expected {}: '{}' has {} parameter{}", s.args.size(),
                               s.args.size() == 1 ? "" : "s", wanted, s.name, wanted, wanted == 1 ? "" : "s"));
    }
    for (const Expr& arg : s.args) {
      if (arg.kind != ExprKind::AddressOf) {
        RC_TRY_STATUS(check_value(arg));
      } else if (!symbols_.shared.contains(arg.name)) {
        return error(arg.at, fmt::format("'{}' is not shared, expected a shared variable after '&'", arg.name));
      }
    }
    calls_.emplace_back(symbols_.body_ids.at(body_), symbols_.body_ids.at(callee->second));
    return {};
  }

  // ---- expressions

  Status check_value(const Expr& e) {
    if (is_place(e)) return check_value_place(e, false);
    if (e.kind == ExprKind::TryLock) return check_object(e.operands[0], VarKind::Mutex);
    for (const Expr& operand : e.operands) RC_TRY_STATUS(check_value(operand));
    return {};
  }

  Status check_value_place(const Expr& e, bool assigned) {
    RC_TRY_STATUS(check_place(e));
    const auto found = symbols_.shared.find(e.name);
    if (found == symbols_.shared.end()) return {};
    const VarKind kind = found->second.type->kind;
    if (kind == VarKind::Int || kind == VarKind::Atomic || kind == VarKind::Ref) return {};
    return error(e.at, fmt::format("'{}' is {}, expected {}", e.name, a(kind),
                                   assigned ? "a variable that can be assigned to (int, atomic, reference, local)"
                                            : "a value (int, atomic, reference, local)"));
  }

  // Elements of arrays only, fields of references only, arrays only by element.
  Status check_place(const Expr& e) {
    if (symbols_.functions.contains(e.name)) {
      return error(e.at, fmt::format("'{}' is a function, expected a variable", e.name));
    }
    const auto found = symbols_.shared.find(e.name);
    const DeclaredNames::Variable* shared = found == symbols_.shared.end() ? nullptr : &found->second;
    switch (e.kind) {
      case ExprKind::Name:
        if (shared != nullptr && shared->is_array()) {
          return error(e.at, fmt::format("'{}' is an array, expected an element of it as in {}[0]", e.name, e.name));
        }
        return {};
      case ExprKind::Element:
        if (shared == nullptr || !shared->is_array()) {
          return error(e.at, fmt::format("'{}' is not a shared array, expected one before '['", e.name));
        }
        return check_value(e.operands[0]);
      default: break;
    }
    if (shared != nullptr && (shared->type->kind != VarKind::Ref || shared->is_array())) {
      return error(e.at, fmt::format("'{}' is {}, expected a reference before '.'", e.name,
                                     shared->is_array() ? "an array" : a(shared->type->kind)));
    }
    if (!symbols_.field_offset.contains(e.field)) {
      return error(e.field_at, fmt::format("unknown field '{}': no struct has it", e.field));
    }
    if (shared != nullptr && !fields_.contains(fmt::format("{}.{}", shared->type->struct_name, e.field))) {
      return error(e.field_at,
                   fmt::format("unknown field '{}': the struct '{}' has none", e.field, shared->type->struct_name));
    }
    return {};
  }

  Status check_object(const Expr& e, VarKind wanted) {
    const auto found = symbols_.shared.find(e.name);
    if (e.kind == ExprKind::Field || found == symbols_.shared.end()) {
      const std::string_view what = e.kind == ExprKind::Field             ? "a field"
                                    : symbols_.functions.contains(e.name) ? "a function"
                                                                          : "a local";
      return error(e.at, fmt::format("'{}' is {}, expected {} that is declared shared",
                                     e.kind == ExprKind::Field ? e.field : e.name, what, a(wanted)));
    }
    RC_TRY_STATUS(check_place(e));
    const VarKind kind = found->second.type->kind;
    if (kind == wanted) return {};
    return error(e.at, fmt::format("'{}' is {}, expected {}", e.name, a(kind), a(wanted)));
  }

  // ---- who reaches what

  // Each body goes from none to one to several at most, so every call is looked at three times at most.
  void propagate_reach() {
    auto& reach = symbols_.reach;
    reach.resize(symbols_.bodies.size());
    std::vector<std::vector<std::size_t>> callees(symbols_.bodies.size());
    for (const auto& [caller, callee] : calls_) callees[index(caller)].push_back(index(callee));
    std::vector<std::size_t> work;
    for (std::size_t i = 0; i < symbols_.thread_count; ++i) {
      reach[i] = {1, static_cast<ThreadId>(i), {}};
      work.push_back(i);
    }
    while (!work.empty()) {
      const std::size_t caller = work.back();
      work.pop_back();
      for (const std::size_t callee : callees[caller]) {
        if (merge(reach[callee], reach[caller])) work.push_back(callee);
      }
    }
  }

  static bool merge(DeclaredNames::Reach& to, const DeclaredNames::Reach& from) {
    if (to.threads == 2 || from.threads == 0) return false;
    if (to.threads == 0) {
      to = from;
      return true;
    }
    if (from.threads == 1 && from.thread == to.thread) return false;
    to.other = from.thread == to.thread ? from.other : from.thread;
    to.threads = 2;
    return true;
  }

  Status check_expectations() {
    std::unordered_set<std::string_view> analyses;
    for (const ast::Item& item : file_.items) {
      const auto* line = std::get_if<ast::Expect>(&item);
      if (line == nullptr) continue;
      if (!analyses.insert(line->analysis).second) {
        return error(line->at, fmt::format("a second 'expect' line for '{}', expected one a file", line->analysis));
      }
      for (const auto& [first, second] : line->pairs) {
        RC_TRY_STATUS(check_label(first));
        RC_TRY_STATUS(check_label(second));
      }
      for (const ast::Word& label : line->labels) RC_TRY_STATUS(check_label(label));
    }
    return {};
  }

  Status check_label(const ast::Word& label) {
    if (symbols_.labels.contains(label.text)) return {};
    return error(label.at, fmt::format("unknown label '{}': no statement has it", label.text));
  }

  const ast::File& file_;
  std::string_view file_name_;
  DeclaredNames symbols_;
  const ast::Body* body_ = nullptr;
  std::unordered_set<std::string> fields_;  // "Struct.field"
  std::vector<std::pair<FunctionId, FunctionId>> calls_;
  std::uint64_t elements_ = 0;
};

std::string thread_name(const DeclaredNames& symbols, ThreadId thread) {
  const ast::Body* body = symbols.bodies[index(thread)];
  return body == nullptr ? "main" : body->name;
}

}  // namespace

Result<DeclaredNames> check_litmus(const ast::File& file, std::string_view file_name) {
  return Checker(file, file_name).check();
}

Result<std::vector<ScheduleEntry>> resolve_schedule(const DeclaredNames& symbols,
                                                    const std::vector<ast::RunEntry>& entries,
                                                    std::string_view position_name) {
  std::vector<ScheduleEntry> schedule;
  for (const auto& [entry, steps] : entries) {
    const auto thread = symbols.threads.find(entry.text);
    const auto label = symbols.labels.find(entry.text);
    const bool is_thread = thread != symbols.threads.end() || entry.text == "main";
    const auto fail = [&](std::string_view message) { return litmus_error(position_name, entry.at, message); };
    if (is_thread && label != symbols.labels.end()) {
      return fail(fmt::format("'{}' is a thread and a label, expected one of them to have another name", entry.text));
    }
    if (is_thread) {
      schedule.push_back({entry.text, false, entry.text == "main" ? ThreadId{0} : thread->second, steps});
      continue;
    }
    if (steps) return fail(fmt::format("'{}' has a number of steps, expected a thread there", entry.text));
    if (label == symbols.labels.end())
      return fail(fmt::format("unknown '{}', expected a label or a thread", entry.text));
    const DeclaredNames::Reach& reach = symbols.reach[index(symbols.body_ids.at(label->second.body))];
    if (reach.threads == 0) return fail(fmt::format("no thread reaches the label '{}'", entry.text));
    if (reach.threads == 2) {
      return fail(fmt::format("several threads reach the label '{}' ({}, {}), expected a label of one thread",
                              entry.text, thread_name(symbols, std::min(reach.thread, reach.other)),
                              thread_name(symbols, std::max(reach.thread, reach.other))));
    }
    schedule.push_back({entry.text, true, reach.thread, std::nullopt});
  }
  return schedule;
}

}  // namespace racecast::program
