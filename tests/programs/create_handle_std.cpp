// The constructor of std::thread stores the new thread's id in the object, which another thread asks for it unordered.
#include <new>
#include <thread>

#include "test.h"

alignas(std::thread) unsigned char place[sizeof(std::thread)];
std::thread& worker = *reinterpret_cast<std::thread*>(place);

int main() {
  order_init(2);
  std::thread reader([] {
    order_wait();
    order_wait();
    printf("%d\n", worker.get_id() == std::this_thread::get_id());  // RACE(a)
  });
  order_wait();
  new (place) std::thread([] {});  // RACE(a)
  order_wait();
  reader.join();
  worker.join();
}
