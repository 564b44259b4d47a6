// A library in C++ that loads.c, a program in C, loads with dlopen: its libstdc++ is out of the runtime's sight.
#include <mutex>
#include <stdexcept>

static int make() {
  throw std::runtime_error("no");
}
static int tries;

extern "C" int loaded(int fail) {
  static std::once_flag flag;
  int caught = 0;
  try {
    static const int made = fail != 0 ? make() : ++tries;
    std::call_once(flag, [=] { tries += made; });
  } catch (const std::runtime_error&) {
    ++caught;
  }
  int* p = new int(tries);
  const int result = *p + 10 * caught;
  delete p;
  return result;
}
