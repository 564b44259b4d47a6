// A variable-length array and an alloca are shared without a lock.
#include <alloca.h>

#include "test.h"

struct Shared {
  int* numbers;
  long* more;
  int length;
};
int sum;

static void* worker(void* argument) {
  struct Shared* shared = argument;
  shared->numbers[1]++;  // RACE(a)
  shared->more[0]++;     // RACE(b)
  order_wait();
  return NULL;
}

NOINLINE static void start(int length) {
  int numbers[length];
  struct Shared shared = {numbers, alloca((size_t)length * sizeof(long)), length};
  for (int i = 0; i < length; i++) shared.numbers[i] = shared.more[i] = 0;
  pthread_t a, b;
  order_init(2);
  pthread_create(&a, NULL, worker, &shared);
  pthread_create(&b, NULL, worker, &shared);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  sum = numbers[1] + (int)shared.more[0];
}

int main(int argc, UNUSED char** argv) {
  start(3 + argc);
  printf("%d\n", sum > 0);
}
