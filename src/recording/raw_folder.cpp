#include "recording/raw_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>
#include <tuple>

#include "base/bytes.h"
#include "base/file.h"

namespace racecast::recording {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxMeta = std::uint64_t{4} << 30;
// How long a reason, a command or a thread's name may be; more is cut off.
constexpr std::size_t kMaxText = 4096;

std::string rest_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kMaxText)};
}

bool read_addresses(ByteReader& in, std::uint64_t count, std::vector<std::uint64_t>& to) {
  if (count > in.left() / sizeof(std::uint64_t)) return false;
  to.resize(count);
  in.raw(to.data(), count * sizeof(std::uint64_t));
  return in.ok();
}

bool read_module(std::span<const std::uint8_t> payload, RawModule& module) {
  ByteReader in(payload);
  module.ids_begin = in.u64();
  module.ids = in.u32();
  in.u32();
  const std::uint64_t globals = in.u64();
  const std::uint64_t functions = in.u64();
  const std::uint64_t model = in.u64();
  if (!in.ok() || !read_addresses(in, globals, module.globals) || !read_addresses(in, functions, module.functions) ||
      model != in.left()) {
    return false;
  }
  const auto packed = payload.subspan(in.position());
  module.model.assign(packed.begin(), packed.end());
  return true;
}

bool read_process(std::span<const std::uint8_t> payload, RawFolder& folder, std::uint32_t& version) {
  ByteReader in(payload);
  version = in.u32();
  folder.pid = in.u32();
  folder.parent = in.u32();
  folder.start = in.u64();
  if (in.ok()) folder.command = rest_of(payload.subspan(in.position()));
  return in.ok();
}

Status read_meta(const std::string& path, RawFolder& folder) {
  RC_TRY(const std::string content, read_file(path, kMaxMeta));
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(content.data()), content.size());
  bool process = false;
  std::size_t done = 0;
  while (bytes.size() - done >= sizeof(abi::MetaHeader)) {
    abi::MetaHeader header;
    std::memcpy(&header, bytes.data() + done, sizeof header);
    if (header.bytes > bytes.size() - done - sizeof header) break;
    const auto payload = bytes.subspan(done + sizeof header, header.bytes);
    bool good = true;
    switch (static_cast<abi::MetaKind>(header.kind)) {
      case abi::MetaKind::Process: {
        std::uint32_t version = 0;
        good = read_process(payload, folder, version);
        if (good && version != abi::kVersion) {
          return bad_input(fmt::format("{}: recorded by version {} of the runtime; this racecast reads version {}",
                                       path, version, abi::kVersion));
        }
        process = good;
        break;
      }
      case abi::MetaKind::Module: {
        RawModule module;
        good = read_module(payload, module);
        if (good) folder.modules.push_back(std::move(module));
        break;
      }
      case abi::MetaKind::Thread: {
        ByteReader in(payload);
        const std::uint32_t thread = in.u32();
        good = in.ok() && thread < kMaxThreads;
        if (good) folder.thread_names[thread] = rest_of(payload.subspan(in.position()));
        break;
      }
      case abi::MetaKind::Stream: {
        ByteReader in(payload);
        RawStream stream;
        stream.number = in.u32();
        stream.thread = in.u32();
        stream.handlers_of = in.u32();
        stream.log_number = in.u32();
        stream.log_begin = in.u64();
        good = in.ok() && stream.thread < kMaxThreads;
        if (good) folder.streams.push_back(std::move(stream));
        break;
      }
      case abi::MetaKind::Stopped: {
        ByteReader in(payload);
        const std::uint64_t stamp = in.u64();
        good = in.ok();
        // The first one counts: after it, nothing is complete.
        if (good && (!folder.stopped || stamp < folder.stopped->stamp)) {
          folder.stopped = RawFolder::Stopped{stamp, rest_of(payload.subspan(in.position()))};
        }
        break;
      }
      case abi::MetaKind::Incomplete: folder.notes.push_back(rest_of(payload)); break;
      default: good = false;
    }
    if (!good) folder.notes.push_back(fmt::format("{}: the record at byte {} is malformed", path, done));
    done += sizeof header + header.bytes;
  }
  if (done != bytes.size()) {
    folder.notes.push_back(fmt::format("{}: {} bytes at the end are not a whole record", path, bytes.size() - done));
  }
  if (!process) return bad_input(fmt::format("{}: says of no process; is it a recording?", path));
  return {};
}

bool is_buffer(const std::string& name) {
  return name.starts_with('t') && name.ends_with(".buf");
}

// Bytes [0, size) of a file, as many as there are.
std::vector<std::uint8_t> head_of(const std::string& path, std::size_t size) {
  std::vector<std::uint8_t> bytes(size);
  std::ifstream in(path, std::ios::binary);
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  bytes.resize(in.gcount() < 0 ? 0 : static_cast<std::size_t>(in.gcount()));
  return bytes;
}

// What is in a buffer, and which stream has it. Nullopt where it says nothing, noted unless that is normal.
struct Buffer {
  abi::ThreadState state{};
  std::vector<std::uint8_t> records;
};
std::optional<Buffer> read_buffer(const std::string& path, RawFolder& folder) {
  const auto note = [&](const std::string& what) { folder.notes.push_back(fmt::format("{}: {}", path, what)); };
  constexpr std::size_t kWhole = abi::kPageBytes + abi::kBufferBytes + abi::kMaxRecord;
  const std::vector<std::uint8_t> bytes = head_of(path, kWhole);
  Buffer buffer;
  if (bytes.empty()) return std::nullopt;  // it was made, and then the disk was full or the process died
  if (bytes.size() < sizeof buffer.state) {
    note("is too short; what it held is lost");
    return std::nullopt;
  }
  std::memcpy(&buffer.state, bytes.data(), sizeof buffer.state);
  // A process that dies while it makes the file leaves zeros.
  if (buffer.state.begin == nullptr) return std::nullopt;
  if (buffer.state.thread >= kMaxThreads) {
    note("has no legal thread; it is left out");
    return std::nullopt;
  }
  const auto begin = reinterpret_cast<std::uintptr_t>(buffer.state.begin);
  const auto cur = reinterpret_cast<std::uintptr_t>(buffer.state.cur);
  const std::size_t there = bytes.size() > abi::kPageBytes ? bytes.size() - abi::kPageBytes : 0;
  std::size_t used = cur < begin ? 0 : cur - begin;
  if (cur < begin || used > abi::kBufferBytes + abi::kMaxRecord) {
    note("its buffer has no legal end; it is left out");
    used = 0;
  } else if (used > there) {
    note(fmt::format("{} bytes of its buffer are lost", used - there));
    used = there;
  }
  const std::uint8_t* const from = bytes.data() + std::min(abi::kPageBytes, bytes.size());
  buffer.records.assign(from, from + used);
  return buffer;
}

using Logs = std::map<std::uint32_t, std::shared_ptr<const RawLog>>;

// Finds the stream's part of its log, which ends at `log_end` or with the file, and puts it together with its buffer
// (abi.h, ThreadState, says how). `buffer` may be null: the stream had ended.
void complete_stream(const std::string& folder_path, const Logs& logs, Buffer* buffer,
                     std::optional<std::uint64_t> log_end, RawStream& stream, RawFolder& folder) {
  const std::string name = fmt::format("{}/t{}.log", folder_path, stream.log_number);
  if (const auto log = logs.find(stream.log_number); log != logs.end()) stream.log = log->second;
  const std::uint64_t file_size = stream.log == nullptr ? 0 : stream.log->end();
  const std::uint64_t there = file_size - std::min(file_size, stream.log_begin);
  const std::uint64_t log_size = log_end ? std::min(there, *log_end - stream.log_begin) : there;
  if (log_end && log_size < *log_end - stream.log_begin) {
    folder.notes.push_back(fmt::format("{}: {} bytes are lost", name, *log_end - stream.log_begin - log_size));
  }
  stream.log_bytes = log_size;
  if (buffer == nullptr) return;
  const abi::ThreadState& state = buffer->state;
  const bool empty = state.cur == state.begin;
  if (!empty) stream.log_bytes = std::min(log_size, state.logged);
  if (log_size < state.logged) {
    folder.notes.push_back(fmt::format("{}: {} bytes are lost", name, state.logged - log_size));
  } else if (!empty) {
    stream.tail = std::move(buffer->records);
  }
}

// By index into `streams`: where the part of the next stream in the same log begins, if there is one.
std::vector<std::optional<std::uint64_t>> log_ends(const std::vector<RawStream>& streams) {
  std::vector<std::size_t> order(streams.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) {
    return std::tuple(streams[i].log_number, streams[i].log_begin, streams[i].number);
  });
  std::vector<std::optional<std::uint64_t>> ends(streams.size());
  for (std::size_t k = 1; k < order.size(); ++k) {
    const RawStream& next = streams[order[k]];
    if (streams[order[k - 1]].log_number == next.log_number) ends[order[k - 1]] = next.log_begin;
  }
  return ends;
}

}  // namespace

Result<RawFolder> read_raw_folder(const std::string& path) {
  RawFolder folder;
  RC_TRY_STATUS(read_meta(path + "/meta", folder));
  std::map<std::uint32_t, Buffer> buffers;  // by stream
  std::map<std::uint32_t, std::vector<LogPiece>> pieces;
  std::error_code error;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (PieceName piece; parse_piece_name(name, piece)) {
      std::string whole = entry->path().string();
      if (piece.packed) whole.resize(whole.size() - std::strlen(kPackedEnding));
      pieces[piece.log].push_back({piece.begin, 0, std::move(whole), piece.packed});
    }
    if (!is_buffer(name)) continue;
    if (auto buffer = read_buffer(entry->path().string(), folder)) {
      buffers.insert_or_assign(buffer->state.stream, std::move(*buffer));
    }
  }
  if (error) return bad_input(fmt::format("{}: cannot be read: {}", path, error.message()));
  Logs logs;
  for (auto& [number, found] : pieces) {
    // After all buffers: of a process that still runs, the log then has what a buffer says that it has.
    for (LogPiece& piece : found) {
      piece.bytes = bytes_of_piece(piece.path, piece.packed);
      if (piece.bytes != 0 || piece.packed) continue;
      piece.bytes = bytes_of_piece(piece.path, true);  // somebody has packed it meanwhile
      piece.packed = piece.bytes != 0;
    }
    logs[number] = std::make_shared<RawLog>(make_log(fmt::format("{}/t{}.log", path, number), std::move(found), 0));
  }
  // A buffer whose stream is not in meta: the process died in between, or meta is damaged.
  std::set<std::uint32_t> noted;
  for (const RawStream& stream : folder.streams) noted.insert(stream.number);
  for (const auto& [number, buffer] : buffers) {
    if (noted.contains(number)) continue;
    RawStream& stream = folder.streams.emplace_back();
    stream.number = number;
    stream.thread = buffer.state.thread;
    stream.handlers_of = buffer.state.handlers_of;
    stream.log_number = buffer.state.log;
    stream.log_begin = buffer.state.log_begin;
  }
  std::ranges::sort(folder.streams, {}, &RawStream::number);
  const auto repeated = std::ranges::unique(folder.streams, {}, &RawStream::number);
  folder.streams.erase(repeated.begin(), repeated.end());
  const auto ends = log_ends(folder.streams);
  for (std::size_t i = 0; i < folder.streams.size(); ++i) {
    RawStream& stream = folder.streams[i];
    const auto buffer = buffers.find(stream.number);
    complete_stream(path, logs, buffer == buffers.end() ? nullptr : &buffer->second, ends[i], stream, folder);
  }
  return folder;
}

Result<std::vector<std::string>> process_folders(const std::string& dir) {
  struct Found {
    std::uint64_t start = 0;
    std::string path;
  };
  std::vector<Found> found;
  std::error_code error;
  for (fs::directory_iterator entry(dir, error), end; !error && entry != end; entry.increment(error)) {
    const std::string path = entry->path().string();
    // The first record of `meta` says when the process started.
    const std::vector<std::uint8_t> head = head_of(path + "/meta", sizeof(abi::MetaHeader) + 20);
    ByteReader in(head);
    const bool process = in.u32() == static_cast<std::uint32_t>(abi::MetaKind::Process);
    in.u32();
    in.u64();
    in.u32();
    in.u32();
    in.u32();
    const std::uint64_t start = in.u64();
    if (in.ok() && process) found.push_back({start, path});
  }
  if (error) return bad_input(fmt::format("{}: cannot be read: {}", dir, error.message()));
  std::ranges::sort(found, {}, [](const Found& f) { return std::tie(f.start, f.path); });
  std::vector<std::string> paths;
  paths.reserve(found.size());
  for (Found& f : found) paths.push_back(std::move(f.path));
  return paths;
}

}  // namespace racecast::recording
