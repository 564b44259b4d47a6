#include "base/limits.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <fstream>
#include <string>

namespace racecast {

namespace {

// How often memory is looked at: that takes a system call.
constexpr auto kEvery = std::chrono::milliseconds(20);

std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (!(file >> number)) return std::nullopt;  // "max", too
  return number;
}

// What a control group and those around it leave.
std::optional<std::uint64_t> left_in_group(const std::string& root, std::string group, const char* limit,
                                           const char* usage) {
  std::optional<std::uint64_t> least;
  for (;;) {
    const auto most = number_in(root + group + "/" + limit), used = number_in(root + group + "/" + usage);
    if (most && used) least = std::min(least.value_or(~std::uint64_t{0}), *most > *used ? *most - *used : 0);
    if (group.empty()) return least;
    group.erase(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
  }
}

std::optional<std::uint64_t> left_in_groups() {
  std::optional<std::uint64_t> least;
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string kind = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    const std::string own = group == "/" ? "" : group;
    std::optional<std::uint64_t> left;
    if (kind.empty())
      left = left_in_group("/sys/fs/cgroup", own, "memory.max", "memory.current");
    else if (kind.find("memory") != std::string::npos)
      left = left_in_group("/sys/fs/cgroup/memory", own, "memory.limit_in_bytes", "memory.usage_in_bytes");
    if (left) least = std::min(least.value_or(~std::uint64_t{0}), *left);
  }
  return least;
}

}  // namespace

struct Limits::State {
  std::atomic<int> reached = None;
  std::atomic<std::int64_t> next_look = 0;  // at memory; Clock's ticks
};

Limits::Limits(std::optional<Clock::duration> time, std::uint64_t memory)
    : memory_(memory), state_(std::make_shared<State>()) {
  if (time) end_ = Clock::now() + *time;
}

bool Limits::reached() const {
  if (state_ == nullptr || (!end_ && memory_ == 0)) return false;
  if (state_->reached == Memory) return true;  // it does not come back: who holds it goes on holding it
  const Clock::time_point now = Clock::now();
  const auto note = [&](Which which) {
    int none = None;
    state_->reached.compare_exchange_strong(none, which);
    return true;
  };
  if (end_ && now >= *end_) return note(Time);
  if (memory_ == 0) return false;
  const std::int64_t ticks = now.time_since_epoch().count();
  if (ticks < state_->next_look) return false;
  state_->next_look = ticks + Clock::duration(kEvery).count();
  if (memory_used() <= memory_) return false;
  malloc_trim(0);  // what was freed and kept does not count
  if (memory_used() <= memory_) return false;
  state_->reached = Memory;
  return true;
}

Limits Limits::part(double of_what_is_left) const {
  Limits part = *this;
  if (!end_) return part;
  const Clock::time_point now = Clock::now();
  const Clock::duration left = std::max(*end_ - now, Clock::duration::zero());
  part.end_ = now + std::chrono::duration_cast<Clock::duration>(left * of_what_is_left);
  return part;
}

const char* Limits::what() const {
  const int which = state_ == nullptr ? None : state_->reached.load();
  return which == Memory ? "the memory limit (--memory)" : "the time limit (--budget)";
}

std::uint64_t memory_used() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  if (!(file >> all >> resident)) return 0;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::uint64_t memory_available() {
  std::ifstream file("/proc/meminfo");
  std::uint64_t available = 0;
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view kName = "MemAvailable:";
    if (!line.starts_with(kName)) continue;
    const std::size_t digits = line.find_first_of("0123456789");
    if (digits != std::string::npos) std::from_chars(line.data() + digits, line.data() + line.size(), available);
    available *= 1024;
  }
  if (const auto left = left_in_groups()) available = available == 0 ? *left : std::min(available, *left);
  return available;
}

}  // namespace racecast
