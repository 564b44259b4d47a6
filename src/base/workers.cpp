#include "base/workers.h"

#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

namespace racecast {

Error error_of_exception() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {ErrorKind::Internal, "out of memory"};
  } catch (const std::exception& error) {
    return {ErrorKind::Internal, std::string("internal error: ") + error.what()};
  } catch (...) {
    return {ErrorKind::Internal, "internal error: an exception without a name"};
  }
}

Status on_threads(unsigned count, const std::function<void(unsigned, const std::atomic<bool>&)>& work) {
  std::atomic<bool> failed = false;
  std::mutex mutex;
  std::optional<Error> first;
  const auto guarded = [&](unsigned worker) {
    try {
      work(worker, failed);
    } catch (...) {
      const Error error = error_of_exception();
      const std::scoped_lock lock(mutex);
      if (!first) first = error;
      failed = true;
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      for (unsigned i = 1; i < count; ++i) others.emplace_back([&, i] { guarded(i); });
    } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch): those that there are do all of it
    }
    guarded(0);
  }
  if (first) return std::unexpected(*std::move(first));
  return {};
}

}  // namespace racecast
