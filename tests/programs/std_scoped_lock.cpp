// STD: c++17
// A transfer locks one of two accounts only.
#include <mutex>
#include <thread>

#include "test.h"

struct Account {
  std::mutex mutex;
  int money = 100;
};
Account a, b;

NOINLINE static void transfer(Account& from, Account& to, int amount) {
  std::scoped_lock guard(from.mutex);
  from.money -= amount;  // RACE(a)
  to.money += amount;    // RACE(a)
}

int main() {
  order_init(2);
  std::thread first([] {
    transfer(a, b, 10);
    order_wait();
  });
  std::thread second([] {
    order_wait();
    transfer(b, a, 30);
  });
  first.join();
  second.join();
  printf("%d %d\n", a.money, b.money);
}
