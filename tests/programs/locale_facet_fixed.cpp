// The last locale that has a facet destroys it: whoever used it before gave up its own first.
// NORACE
#include <locale>
#include <thread>

#include "test.h"

struct Facet : std::locale::facet {
  static std::locale::id id;
  int used = 0;
  ~Facet() override {
    used = -1;
  }
};
std::locale::id Facet::id;

int main() {
  order_init(2);
  auto* const made = new std::locale(std::locale::classic(), new Facet);
  std::locale one(*made), two(*made);
  delete made;
  auto* const first_has = new std::locale(one);
  auto* const second_has = new std::locale(two);
  one = std::locale::classic();
  two = std::locale::classic();
  std::thread first([&] {
    must(std::use_facet<Facet>(*first_has).used == 0);
    delete first_has;
    order_wait();
  });
  std::thread second([&] {
    order_wait();
    delete second_has;
  });
  first.join();
  second.join();
}
