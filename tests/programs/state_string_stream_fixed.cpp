// One thread writes to a string stream, another one looks at its string. What was done before that is before what is done after it was seen.
#include <sstream>

#include "test.h"

int data;
// NORACE
std::stringstream stream;

THREAD(tells) {
  data = 1;
  lock();
  stream << "told" << 1;
  unlock();
  order_wait();
  return NULL;
}

THREAD(looks) {
  order_wait();
  lock();
  const int told = !stream.str().empty();
  unlock();
  if (told) data = 2;
  return NULL;
}

int main() {
  run_two(tells, looks);
  return data == 0;
}
