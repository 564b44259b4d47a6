#include "report/address_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/printable.h"
#include "report/field_path.h"
#include "report/short_names.h"

namespace racecast::report {

StructNames::StructNames(const program::Program* program) {
  if (program == nullptr) return;
  std::map<std::pair<std::string_view, std::uint32_t>, std::pair<program::StructId, std::size_t>> most;
  const auto key_of = [&](const program::Struct& type) {
    return std::pair(std::string_view(program->text(type.name)), type.size);
  };
  for (std::size_t s = 0; s < program->structs.size(); ++s) {
    const program::Struct& type = program->structs[s];
    const auto named = static_cast<std::size_t>(std::ranges::count_if(
        type.fields, [](const program::Field& field) { return field.name != program::kNoString; }));
    const auto [best, fresh] = most.try_emplace(key_of(type), static_cast<program::StructId>(s), named);
    if (!fresh && named > best->second.second) best->second = {static_cast<program::StructId>(s), named};
  }
  for (std::size_t s = 0; s < program->structs.size(); ++s) {
    const program::Struct& type = program->structs[s];
    // Those without a name may be anything.
    const bool known = type.name != program::kNoString;
    best_.push_back(known ? most.at(key_of(type)).first : static_cast<program::StructId>(s));
  }
}

AddressNames::AddressNames(const trace::Definitions& definitions)
    : definitions_(definitions), structs_(definitions.program.get()) {
  for (const trace::Symbol& symbol : definitions.symbols) by_address_.push_back(&symbol);
  std::ranges::stable_sort(by_address_, {}, &trace::Symbol::address);
  for (std::size_t i = 1; i < by_address_.size(); ++i) {
    const trace::Symbol& before = *by_address_[i - 1];
    if (by_address_[i]->address - before.address < std::max<std::uint64_t>(before.size, 1)) overlap_ = true;
  }
  if (definitions.program == nullptr) return;
  for (const program::Global& global : definitions.program->globals)
    if (global.address != 0 && (global.type || !global.strides.empty())) globals_.try_emplace(global.address, &global);
}

const trace::Symbol* AddressNames::symbol_at(std::uint64_t address) const {
  const auto holds = [&](const trace::Symbol& symbol) {
    return address == symbol.address || address - symbol.address < symbol.size;
  };
  if (overlap_) {  // the first one defined has the name
    const auto found = std::ranges::find_if(definitions_.symbols, holds);
    return found == definitions_.symbols.end() ? nullptr : &*found;
  }
  auto next = std::ranges::upper_bound(by_address_, address, {}, &trace::Symbol::address);
  return next != by_address_.begin() && holds(**std::prev(next)) ? *std::prev(next) : nullptr;
}

NamedAddress AddressNames::at(std::uint64_t address, std::uint64_t size) const {
  NamedAddress made;
  const trace::Symbol* symbol = symbol_at(address);
  if (symbol == nullptr) {
    made.name = fmt::format("{:#x}", address);
    return made;
  }
  made.root = printable(without_abi_tags(symbol->name));
  made.start = symbol->address;
  FieldPath path{made.root, made.root, false};
  std::uint64_t rest = address - symbol->address;
  const auto known = globals_.find(symbol->address);
  const program::Global* global =
      known != globals_.end() && known->second->size() == symbol->size ? known->second : nullptr;
  bool whole = true;  // it is in one element
  if (symbol->element != 0) whole = add_indices({symbol->element}, rest, size, path);
  if (whole && global != nullptr) whole = add_indices(global->strides, rest, size, path);
  const std::uint32_t bytes =
      global != nullptr && global->type ? definitions_.program->structs[index(*global->type)].size : 0;
  if (whole && bytes != 0 && rest + size <= bytes) {
    const FieldPath inner = field_path(*definitions_.program, structs_.best(*global->type), rest, size);
    path.name += inner.name;
    path.key += inner.key;
    path.hidden = inner.hidden;
  } else if (whole && bytes == 0 && rest != 0) {
    path.name += fmt::format("+{}", rest);
    path.key += fmt::format("+{}", rest);
  }
  made.name = std::move(path.name);
  made.key = std::move(path.key);
  made.hidden = path.hidden;
  return made;
}

}  // namespace racecast::report
