// Linking by name: see link.h. First every symbol finds its definition, then all that is defined gets its place, then
// what was declared (or defined in vain) finds what stands for it.
//
// LIMIT: of tentative definitions (C's common symbols, -fcommon) the largest should win; here the first one does.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "program/link.h"
#include "program/link_work.h"

namespace racecast::program {
namespace {

class NameLinker {
 public:
  explicit NameLinker(std::span<const LinkInput> inputs) : work_(inputs) {}

  Result<Linked> run() {
    for (std::size_t m = 0; m < work_.modules(); ++m) RC_TRY_STATUS(collect(m));
    for_each_object([&](const Entry& entry) {
      if (is_chosen(entry)) place(entry);
    });
    for_each_object([&](const Entry& entry) {
      if (placed(entry) == kNone32) find_place(entry);
    });
    Linked linked = work_.finish();
    bool has_addresses = false;
    for (std::size_t m = 0; m < work_.modules(); ++m) has_addresses = has_addresses || !work_.input(m).globals.empty();
    if (!has_addresses) layout(linked.program);
    resolve(linked.program);
    return linked;
  }

 private:
  // A function or a global of a module.
  struct Entry {
    std::size_t m = 0;
    Operand what;
    bool operator==(const Entry&) const = default;
  };
  struct Definition {
    Entry entry;
    bool is_weak = false;
  };

  const Program& from(std::size_t m) const { return *work_.input(m).program; }
  static bool is_function(const Entry& entry) { return entry.what.kind == OperandKind::Function; }
  const Binding& binding(const Entry& entry) const {
    return is_function(entry) ? from(entry.m).functions[entry.what.value].binding
                              : from(entry.m).globals[entry.what.value].binding;
  }
  // The symbol's string in the linked program.
  std::uint64_t symbol(const Entry& entry) const {
    if (is_function(entry)) return index(work_.string(entry.m, from(entry.m).functions[entry.what.value].name));
    const Global& global = from(entry.m).globals[entry.what.value];
    return index(work_.string(entry.m, global.symbol != kNoString ? global.symbol : global.name));
  }

  template <typename Use>
  void for_each_object(const Use& use) {
    for (std::size_t m = 0; m < work_.modules(); ++m) {
      for (std::size_t g = 0; g < from(m).globals.size(); ++g) use({m, Operand::global(static_cast<GlobalId>(g))});
      for (std::size_t f = 0; f < from(m).functions.size(); ++f)
        use({m, Operand::function(static_cast<FunctionId>(f))});
    }
  }

  // ---- what each symbol means

  Status collect(std::size_t m) {
    for (std::size_t g = 0; g < from(m).globals.size(); ++g) {
      const Entry entry{m, Operand::global(static_cast<GlobalId>(g))};
      RC_TRY_STATUS(define(symbol(entry), binding(entry), entry));
    }
    for (std::size_t f = 0; f < from(m).functions.size(); ++f) {
      const Entry entry{m, Operand::function(static_cast<FunctionId>(f))};
      RC_TRY_STATUS(define(symbol(entry), binding(entry), entry));
    }
    for (const Alias& alias : from(m).aliases) {
      RC_TRY_STATUS(define(index(work_.string(m, alias.name)), alias.binding, {m, alias.target}));
    }
    return {};
  }

  Status define(std::uint64_t name, const Binding& binding, const Entry& entry) {
    if (binding.declared || binding.linkage == Linkage::Internal) return {};
    const bool is_weak = binding.linkage == Linkage::Weak;
    const auto [known, is_new] = definitions_.emplace(name, Definition{entry, is_weak});
    if (is_new || is_weak) return {};
    if (!known->second.is_weak) {
      return bad_input(fmt::format("{} is defined in {} and in {}", work_.program().strings[name],
                                   file(known->second.entry.m), file(entry.m)));
    }
    known.value() = {entry, false};
    return {};
  }
  std::string file(std::size_t m) const {
    return work_.input(m).file.empty() ? fmt::format("module {}", m) : work_.input(m).file;
  }

  // ---- places

  std::uint32_t& placed(const Entry& entry) {
    LinkedModule& module = work_.module(entry.m);
    return is_function(entry) ? module.functions[entry.what.value] : module.globals[entry.what.value];
  }

  bool is_chosen(const Entry& entry) const {
    if (binding(entry).declared) return false;
    if (binding(entry).linkage == Linkage::Internal) return true;
    const auto found = definitions_.find(symbol(entry));
    return found != definitions_.end() && found->second.entry == entry;
  }

  void place(const Entry& entry) {
    if (!is_function(entry)) {
      placed(entry) = work_.add_global(entry.m, entry.what.value);
      return;
    }
    const bool has_body = !from(entry.m).functions[entry.what.value].blocks.empty();
    const std::uint32_t id = work_.add_function(entry.m, entry.what.value, has_body);
    placed(entry) = id;
    if (has_body) work_.module(entry.m).bodies[entry.what.value] = id;
  }

  // What stands for an entry that is not placed: the definition of its symbol. That may be an alias of something that
  // was defined in vain itself, and so on; a file that goes in circles gets nothing.
  std::optional<Entry> definition_of(Entry entry) {
    constexpr int kMaxSteps = 16;
    for (int step = 0; step < kMaxSteps; ++step) {
      const auto found = definitions_.find(symbol(entry));
      if (found == definitions_.end() || is_function(found->second.entry) != is_function(entry)) return std::nullopt;
      entry = found->second.entry;
      if (placed(entry) != kNone32) return entry;
    }
    return std::nullopt;
  }

  void find_place(const Entry& entry) {
    if (const auto definition = definition_of(entry)) {
      placed(entry) = placed(*definition);
    } else {
      // Nobody defines it: all who declare it mean the same. (A definition that goes in circles stands for itself.)
      auto& known = is_function(entry) ? undefined_functions_ : undefined_globals_;
      const auto found = known.find(symbol(entry));
      if (found != known.end()) {
        placed(entry) = found->second;
      } else {
        place(entry);
        known.emplace(symbol(entry), placed(entry));
      }
    }
    merge(entry, placed(entry));
  }

  // Every file has a say in who may see a symbol; any may know where a run had it.
  void merge(const Entry& entry, std::uint32_t id) {
    const bool hidden = binding(entry).hidden;
    if (is_function(entry)) {
      Function& to = work_.program().functions[id];
      to.binding.hidden = to.binding.hidden || hidden;
      if (to.address == 0) to.address = address_at(work_.input(entry.m).functions, entry.what.value);
    } else {
      Global& to = work_.program().globals[id];
      to.binding.hidden = to.binding.hidden || hidden;
      if (to.address == 0) to.address = address_at(work_.input(entry.m).globals, entry.what.value);
    }
  }

  LinkWork work_;
  HashMap<std::uint64_t, Definition> definitions_;  // by symbol
  HashMap<std::uint64_t, std::uint32_t> undefined_functions_, undefined_globals_;
};

}  // namespace

Result<Linked> link_by_name(std::span<const LinkInput> inputs) {
  return NameLinker(inputs).run();
}

}  // namespace racecast::program
