// The constants of the .rct file format, and its fixed-size records. Byte grammar: docs/trace_format.md.
//
// A file is a header, chunks, and (once it was closed) an index chunk and a trailer. A chunk carries its sizes, its
// place in the stream of events and a checksum, so that a reader can tell a whole chunk from a damaged one by itself:
// the good prefix of a cut file is everything before the first chunk that does not check out.
//
// Every bound on a size is here; a reader refuses what exceeds one before it allocates.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trace/event.h"

namespace racecast::trace {

// 0x89 is no ASCII, "\r\n" and 0x1a and "\n" show a transfer that translated line ends (the idea is PNG's).
inline constexpr std::array<std::uint8_t, 8> kFileMagic = {0x89, 'R', 'C', 'T', '\r', '\n', 0x1a, '\n'};
inline constexpr std::array<std::uint8_t, 8> kTrailerMagic = {'R', 'C', 'T', ' ', 'e', 'n', 'd', '\n'};
inline constexpr std::uint32_t kFormatVersion = 6;

inline constexpr std::size_t kFileHeaderBytes = 16;   // magic, u32 version, u32 flags (0)
inline constexpr std::size_t kChunkHeaderBytes = 32;  // ChunkHeader
inline constexpr std::size_t kTrailerBytes = 32;      // u64 offset of INDX, u64 events, u64 checksum, magic

enum class ChunkType : std::uint32_t {  // four letters, little-endian
  Program = 0x474f5250,                 // "PROG"
  Definitions = 0x53464544,             // "DEFS"
  Events = 0x544e5645,                  // "EVNT"
  Index = 0x58444e49,                   // "INDX"
};

struct ChunkHeader {
  ChunkType type{};
  std::uint32_t raw_size = 0;     // of the payload, uncompressed
  std::uint32_t stored_size = 0;  // of the payload in the file; equal to raw_size: not compressed
  std::uint32_t events = 0;       // EVNT: how many; else 0
  std::uint64_t first_event = 0;  // number of events before this chunk
  std::uint64_t checksum = 0;     // chunk_checksum()
};

inline constexpr std::uint32_t kMaxEventsPerChunk = 65'536;
inline constexpr std::uint32_t kMaxEventBytes = 64;  // no encoded event, its change of thread included, is longer
inline constexpr std::uint32_t kMaxEventsRaw = 16u << 20;
inline constexpr std::uint32_t kMaxDefinitionsRaw = 8u << 20;
inline constexpr std::uint32_t kMaxProgramRaw = 256u << 20;
inline constexpr std::uint32_t kMaxIndexRaw = 256u << 20;
inline constexpr std::uint64_t kMaxDefinitionsTotal = std::uint64_t{4} << 30;  // raw, all DEFS chunks of a file

// The largest raw size of a chunk of this type; 0 for a type that does not exist.
constexpr std::uint32_t max_raw_size(ChunkType type) {
  switch (type) {
    case ChunkType::Program: return kMaxProgramRaw;
    case ChunkType::Definitions: return kMaxDefinitionsRaw;
    case ChunkType::Events: return kMaxEventsRaw;
    case ChunkType::Index: return kMaxIndexRaw;
  }
  return 0;
}

// XXH3-64 of the stored payload, seeded with XXH3-64 of the header's first 24 bytes.
std::uint64_t chunk_checksum(std::span<const std::uint8_t, kChunkHeaderBytes> header,
                             std::span<const std::uint8_t> stored);

std::array<std::uint8_t, kChunkHeaderBytes> encode_chunk_header(const ChunkHeader& header);
ChunkHeader decode_chunk_header(std::span<const std::uint8_t, kChunkHeaderBytes> bytes);

// The 16 bytes at the start of a file, and the 32 at its end.
std::array<std::uint8_t, kFileHeaderBytes> encode_file_header();
struct Trailer {
  std::uint64_t index_offset = 0;
  std::uint64_t events = 0;
};
std::array<std::uint8_t, kTrailerBytes> encode_trailer(const Trailer& trailer);
std::optional<Trailer> decode_trailer(std::span<const std::uint8_t, kTrailerBytes> bytes);

// What INDX says.
struct ChunkPlace {
  std::uint64_t offset = 0;  // of the chunk's header in the file
  std::uint64_t first_event = 0;
};
struct FileIndex {
  std::vector<ChunkPlace> definitions;  // DEFS chunks
  std::vector<ChunkPlace> events;       // EVNT chunks
  std::uint64_t total_events = 0;
  std::array<std::uint64_t, kEventKinds> by_kind{};  // [0] is 0
};

std::vector<std::uint8_t> encode_index(const FileIndex& index);
// nullopt: malformed, or a chunk that would not lie before `index_offset`.
std::optional<FileIndex> decode_index(std::span<const std::uint8_t> payload, std::uint64_t index_offset);

}  // namespace racecast::trace
