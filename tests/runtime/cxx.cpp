// What libstdc++ does underneath: threads, mutexes of all kinds, conditions, futures, thread_local destructors, new and
// delete.
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <semaphore>
#include <shared_mutex>
#include <thread>

#include "require.h"

static std::mutex mutex;
static int destroyed;

struct Local {
  int n = 1;
  ~Local() {
    const std::lock_guard lock(mutex);
    destroyed += n;
  }
};
static thread_local Local local;

int main() {
  std::thread([] { local.n = 3; }).join();
  REQUIRE(destroyed == 3);

  std::condition_variable condition;
  bool ready = false;
  std::jthread waiter([&] {
    std::unique_lock lock(mutex);
    condition.wait(lock, [&] { return ready; });
    condition.wait_for(lock, std::chrono::milliseconds(1));
  });
  {
    const std::lock_guard lock(mutex);
    ready = true;
  }
  condition.notify_all();
  waiter.join();

  std::shared_mutex shared;
  REQUIRE(shared.try_lock_shared());
  REQUIRE(!shared.try_lock());
  shared.unlock_shared();
  std::shared_timed_mutex timed;
  REQUIRE(timed.try_lock_for(std::chrono::milliseconds(1)));
  timed.unlock();
  std::recursive_mutex nests;
  nests.lock();
  REQUIRE(nests.try_lock());
  nests.unlock();
  nests.unlock();

  std::future<int> answer = std::async(std::launch::async, [] { return 42; });
  REQUIRE(answer.get() == 42);
  std::future<int> fails = std::async(std::launch::async, []() -> int { throw 7; });
  int caught = 0;
  try {
    fails.get();
  } catch (int n) {
    caught = n;
  }
  REQUIRE(caught == 7);

  struct alignas(128) Aligned {
    char c[128];
  };
  delete new Aligned;
  delete[] new int[10];
  delete new (std::nothrow) int;
  std::make_shared<int>(5).reset();
  puts("ok");
}
