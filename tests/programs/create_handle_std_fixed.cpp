// A new std::thread tells another one that it runs; its object, whose constructor is not over, has its id by then.
// STD: c++20
// NORACE
#include <new>
#include <semaphore>
#include <thread>

#include "test.h"

alignas(std::thread) unsigned char place[sizeof(std::thread)];
std::thread& worker = *reinterpret_cast<std::thread*>(place);
std::binary_semaphore begun(0);

int main() {
  std::thread reader([] {
    begun.acquire();
    printf("%d\n", worker.get_id() == std::this_thread::get_id());
  });
  new (place) std::thread([] { begun.release(); });
  reader.join();
  worker.join();
}
