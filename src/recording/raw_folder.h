// What the runtime left behind of one process, before anything of it is understood: the folder of abi/abi.h as a
// table of modules and streams.
//
// The process may have been killed at any moment, the disk may have been full, and a file may come from anywhere: what
// cannot be read is left out and said in `notes`. Only a folder without a readable `meta` is an error.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "abi/abi.h"
#include "base/result.h"
#include "recording/keep/raw_log.h"

namespace racecast::recording {

// A thread id above is damage: no process has so many threads in one run.
inline constexpr std::uint32_t kMaxThreads = 1u << 20;

struct RawModule {
  std::uint64_t ids_begin = 0;
  std::uint32_t ids = 0;
  std::vector<std::uint64_t> globals;    // addresses by GlobalId
  std::vector<std::uint64_t> functions;  // by FunctionId
  std::vector<std::uint8_t> model;       // packed (abi/model_blob.h)
};

struct RawStream {
  std::uint32_t number = 0;
  std::uint32_t thread = 0;
  std::uint32_t handlers_of = abi::kNoStream;
  std::uint32_t log_number = 0;       // N of tN.log
  std::shared_ptr<const RawLog> log;  // null where log_bytes is 0
  std::uint64_t log_begin = 0;        // where in it this stream begins
  std::uint64_t log_bytes = 0;        // how much of it counts
  std::vector<std::uint8_t> tail;     // what was still in the buffer: it follows the log
};

struct RawFolder {
  std::uint32_t pid = 0, parent = 0;
  std::uint64_t start = 0;  // ns of the realtime clock
  std::string command;
  std::vector<RawModule> modules;  // in order of registration
  std::vector<RawStream> streams;  // by number
  std::map<std::uint32_t, std::string> thread_names;
  struct Stopped {
    std::uint64_t stamp = 0;
    std::string reason;
  };
  std::optional<Stopped> stopped;  // nothing after that stamp counts
  std::vector<std::string> notes;
};

Result<RawFolder> read_raw_folder(const std::string& path);

// The folders of processes in `dir`, in the order in which the processes started. bad_input where `dir` cannot be read;
// an empty list is no error.
Result<std::vector<std::string>> process_folders(const std::string& dir);

}  // namespace racecast::recording
