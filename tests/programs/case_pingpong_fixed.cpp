// Twin of case_pingpong, repaired: Ping says where to before it says that it has hit.
// NORACE
#include <atomic>
#include <cstdio>
#include <thread>

#include "test.h"

namespace {

std::atomic<int> hits;
int place, seen;

void ping() {
  place = 5;
  hits = 1;
  hits = 3;
  order_wait();
}

void pong() {
  order_wait();
  if (hits % 2 == 1) seen = place;
}

}  // namespace

int main() {
  order_init(2);
  std::thread first(ping), second(pong);
  first.join();
  second.join();
  std::printf("%d hits, at %d\n", hits.load(), seen);
}
