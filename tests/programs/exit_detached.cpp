// Detached threads that nobody waits for race with each other; one of them sleeps first.
// EXIT: 4
#include <chrono>
#include <thread>

#include "test.h"

int shared;

int main() {
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ++shared;  // RACE(a)
  }).detach();
  std::thread([] {
    ++shared;  // RACE(a)
  }).detach();
  exit(4);
}
