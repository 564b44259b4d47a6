// One thread writes to a file, another one reads it by a stream of its own. What is done after that, nothing orders.
#include <cstdio>
#include <fstream>
#include <string>

#include "test.h"

int data;
std::ofstream stream;
const char* const kFile = std::tmpnam(nullptr);

THREAD(tells) {
  lock();
  stream << "told" << std::endl;
  unlock();
  data = 1;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(looks) {
  order_wait();
  lock();
  const int told = [] {
    std::ifstream in(kFile);
    std::string line;
    return static_cast<bool>(std::getline(in, line));
  }();
  unlock();
  if (told) data = 2;  // RACE(a)
  return NULL;
}

int main() {
  stream.open(kFile);
  run_two(tells, looks);
  return data == 0;
}
