// Calls that move data from one descriptor to another inside the kernel, and between memory and a pipe.
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/kernel/descriptor.h"
#include "runtime/kernel/mapped_files.h"
#include "runtime/posix/interceptor.h"

namespace racecast::runtime {
namespace {

RACECAST_REAL<ssize_t(int, off64_t*, int, off64_t*, size_t, unsigned)> real_splice{"splice"};
RACECAST_REAL<ssize_t(int, int, size_t, unsigned)> real_tee{"tee"};
RACECAST_REAL<ssize_t(int, const iovec*, size_t, unsigned)> real_vmsplice{"vmsplice"};
RACECAST_REAL<ssize_t(int, int, off_t*, size_t)> real_sendfile{"sendfile"};
RACECAST_REAL<ssize_t(int, off64_t*, int, off64_t*, size_t, unsigned)> real_copy_file_range{"copy_file_range"};

// Around a call that moves from one to the other.
class Moving {
 public:
  Moving(int from, int to, const void* callee)
      : from_file_(from, callee), to_file_(to, callee), receiving_(from, callee), sending_(to, callee) {}
  ssize_t done(ssize_t result) { return sending_.done(receiving_.done(result)); }

 private:
  MappedFile from_file_, to_file_;
  Receiving receiving_;
  Sending sending_;
};

}  // namespace
}  // namespace racecast::runtime

using namespace racecast::runtime;

RACECAST_EXPORT ssize_t splice(int from, off64_t* from_offset, int to, off64_t* to_offset, size_t size,
                               unsigned flags) {
  Moving moving(from, to, address_of(splice));
  return moving.done(real_splice(from, from_offset, to, to_offset, size, flags));
}
RACECAST_EXPORT ssize_t tee(int from, int to, size_t size, unsigned flags) {
  Moving moving(from, to, address_of(tee));
  return moving.done(real_tee(from, to, size, flags));
}
// From memory into the end of a pipe that is written to, or from the other end into memory: both are allowed for.
RACECAST_EXPORT ssize_t vmsplice(int descriptor, const iovec* parts, size_t count, unsigned flags) {
  Receiving receiving(descriptor, address_of(vmsplice));
  Sending sending(descriptor, address_of(vmsplice));
  return sending.done(receiving.done(real_vmsplice(descriptor, parts, count, flags)));
}
RACECAST_EXPORT ssize_t sendfile(int to, int from, off_t* offset, size_t size) noexcept {
  Moving moving(from, to, address_of(sendfile));
  return moving.done(real_sendfile(to, from, offset, size));
}
RACECAST_EXPORT ssize_t sendfile64(int to, int from, off64_t* offset, size_t size) noexcept {
  Moving moving(from, to, address_of(sendfile64));
  return moving.done(real_sendfile(to, from, offset, size));
}
RACECAST_EXPORT ssize_t copy_file_range(int from, off64_t* from_offset, int to, off64_t* to_offset, size_t size,
                                        unsigned flags) {
  Moving moving(from, to, address_of(copy_file_range));
  return moving.done(real_copy_file_range(from, from_offset, to, to_offset, size, flags));
}
