// The fixed-size records of the file format as bytes, and the index. Nothing here is hot.
#include "trace/format.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "base/bytes.h"

namespace racecast::trace {
namespace {

constexpr std::size_t kSummedHeaderBytes = kChunkHeaderBytes - sizeof(std::uint64_t);
constexpr std::size_t kSummedTrailerBytes = 16;

template <std::size_t N>
std::array<std::uint8_t, N> to_array(const ByteWriter& bytes) {
  std::array<std::uint8_t, N> out{};
  std::copy(bytes.bytes().begin(), bytes.bytes().end(), out.begin());
  return out;
}

void encode_places(ByteWriter& out, const std::vector<ChunkPlace>& places) {
  out.varint(places.size());
  ChunkPlace last;
  for (const ChunkPlace& place : places) {
    out.varint(place.offset - last.offset);
    out.varint(place.first_event - last.first_event);
    last = place;
  }
}

bool decode_places(ByteReader& in, std::uint64_t end, std::vector<ChunkPlace>& places) {
  places.resize(in.count(2));
  ChunkPlace last;
  for (ChunkPlace& place : places) {
    place.offset = last.offset + in.varint();
    place.first_event = last.first_event + in.varint();
    if (place.offset <= last.offset || place.offset >= end || place.first_event < last.first_event) return false;
    last = place;
  }
  return in.ok();
}

}  // namespace

std::uint64_t chunk_checksum(std::span<const std::uint8_t, kChunkHeaderBytes> header,
                             std::span<const std::uint8_t> stored) {
  return XXH3_64bits_withSeed(stored.data(), stored.size(), XXH3_64bits(header.data(), kSummedHeaderBytes));
}

std::array<std::uint8_t, kChunkHeaderBytes> encode_chunk_header(const ChunkHeader& header) {
  ByteWriter out;
  out.u32(static_cast<std::uint32_t>(header.type));
  out.u32(header.raw_size);
  out.u32(header.stored_size);
  out.u32(header.events);
  out.u64(header.first_event);
  out.u64(header.checksum);
  return to_array<kChunkHeaderBytes>(out);
}

ChunkHeader decode_chunk_header(std::span<const std::uint8_t, kChunkHeaderBytes> bytes) {
  ByteReader in(bytes);
  ChunkHeader header;
  header.type = static_cast<ChunkType>(in.u32());
  header.raw_size = in.u32();
  header.stored_size = in.u32();
  header.events = in.u32();
  header.first_event = in.u64();
  header.checksum = in.u64();
  return header;
}

std::array<std::uint8_t, kFileHeaderBytes> encode_file_header() {
  ByteWriter out;
  out.raw(kFileMagic.data(), kFileMagic.size());
  out.u32(kFormatVersion);
  out.u32(0);
  return to_array<kFileHeaderBytes>(out);
}

std::array<std::uint8_t, kTrailerBytes> encode_trailer(const Trailer& trailer) {
  ByteWriter out;
  out.u64(trailer.index_offset);
  out.u64(trailer.events);
  out.u64(XXH3_64bits(out.bytes().data(), kSummedTrailerBytes));
  out.raw(kTrailerMagic.data(), kTrailerMagic.size());
  return to_array<kTrailerBytes>(out);
}

std::optional<Trailer> decode_trailer(std::span<const std::uint8_t, kTrailerBytes> bytes) {
  ByteReader in(bytes);
  Trailer trailer;
  trailer.index_offset = in.u64();
  trailer.events = in.u64();
  if (in.u64() != XXH3_64bits(bytes.data(), kSummedTrailerBytes)) return std::nullopt;
  if (!std::equal(kTrailerMagic.begin(), kTrailerMagic.end(), bytes.begin() + in.position())) return std::nullopt;
  return trailer;
}

std::vector<std::uint8_t> encode_index(const FileIndex& index) {
  ByteWriter out;
  encode_places(out, index.definitions);
  encode_places(out, index.events);
  out.varint(index.total_events);
  out.varint(index.by_kind.size());
  for (const std::uint64_t events : index.by_kind) out.varint(events);
  return std::move(out.bytes());
}

std::optional<FileIndex> decode_index(std::span<const std::uint8_t> payload, std::uint64_t index_offset) {
  ByteReader in(payload);
  FileIndex index;
  if (!decode_places(in, index_offset, index.definitions)) return std::nullopt;
  if (!decode_places(in, index_offset, index.events)) return std::nullopt;
  index.total_events = in.varint();
  if (in.varint() != index.by_kind.size()) return std::nullopt;
  std::uint64_t sum = 0;
  for (std::uint64_t& events : index.by_kind) {
    events = in.varint();
    sum += events;
  }
  if (!in.ok() || in.left() != 0 || sum != index.total_events) return std::nullopt;
  return index;
}

}  // namespace racecast::trace
