// C++ streams of libstdc++ (x86-64): what is in their memory, as far as it matters to who uses them.
#pragma once

#include <cstdint>

namespace racecast::runtime {

// cin, cout, cerr, clog: any thread may use them at any time.
bool is_standard_stream(const void* stream);

struct StreamMemory {
  const char* flags;      // width, flags, state: kFlagBytes
  const char* positions;  // the pointers of its buffer into what it holds: kPositionBytes; null: it has no buffer
};
inline constexpr std::uint64_t kStreamFlagBytes = 20, kStreamPositionBytes = 48;
// Of a basic_ostream or a basic_istream.
StreamMemory memory_of_stream(const void* stream);

}  // namespace racecast::runtime
