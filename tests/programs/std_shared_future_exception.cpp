// Two threads get the same exception out of a shared_future. It passes functions that clean up and functions that do not; the unwinder's
// own lock, which it takes in between, belongs to the call in the latter.
// NORACE
#include <future>
#include <stdexcept>

#include "test.h"

static std::promise<int> promised;
static std::shared_future<int> result;
static std::size_t seen[2];

static void get(int who) {
  try {
    result.get();
  } catch (const std::exception& error) {
    seen[who] = strlen(error.what());
  }
}

THREAD(first) {
  get(0);
  return nullptr;
}
THREAD(second) {
  get(1);
  return nullptr;
}

int main() {
  result = promised.get_future().share();
  promised.set_exception(std::make_exception_ptr(std::runtime_error("no result")));
  run_two(first, second);
  std::printf("%zu %zu\n", seen[0], seen[1]);
}
