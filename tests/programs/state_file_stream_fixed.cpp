// One thread writes to a file, another one reads it by a stream of its own. What was done before that is before what is done after it was seen.
#include <cstdio>
#include <fstream>
#include <string>

#include "test.h"

int data;
// NORACE
std::ofstream stream;
const char* const kFile = std::tmpnam(nullptr);

THREAD(tells) {
  data = 1;
  lock();
  stream << "told" << std::endl;
  unlock();
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
  if (told) data = 2;
  return NULL;
}

int main() {
  stream.open(kFile);
  run_two(tells, looks);
  return data == 0;
}
