// System calls, straight: libc's open, write or mmap may be intercepted, may be cancellation points and set errno. The
// runtime may do none of that inside someone else's thread.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <cstddef>
#include <cstdint>

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

// The result, or minus the error number. errno is kept.
template <typename... Args>
inline long sys(long number, Args... args) {
  const KeepErrno keep;
  const long result = ::syscall(number, args...);
  return result == -1 ? -static_cast<long>(errno) : result;
}

// Memory of our own, zeroed; null if there is none. Never recorded.
void* map_pages(std::size_t bytes);
void unmap_pages(void* memory, std::size_t bytes);

// Writes everything, or returns false (disk full, bad descriptor).
bool write_all(int fd, const void* data, std::size_t bytes);

// Whether RLIMIT_FSIZE lets a file have this many bytes. Trying to write more would kill the program with SIGXFSZ.
bool file_size_allowed(std::uint64_t bytes);

}  // namespace racecast::runtime
