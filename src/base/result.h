// How a failure travels: Result<T> is a value or an Error, passed up with RC_TRY and printed only by cli/main.cpp.
//
// Bad input and a bad environment are Errors. Our own mistakes are not: they stop in CHECK (check.h). Nothing here
// throws; an exception of a library ends in the file that wraps that library.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace racecast {

// Who has to do something about it; cli/main.cpp turns it into the exit code.
enum class ErrorKind {
  BadInput,  // a file or an argument is wrong (exit 2)
  Internal,  // racecast contradicts itself (exit 3)
};

struct Error {
  ErrorKind kind = ErrorKind::BadInput;
  std::string message;  // what, where and what to do, in one sentence without a final newline
};

template <typename T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

inline std::unexpected<Error> bad_input(std::string message) {
  return std::unexpected(Error{ErrorKind::BadInput, std::move(message)});
}
inline std::unexpected<Error> internal_error(std::string message) {
  return std::unexpected(Error{ErrorKind::Internal, std::move(message)});
}

}  // namespace racecast

#define RC_CONCAT_INNER(a, b) a##b
#define RC_CONCAT(a, b) RC_CONCAT_INNER(a, b)

// RC_TRY(declaration, expression): declares a variable from the value of a Result, or returns its error.
#define RC_TRY(declaration, ...)                                                                              \
  auto RC_CONCAT(rc_try_, __LINE__) = (__VA_ARGS__);                                                          \
  if (!RC_CONCAT(rc_try_, __LINE__)) return std::unexpected(std::move(RC_CONCAT(rc_try_, __LINE__)).error()); \
  declaration = *std::move(RC_CONCAT(rc_try_, __LINE__))

// RC_TRY_STATUS(expression): the same for a Status.
#define RC_TRY_STATUS(...)                                                                     \
  do {                                                                                         \
    if (auto rc_status = (__VA_ARGS__); !rc_status) return std::unexpected(rc_status.error()); \
  } while (false)
