// A pool of workers takes tasks under a lock; the tasks share a result without one.
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

#include "test.h"

std::mutex mutex;
std::condition_variable wake;
std::queue<std::function<void()>> tasks;
bool closed;
int result;

static void serve() {
  for (;;) {
    std::function<void()> task;
    {
      std::unique_lock<std::mutex> guard(mutex);
      wake.wait(guard, [] { return closed || !tasks.empty(); });
      if (tasks.empty()) return;
      task = std::move(tasks.front());
      tasks.pop();
    }
    task();
  }
}

int main() {
  order_init(2);
  std::vector<std::thread> pool;
  for (int i = 0; i < 2; i++) pool.emplace_back(serve);
  for (int i = 0; i < 2; i++) {
    std::lock_guard<std::mutex> guard(mutex);
    tasks.push([i] {
      order_wait();
      result += 2 * i;  // RACE(a)
    });
    wake.notify_one();
  }
  {
    std::lock_guard<std::mutex> guard(mutex);
    closed = true;
  }
  wake.notify_all();
  for (std::thread& thread : pool) thread.join();
  printf("%d\n", result <= 2);
}
