// A tree of threads sums an array: each splits its part until it is small.
#include <pthread.h>
#include <stdio.h>
enum { kN = 1 << 16, kLeaf = 1 << 11 };
static int a[kN];
struct part { int from, to; long sum; };
static void* work(void* arg) {
  struct part* p = arg;
  if (p->to - p->from <= kLeaf) {
    for (int i = p->from; i < p->to; i++) p->sum += a[i];
    return 0;
  }
  int middle = (p->from + p->to) / 2;
  struct part left = {p->from, middle, 0}, right = {middle, p->to, 0};
  pthread_t t;
  pthread_create(&t, 0, work, &left);
  work(&right);
  pthread_join(t, 0);
  p->sum = left.sum + right.sum;
  return 0;
}
int main(void) {
  long all = 0;
  for (int i = 0; i < kN; i++) a[i] = i;
  for (int round = 0; round < 200; round++) {
    struct part whole = {0, kN, 0};
    work(&whole);
    all += whole.sum;
  }
  printf("%ld\n", all);
}
