// __racecast_effect: what a function of known effect read and wrote, as the table (src/program/library.txt) says.
#include <cstdint>

#include "runtime/core/access.h"
#include "runtime/core/hooks.h"
#include "runtime/core/record.h"
#include "runtime/missing/cxx_streams.h"

namespace racecast::runtime {

namespace {

// Bytes up to and with the zero, at most `limit`. The callee has just read or written them.
std::uint64_t string_bytes(const char* text, std::uint64_t limit) {
  std::uint64_t count = 0;
  while (count < limit && text[count] != 0) ++count;
  return count < limit ? count + 1 : limit;
}

std::uint64_t wide_bytes(const wchar_t* text) {
  std::uint64_t count = 0;
  while (text[count] != 0) ++count;
  return (count + 1) * sizeof(wchar_t);
}

// Whether each byte that is read says if the next one is.
bool is_by_content(abi::Length length) {
  return length == abi::Length::String || length == abi::Length::Wide || length == abi::Length::Until;
}

// A result that counts bytes. Negative: an error, also where an int was widened without its sign.
std::uint64_t count_of(std::uint64_t result) {
  const bool negative = static_cast<std::int64_t>(result) < 0 || (result >> 31) == 1;
  return negative ? 0 : result;
}

std::uint64_t bytes_of(const abi::Effect& effect, const void* at, std::uint64_t result,
                       const std::uint64_t* arguments) {
  const std::uint64_t each = effect.constant == 0 ? 1 : effect.constant;
  switch (effect.length) {
    case abi::Length::Constant: return effect.constant;
    case abi::Length::Argument:
      return arguments[effect.a] * (effect.b == abi::kNoArgument ? 1 : arguments[effect.b]) * each;
    case abi::Length::String:
      return string_bytes(static_cast<const char*>(at),
                          effect.a == abi::kNoArgument ? ~std::uint64_t{0} : arguments[effect.a]);
    case abi::Length::Stream: return 0;  // not one range
    case abi::Length::Result: return count_of(result) * (effect.a == abi::kNoArgument ? 1 : arguments[effect.a]) * each;
    case abi::Length::Until:
      if (result != 0) return result + 1 - reinterpret_cast<std::uintptr_t>(at);
      return effect.a == abi::kNoArgument ? 0 : arguments[effect.a];
    case abi::Length::Wide: return wide_bytes(static_cast<const wchar_t*>(at));
  }
  return 0;
}

void tell_stream(bool write, const void* stream) {
  if (is_standard_stream(stream)) return;
  const StreamMemory memory = memory_of_stream(stream);
  tell_bulk(write, memory.flags, kStreamFlagBytes);
  if (memory.positions != nullptr) tell_bulk(write, memory.positions, kStreamPositionBytes);
}

}  // namespace

}  // namespace racecast::runtime

void __racecast_effect(const racecast::abi::Effect* effects, std::uint32_t count, std::uint64_t result,
                       const std::uint64_t* arguments) {
  using namespace racecast::runtime;
  namespace abi = racecast::abi;
  if (recording() == nullptr && watching() == nullptr) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    const abi::Effect& effect = effects[i];
    const std::uint64_t address = effect.argument == abi::kResultPointer ? result : arguments[effect.argument];
    if (address == 0) {
      if (effect.argument != abi::kResultPointer) tell_given(nullptr);  // that there is nothing is a value, too
      continue;
    }
    if (effect.length == abi::Length::Stream) {
      tell_stream(effect.write != 0, reinterpret_cast<const void*>(address));
      continue;
    }
    const std::uint64_t bytes = bytes_of(effect, reinterpret_cast<const void*>(address), result, arguments);
    const void* const memory = reinterpret_cast<const void*>(address);
    if (bytes == 0 && effect.length == abi::Length::Result) continue;
    if (bytes == 0)
      tell_given(memory);
    else if (is_by_content(effect.length) && effect.write == 0)
      tell_string(memory, bytes);
    else
      tell_bulk(effect.write != 0, memory, bytes);
  }
}
