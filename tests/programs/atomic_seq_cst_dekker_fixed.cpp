// Dekker's protocol with sequentially consistent flags: the second thread sees that the first one left.
// NORACE
#include <atomic>
#include <thread>

#include "test.h"

std::atomic<bool> wants[2];
int shared;

int main() {
  constexpr std::memory_order store = std::memory_order_seq_cst, load = std::memory_order_seq_cst;
  order_init(2);
  std::thread first([] {
    wants[0].store(true, store);
    if (!wants[1].load(load)) shared++;
    wants[0].store(false, store);
    order_wait();
  });
  std::thread second([] {
    order_wait();
    wants[1].store(true, store);
    if (!wants[0].load(load)) shared++;
    wants[1].store(false, store);
  });
  first.join();
  second.join();
  printf("%d\n", shared);
}
