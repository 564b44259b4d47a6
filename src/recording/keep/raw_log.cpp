#include "recording/keep/raw_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>

#include "base/bytes.h"
#include "base/file.h"

namespace racecast::recording {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHeader = 8 + 8 + 4;
constexpr std::uint64_t kMaxPiece = std::uint64_t{1} << 30;  // one that is longer was not written by the runtime
constexpr int kLevel = 1;

// Up to `size` bytes of a file from `offset` on; how many were read.
std::size_t read_at(const std::string& path, std::uint64_t offset, std::uint8_t* to, std::size_t size) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = ::pread(file, to + done, size - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  ::close(file);
  return done;
}

template <typename Number>
bool take_number(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool take(std::string_view& text, std::string_view what) {
  if (!text.starts_with(what)) return false;
  text.remove_prefix(what.size());
  return true;
}

}  // namespace

bool parse_piece_name(const std::string& name, PieceName& parsed) {
  std::string_view rest = name;
  parsed = {};
  if (!take(rest, "t") || !take_number(rest, parsed.log) || !take(rest, ".")) return false;
  if (!rest.starts_with("log") && (!take_number(rest, parsed.begin) || !take(rest, "."))) return false;
  if (!take(rest, "log")) return false;
  parsed.packed = rest == kPackedEnding;
  return rest.empty() || parsed.packed;
}

std::uint64_t bytes_of_piece(const std::string& path, bool packed) {
  if (packed) {
    std::uint8_t head[kHeader];
    if (read_at(path + kPackedEnding, 0, head, sizeof head) != sizeof head) return 0;
    ByteReader in(head);
    const bool right = in.u64() == kPackedMagic;
    const std::uint64_t bytes = in.u64();
    const std::uint64_t blocks = in.u32();
    return right && bytes <= kMaxPiece && blocks == (bytes + kPackedBlock - 1) / kPackedBlock ? bytes : 0;
  }
  std::error_code error;
  const std::uint64_t size = fs::file_size(path, error);
  return error ? 0 : size;
}

RawLog make_log(std::string name, std::vector<LogPiece> found, std::uint64_t from) {
  // The unpacked one first: it is cheaper to read.
  std::ranges::sort(found, {}, [](const LogPiece& p) { return std::pair(p.begin, p.packed); });
  RawLog log;
  log.name = std::move(name);
  for (LogPiece& piece : found) {
    if (piece.bytes == 0 || piece.begin + piece.bytes <= from) continue;
    if (log.pieces.empty() ? piece.begin > from : piece.begin != log.end()) continue;
    log.pieces.push_back(std::move(piece));
  }
  return log;
}

std::size_t LogReader::read(std::uint64_t offset, std::uint8_t* to, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const std::uint64_t at = offset + done;
    auto next = std::ranges::upper_bound(log_->pieces, at, {}, &LogPiece::begin);
    if (next == log_->pieces.begin()) break;
    const LogPiece& piece = *--next;
    if (at - piece.begin >= piece.bytes) break;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(size - done, piece.begin + piece.bytes - at));
    std::size_t got = piece.packed ? 0 : read_at(piece.path, at - piece.begin, to + done, count);
    // It may have been packed since somebody looked.
    if (got == 0) got = read_packed(piece, at - piece.begin, to + done, count);
    std::fill_n(to + done + got, count - got, std::uint8_t{0});
    done += count;
  }
  return done;
}

std::size_t LogReader::read_packed(const LogPiece& piece, std::uint64_t offset, std::uint8_t* to, std::size_t size) {
  if (table_of_ != &piece && !load_table(piece)) return 0;
  std::size_t done = 0;
  while (done < size) {
    const std::uint64_t number = (offset + done) / kPackedBlock;
    if ((block_of_ != &piece || block_number_ != number) && !load_block(piece, number)) break;
    const std::uint64_t inside = (offset + done) % kPackedBlock;
    if (inside >= block_.size()) break;
    const std::size_t count = std::min<std::size_t>(size - done, block_.size() - inside);
    std::memcpy(to + done, block_.data() + inside, count);
    done += count;
  }
  return done;
}

bool LogReader::load_table(const LogPiece& piece) {
  table_of_ = nullptr;
  const std::uint64_t blocks = (bytes_of_piece(piece.path, true) + kPackedBlock - 1) / kPackedBlock;
  if (blocks == 0) return false;
  std::vector<std::uint8_t> sizes(blocks * 4);
  if (read_at(piece.path + kPackedEnding, kHeader, sizes.data(), sizes.size()) != sizes.size()) return false;
  ByteReader in(sizes);
  table_.assign(1, kHeader + sizes.size());
  for (std::uint64_t i = 0; i < blocks; ++i) table_.push_back(table_.back() + in.u32());
  table_of_ = &piece;
  return true;
}

bool LogReader::load_block(const LogPiece& piece, std::uint64_t number) {
  block_of_ = nullptr;
  if (number + 1 >= table_.size()) return false;
  const std::uint64_t size = table_[number + 1] - table_[number];
  if (size > ZSTD_COMPRESSBOUND(kPackedBlock)) return false;
  packed_.resize(size);
  if (read_at(piece.path + kPackedEnding, table_[number], packed_.data(), size) != size) return false;
  block_.resize(kPackedBlock);
  const std::size_t got = ZSTD_decompress(block_.data(), block_.size(), packed_.data(), packed_.size());
  if (ZSTD_isError(got) != 0) return false;
  block_.resize(got);
  block_of_ = &piece;
  block_number_ = number;
  return true;
}

Result<Packed> pack_piece(const std::string& path) {
  RC_TRY(const std::string raw, read_file(path, kMaxPiece));
  const std::size_t blocks = (raw.size() + kPackedBlock - 1) / kPackedBlock;
  ByteWriter head;
  head.u64(kPackedMagic);
  head.u64(raw.size());
  head.u32(static_cast<std::uint32_t>(blocks));
  std::string packed;
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> zstd(ZSTD_createCCtx(), ZSTD_freeCCtx);
  std::vector<char> block(ZSTD_COMPRESSBOUND(kPackedBlock));
  for (std::size_t at = 0; at < raw.size(); at += kPackedBlock) {
    const std::size_t count = std::min<std::size_t>(kPackedBlock, raw.size() - at);
    const std::size_t size = ZSTD_compressCCtx(zstd.get(), block.data(), block.size(), raw.data() + at, count, kLevel);
    if (ZSTD_isError(size) != 0) return bad_input(fmt::format("{}: {}", path, ZSTD_getErrorName(size)));
    head.u32(static_cast<std::uint32_t>(size));
    packed.append(block.data(), size);
  }
  const std::string unfinished = path + kUnfinishedEnding;
  packed.insert(0, reinterpret_cast<const char*>(head.bytes().data()), head.bytes().size());
  std::error_code error;
  if (Status written = write_file(unfinished, packed); !written) {
    fs::remove(unfinished, error);
    return std::unexpected(written.error());
  }
  fs::rename(unfinished, path + kPackedEnding, error);
  if (error) return bad_input(fmt::format("{}: {}", unfinished, error.message()));
  fs::remove(path, error);
  return Packed{.unpacked = raw.size(), .bytes = packed.size()};
}

}  // namespace racecast::recording
