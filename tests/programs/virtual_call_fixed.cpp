// An object is published by a release store.
// NORACE
#include <atomic>
#include <thread>

#include "test.h"

struct Square {
  int side;
  NOINLINE explicit Square(int s) : side(s) {}
  virtual ~Square() {}
  virtual int area() const {
    return side * side;
  }
};
struct Cube : Square {
  using Square::Square;
  int area() const override { return 6 * side * side; }
};

std::atomic<Square*> shape;

int main() {
  order_init(2);
  int seen = 0;
  std::thread first([] {
    Square* made = new Square(3);
    shape.store(made, std::memory_order_release);
    order_wait();
  });
  std::thread second([&seen] {
    order_wait();
    Square* mine = shape.load(std::memory_order_acquire);
    seen = mine->area();
  });
  first.join();
  second.join();
  Cube cube(seen);
  printf("%d %d\n", seen, static_cast<Square&>(cube).area());
  delete shape.load();
}
