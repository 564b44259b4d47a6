#include "frontend/llvm/state_rows.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace racecast::frontend {
namespace {

using abi::StateWhich;
using program::LibraryFunction;
using program::Role;
using program::StateEffect;
using program::StateKind;

bool is_same_object(const StateEffect& a, const StateEffect& b) {
  return a.kind == b.kind && a.argument == b.argument && a.name == b.name;
}

// Of locks, conditions, semaphores, barriers, guards, threads and memory.
bool is_operation(Role role) {
  return role >= Role::Lock && role <= Role::Remap;
}

// Whether the thread that calls it learns anything of what it reads.
bool tells(const LibraryFunction& function, bool result_is_used) {
  return result_is_used || function.missing || !function.calls_back.empty() ||
         std::ranges::any_of(function.memory, &program::MemoryEffect::writes);
}

bool is_told(const LibraryFunction& function, const StateEffect& effect, bool result_is_used) {
  if (effect.kind == StateKind::Any || effect.kind == StateKind::Heap || effect.kind == StateKind::Entropy)
    return false;
  if (effect.writes) return true;
  if (is_operation(function.role)) return false;
  if (tells(function, result_is_used)) return true;
  return std::ranges::any_of(function.state,
                             [&](const StateEffect& e) { return e.writes && !is_same_object(e, effect); });
}

std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325;
  for (const char c : name) hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100'0000'01b3;
  return hash;
}

// The number at the end of flags1, mode1.
std::uint8_t argument_in(std::string_view name) {
  const std::size_t at = name.find_first_of("0123456789");
  std::uint8_t argument = 0;
  if (at == std::string_view::npos) return abi::kNoArgument;
  std::from_chars(name.data() + at, name.data() + name.size(), argument);
  return argument;
}

abi::StateEffect translated(const StateEffect& effect, bool is_cxx) {
  abi::StateEffect made = {};
  made.write = effect.writes ? 1 : 0;
  made.kind = static_cast<std::uint8_t>(effect.kind);
  made.argument = effect.argument;
  const bool result = effect.argument == program::kResultArgument;
  if (result) made.argument = abi::kNoArgument;
  if (effect.argument == program::kNoArgument && effect.name.empty()) {
    made.which = StateWhich::All;
  } else if (effect.kind == StateKind::Stream) {
    made.which = !effect.name.empty() ? StateWhich::Standard : result ? StateWhich::Result : StateWhich::File;
    made.number = effect.name == "stdin" ? 0 : effect.name == "stdout" ? 1 : 2;
  } else if (effect.kind == StateKind::Files) {
    made.which = effect.name.starts_with("flags")  ? StateWhich::IfFlags
                 : effect.name.starts_with("mode") ? StateWhich::IfMode
                 : is_cxx                          ? StateWhich::StreamContent
                                                   : StateWhich::Content;
    if (!effect.name.empty()) made.argument = argument_in(effect.name);
  } else if (effect.kind == StateKind::Descriptor || effect.kind == StateKind::Pending) {
    made.which = result ? StateWhich::NewDescriptor : StateWhich::Descriptor;
  } else if (effect.kind == StateKind::Position) {
    made.which = StateWhich::Position;
  } else if (!effect.name.empty()) {
    made.which = StateWhich::Number;
    made.number = hash_of(effect.name);
  } else {
    made.which = result ? StateWhich::Result : StateWhich::Argument;
  }
  return made;
}

}  // namespace

std::vector<abi::StateEffect> state_effects(const LibraryFunction& function, std::string_view name,
                                            bool result_is_used) {
  std::vector<abi::StateEffect> effects;
  if (function.role == Role::ReturnsTwice || function.role == Role::LongJump || function.everything) return effects;
  for (const StateEffect& effect : function.state)
    if (is_told(function, effect, result_is_used)) effects.push_back(translated(effect, name.starts_with("_Z")));
  std::ranges::stable_sort(effects, {}, &abi::StateEffect::write);
  return effects;
}

}  // namespace racecast::frontend
