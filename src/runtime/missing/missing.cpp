// __racecast_missing_begin and _end, and threads that begin in code without hooks. What such code can reach: the
// objects that its pointer arguments lie in, whatever these point to (scan.h), the variables of its library that no
// recorded code defines (libraries.h), its thread-local memory, and what it is annotated to reach (global state that no
// argument leads to).
//
// A thread that begins in code without hooks has its start argument. One that was created by code without hooks was
// given whatever that could reach: its arguments, and what lay on the stack between here and the recorded code that
// called it.
//
// Every call scans again: it cannot know that an object is as it was at the last one.
#include "runtime/missing/missing.h"

#include <algorithm>
#include <atomic>

#include "runtime/core/hooks.h"
#include "runtime/core/process.h"
#include "runtime/core/record.h"
#include "runtime/core/threads.h"
#include "runtime/missing/crossings.h"
#include "runtime/missing/libraries.h"
#include "runtime/missing/scan.h"
#include "runtime/posix/interceptor.h"

// In every sanitizer's runtime, and nowhere else.
extern "C" __attribute__((weak)) int __sanitizer_install_malloc_and_free_hooks(void (*made)(const volatile void*,
                                                                                            std::size_t),
                                                                               void (*freed)(const volatile void*));

namespace racecast::runtime {

namespace {

// What add_reach() was told: few, and most calls look at none, so they are looked through one by one.
struct Annotation {
  std::atomic<const void*> function{nullptr};  // stored last
  const void* address = nullptr;
};
constexpr std::size_t kMaxAnnotations = 256;
constinit Annotation annotations[kMaxAnnotations];
constinit std::atomic<std::size_t> annotations_used{0};  // may count more than there is room for

void follow_annotations(const void* callee, Scan& scan) {
  const std::size_t used = annotations_used.load(std::memory_order_acquire);
  if (used == 0) [[likely]]
    return;
  if (used > kMaxAnnotations) return scan.give_up();  // not all are known
  for (std::size_t i = 0; i < used; ++i)
    if (annotations[i].function.load(std::memory_order_acquire) == callee)
      scan.follow(reinterpret_cast<std::uintptr_t>(annotations[i].address));
}

// From where code without hooks starts.
void add_roots(const void* callee, std::uint32_t count, const void* const* pointers, Scan& scan) {
  if (scan.gave_up()) return;  // a handler that interrupted a scan: nobody may look at libraries
  for (std::uint32_t i = 0; i < count; ++i) scan.follow_argument(reinterpret_cast<std::uintptr_t>(pointers[i]));
  follow_annotations(callee, scan);
  if (callee != nullptr) scan.add_library(reinterpret_cast<std::uintptr_t>(callee));  // null: assembly
}

template <abi::Tag tag>
void record_reach(abi::ThreadState& state, const void* callee, Scan& scan) {
  if (scan.run())
    append<tag>(state, Extra{scan.objects(), scan.count() * sizeof(Object)}, next_stamp(), callee, scan.count());
  else
    append<tag>(state, Extra{nullptr, 0}, next_stamp(), callee, abi::kEverywhere);
}

}  // namespace

void add_reach(const void* function, const void* address) {
  const std::size_t at = annotations_used.fetch_add(1, std::memory_order_acq_rel);
  if (at >= kMaxAnnotations) {
    annotations_used.store(kMaxAnnotations + 1, std::memory_order_release);
    return;
  }
  annotations[at].address = address;
  annotations[at].function.store(function, std::memory_order_release);
}

void hand_to_missing(Stream& stream, const void* pointer) {
  const InRuntime inside;
  Scan scan;
  if (objects_incomplete()) scan.give_up();
  scan.follow(reinterpret_cast<std::uintptr_t>(pointer));
  record_reach<abi::Tag::MissingMore>(stream.head, nullptr, scan);
}

// ---- threads

namespace {

bool has_mark(std::uintptr_t entry) {
  std::uint64_t mark = 0;
  return read_memory(entry - sizeof(mark), &mark, sizeof(mark)) && mark == abi::kFunctionMark;
}

// What a std::thread runs: libstdc++ is given an object with a virtual function for that, behind two destructors.
std::uintptr_t run_of_std_thread(const void* state) {
  std::uintptr_t table = 0, run = 0;
  const bool read = read_memory(reinterpret_cast<std::uintptr_t>(state), &table, sizeof(table)) &&
                    read_memory(table + 2 * sizeof(run), &run, sizeof(run));
  return read ? run : 0;
}

// Another sanitizer begins every thread with a function of its own. LIMIT: what the program begins it with is not known
// then, and is taken for recorded code.
bool is_sanitizers(std::uintptr_t entry) {
  const auto hooks = reinterpret_cast<std::uintptr_t>(&__sanitizer_install_malloc_and_free_hooks);
  return hooks != 0 && is_same_library(entry, hooks);
}

// Of a frame of its own stack the creator knew where it begins and ends, and what it points to; from here that would be
// told by 4 KiB around each pointer.
void add_inherited(const Inherited& inherited, Scan& scan) {
  if (inherited.everything) scan.give_up();
  for (std::uint32_t i = 0; i < inherited.count; ++i) {
    const bool on_stack = find_stack(inherited.objects[i].begin).size != 0;
    scan.add(inherited.objects[i], on_stack ? Scan::Content::Known : Scan::Content::Followed);
  }
}

}  // namespace

const void* missing_root(const void* routine, const void* argument) {
  const KeepErrno keep;
  const InRuntime inside;
  auto entry = reinterpret_cast<std::uintptr_t>(routine);
  if (has_mark(entry) || is_sanitizers(entry)) return nullptr;
  if (begins_std_thread(entry)) {
    entry = run_of_std_thread(argument);
    if (entry == 0 || has_mark(entry)) return nullptr;
  }
  return reinterpret_cast<const void*>(entry);
}

Inherited inherit_reach(std::uintptr_t stack) {
  const abi::ThreadState* state = recording();
  if (state == nullptr || state->border != 0) return {};
  const KeepErrno keep;
  const InRuntime inside;
  const auto& stream = *reinterpret_cast<const Stream*>(state);
  Scan scan;
  if (objects_incomplete() || stack < self.stack_begin || stack >= self.stack_top) scan.give_up();
  for_crossings(stream, [&](const Crossing& crossing) {
    crossing.count == abi::kEverywhere ? scan.give_up()
                                       : add_roots(crossing.callee, crossing.count, crossing.pointers, scan);
    scan.follow_stack(stack, std::min(crossing.base, self.stack_top));
    return false;  // those around it do not run now
  });
  if (stream.crossings == 1 && stream.inherited != nullptr) add_inherited(*stream.inherited, scan);
  Inherited inherited = {nullptr, 0, true};
  if (!scan.run()) return inherited;
  const std::size_t bytes = scan.count() * sizeof(Object);
  if (bytes != 0) inherited.objects = static_cast<Object*>(map_pages(bytes));
  if (bytes != 0 && inherited.objects == nullptr) return inherited;
  if (bytes != 0) __builtin_memcpy(inherited.objects, scan.objects(), bytes);
  inherited.count = scan.count();
  inherited.everything = false;
  return inherited;
}

void forget_inherited(Inherited& inherited) {
  if (inherited.objects != nullptr) unmap_pages(inherited.objects, inherited.count * sizeof(Object));
  inherited = {};
}

void begin_missing_root(const void* routine, const void* const* argument, const Inherited& inherited) {
  abi::ThreadState* state = recording();
  if (state == nullptr) return;
  const KeepErrno keep;
  const InRuntime inside;
  auto& stream = *reinterpret_cast<Stream*>(state);
  {
    Scan scan;
    if (objects_incomplete()) scan.give_up();
    add_inherited(inherited, scan);
    add_roots(routine, 1, argument, scan);
    record_reach<abi::Tag::MissingBegin>(*state, routine, scan);
  }
  stream.inherited = &inherited;
  begin_in_missing(stream, routine, argument);
}

void begin_missing_exit() {
  abi::ThreadState* state = recording();
  if (state == nullptr || in_runtime() || process.next_thread.load(std::memory_order_relaxed) <= 1) return;
  const KeepErrno keep;
  const InRuntime inside;
  const auto add = [](const Object& variable, void* to) { static_cast<Scan*>(to)->add(variable); };
  {
    Scan scan;
    if (objects_incomplete() || !for_all_hidden_variables(add, &scan)) scan.give_up();
    if (!scan.gave_up() && scan.count() == 0) return;
    record_reach<abi::Tag::MissingBegin>(*state, nullptr, scan);
  }
  begin_in_missing(*reinterpret_cast<Stream*>(state), nullptr, nullptr);
}

}  // namespace racecast::runtime

void __racecast_missing_begin(const void* callee, std::uint32_t count, const void* const* pointers) {
  using namespace racecast::runtime;
  namespace abi = racecast::abi;
  abi::ThreadState* state = recording();
  if (state == nullptr) return;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  auto& stream = *reinterpret_cast<Stream*>(state);
  drop_crossings(stream, here);
  {
    const KeepErrno keep;
    const InRuntime inside;
    Scan scan;
    if (count == abi::kEverywhere || objects_incomplete())
      scan.give_up();
    else
      add_roots(callee, count, pointers, scan);
    record_reach<abi::Tag::MissingBegin>(*state, callee, scan);
  }
  enter_missing(stream, here, callee, count, pointers);
}

// A function whose row says that it orders everything.
void __racecast_everything_begin(const void* callee) {
  using namespace racecast::runtime;
  racecast::abi::ThreadState* state = recording();
  if (state == nullptr) return;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  auto& stream = *reinterpret_cast<Stream*>(state);
  drop_crossings(stream, here);
  record<racecast::abi::Tag::Everything>(callee);
  enter_missing(stream, here, callee, racecast::abi::kEverywhere, nullptr);
}

void __racecast_missing_end(std::uint32_t has_value, std::uint64_t result) {
  using namespace racecast::runtime;
  namespace abi = racecast::abi;
  abi::ThreadState* state = recording();
  if (state == nullptr) return;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (!leave_missing(*reinterpret_cast<Stream*>(state), here)) return;
  append<abi::Tag::MissingEnd>(*state, Extra{nullptr, 0}, next_stamp(), static_cast<std::uint8_t>(has_value), result);
}
