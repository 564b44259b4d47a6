// See cxx_streams.h. A stream begins with the pointer to its table of virtual functions, before which is the offset of
// its basic_ios; there are the flags and a pointer to the buffer, which begins with six pointers (in and out: begin,
// current, end).
#include "runtime/missing/cxx_streams.h"

#include <dlfcn.h>

#include <atomic>
#include <cstddef>

#include "runtime/posix/interceptor.h"

namespace racecast::runtime {
namespace {

constexpr const char* kNames[] = {"_ZSt4cout", "_ZSt4cerr", "_ZSt4clog", "_ZSt3cin"};
constexpr std::size_t kStandard = sizeof(kNames) / sizeof(kNames[0]);
constinit std::atomic<const void*> standard[kStandard];  // all are there once the last is

constexpr std::ptrdiff_t kOffsetToIos = -24;  // in the table
constexpr std::size_t kWidth = 16, kBuffer = 232;

}  // namespace

bool is_standard_stream(const void* stream) {
  if (standard[kStandard - 1].load(std::memory_order_acquire) == nullptr) [[unlikely]] {
    const InRuntime inside;
    const KeepErrno keep;
    for (std::size_t i = 0; i < kStandard; ++i)
      standard[i].store(::dlsym(RTLD_DEFAULT, kNames[i]), std::memory_order_release);
  }
  for (const auto& one : standard)
    if (one.load(std::memory_order_acquire) == stream) return true;
  return false;
}

StreamMemory memory_of_stream(const void* stream) {
  const char* const table = *static_cast<const char* const*>(stream);
  const char* const ios =
      static_cast<const char*>(stream) + *reinterpret_cast<const std::ptrdiff_t*>(table + kOffsetToIos);
  const char* const buffer = *reinterpret_cast<const char* const*>(ios + kBuffer);
  return {ios + kWidth, buffer == nullptr ? nullptr : buffer + sizeof(void*)};
}

}  // namespace racecast::runtime
