// A pointer is exchanged with relaxed order; what it points to is not published.
#include <atomic>
#include <thread>

#include "test.h"

struct Node {
  int value;
};
std::atomic<Node*> slot{nullptr};
int seen;

int main() {
  order_init(2);
  std::thread first([] {
    Node* node = new Node;
    node->value = 4;  // RACE(a) FREED(b)
    slot.exchange(node, std::memory_order_relaxed);
    order_wait();
  });
  std::thread second([] {
    order_wait();
    Node* node = slot.exchange(nullptr, std::memory_order_relaxed);
    seen = node->value;  // RACE(a)
    delete node;  // FREED(b)
  });
  first.join();
  second.join();
  printf("%d\n", seen);
}
