#include "recording/vocabulary.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <tuple>

#include "trace/validator.h"

namespace racecast::recording {
namespace {

using program::Op;

constexpr std::size_t kMaxRanges = 65'536;  // of a reach set, in a trace
constexpr std::uint64_t kUnset = ~std::uint64_t{0};
constexpr std::size_t kMaxName = 4096;  // some templates have names of megabytes

struct Free {
  void operator()(char* text) const { std::free(text); }
};

// Instructions without an event of their own need no place in the source.
bool may_record(Op op) {
  return (program::traits_of(op) & program::Pure) == 0 && op != Op::Phi && op != Op::Jump && op != Op::Mark;
}

// Sorted, disjoint, within the address space; false: more than a trace may hold.
bool normalise(std::vector<trace::Range>& ranges) {
  std::erase_if(ranges, [](const trace::Range& r) { return r.size == 0; });
  std::ranges::sort(ranges);
  std::size_t kept = 0;
  std::uint64_t total = 0;
  for (trace::Range range : ranges) {
    if (range.address + range.size < range.address) return false;
    if (kept != 0) {
      trace::Range& last = ranges[kept - 1];
      const std::uint64_t last_end = last.address + last.size;
      if (range.address <= last_end) {
        const std::uint64_t end = std::max(last_end, range.address + range.size);
        total += end - last_end;
        last.size = end - last.address;
        if (total > trace::kMaxReach) return false;
        continue;
      }
    }
    if (range.size > trace::kMaxReach - total) return false;
    total += range.size;
    ranges[kept++] = range;
  }
  ranges.resize(kept);
  return kept <= kMaxRanges;
}

}  // namespace

std::string demangled(const std::string& name) {
  std::string result = name;
  if (name.starts_with("_Z")) {
    int status = 0;
    const std::unique_ptr<char, Free> text(__cxxabiv1::__cxa_demangle(name.c_str(), nullptr, nullptr, &status));
    if (status == 0 && text != nullptr) result = text.get();
  }
  if (result.size() > kMaxName) result.resize(kMaxName);
  return result;
}

Vocabulary::Vocabulary(const RawFolder& folder, const Code& code, trace::Definitions& definitions)
    : folder_(folder), program_(*code.program()), definitions_(definitions) {
  definitions_.branches = true;
  define_locations();
  define_symbols();
  function_names_.assign(program_.functions.size(), kUnset);
  for (const RawStream& stream : folder.streams) {
    if (!define_thread(stream.thread)) continue;
    begun_.resize(definitions_.threads.size());
    begun_[stream.thread] = true;
  }
}

void Vocabulary::define_locations() {
  definitions_.locations.reserve(program_.instruction_count + 1);
  for (const program::Function& function : program_.functions) {
    const std::string name = function.blocks.empty() ? std::string{} : demangled(program_.text(function.name));
    bool first = true;
    for (const program::Block& block : function.blocks) {
      for (const program::Instruction& instruction : block.instructions) {
        trace::Location& location = definitions_.locations.emplace_back();
        if (!first && !may_record(instruction.op)) continue;
        first = false;
        location.file = program_.text(instruction.position.file);
        location.line = instruction.position.line;
        location.column = instruction.position.column;
        location.function = name;
      }
    }
  }
  nowhere_ = static_cast<LocationId>(definitions_.locations.size());
  definitions_.locations.emplace_back();
}

void Vocabulary::define_symbols() {
  for (const program::Global& global : program_.globals) {
    const std::uint64_t size = global.size();
    if (global.address == 0 || size == 0 || global.address + size < global.address) continue;
    const std::string& name = program_.text(global.name);
    if (name.empty()) continue;
    definitions_.symbols.push_back({global.address, size, global.count > 1 ? global.element_size : 0, demangled(name)});
  }
  std::ranges::sort(definitions_.symbols, {}, [](const trace::Symbol& s) { return std::tie(s.address, s.name); });
}

bool Vocabulary::define_thread(std::uint64_t thread) {
  if (thread >= kMaxThreads) return false;
  while (definitions_.threads.size() <= thread) {
    const auto id = static_cast<std::uint32_t>(definitions_.threads.size());
    const auto named = folder_.thread_names.find(id);
    if (named != folder_.thread_names.end() && !named->second.empty()) {
      definitions_.threads.push_back(named->second);
    } else {
      definitions_.threads.push_back(id == 0 ? "main" : fmt::format("T{}", id));
    }
  }
  return true;
}

std::uint64_t Vocabulary::text(const std::string& text) {
  const auto [found, is_new] = texts_.emplace(text, definitions_.strings.size());
  if (is_new) definitions_.strings.push_back(text);
  return found->second;
}

std::uint64_t Vocabulary::function_name(std::uint32_t function) {
  std::uint64_t& name = function_names_[function];
  if (name == kUnset) name = text(demangled(program_.text(program_.functions[function].name)));
  return name;
}

std::uint64_t Vocabulary::name_of_callee(std::uint64_t address, std::optional<std::uint32_t> called) {
  if (callees_.empty()) {
    for (std::size_t f = 0; f < program_.functions.size(); ++f) {
      if (program_.functions[f].address != 0) callees_.emplace(program_.functions[f].address, kUnset - 1 - f);
    }
    callees_.emplace(0, text("?"));
  }
  const auto found = callees_.find(address);
  if (found == callees_.end()) {
    if (called && program_.functions[*called].blocks.empty() && program_.functions[*called].address == 0)
      return function_name(*called);
    const std::uint64_t name = text(fmt::format("{:#x}", address));
    callees_.emplace(address, name);
    return name;
  }
  // A function of the model, whose name was not needed yet.
  if (found->second > kUnset / 2) found.value() = function_name(static_cast<std::uint32_t>(kUnset - 1 - found->second));
  return found->second;
}

std::uint64_t Vocabulary::reach(std::vector<trace::Range>& ranges, bool everything) {
  if (!everything && !normalise(ranges)) everything = true;
  if (everything) ranges.clear();
  std::uint64_t hash = everything ? 1 : 0;
  for (const trace::Range& range : ranges) hash = MixHash()(MixHash()(hash ^ range.address) ^ range.size);
  const auto [first, last] = reach_.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    const trace::ReachSet& set = definitions_.reach[known->second];
    if (set.everything == everything && set.ranges == ranges) return known->second;
  }
  reach_.emplace(hash, definitions_.reach.size());
  definitions_.reach.push_back({everything, ranges});
  return definitions_.reach.size() - 1;
}

}  // namespace racecast::recording
