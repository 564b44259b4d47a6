// See sys.h.
#include "runtime/core/sys.h"

#include <sys/mman.h>
#include <sys/resource.h>

namespace racecast::runtime {

void* map_pages(std::size_t bytes) {
  const long result =
      sys(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
  return result < 0 && result > -4096 ? nullptr : reinterpret_cast<void*>(result);
}

void unmap_pages(void* memory, std::size_t bytes) {
  sys(SYS_munmap, memory, bytes);
}

bool write_all(int fd, const void* data, std::size_t bytes) {
  const auto* at = static_cast<const char*>(data);
  while (bytes != 0) {
    const long written = sys(SYS_write, fd, at, bytes);
    if (written == -EINTR) continue;
    if (written <= 0) return false;
    at += written;
    bytes -= static_cast<std::size_t>(written);
  }
  return true;
}

bool file_size_allowed(std::uint64_t bytes) {
  struct rlimit limit;
  if (sys(SYS_prlimit64, 0, RLIMIT_FSIZE, nullptr, &limit) != 0) return true;
  return limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

}  // namespace racecast::runtime
