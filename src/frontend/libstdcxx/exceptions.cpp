// Exceptions that are made of a string: the same as of its characters, which the table of library functions knows.
//
// Weak: with -static-libstdc++ the file of libstdc++ that has these is linked, too.
#include <stdexcept>
#include <string>

namespace std {

__attribute__((weak)) logic_error::logic_error(const string& what) : logic_error(what.c_str()) {}
__attribute__((weak)) domain_error::domain_error(const string& what) : domain_error(what.c_str()) {}
__attribute__((weak)) invalid_argument::invalid_argument(const string& what) : invalid_argument(what.c_str()) {}
__attribute__((weak)) length_error::length_error(const string& what) : length_error(what.c_str()) {}
__attribute__((weak)) out_of_range::out_of_range(const string& what) : out_of_range(what.c_str()) {}
__attribute__((weak)) runtime_error::runtime_error(const string& what) : runtime_error(what.c_str()) {}
__attribute__((weak)) range_error::range_error(const string& what) : range_error(what.c_str()) {}
__attribute__((weak)) overflow_error::overflow_error(const string& what) : overflow_error(what.c_str()) {}
__attribute__((weak)) underflow_error::underflow_error(const string& what) : underflow_error(what.c_str()) {}

}  // namespace std
