// Headers of others that most files include, compiled once (cmake/precompiled.cmake). No file includes this one or may
// count on it: clang-tidy reads every file without it (scripts/check-tidy). Not <filesystem>: it brings
// std::quoted, which argument-dependent lookup prefers to functions of that name of ours.
#pragma once

#include <fmt/format.h>
#include <tsl/robin_map.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
