// STD: c++20
// Objects that have several owners, in every way that a program gets it right: the last one to let go frees.
// NORACE
#include <atomic>
#include <condition_variable>
#include <future>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

#include "test.h"

struct Counted {
  std::atomic<int> users{2};
  int value = 7;
  static void leave(Counted* object) {
    if (object->users.fetch_sub(1, std::memory_order_acq_rel) == 1) delete object;
  }
};

static void shared_pointers() {
  auto table = std::make_shared<std::map<int, int>>();
  (*table)[1] = 2;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back([table] { must(table->at(1) == 2); });
  table.reset();
  for (std::thread& thread : threads) thread.join();
}

static void counted() {
  auto* object = new Counted;
  std::thread other([object] {
    must(object->value == 7);
    Counted::leave(object);
  });
  must(object->value == 7);
  Counted::leave(object);
  other.join();
}

static void handed_over() {
  std::queue<std::unique_ptr<int>> queue;
  std::mutex mutex;
  std::condition_variable some;
  std::thread consumer([&] {
    for (int i = 0; i < 3; ++i) {
      std::unique_lock held(mutex);
      some.wait(held, [&] { return !queue.empty(); });
      const std::unique_ptr<int> mine = std::move(queue.front());
      queue.pop();
      held.unlock();
      must(*mine == i);
    }
  });
  for (int i = 0; i < 3; ++i) {
    auto made = std::make_unique<int>(i);
    const std::scoped_lock held(mutex);
    queue.push(std::move(made));
    some.notify_one();
  }
  consumer.join();
}

static void frames() {
  std::thread detached;
  {
    std::promise<int> promise;
    detached = std::thread([&promise] { promise.set_value(1); });
    must(promise.get_future().get() == 1);
    detached.join();
  }
  {
    std::latch latch(2);
    std::thread other([&] { latch.count_down(); });
    latch.arrive_and_wait();
    other.join();
  }
  must(std::async(std::launch::async, [] { return std::vector<int>(3, 1); }).get().size() == 3);
}

int main() {
  shared_pointers();
  counted();
  handed_over();
  frames();
  return 0;
}
