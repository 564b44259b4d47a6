// Copies of a locale share what they stand for, and count themselves. The last one destroys facets, which may be the
// program's own: that the others are done by then is told by the count. The classic locale is not counted.
//
// Weak: with -static-libstdc++ the file of libstdc++ that has these is linked, too.
#include <cstring>
#include <locale>

namespace std {

namespace {

// What the classic locale stands for. Found out before other constructors run: to ask for it each time is to look at
// a once-guard of libstdc++ each time.
const void* classic_one = nullptr;

__attribute__((constructor(101))) void find_classic() {
  memcpy(&classic_one, &locale::classic(), sizeof(classic_one));
}

}  // namespace

__attribute__((weak)) locale::locale(const locale& other) noexcept : _M_impl(other._M_impl) {
  if (_M_impl != classic_one) _M_impl->_M_add_reference();
}

__attribute__((weak)) const locale& locale::operator=(const locale& other) noexcept {
  if (other._M_impl != classic_one) other._M_impl->_M_add_reference();
  if (_M_impl != classic_one) _M_impl->_M_remove_reference();
  _M_impl = other._M_impl;
  return *this;
}

__attribute__((weak)) locale::~locale() noexcept {
  if (_M_impl != classic_one) _M_impl->_M_remove_reference();
}

}  // namespace std
