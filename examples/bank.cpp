// A race that the run hides. The clerk notes the last deposit without the lock and counts it with the lock; the auditor
// counts an audit with the same lock, then reads the note without it. The auditor comes later in the day, so the lock
// happens to order the two: a tool that looks only at what happened sees nothing wrong. racecast asks what else can
// happen: coming later is no synchronisation, and on a bad day the clerk is late.
//
//   racecast c++ -O1 -pthread examples/bank.cpp -o bank
//   racecast run -- ./bank
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex counting;
int deposits = 0;      // guarded by `counting`
int audits = 0;        // guarded by `counting`
int last_deposit = 0;  // guarded by nothing

void clerk() {
  last_deposit = 100;
  std::lock_guard lock(counting);
  ++deposits;
}

void auditor() {
  {
    std::lock_guard lock(counting);
    ++audits;
  }
  std::printf("the last deposit was %d\n", last_deposit);
}

int main() {
  std::thread first(clerk);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  std::thread second(auditor);
  first.join();
  second.join();
}
