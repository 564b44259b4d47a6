// Many threads that do everything at once, also with signals coming in: for the merger to check that stamps give a
// legal order.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "require.h"

static std::mutex mutex;
static std::condition_variable condition;
static std::deque<int*> queue;
static std::shared_mutex shared;
static sem_t semaphore, signals;
static pthread_barrier_t barrier;
static std::atomic<int> total{0};
static long value;

static void handler(int) {
  sem_post(&signals);
}

static void produce(int count) {
  for (int i = 0; i < count; ++i) {
    int* item = static_cast<int*>(std::malloc(sizeof(int)));
    *item = i;
    const std::lock_guard lock(mutex);
    queue.push_back(item);
    condition.notify_one();
  }
}
static void consume(int count) {
  for (int i = 0; i < count; ++i) {
    std::unique_lock lock(mutex);
    condition.wait(lock, [] { return !queue.empty(); });
    int* item = queue.front();
    queue.pop_front();
    lock.unlock();
    total += *item >= 0;
    std::free(item);
  }
}
static void read_and_write(int count) {
  for (int i = 0; i < count; ++i) {
    if (i % 4 == 0) {
      const std::lock_guard lock(shared);
      ++value;
    } else if (shared.try_lock_shared()) {
      REQUIRE(value >= 0);
      shared.unlock_shared();
    }
    while (sem_wait(&semaphore) != 0) {
    }
    sem_post(&semaphore);
    if (sem_trywait(&signals) == 0) ++total;
  }
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 200;
  const int pairs = 4;
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
  sem_init(&semaphore, 0, 2);
  sem_init(&signals, 0, 0);
  pthread_barrier_init(&barrier, nullptr, 3 * pairs);
  std::vector<std::thread> threads;
  for (int i = 0; i < pairs; ++i) {
    threads.emplace_back([=] { pthread_barrier_wait(&barrier), produce(count), pthread_barrier_wait(&barrier); });
    threads.emplace_back([=] { pthread_barrier_wait(&barrier), consume(count), pthread_barrier_wait(&barrier); });
    threads.emplace_back(
        [=] { pthread_barrier_wait(&barrier), read_and_write(count), pthread_barrier_wait(&barrier); });
  }
  for (int i = 0; i < count; ++i) {
    pthread_kill(threads[static_cast<std::size_t>(i) % threads.size()].native_handle(), SIGUSR1);
    // Short-lived ones on the side.
    std::thread([] { total += 0; }).join();
  }
  for (std::thread& t : threads) t.join();
  REQUIRE(total >= pairs * count);
  REQUIRE(value == pairs * ((count + 3) / 4));
  puts("ok");
}
