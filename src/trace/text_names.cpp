#include "trace/text_names.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/printable.h"

namespace racecast::trace {
namespace {

constexpr std::string_view kDefinitionWords[] = {"branches", "thread", "symbol", "location", "reach", "string"};

}  // namespace

bool plain_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x80) return true;  // UTF-8
  if (byte <= 0x20 || byte == 0x7f) return false;
  return std::string_view("\"#@%?+[]\\").find(c) == std::string_view::npos;
}

bool is_plain(std::string_view name, bool beside_numbers) {
  if (name.empty() || !std::all_of(name.begin(), name.end(), plain_character)) return false;
  const bool number = (name.front() >= '0' && name.front() <= '9') || name.front() == '-';
  return !(beside_numbers && number);
}

bool plain_thread(std::string_view name) {
  return is_plain(name, false) && printable(name) == name &&
         std::find(std::begin(kDefinitionWords), std::end(kDefinitionWords), name) == std::end(kDefinitionWords);
}

std::string as_word(std::string_view name, bool beside_numbers) {
  return is_plain(name, beside_numbers) && printable(name) == name ? std::string(name) : quoted(name);
}

std::string quoted(std::string_view name) {
  std::string out = "\"";
  // What is ours is told apart first: printable() adds backslashes of its own.
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t next = std::min(name.find_first_of("\"\\", at), name.size());
    out += printable(name.substr(at, next - at));
    if (next < name.size()) out += {'\\', name[next]};
    at = next + 1;
  }
  return out + '"';
}

void SymbolRanges::add(const Symbol& symbol, std::uint64_t id) {
  if (symbol.size == 0 || symbol.address + symbol.size < symbol.address) return;
  const auto next = by_address_.lower_bound(symbol.address);
  if (next != by_address_.end() && next->first < symbol.address + symbol.size) return;
  if (next != by_address_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second.size > symbol.address) return;
  }
  by_address_.emplace(symbol.address, Held{symbol.size, id});
  starts_.emplace(symbol.address, id);
}

std::optional<std::uint64_t> SymbolRanges::find(std::uint64_t address) const {
  if (const auto start = starts_.find(address); start != starts_.end()) return start->second;
  auto next = by_address_.upper_bound(address);
  if (next == by_address_.begin()) return std::nullopt;
  --next;
  return address - next->first < next->second.size ? std::optional(next->second.id) : std::nullopt;
}

void NameIndex::update(const Definitions& d) {
  for (; threads_done < d.threads.size(); ++threads_done) threads.add(d.threads[threads_done], threads_done);
  for (; strings_done < d.strings.size(); ++strings_done) strings.add(d.strings[strings_done], strings_done);
  for (; locations_done < d.locations.size(); ++locations_done) {
    const std::string& label = d.locations[locations_done].label;
    if (!label.empty()) labels.add(label, locations_done);
  }
  for (; symbols_done < d.symbols.size(); ++symbols_done) {
    const Symbol& symbol = d.symbols[symbols_done];
    symbol_names.add(symbol.name, symbols_done);
    if (symbol_names.means(symbol.name, symbols_done)) symbols.add(symbol, symbols_done);
  }
}

}  // namespace racecast::trace
