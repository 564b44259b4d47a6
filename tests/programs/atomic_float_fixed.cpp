// STD: c++20
// Atomic float and double additions (loops of compare-and-swap), read atomically.
// NORACE
#include <atomic>
#include <thread>

#include "test.h"

float small;
std::atomic<double> large{0.5};
float seen;

int main() {
  order_init(2);
  std::thread first([] {
    std::atomic_ref<float> reference(small);
    reference.fetch_add(1.5f);
    large.fetch_sub(0.25);
    order_wait();
  });
  std::thread second([] {
    order_wait();
    seen = std::atomic_ref<float>(small).load();
    large.fetch_add(2.0);
  });
  first.join();
  second.join();
  printf("%g %g\n", static_cast<double>(seen), large.load());
}
