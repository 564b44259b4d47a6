// Twin of case_buffered_writer, repaired: blocks are filled and read under the lock.
// NORACE
#include <cstdio>
#include <mutex>
#include <thread>

#include "test.h"

namespace {

constexpr int kBlock = 4;
std::mutex mutex;
int used, blocks[2], flushed;

void append(int letter) {
  const std::lock_guard scope(mutex);
  const int place = used++;
  blocks[place / kBlock] = letter;
}

void write() {
  append('a');
  append('b');
  {
    const std::lock_guard scope(mutex);
    used = kBlock;
  }
  order_wait();
}

void flush() {
  order_wait();
  const std::lock_guard scope(mutex);
  if (used > 0) flushed = blocks[(used - 1) / kBlock];
}

}  // namespace

int main() {
  order_init(2);
  std::thread first(write), second(flush);
  first.join();
  second.join();
  std::printf("%c of %d\n", flushed, used);
}
