// The members of std::string that programs take from libstdc++.so, instantiated here so that they have hooks.
#include <string>

template class std::__cxx11::basic_string<char>;
template class std::__cxx11::basic_string<wchar_t>;
