// A lock-free stack whose push is relaxed.
#include <atomic>
#include <thread>

#include "test.h"

struct Node {
  int value;
  Node* next;
};
std::atomic<Node*> top{nullptr};
int sum;

NOINLINE static void push(int value) {
  Node* node = new Node;
  node->value = value;  // RACE(a) FREED(c)
  Node* old = top.load(std::memory_order_relaxed);
  do {
    node->next = old;  // RACE(b) FREED(d)
  } while (!top.compare_exchange_weak(old, node, std::memory_order_relaxed));
}

NOINLINE static int pop() {
  Node* node = top.load(std::memory_order_relaxed);
  while (node != nullptr) {
    Node* next = node->next;  // RACE(b)
    if (top.compare_exchange_weak(node, next, std::memory_order_relaxed)) break;
  }
  if (node == nullptr) return 0;
  int value = node->value;  // RACE(a)
  delete node;  // FREED(c) FREED(d)
  return value;
}

int main() {
  order_init(2);
  std::thread first([] {
    push(1);
    push(2);
    order_wait();
  });
  std::thread second([] {
    order_wait();
    sum += pop();
    sum += pop();
    sum += pop();
  });
  first.join();
  second.join();
  printf("%d\n", sum);
}
