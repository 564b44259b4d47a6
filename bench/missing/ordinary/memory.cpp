// Smart pointers and allocators, polymorphic ones too.
#include <malloc.h>
#include <cstdlib>
#include <map>
#include <memory>
#include <memory_resource>
#include <new>
#include <scoped_allocator>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

struct alignas(64) Line {
  char bytes[64];
};
static std::pmr::synchronized_pool_resource shared;
static std::shared_ptr<int> published = std::make_shared<int>(3);
static std::atomic<std::shared_ptr<int>> atomic_shared;

static long work(int from) {
  long sum = 0;
  std::pmr::vector<int> by_default(std::pmr::get_default_resource());
  char buffer[512];
  std::pmr::monotonic_buffer_resource arena(buffer, sizeof(buffer));
  std::pmr::vector<std::pmr::string> in_arena(&arena);
  std::pmr::unsynchronized_pool_resource pool;
  std::pmr::map<int, std::pmr::string> in_pool(&pool);
  std::pmr::unordered_map<int, int> in_shared(&shared);
  for (int i = from; i < from + 20; ++i) {
    by_default.push_back(i);
    in_arena.emplace_back("a string that is longer than fifteen");
    in_pool[i] = "a string that is longer than fifteen, too";
    in_shared[i] = i;
  }
  in_pool.erase(from);
  in_shared.erase(from);
  std::unique_ptr<Line> line(new Line);
  line->bytes[0] = 1;
  auto array = std::make_unique<int[]>(10);
  int* plain = new (std::nothrow) int(5);
  sum += *plain;
  delete plain;
  std::shared_ptr<int> p = std::atomic_load(&published);
  std::weak_ptr<int> weak = p;
  if (auto q = weak.lock()) sum += *q;
  std::atomic_store(&published, std::make_shared<int>(from));
  atomic_shared.store(p);
  sum += *atomic_shared.load();
  struct Base {
    virtual ~Base() = default;
  };
  struct Derived : Base {};
  std::shared_ptr<Base> base = std::make_shared<Derived>();
  sum += std::dynamic_pointer_cast<Derived>(base) != nullptr;
  void* block = nullptr;
  if (posix_memalign(&block, 64, 128) == 0) sum += static_cast<long>(malloc_usable_size(block)) > 0;
  std::free(block);
  std::free(std::aligned_alloc(64, 128));
  void* room = buffer;
  std::size_t space = sizeof(buffer);
  sum += std::align(16, 32, room, space) != nullptr;
  return sum + static_cast<long>(by_default.size() + in_arena.size() + in_pool.size() + in_shared.size()) + array[0];
}

int main() {
  atomic_shared.store(std::make_shared<int>(1));
  long results[2];
  std::thread other([&] { results[0] = work(1); });
  results[1] = work(10);
  other.join();
  return results[0] + results[1] > 0 ? 0 : 1;
}
