// Detached threads that nobody waits for increment an atomic; one of them sleeps first.
// EXIT: 4
// NORACE
#include <atomic>
#include <chrono>
#include <thread>

#include "test.h"

std::atomic<int> shared;

int main() {
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ++shared;
  }).detach();
  std::thread([] { ++shared; }).detach();
  exit(4);
}
