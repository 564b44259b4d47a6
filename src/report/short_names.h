// Names as people say them: functions without what templates and parameters add, files as seen from here.
#pragma once

#include <string>
#include <string_view>

namespace racecast::report {

// "void std::vector<int, std::allocator<int> >::push_back(int const&) const" becomes "std::vector::push_back": neither
// result, nor parameters, nor arguments of templates; nor inline namespaces and numbers of lambdas. What is no C++
// function stays as it is.
std::string bare_function(std::string_view name);

// What is longer than a line can bear loses arguments of templates, the innermost first, and then its parameters.
std::string shortened(std::string_view name);

// Without what compilers add for their own use: "words[abi:cxx11]" becomes "words".
std::string without_abi_tags(std::string_view name);

// A file below `folder` as seen from there; any other as it is, without detours ("lib/../include"). `folder` may be
// empty.
std::string seen_from(const std::string& folder, const std::string& file);

// Without its folders.
std::string_view file_name(std::string_view path);

}  // namespace racecast::report
