// A cache of computed values behind a lock. Hits and misses are counted without it.
#include "hidden/sync.h"
#include "threads.h"

namespace {

constexpr int kThreads = 4, kLookups = 25, kKeys = 12;

class Cache {
 public:
  long get(int key) {
    spin_lock(&lock_);
    for (int i = 0; i < used_; ++i) {
      if (keys_[i] != key) continue;
      const long value = values_[i];
      spin_unlock(&lock_);
      return value;
    }
    const long value = 1000L * key;
    if (used_ < kKeys) {
      keys_[used_] = key;
      values_[used_] = value;
      ++used_;
    }
    spin_unlock(&lock_);
    return value;
  }

 private:
  spin lock_{};
  int used_ = 0;
  int keys_[kKeys] = {};
  long values_[kKeys] = {};
};

Cache* cache;
long lookups;
long checksums[kThreads];

void* client(void* number) {
  const auto me = reinterpret_cast<intptr_t>(number);
  unsigned state = static_cast<unsigned>(me) + 7;
  for (int i = 0; i < kLookups; ++i) {
    checksums[me] += cache->get(static_cast<int>(next_random(&state) % kKeys));
    ++lookups;  // RACE(lookups)
  }
  return nullptr;
}

}  // namespace

int main() {
  cache = new Cache;
  run_threads(kThreads, client);
  long sum = 0;
  for (const long checksum : checksums) sum += checksum;
  delete cache;
  printf("%s\n", sum > 0 && lookups > 0 ? "done" : "nothing");
}
