#include "report/address_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/printable.h"
#include "report/field_path.h"

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
    if (global.address != 0 && global.type) globals_.try_emplace(global.address, &global);
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
  made.name = made.root = made.key = printable(symbol->name);
  made.start = symbol->address;
  std::uint64_t rest = address - symbol->address;
  if (symbol->element != 0 && rest % symbol->element + size <= symbol->element) {
    made.name += fmt::format("[{}]", rest / symbol->element);
    made.key += "[]";
    rest %= symbol->element;
  }
  const auto global = globals_.find(symbol->address);
  if (global == globals_.end() || global->second->size() != symbol->size) {
    if (rest != 0) made.name += fmt::format("+{}", rest);
    if (rest != 0) made.key += fmt::format("+{}", rest);
    return made;
  }
  const program::StructId type = structs_.best(*global->second->type);
  const std::uint32_t bytes = definitions_.program->structs[index(type)].size;
  if (size > bytes) return made;
  if (bytes < (symbol->element != 0 ? symbol->element : symbol->size)) {  // rows of a table
    made.name += fmt::format("[{}]", rest / bytes);
    made.key += "[]";
    rest %= bytes;
  }
  if (rest + size > bytes) return made;
  const FieldPath path = field_path(*definitions_.program, type, rest, size);
  made.name += path.name;
  made.key += path.key;
  made.hidden = path.hidden;
  return made;
}

}  // namespace racecast::report
