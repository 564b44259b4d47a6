// Exceptions are caught, rethrown, nested, carried to another thread, and thrown by value of several types.
// NORACE
#include <exception>
#include <string>
#include <thread>

#include "test.h"

struct Base {
  virtual ~Base() {}
  int code = 1;
};
struct Derived : Base {
  Derived() { code = 2; }
};

NOINLINE static int classify(int kind) {
  try {
    try {
      switch (kind) {
        case 0: throw 7;
        case 1: throw std::string("text");
        case 2: throw Derived();
        default: return 0;
      }
    } catch (const Base& base) {
      if (base.code == 2) throw;
      return 10;
    } catch (int number) {
      return number;
    }
  } catch (const Derived& derived) {
    return 20 + derived.code;
  } catch (...) {
    return 30;
  }
}

int main() {
  std::exception_ptr carried;
  std::thread thread([&carried] {
    try {
      throw Derived();
    } catch (...) {
      carried = std::current_exception();
    }
  });
  thread.join();
  int code = 0;
  try {
    std::rethrow_exception(carried);
  } catch (const Base& base) {
    code = base.code;
  }
  printf("%d %d %d %d %d\n", classify(0), classify(1), classify(2), classify(3), code);
}
