// A packaged task's result is awaited, but not what the thread does after it.
#include <future>
#include <thread>

#include "test.h"

int after;

static int work(int argument) {
  return argument * 2;
}

int main() {
  std::packaged_task<int(int)> task(work);
  std::shared_future<int> future = task.get_future().share();
  order_init(2);
  std::thread thread([&task] {
    task(21);
    after = 1;  // RACE(a)
    order_wait();
  });
  int value = future.get();
  order_wait();
  value += after;  // RACE(a)
  thread.join();
  printf("%d\n", value);
}
