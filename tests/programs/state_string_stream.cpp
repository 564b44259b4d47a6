// One thread writes to a string stream, another one looks at its string. What is done after that, nothing orders.
#include <sstream>

#include "test.h"

int data;
std::stringstream stream;

THREAD(tells) {
  lock();
  stream << "told" << 1;
  unlock();
  data = 1;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(looks) {
  order_wait();
  lock();
  const int told = !stream.str().empty();
  unlock();
  if (told) data = 2;  // RACE(a)
  return NULL;
}

int main() {
  run_two(tells, looks);
  return data == 0;
}
