#include "const_function.h"

int const_root(int square) {
  int root = 0;
  while ((root + 1) * (root + 1) <= square) ++root;
  return root;
}

struct Parts const_parts(double number) {
  struct Parts parts = {0, 0};
  if (number < 0 || number > 1e6) return parts;
  parts.whole = (long)number;
  parts.thousandths = (long)((number - (double)parts.whole) * 1000);
  return parts;
}
