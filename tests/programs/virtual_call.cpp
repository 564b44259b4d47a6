// An object is published by a relaxed store: its vtable pointer and members race.
#include <atomic>
#include <thread>

#include "test.h"

struct Square {
  int side;
  NOINLINE explicit Square(int s) : side(s) {}  // RACE(a) RACE(b)
  virtual ~Square() {}
  virtual int area() const {
    return side * side;  // RACE(b)
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
    shape.store(made, std::memory_order_relaxed);
    order_wait();
  });
  std::thread second([&seen] {
    order_wait();
    Square* mine = shape.load(std::memory_order_relaxed);
    seen = mine->area();  // RACE(a)
  });
  first.join();
  second.join();
  Cube cube(seen);
  printf("%d %d\n", seen, static_cast<Square&>(cube).area());
  delete shape.load();
}
