// Threads, locks, futures, atomics, stop tokens.
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::recursive_mutex recursive;
static std::timed_mutex timed;
static std::shared_mutex shared;
static std::condition_variable condition;
static std::condition_variable_any any;
static std::once_flag once;
static bool ready = false;
static thread_local int mine = 0;

static int work(int from) {
  std::call_once(once, [] { mine = 3; });
  std::scoped_lock both(mutex, recursive);
  std::unique_lock<std::timed_mutex> lock(timed, std::chrono::milliseconds(100));
  std::shared_lock reader(shared);
  ++mine;
  return from + mine;
}

int main() {
  int sum = work(1);
  auto f = std::async(std::launch::async, work, 2);
  auto g = std::async(std::launch::deferred, work, 3);
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::packaged_task<int(int)> task(work);
  auto h = task.get_future();
  std::thread runner(std::move(task), 4);
  std::thread t([&] {
    {
      std::lock_guard lock(mutex);
      ready = true;
    }
    condition.notify_one();
    any.notify_all();
    promise.set_value(1);
  });
  {
    std::unique_lock lock(mutex);
    condition.wait(lock, [] { return ready; });
    any.wait_for(lock, std::chrono::milliseconds(1), [] { return ready; });
  }
  sum += f.get() + g.get() + h.get() + future.get();
  t.join();
  runner.join();
  std::promise<void> broken;
  std::shared_future<void> fails = broken.get_future().share();
  broken.set_exception(std::make_exception_ptr(std::runtime_error("so")));
  try {
    fails.get();
  } catch (const std::runtime_error& e) {
    sum += e.what()[0];
  }
  std::jthread stopped([](std::stop_token token) {
    while (!token.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  stopped.request_stop();
  std::latch latch(1);
  latch.count_down();
  latch.wait();
  std::counting_semaphore<3> semaphore(1);
  semaphore.acquire();
  semaphore.release();
  std::barrier barrier(2);
  std::thread second([&] { barrier.arrive_and_wait(); });
  barrier.arrive_and_wait();
  second.join();
  std::atomic<int> flag{0};
  std::thread waker([&] {
    flag = 1;
    flag.notify_one();
  });
  flag.wait(0);
  waker.join();
  return sum > 0 && std::thread::hardware_concurrency() > 0 ? 0 : 1;
}
