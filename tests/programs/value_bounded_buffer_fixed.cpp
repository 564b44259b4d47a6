// A bounded buffer, after RECIPE's case study: the count goes up when the element is there, whichever count the consumer
// sees.
// NORACE
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
  buffer.elements[0] = 7;
  buffer.announce();
  buffer.announce();
  order_wait();
}

void consume() {
  order_wait();
  int sum = 0;
  if (buffer.size() > 0) sum = buffer.elements[0];
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
