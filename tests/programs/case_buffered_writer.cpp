// A buffered writer, after RECIPE's case study: append reserves a place under the lock and fills its block afterwards;
// the end pads the block. The flusher saw 4 places and reads the block of the last one; with 1 or 2 that is the same block,
// and still being filled. Value relaxation, with an index that is computed from another value and stays.
#include <cstdio>
#include <mutex>
#include <thread>

#include "test.h"

namespace {

constexpr int kBlock = 4;
std::mutex mutex;
int used, blocks[2], flushed;

void append(int letter) {
  int place = 0;
  {
    const std::lock_guard scope(mutex);
    place = used++;
  }
  blocks[place / kBlock] = letter;  // RACE(a) by value
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
  int places = 0;
  {
    const std::lock_guard scope(mutex);
    places = used;
  }
  if (places > 0) flushed = blocks[(places - 1) / kBlock];  // RACE(a) by value
}

}  // namespace

int main() {
  order_init(2);
  std::thread first(write), second(flush);
  first.join();
  second.join();
  std::printf("%c of %d\n", flushed, used);
}
