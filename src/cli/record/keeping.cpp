#include "cli/record/keeping.h"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <system_error>

#include "recording/keep/keeper.h"

namespace racecast::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds kPause{50};
constexpr int kNice = 10;  // the program comes first

}  // namespace

Keeping::Keeping(const std::string& folder) {
  // Signals are for the thread that waits for the program.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  try {
    thread_ = std::thread([this, folder] { run(folder); });
  } catch (const std::system_error&) {
    thread_ = {};  // no thread can be had: nothing is packed, and the limit is reached earlier
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Keeping::~Keeping() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  ended_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Keeping::run(const std::string& folder) {
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);  // of this thread
  std::map<std::string, recording::Keeper> keepers;
  std::unique_lock lock(mutex_);
  while (!stop_) {
    ended_.wait_for(lock, kPause, [this] { return stop_.load(); });
    lock.unlock();
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
      if (entry->is_directory(error)) keepers.try_emplace(entry->path(), entry->path(), stop_);
    for (auto& [path, keeper] : keepers) keeper.look();
    lock.lock();
  }
}

}  // namespace racecast::cli
