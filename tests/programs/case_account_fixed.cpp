// Twin of case_account, repaired: the note belongs to the second account's lock, for both.
// NORACE
#include <cstdio>
#include <mutex>
#include <thread>

#include "test.h"

namespace {

struct Account {
  std::mutex mutex;
  int balance = 0;

  void add(int amount) {
    const std::lock_guard scope(mutex);
    balance += amount;
  }
  int get() {
    const std::lock_guard scope(mutex);
    return balance;
  }
};
Account one{{}, 100}, two;
int note, seen;

void transfer() {
  one.add(-40);
  {
    const std::lock_guard scope(two.mutex);
    note = 40;
    two.balance += 40;
  }
  order_wait();
}

void audit() {
  order_wait();
  const int first = one.get();
  const std::lock_guard scope(two.mutex);
  if (first + two.balance <= 100) seen = note;
}

}  // namespace

int main() {
  order_init(2);
  std::thread first(transfer), second(audit);
  first.join();
  second.join();
  std::printf("%d %d, %d moved\n", one.balance, two.balance, seen);
}
