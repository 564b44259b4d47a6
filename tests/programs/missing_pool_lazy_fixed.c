// NATIVE: native/lazy_pool.c
// LIBS: -lpthread
// A library that was not recorded makes its threads when it is called for the first time. What a callback did, main
// reads when it has waited for that one; then it hands it to the next.
// NORACE
#include "test.h"

struct job* run_later(void (*task)(void*), void* argument);
void wait_for(struct job* job);

struct part {
  int input, result;
  struct part* before;
};

static void compute(void* argument) {
  struct part* part = argument;
  part->result = part->input * 2 + (part->before != NULL ? part->before->result : 0);
}

int main(void) {
  struct part* parts[6];
  int sum = 0;
  for (int i = 0; i < 6; i++) {
    parts[i] = calloc(1, sizeof(struct part));
    parts[i]->input = i;
    parts[i]->before = i > 0 ? parts[i - 1] : NULL;
    wait_for(run_later(compute, parts[i]));
    sum += parts[i]->result;
  }
  struct job* a = run_later(compute, parts[1]);
  struct job* b = run_later(compute, parts[4]);
  wait_for(a);
  wait_for(b);
  sum += parts[1]->result + parts[4]->result;
  printf("%d\n", sum);
}
