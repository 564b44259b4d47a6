// A block freed by one thread is allocated by the next, many times, without any other synchronisation.
// NORACE
#include "test.h"

enum { kRounds = 20 };
void* addresses[2][kRounds];

NOINLINE static void round_of(int who, int i) {
  char* block = malloc(1000);
  memset(block, who, 1000);
  addresses[who][i] = block;
  free(block);
}

THREAD(first) {
  for (int i = 0; i < kRounds; i++) {
    round_of(0, i);
    order_wait();
    order_wait();
  }
  return NULL;
}

THREAD(second) {
  for (int i = 0; i < kRounds; i++) {
    order_wait();
    round_of(1, i);
    order_wait();
  }
  return NULL;
}

int main(void) {
  run_two(first, second);
  int null = 0;
  for (int i = 0; i < kRounds; i++) null += addresses[0][i] == NULL || addresses[1][i] == NULL;
  printf("%d\n", null);
}
