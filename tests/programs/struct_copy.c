// A struct is assigned as a whole while another thread reads a member.
#include "test.h"

struct Big {
  int numbers[12];
  double weight;
};
struct Big big, other;
struct Big source = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 2.5};
double seen;

NOINLINE static struct Big make(int add) {
  struct Big result = source;
  result.numbers[11] += add;
  return result;
}

NOINLINE static double weigh(struct Big by_value) {
  return by_value.weight + by_value.numbers[11];
}

THREAD(writer) {
  big = source;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  seen = big.weight;  // RACE(a)
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%g %g\n", seen, weigh(make(3)));
}
