// Every thread has its own thread_local variable.
// NORACE
#include <thread>

#include "test.h"

thread_local int mine = 1;
int* published;
int sum;

NOINLINE static int* address_of_mine() {
  return &mine;
}

int main() {
  order_init(2);
  std::thread first([] {
    lock();
    published = address_of_mine();
    unlock();
    *address_of_mine() += 1;
    order_wait();
    order_wait();
  });
  std::thread second([] {
    order_wait();
    lock();
    int* theirs = published;
    unlock();
    int* own = address_of_mine();
    sum = *own += 1 + (own != theirs);
    order_wait();
  });
  first.join();
  second.join();
  printf("%d\n", sum);
}
