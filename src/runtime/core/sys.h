// System calls, straight: libc's open, write or mmap may be intercepted, may be cancellation points and set errno. The
// runtime may do none of that inside someone else's thread.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace racecast::runtime {

// Keeps errno as it was for what happens in a scope.
class KeepErrno {
 public:
  KeepErrno() : saved_(errno) {}
  ~KeepErrno() { errno = saved_; }
  KeepErrno(const KeepErrno&) = delete;
  KeepErrno& operator=(const KeepErrno&) = delete;

 private:
  int saved_;
};

// The result, or minus the error number. errno is kept. The instruction itself: libc's `syscall` is intercepted.
template <typename Value>
inline long argument_bits(Value value) {
  if constexpr (std::is_null_pointer_v<Value>) {
    return 0;
  } else if constexpr (std::is_pointer_v<Value>) {
    return reinterpret_cast<long>(value);
  } else {
    return static_cast<long>(value);
  }
}
inline long sys_bits(long number, long a, long b, long c, long d, long e, long f) {
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall" : "+a"(number) : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
  return number;
}
template <typename... Args>
inline long sys(long number, Args... args) {
  static_assert(sizeof...(args) <= 6);
  const long bits[6] = {argument_bits(args)...};
  return sys_bits(number, bits[0], bits[1], bits[2], bits[3], bits[4], bits[5]);
}

// Memory of our own, zeroed; null if there is none. Never recorded.
void* map_pages(std::size_t bytes);
void unmap_pages(void* memory, std::size_t bytes);

// Writes everything, or returns false (disk full, bad descriptor).
bool write_all(int fd, const void* data, std::size_t bytes);

// Whether RLIMIT_FSIZE lets a file have this many bytes. Trying to write more would kill the program with SIGXFSZ.
bool file_size_allowed(std::uint64_t bytes);

}  // namespace racecast::runtime
