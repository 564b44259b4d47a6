#include "base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace racecast {

Progress::Progress(std::string what, std::string unit, std::uint64_t total)
    : what_(std::move(what)), unit_(std::move(unit)), total_(total), terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::update(std::uint64_t done) {
  if (!terminal_) return;
  const Clock::time_point now = Clock::now();
  if (done < last_) start_ = now - std::chrono::milliseconds(1);  // another pass over the same
  last_ = done;
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  shown_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  std::string share;
  if (total_ != 0) share = fmt::format(" ({:.0f} %)", 100.0 * static_cast<double>(done) / static_cast<double>(total_));
  std::fputs(fmt::format("\r\033[K{}: {} {}{}, {:.1f} million/s", what_, done, unit_, share,
                         static_cast<double>(done) / seconds / 1e6)
                 .c_str(),
             stderr);
  std::fflush(stderr);
}

}  // namespace racecast
