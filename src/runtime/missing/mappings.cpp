// See mappings.h. A line of the list: begin-end in hexadecimal digits, a space, what is permitted (rw-p), and behind
// the numbers of a file its name, or one in brackets for what the kernel itself made.
#include "runtime/missing/mappings.h"

#include <fcntl.h>

#include <atomic>
#include <cstddef>

#include "runtime/core/sys.h"

namespace racecast::runtime {
namespace {

struct Known {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::size_t> size{0};
};
constexpr std::size_t kKnown = 16;
constinit Known known[kKnown];
constinit std::atomic<std::uint32_t> next_known{0};

Object find_known(std::uintptr_t address) {
  for (const Known& one : known) {
    const std::uintptr_t begin = one.begin.load(std::memory_order_acquire);
    const std::size_t size = one.size.load(std::memory_order_acquire);
    // Another thread may be changing it: what is torn is looked up again by who finds nothing.
    if (begin != 0 && address - begin < size && one.begin.load(std::memory_order_acquire) == begin)
      return {begin, size};
  }
  return {};
}
void keep(const Object& mapping) {
  Known& one = known[next_known.fetch_add(1, std::memory_order_relaxed) % kKnown];
  one.begin.store(0, std::memory_order_release);
  one.size.store(mapping.size, std::memory_order_release);
  one.begin.store(mapping.begin, std::memory_order_release);
}

// Reads the list byte by byte.
class Lines {
 public:
  explicit Lines(std::uintptr_t address) : address_(address) {}

  // True: this was the end of the line that was looked for.
  bool take(char c) {
    if (c == '\n') {
      const bool here = address_ - begin_ < end_ - begin_;
      if (here) return true;
      *this = Lines(address_);
      return false;
    }
    if (column_ == 2) {
      readable_ = readable_ || c == 'r';
      writable_ = writable_ || c == 'w';
    }
    if (c == '[') named_ = true;
    if (column_ == 0 && c == '-') {
      column_ = 1;
    } else if (c == ' ' && column_ < 3) {
      ++column_;
    } else if (column_ < 2) {
      std::uintptr_t& number = column_ == 0 ? begin_ : end_;
      number = number * 16 + static_cast<std::uintptr_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return false;
  }
  Object mapping() const { return readable_ && writable_ && !named_ ? Object{begin_, end_ - begin_} : Object{}; }

 private:
  std::uintptr_t address_;
  std::uintptr_t begin_ = 0, end_ = 0;
  int column_ = 0;  // begin, end, what is permitted, the rest
  bool readable_ = false, writable_ = false, named_ = false;
};

Object look_up(std::uintptr_t address) {
  const long file = sys(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  Lines lines(address);
  Object found{};
  char buffer[1024];
  for (bool done = false; !done;) {
    const long got = sys(SYS_read, file, buffer, sizeof(buffer));
    if (got <= 0) break;
    for (long i = 0; i < got && !done; ++i) done = lines.take(buffer[i]);
    if (done) found = lines.mapping();
  }
  sys(SYS_close, file);
  return found;
}

}  // namespace

Object find_mapping(std::uintptr_t address) {
  Object mapping = find_known(address);
  if (mapping.size != 0) return mapping;
  mapping = look_up(address);
  if (mapping.size != 0) keep(mapping);
  return mapping;
}

}  // namespace racecast::runtime
