// Initialisers that run once, and that fail first: std::call_once, static locals, pthread_once.
#include <pthread.h>

#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "require.h"

static std::once_flag flag;
static pthread_once_t control = PTHREAD_ONCE_INIT, outer = PTHREAD_ONCE_INIT;
static int attempts, runs, nested;

struct Made {
  explicit Made(bool fail) {
    ++attempts;
    if (fail) throw std::runtime_error("no");
  }
};
static void make(bool fail) {
  static Made made(fail);
}

// Takes long enough that the others sleep.
static int slow() {
  static const int made = [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return ++attempts;
  }();
  return made;
}

int main() {
  int caught = 0;
  for (int i = 0; i < 2; ++i) {
    try {
      std::call_once(flag, [] { throw 1; });
    } catch (int) {
      ++caught;
    }
    try {
      make(true);
    } catch (const std::runtime_error&) {
      ++caught;
    }
  }
  REQUIRE(caught == 4 && attempts == 2);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      std::call_once(flag, [] { ++runs; });
      make(false);
      pthread_once(&control, [] { ++runs; });
      slow();
    });
  }
  for (std::thread& t : threads) t.join();
  REQUIRE(runs == 2 && attempts == 4);
  pthread_once(&outer, [] {
    static pthread_once_t inner = PTHREAD_ONCE_INIT;
    pthread_once(&inner, [] { ++nested; });
    ++nested;
  });
  REQUIRE(nested == 2);
  puts("ok");
}
