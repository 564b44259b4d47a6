// Objects with counted references: whoever lets go of the last one sums up the object and destroys it.
// NORACE
#include <vector>

#include "hidden/sync.h"
#include "threads.h"

namespace {

constexpr int kThreads = 4, kObjects = 12;

struct Object {
  count references{};
  long parts[kThreads] = {};
};

std::vector<Object*> objects;
long totals[kThreads];

void* work(void* number) {
  const auto me = reinterpret_cast<intptr_t>(number);
  for (Object* object : objects) {
    object->parts[me] = me + 1;
    if (count_down(&object->references) != 0) continue;
    for (const long part : object->parts) totals[me] += part;
    delete object;
  }
  return nullptr;
}

}  // namespace

int main() {
  for (int i = 0; i < kObjects; ++i) {
    objects.push_back(new Object);
    objects.back()->references.value = kThreads;
  }
  run_threads(kThreads, work);
  printf("%ld\n", totals[0] + totals[1] + totals[2] + totals[3]);
}
