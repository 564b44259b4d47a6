// Atomics that are calls of libatomic: odd sizes, sixteen bytes, large. Several threads at once.
#include <atomic>
#include <thread>
#include <vector>

#include "require.h"

struct Odd {
  unsigned char byte[3];
};
struct Pair {
  long first, second;
  bool operator==(const Pair&) const = default;
};
struct Large {
  long word[40];
};

static std::atomic<Odd> odd{};
static std::atomic<Pair> pair{};
static std::atomic<Large> large{};

// Misaligned, so that the compiler calls.
struct __attribute__((packed)) Packed {
  char c;
  int n;
};
static Packed packed;

int main() {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 1000; ++i) {
        Odd old = odd.load(std::memory_order_acquire);
        while (!odd.compare_exchange_weak(old, Odd{{static_cast<unsigned char>(old.byte[0] + 1), 0, old.byte[2]}})) {
        }
        Pair two = pair.load();
        while (!pair.compare_exchange_strong(two, Pair{two.first + 1, two.second - 1})) {
        }
        Large many = large.load();
        REQUIRE(many.word[0] == many.word[39]);
        ++many.word[0];
        many.word[39] = many.word[0];
        if (i % 2 == 0) large.store(many);
        many = large.exchange(many);
        REQUIRE(many.word[0] == many.word[39]);
        __atomic_fetch_add(&packed.n, 1, __ATOMIC_RELAXED);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  REQUIRE(odd.load().byte[0] == static_cast<unsigned char>(4000));
  REQUIRE((pair.load() == Pair{4000, -4000}));
  REQUIRE(packed.n == 4000);
  odd.store(Odd{{1, 2, 3}});
  REQUIRE(odd.exchange(Odd{{4, 5, 6}}).byte[2] == 3);
  pair.store({5, 6});
  REQUIRE((pair.exchange({7, 8}) == Pair{5, 6}));
  puts("ok");
}
