// Philosophers take both forks, the lower one first.
// NORACE
#include <mutex>
#include <thread>
#include <vector>

#include "test.h"

constexpr int kPhilosophers = 4;
std::mutex forks[kPhilosophers];
int uses[kPhilosophers];

NOINLINE static void eat(int me) {
  int left = me, right = (me + 1) % kPhilosophers;
  std::lock_guard<std::mutex> first(forks[left < right ? left : right]);
  std::lock_guard<std::mutex> second(forks[left < right ? right : left]);
  uses[left]++;
  uses[right]++;
}

int main() {
  order_init(kPhilosophers);
  std::vector<std::thread> philosophers;
  for (int i = 0; i < kPhilosophers; i++)
    philosophers.emplace_back([i] {
      eat(i);
      order_wait();
    });
  for (std::thread& philosopher : philosophers) philosopher.join();
  int total = 0;
  for (int use : uses) total += use;
  printf("%d\n", total);
}
