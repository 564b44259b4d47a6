// The pages of docs/kinds/, built into the binary (cmake/kind_pages.cmake writes kind_pages.cpp).
#pragma once

#include <string_view>

namespace racecast::cli {

// Empty if there is no page of that name.
std::string_view kind_page(std::string_view kind);

}  // namespace racecast::cli
