// Ping-pong, after RECIPE's case study: after an odd number of hits the ball is Pong's. Ping says that it has hit before
// it says where to; Pong saw the third hit, and the first one is odd, too. Value relaxation, by arithmetic.
#include <atomic>
#include <cstdio>
#include <thread>

#include "test.h"

namespace {

std::atomic<int> hits;
int place, seen;

void ping() {
  hits = 1;
  place = 5;  // RACE(a) by value
  hits = 3;
  order_wait();
}

void pong() {
  order_wait();
  if (hits % 2 == 1) seen = place;  // RACE(a) by value
}

}  // namespace

int main() {
  order_init(2);
  std::thread first(ping), second(pong);
  first.join();
  second.join();
  std::printf("%d hits, at %d\n", hits.load(), seen);
}
