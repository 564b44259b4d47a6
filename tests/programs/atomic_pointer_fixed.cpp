// A pointer is exchanged with acquire and release order.
// NORACE
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
    node->value = 4;
    slot.exchange(node, std::memory_order_acq_rel);
    order_wait();
  });
  std::thread second([] {
    order_wait();
    Node* node = slot.exchange(nullptr, std::memory_order_acq_rel);
    seen = node->value;
    delete node;
  });
  first.join();
  second.join();
  printf("%d\n", seen);
}
