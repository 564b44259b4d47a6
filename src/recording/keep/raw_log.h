// A log of a raw recording (abi/abi.h): its pieces put together again, packed or not.
//
// A packed piece is a table of blocks, each packed for itself, so that a reader of a long log needs one block of
// memory:
//   u64 kPackedMagic   u64 bytes (unpacked)   u32 blocks   blocks times u32 size (packed)   the packed blocks (zstd)
// All blocks but the last one have kPackedBlock bytes. Bytes of a block that is damaged read as zeros, which are no
// record.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace racecast::recording {

inline constexpr std::uint64_t kPackedMagic = 0x0031474f4c435200;  // "\0RCLOG1\0"
inline constexpr std::uint32_t kPackedBlock = std::uint32_t{64} << 10;
inline constexpr const char* kPackedEnding = ".zst";
inline constexpr const char* kUnfinishedEnding = ".tmp";

struct LogPiece {
  std::uint64_t begin = 0;  // in the log
  std::uint64_t bytes = 0;
  std::string path;  // without kPackedEnding
  bool packed = false;
};
struct RawLog {
  std::string name;              // of its first piece
  std::vector<LogPiece> pieces;  // one after the other, without gaps; the first may begin behind 0
  std::uint64_t end() const { return pieces.empty() ? 0 : pieces.back().begin + pieces.back().bytes; }
};

// The number of the log and where in it the piece begins, if this is the name of one, packed or not.
struct PieceName {
  std::uint32_t log = 0;
  std::uint64_t begin = 0;
  bool packed = false;
};
bool parse_piece_name(const std::string& name, PieceName& parsed);

// The pieces of one log, in any order, as found in its folder: those that follow each other without a gap, from `from`
// on. A piece that is there twice counts once.
RawLog make_log(std::string name, std::vector<LogPiece> found, std::uint64_t from);
// How many bytes a piece holds; 0: it cannot be read.
std::uint64_t bytes_of_piece(const std::string& path, bool packed);

// Reads anywhere in a log. No file stays open.
class LogReader {
 public:
  // The log must outlive it.
  explicit LogReader(const RawLog* log) : log_(log) {}
  // How many bytes there were; what cannot be read of them is zeros.
  std::size_t read(std::uint64_t offset, std::uint8_t* to, std::size_t size);

 private:
  std::size_t read_packed(const LogPiece& piece, std::uint64_t offset, std::uint8_t* to, std::size_t size);
  bool load_table(const LogPiece& piece);
  bool load_block(const LogPiece& piece, std::uint64_t number);

  const RawLog* log_;
  const LogPiece* table_of_ = nullptr;
  std::vector<std::uint64_t> table_;  // where the packed blocks begin in the file, and where the last one ends
  const LogPiece* block_of_ = nullptr;
  std::uint64_t block_number_ = 0;
  std::vector<std::uint8_t> block_, packed_;
};

// Packs the piece at `path`: afterwards path.zst is there and `path` is not. Whoever is killed on the way leaves one of
// them whole, or both.
struct Packed {
  std::uint64_t unpacked = 0;
  std::uint64_t bytes = 0;  // of path.zst
};
Result<Packed> pack_piece(const std::string& path);

}  // namespace racecast::recording
