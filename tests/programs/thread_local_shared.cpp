// The address of a thread_local variable is given to another thread, and both use it.
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
    *address_of_mine() += 1;  // RACE(a)
    order_wait();
    order_wait();
  });
  std::thread second([] {
    order_wait();
    lock();
    int* theirs = published;
    unlock();
    sum = *theirs += 1;  // RACE(a)
    order_wait();
  });
  first.join();
  second.join();
  printf("%d\n", sum);
}
