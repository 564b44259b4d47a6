// LIBS: -latomic
// std::atomic of 24 bytes (libatomic) publishes with its default order.
// NORACE
#include <atomic>
#include <thread>

#include "test.h"

struct Triple {
  long a, b, c;
};
std::atomic<Triple> triple{Triple{0, 0, 0}};
int payload;
long sum;

int main() {
  order_init(2);
  std::thread first([] {
    payload = 1;
    triple.store(Triple{1, 2, 3});
    order_wait();
  });
  std::thread second([] {
    order_wait();
    Triple seen = triple.load();
    sum = seen.a + seen.b + seen.c;
    payload++;
    Triple next{4, 5, 6};
    triple.compare_exchange_strong(seen, next, std::memory_order_relaxed);
    seen = triple.exchange(next, std::memory_order_relaxed);
    sum += seen.c;
  });
  first.join();
  second.join();
  printf("%d %ld\n", payload, sum);
}
