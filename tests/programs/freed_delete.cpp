// A container is deleted while another thread looks into it: one finding, whatever it looks at.
#include <map>

#include "test.h"

static std::map<int, int>* table;

THREAD(user) {
  must(table->size() == 1);  // FREED(a)
  order_wait();
  return nullptr;
}

THREAD(owner) {
  order_wait();
  delete table;  // FREED(a)
  return nullptr;
}

int main() {
  table = new std::map<int, int>{{1, 2}};
  run_two(user, owner);
  return 0;
}
