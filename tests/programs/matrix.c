// Two threads add to one row of a matrix.
#include "test.h"

double matrix[4][8];

NOINLINE static void add(double (*rows)[8], int row, double amount) {
  for (int column = 0; column < 8; column++) rows[row][column] += amount * column;  // RACE(a)
}

THREAD(first) {
  add(matrix, 2, 1.0);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  add(matrix, 2, 0.5);
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%g %g\n", matrix[2][7], matrix[3][7]);
}
