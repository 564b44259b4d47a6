// STD: c++20
// std::counting_semaphore: released before the item is there.
#include <semaphore>
#include <thread>

#include "test.h"

std::counting_semaphore<4> items(0);
std::binary_semaphore gate(1);
int item;
bool empty;

int main() {
  order_init(2);
  empty = !items.try_acquire();
  std::thread producer([] {
    items.release();
    item = 3;  // RACE(a)
    order_wait();
  });
  std::thread consumer([] {
    order_wait();
    items.acquire();
    gate.acquire();
    item++;  // RACE(a)
    gate.release();
  });
  producer.join();
  consumer.join();
  printf("%d %d\n", item, empty);
}
