// A bounded queue with two conditions.
// NORACE
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "test.h"

std::mutex mutex;
std::condition_variable not_empty, not_full;
std::deque<int> queue;
int count;
int sum;

int main() {
  std::thread producer([] {
    for (int i = 1; i <= 6; i++) {
      std::unique_lock<std::mutex> guard(mutex);
      not_full.wait(guard, [] { return queue.size() < 2; });
      queue.push_back(i);
      count++;
      not_empty.notify_one();
    }
  });
  std::thread consumer([] {
    for (int i = 1; i <= 6; i++) {
      std::unique_lock<std::mutex> guard(mutex);
      not_empty.wait(guard, [] { return !queue.empty(); });
      sum += queue.front();
      queue.pop_front();
      not_full.notify_one();
    }
  });
  producer.join();
  consumer.join();
  printf("%d %d\n", sum, count);
}
