// new and delete, plain, array, aligned and nothrow: every thread its own objects, at reused addresses.
// NORACE
#include <new>
#include <thread>

#include "test.h"

struct alignas(64) Line {
  int cells[16];
};
int sum;

NOINLINE static int use(int base) {
  int* one = new int(base);
  int* many = new int[8];
  Line* line = new Line;
  char* raw = new (std::nothrow) char[100];
  many[3] = *one + 1;
  line->cells[5] = many[3] + 1;
  raw[99] = static_cast<char>(line->cells[5] + 1);
  int result = raw[99];
  delete one;
  delete[] many;
  delete line;
  delete[] raw;
  return result;
}

int main() {
  int* shared = new int[4];
  order_init(2);
  std::thread first([shared] {
    int mine = use(1);
    shared[1] = mine;
    order_wait();
  });
  std::thread second([shared] {
    order_wait();
    int mine = use(2);
    shared[2] = mine + 1;
  });
  first.join();
  second.join();
  sum = shared[1] + shared[2];
  printf("%d\n", sum);
  delete[] shared;
}
