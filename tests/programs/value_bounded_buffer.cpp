// A bounded buffer, after RECIPE's case study: the count is read under the lock, and goes up before the element is
// there. The consumer saw two; one would do as well.
// TSAN: misses
#include <mutex>
#include <thread>

#include "test.h"

namespace {

class Buffer {
 public:
  void announce() {
    const std::scoped_lock scope(mutex_);
    ++count_;
  }
  int size() {
    const std::scoped_lock scope(mutex_);
    return count_;
  }
  int elements[4] = {};

 private:
  std::mutex mutex_;
  int count_ = 0;
};
Buffer buffer;

void produce() {
  buffer.announce();
  buffer.elements[0] = 7;  // RACE(a) by value
  buffer.announce();
  order_wait();
}

void consume() {
  order_wait();
  int sum = 0;
  if (buffer.size() > 0) sum = buffer.elements[0];  // RACE(a) by value
  if (sum < 0) std::printf("negative\n");
}

}  // namespace

int main() {
  order_init(2);
  std::thread producer(produce), consumer(consume);
  producer.join();
  consumer.join();
  std::printf("%d\n", buffer.size());
}
