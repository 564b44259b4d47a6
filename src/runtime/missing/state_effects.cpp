// __racecast_state_begin and _end: what a call does to state outside of memory (docs/semantics.md, section 1), as the
// table (src/program/library.txt) says.
//
// A call looks at state, and changes it, at some moment that nobody sees. All of it is recorded before the call, reads
// first. If another call was recorded at the same state before this one has returned, all of it is recorded once more
// after it. So where two calls were one after the other, their events are; and where they overlapped, one of the two
// has events before and after those of the other, and no reordering in which both have returned has them one after the
// other: what was seen then is not taken to say who was first.
//
// Whether another call was there is told by a counter, which goes up by one before an event has its stamp and by one
// after that. A call knows what it counted to itself; anything else is another one, whose stamp may be on either side.
// Counters are shared by state whose addresses have the same hash: that makes more events and no fewer.
#include "runtime/missing/state_effects.h"

#include <fcntl.h>
#include <stdio_ext.h>

#include <atomic>
#include <cstdint>
#include <cstdio>

#include "runtime/core/hooks.h"
#include "runtime/core/record.h"
#include "runtime/kernel/descriptor_table.h"
#include "runtime/kernel/ordering.h"
#include "runtime/missing/cxx_streams.h"

namespace racecast::runtime {
namespace {

constexpr std::uint32_t kVersions = 4096;
constinit std::atomic<std::uint32_t> versions[kVersions];

std::atomic<std::uint32_t>& version_of(std::uint64_t address) {
  return versions[(address * 0x9e37'79b9'7f4a'7c15) >> 52];
}

constexpr int kDescriptors = 4096;
constinit std::atomic<int> same_as[kDescriptors];  // 1 + the number of another one; 0: its own

bool is_known(int descriptor) {
  return descriptor >= 0 && descriptor < kDescriptors;
}
std::uint64_t number_of(int descriptor) {
  if (!is_known(descriptor)) return abi::kFirstObject + kDescriptors;
  const int same = same_as[descriptor].load(std::memory_order_relaxed);
  return abi::kFirstObject + static_cast<std::uint64_t>(same == 0 ? descriptor : same - 1);
}

// What is written there is for others: no thread looks at it, where it is a file.
bool is_output(int descriptor) {
  return descriptor == 1 || descriptor == 2;
}

// Returns what its counter was before.
std::uint32_t record_state(std::uint64_t address, bool append) {
  std::atomic<std::uint32_t>& version = version_of(address);
  const std::uint32_t before = version.fetch_add(1);
  record<abi::Tag::State>(address, static_cast<std::uint8_t>(append ? 1 : 0));
  version.fetch_add(1);
  return before;
}

void touch(abi::StateCall& call, std::uint64_t address, bool append) {
  if (call.count == abi::kMaxStateEvents) {
    call.everything = 1;
    return;
  }
  call.touches[call.count++] = {address, 0, append ? 1U : 0U};
}
void touch_all(abi::StateCall& call, const abi::StateEffect& effect) {
  touch(call, abi::state_address(effect.kind, abi::kEach), effect.write != 0);
  if (effect.write == 0) touch(call, abi::state_address(effect.kind, abi::kSome), false);
}
void touch_one(abi::StateCall& call, const abi::StateEffect& effect, std::uint64_t number) {
  if (number < abi::kFirstObject) number += abi::kFirstObject;  // two names for one object
  touch(call, abi::state_address(effect.kind, number), effect.write != 0);
  touch(call, abi::state_address(effect.kind, effect.write != 0 ? abi::kSome : abi::kEach), effect.write != 0);
}

FILE* standard(std::uint64_t number) {
  return number == 0 ? stdin : number == 1 ? stdout : stderr;
}

// What is written into a FILE without a descriptor goes into memory, or to functions of the program.
void touch_file(abi::StateCall& call, const abi::StateEffect& effect, const FILE* file) {
  if (file == nullptr) return touch_all(call, effect);
  if (file->_fileno < 0) call.everything = 1;
  touch_one(call, effect, reinterpret_cast<std::uint64_t>(file));
}

// From here on a number is an address: no kernel has as many descriptors, and nothing is mapped below.
constexpr std::uint64_t kNoDescriptor = std::uint64_t{1} << 22;

void touch_content(abi::StateCall& call, const abi::StateEffect& effect, std::uint64_t argument) {
  int descriptor = static_cast<int>(argument);
  if (descriptor < 0 && argument >> 32 == 0) return;  // none
  if (argument >= kNoDescriptor) {
    auto* const file = reinterpret_cast<FILE*>(argument);
    if (effect.write != 0 && (file == stdout || file == stderr || ::__fwritable(file) == 0)) return;
    descriptor = file->_fileno;
  } else if (argument == 0 && effect.write != 0) {
    return touch_all(call, effect);  // fflush(NULL); nobody writes to descriptor 0
  }
  if (effect.write != 0 && is_output(descriptor)) return;
  const Descriptor what = describe(descriptor);
  if (what.kind == DescriptorKind::File) touch_one(call, effect, what.number);
}

// What the number stands for, and what all duplicates share.
void touch_descriptor(abi::StateCall& call, const abi::StateEffect& effect, int descriptor) {
  const std::uint64_t own = is_known(descriptor) ? abi::kFirstObject + static_cast<std::uint64_t>(descriptor) : 0;
  const std::uint64_t shared = number_of(descriptor);
  if (own != 0 && own != shared) touch_one(call, effect, own);
  touch_one(call, effect, shared);
}

constexpr std::uint64_t kMakes = O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);

void find(abi::StateCall& call, const abi::StateEffect& effect, const std::uint64_t* arguments) {
  const std::uint64_t argument = effect.argument == abi::kNoArgument ? 0 : arguments[effect.argument];
  const int descriptor = static_cast<int>(argument);
  switch (effect.which) {
    case abi::StateWhich::All: return touch_all(call, effect);
    case abi::StateWhich::Number: return touch_one(call, effect, effect.number);
    case abi::StateWhich::Argument: return touch_one(call, effect, argument);
    case abi::StateWhich::File: return touch_file(call, effect, reinterpret_cast<const FILE*>(argument));
    case abi::StateWhich::Standard: return touch_file(call, effect, standard(effect.number));
    case abi::StateWhich::Descriptor: return touch_descriptor(call, effect, descriptor);
    case abi::StateWhich::Position:
      if (!is_output(descriptor) && describe(descriptor).kind == DescriptorKind::File)
        touch_one(call, effect, number_of(descriptor));
      return;
    case abi::StateWhich::Content: return touch_content(call, effect, argument);
    case abi::StateWhich::StreamContent:
      if (!is_standard_stream(reinterpret_cast<const void*>(argument))) touch_all(call, effect);
      return;
    case abi::StateWhich::IfFlags:
      if ((argument & kMakes) != 0) touch_all(call, effect);
      return;
    case abi::StateWhich::IfMode:
      if (argument != 0 && *reinterpret_cast<const char*>(argument) != 'r') touch_all(call, effect);
      return;
    case abi::StateWhich::Result:
    case abi::StateWhich::NewDescriptor: return;  // after the call
  }
}

// Whether something else was recorded at this state since `call` was, or while it was.
bool was_touched(const abi::StateCall& call) {
  for (std::uint32_t i = 0; i < call.count; ++i) {
    const std::atomic<std::uint32_t>& version = version_of(call.touches[i].address);
    std::uint32_t own = 0;
    for (std::uint32_t j = i; j < call.count; ++j) own += &version_of(call.touches[j].address) == &version ? 2U : 0U;
    if (version.load() != call.touches[i].version + own) return true;
  }
  return false;
}

}  // namespace

void share_descriptor_state(int from, int to) {
  if (!is_known(to)) return;
  const int first = is_known(from) ? static_cast<int>(number_of(from) - abi::kFirstObject) : kDescriptors;
  same_as[to].store(first + 1, std::memory_order_relaxed);
}

void own_descriptor_state(int descriptor) {
  if (is_known(descriptor)) same_as[descriptor].store(0, std::memory_order_relaxed);
}

}  // namespace racecast::runtime

void __racecast_state_begin(const racecast::abi::StateEffect* effects, std::uint32_t count,
                            const std::uint64_t* arguments, racecast::abi::StateCall* call) {
  using namespace racecast::runtime;
  namespace abi = racecast::abi;
  call->count = call->everything = 0;
  if (!orders()) return;
  // What is written depends on what is read: the table of effects has reads first.
  for (std::uint32_t i = 0; i < count; ++i) find(*call, effects[i], arguments);
  if (call->everything != 0) record<abi::Tag::Everything>(static_cast<const void*>(nullptr));
  for (std::uint32_t i = 0; i < call->count; ++i) {
    abi::StateCall::Touch& touch = call->touches[i];
    touch.version = record_state(touch.address, touch.append != 0);
  }
}

void __racecast_state_end(const racecast::abi::StateEffect* effects, std::uint32_t count, std::uint64_t result,
                          racecast::abi::StateCall* call) {
  using namespace racecast::runtime;
  namespace abi = racecast::abi;
  if (!orders()) return;
  if (was_touched(*call))
    for (std::uint32_t i = 0; i < call->count; ++i)
      record_state(call->touches[i].address, call->touches[i].append != 0);
  call->count = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const abi::StateEffect& effect = effects[i];
    if (effect.which == abi::StateWhich::Result && result != 0) touch_one(*call, effect, result);
    if (effect.which == abi::StateWhich::NewDescriptor && static_cast<std::int32_t>(result) >= 0)
      touch_descriptor(*call, effect, static_cast<int>(result));
  }
  for (std::uint32_t i = 0; i < call->count; ++i) record_state(call->touches[i].address, call->touches[i].append != 0);
  if (call->everything != 0) record<abi::Tag::MissingEnd>(std::uint8_t{0}, std::uint64_t{0});
}
