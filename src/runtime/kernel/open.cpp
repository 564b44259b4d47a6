// Opening a FIFO: who opens it to write waits for who opens it to read, and the other way round. So each is before and
// after the other. (What is no FIFO orders nothing.)
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include <cstdarg>

#include "runtime/kernel/ordering.h"
#include "runtime/posix/interceptor.h"

namespace racecast::runtime {
namespace {

RACECAST_REAL<int(const char*, int, mode_t)> real_open{"open"};
RACECAST_REAL<int(const char*, int)> real_open_2{"__open_2"};
RACECAST_REAL<int(int, const char*, int, mode_t)> real_openat{"openat"};
RACECAST_REAL<int(int, const char*, int)> real_openat_2{"__openat_2"};
RACECAST_REAL<int(const char*, mode_t)> real_creat{"creat"};
RACECAST_REAL<FILE*(const char*, const char*)> real_fopen{"fopen"};

class Opening {
 public:
  Opening(int folder, const char* path) {
    if (!orders()) return;
    struct stat status;
    if (sys(SYS_newfstatat, folder, path, &status, 0) != 0 || !S_ISFIFO(status.st_mode)) return;
    place_ = abi::place(abi::PlaceKind::Pipe, mix(status.st_dev, status.st_ino));
    release(place_);
    release(abi::kOutside);  // it has a name
  }
  int done(int descriptor) const {
    if (descriptor >= 0) opened();
    return descriptor;
  }
  FILE* done(FILE* stream) const {
    if (stream != nullptr) opened();
    return stream;
  }

 private:
  void opened() const {
    if (place_ == 0 || !orders()) return;
    const KeepErrno keep;
    acquire(place_);
    acquire(abi::kOutside);
  }
  std::uint64_t place_ = 0;
};

// The mode is there where the flags say so.
mode_t mode_of(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, mode_t) : 0;
}

}  // namespace
}  // namespace racecast::runtime

using namespace racecast::runtime;

extern "C" {
int __open_2(const char*, int);
int __open64_2(const char*, int);
int __openat_2(int, const char*, int);
}

#define RACECAST_MODE(flags)                     \
  va_list arguments;                             \
  va_start(arguments, flags);                    \
  const mode_t mode = mode_of(flags, arguments); \
  va_end(arguments)

RACECAST_EXPORT int open(const char* path, int flags, ...) {
  RACECAST_MODE(flags);
  const Opening opening(AT_FDCWD, path);
  return opening.done(real_open(path, flags, mode));
}
RACECAST_EXPORT int open64(const char* path, int flags, ...) {
  RACECAST_MODE(flags);
  const Opening opening(AT_FDCWD, path);
  return opening.done(real_open(path, flags | O_LARGEFILE, mode));
}
RACECAST_EXPORT int __open_2(const char* path, int flags) {
  const Opening opening(AT_FDCWD, path);
  return opening.done(real_open_2(path, flags));
}
RACECAST_EXPORT int __open64_2(const char* path, int flags) {
  const Opening opening(AT_FDCWD, path);
  return opening.done(real_open_2(path, flags | O_LARGEFILE));
}
RACECAST_EXPORT int openat(int folder, const char* path, int flags, ...) {
  RACECAST_MODE(flags);
  const Opening opening(folder, path);
  return opening.done(real_openat(folder, path, flags, mode));
}
RACECAST_EXPORT int openat64(int folder, const char* path, int flags, ...) {
  RACECAST_MODE(flags);
  const Opening opening(folder, path);
  return opening.done(real_openat(folder, path, flags | O_LARGEFILE, mode));
}
RACECAST_EXPORT int __openat_2(int folder, const char* path, int flags) {
  const Opening opening(folder, path);
  return opening.done(real_openat_2(folder, path, flags));
}
RACECAST_EXPORT int creat(const char* path, mode_t mode) {
  const Opening opening(AT_FDCWD, path);
  return opening.done(real_creat(path, mode));
}
RACECAST_EXPORT FILE* fopen(const char* path, const char* mode) {
  const Opening opening(AT_FDCWD, path);
  return opening.done(real_fopen(path, mode));
}
RACECAST_EXPORT FILE* fopen64(const char* path, const char* mode) {
  const Opening opening(AT_FDCWD, path);
  return opening.done(real_fopen(path, mode));
}
