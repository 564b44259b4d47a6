// LIBRARY: parts/loaded.c
// LIBS: -ldl
// A library with hooks, loaded with dlopen in a running process, calls back; the callback writes without a lock.
#include <dlfcn.h>

#include "test.h"

int (*walk)(const int*, int, void (*)(int));
int total;
int numbers[3] = {1, 2, 3};

static void add(int number) {
  total += number;  // RACE(a)
}

THREAD(first) {
  walk(numbers, 3, add);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  walk(numbers, 2, add);
  return NULL;
}

int main(void) {
  void* library = dlopen(TEST_LIBRARY, RTLD_NOW);
  if (library == NULL) return 1;
  walk = (int (*)(const int*, int, void (*)(int)))dlsym(library, "loaded_walk");
  run_two(first, second);
  int walks = walk(numbers, 0, add);
  dlclose(library);
  printf("%d %d\n", total, walks);
}
