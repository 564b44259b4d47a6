// A packaged task's result is awaited, and its thread joined.
// NORACE
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
    after = 1;
    order_wait();
  });
  int value = future.get();
  order_wait();
  thread.join();
  value += after;
  printf("%d\n", value);
}
