// Two accounts, after RECIPE's case study: a transfer takes from one and gives to the other, each under its lock, and
// notes in between what it moves. The audit saw 60 + 40; 60 + 0 passes as well, while the note is being written.
// Value relaxation, with a condition on two reads.
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
  note = 40;  // RACE(a) by value
  two.add(40);
  order_wait();
}

void audit() {
  order_wait();
  const int first = one.get();
  const int second = two.get();
  if (first + second <= 100) seen = note;  // RACE(a) by value
}

}  // namespace

int main() {
  order_init(2);
  std::thread first(transfer), second(audit);
  first.join();
  second.join();
  std::printf("%d %d, %d moved\n", one.balance, two.balance, seen);
}
