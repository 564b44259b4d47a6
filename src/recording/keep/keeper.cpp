#include "recording/keep/keeper.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <vector>

#include "abi/abi.h"
#include "recording/keep/raw_log.h"

namespace racecast::recording {

namespace fs = std::filesystem;

void Keeper::look() {
  std::map<std::uint32_t, std::vector<std::pair<std::uint64_t, std::string>>> unpacked;  // by log: begin, path
  std::map<std::uint32_t, std::uint64_t> last;                                           // by log: where a piece begins
  std::error_code error;
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error)) {
    PieceName name;
    if (!parse_piece_name(entry->path().filename().string(), name)) continue;
    last[name.log] = std::max(last[name.log], name.begin);
    if (!name.packed) unpacked[name.log].emplace_back(name.begin, entry->path().string());
  }
  for (const auto& [log, pieces] : unpacked) {
    for (const auto& [begin, path] : pieces) {
      if (stop_.load(std::memory_order_relaxed)) return;
      // The last one is still written to. Where a disk is full, it stays as it is.
      if (begin == last[log]) continue;
      const Result<Packed> packed = pack_piece(path);
      if (!packed) continue;
      if (packed->bytes < packed->unpacked) saved_ += packed->unpacked - packed->bytes;
      tell_saved();
    }
  }
}

// Eight bytes in place, so that the runtime never finds half of them.
void Keeper::tell_saved() const {
  const int file = ::open((folder_ + "/" + abi::kSavedFile).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return;
  // Where it cannot be written, the runtime counts more than there is: recording ends earlier than it could.
  [[maybe_unused]] const ssize_t written = ::pwrite(file, &saved_, sizeof saved_, 0);
  ::close(file);
}

}  // namespace racecast::recording
