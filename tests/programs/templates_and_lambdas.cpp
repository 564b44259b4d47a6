// Templates, captures by reference, std::function and member pointers lead to one unguarded sum.
// STD: c++17
#include <array>
#include <functional>
#include <mutex>
#include <numeric>
#include <thread>

#include "test.h"

template <typename T>
struct Sum {
  std::mutex mutex;
  T total{};
  NOINLINE void add(T amount) {
    total += amount;  // RACE(a)
  }
};

int main() {
  Sum<long> sum;
  void (Sum<long>::*member)(long) = &Sum<long>::add;
  std::function<void(long)> add = [&sum, member](long amount) { (sum.*member)(amount); };
  std::array<int, 5> numbers{1, 2, 3, 4, 5};
  order_init(2);
  std::thread first([&] {
    add(std::accumulate(numbers.begin(), numbers.end(), 0L));
    order_wait();
  });
  std::thread second([&] {
    order_wait();
    for (int number : numbers) add(number);
  });
  first.join();
  second.join();
  printf("%ld\n", sum.total);
}
