// Two threads ask for a facet of the classic locale, which orders nothing.
#include <locale>
#include <thread>

#include "test.h"

int shared;
const std::locale& classic = std::locale::classic();

static bool usable() {
  return std::has_facet<std::numpunct<char>>(classic) && &std::use_facet<std::ctype<char>>(classic) != nullptr;
}

int main() {
  order_init(2);
  std::thread first([] {
    shared = 1;  // RACE(a)
    must(usable());
    order_wait();
  });
  std::thread second([] {
    order_wait();
    must(usable());
    shared = 2;  // RACE(a)
  });
  first.join();
  second.join();
}
