#include "abi/model_blob.h"

#include <fmt/format.h>
#include <zstd.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/packed.h"
#include "program/binary.h"

namespace racecast::abi {
namespace {

// A model of more is not believed: damage, or an attack.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;

constexpr std::uint64_t zigzag(std::int64_t n) {
  return (static_cast<std::uint64_t>(n) << 1) ^ static_cast<std::uint64_t>(n >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t n) {
  return static_cast<std::int64_t>(n >> 1) ^ -static_cast<std::int64_t>(n & 1);
}

void put(ByteWriter& out, const Shape& shape) {
  out.varint(shape.header.function);
  out.varint(std::uint64_t{shape.header.next} + 1 & 0xffffffff);
  out.varint(shape.header.slots);
  out.u8(shape.header.flags);
  out.varint(shape.items.size());
  for (const abi::Item& item : shape.items) {
    out.u8(static_cast<std::uint8_t>(item.kind));
    out.u8(static_cast<std::uint8_t>(item.mode));
    out.u8(item.value_bytes);
    out.varint(item.instr);
    out.varint(item.size);
    out.varint(item.base);
    out.varint(zigzag(item.delta));
  }
}

bool get(ByteReader& in, const program::Program& program, Shape& shape) {
  shape.header.function = static_cast<std::uint32_t>(in.varint_below(program.functions.size()));
  shape.header.next = static_cast<std::uint32_t>(in.varint_below(std::uint64_t{1} << 32)) - 1;
  shape.header.slots = static_cast<std::uint32_t>(in.varint_below(std::uint64_t{1} << 24));
  shape.header.flags = in.u8();
  shape.items.resize(in.count(7));
  shape.header.items = static_cast<std::uint32_t>(shape.items.size());
  if (shape.header.next != kNone32 && shape.header.next >= program.instruction_count) return false;
  for (std::size_t i = 0; i < shape.items.size() && in.ok(); ++i) {
    abi::Item& item = shape.items[i];
    item.kind = static_cast<abi::ItemKind>(in.u8());
    item.mode = static_cast<abi::AddressMode>(in.u8());
    item.value_bytes = in.u8();
    item.instr = static_cast<std::uint32_t>(in.varint_below(std::uint64_t{1} << 32));
    item.size = in.varint();
    item.base = static_cast<std::uint32_t>(in.varint_below(std::uint64_t{1} << 32));
    item.delta = unzigzag(in.varint());
    const bool parameter = item.kind == abi::ItemKind::Param;
    const bool frame = item.kind == abi::ItemKind::Frame;
    if (item.kind < abi::ItemKind::Load || item.kind > abi::ItemKind::BulkWrite) return false;
    if (item.mode > abi::AddressMode::Global || item.value_bytes > 8) return false;
    if (!parameter && !frame && item.instr >= program.instruction_count) return false;
    if (item.mode == abi::AddressMode::Shared && item.base >= i) return false;
    if (item.mode == abi::AddressMode::Global && item.base >= program.globals.size()) return false;
  }
  return in.ok() && shape.header.slots != 0 && payload_bytes(shape) <= abi::kMaxRecord;
}

}  // namespace

std::vector<std::uint8_t> encode_model(const Model& model) {
  const std::vector<std::uint8_t> program = encode(model.program);
  ByteWriter out;
  out.varint(kVersion);
  out.varint(program.size());
  out.raw(program.data(), program.size());
  out.varint(model.shapes.size());
  for (const Shape& shape : model.shapes) put(out, shape);
  std::vector<std::uint8_t> packed(ZSTD_compressBound(out.bytes().size()));
  const std::size_t size = ZSTD_compress(packed.data(), packed.size(), out.bytes().data(), out.bytes().size(), 3);
  CHECK(ZSTD_isError(size) == 0, "zstd: {}", ZSTD_getErrorName(size));
  packed.resize(size);
  // What is packed too well is not believed: a frame that is skipped makes it longer.
  if (packed_too_well(size, out.bytes().size())) {
    constexpr std::uint32_t kSkipped = 0x184d2a50;  // ZSTD_MAGIC_SKIPPABLE_START
    const auto padding = static_cast<std::uint32_t>(out.bytes().size() / kMaxRatio);
    ByteWriter frame;
    frame.u32(kSkipped);
    frame.u32(padding);
    packed.insert(packed.end(), frame.bytes().begin(), frame.bytes().end());
    packed.resize(packed.size() + padding);
  }
  return packed;
}

std::uint64_t unpacked_bytes(std::span<const std::uint8_t> bytes) {
  static_assert(ZSTD_CONTENTSIZE_ERROR > kMaxBytes && ZSTD_CONTENTSIZE_UNKNOWN > kMaxBytes);
  return ZSTD_getFrameContentSize(bytes.data(), bytes.size());
}

Result<Model> decode_model(std::span<const std::uint8_t> bytes) {
  const std::uint64_t size = unpacked_bytes(bytes);
  if (size > kMaxBytes) return bad_input("a model of code is damaged");
  if (size > max_unpacked(bytes.size())) {
    return bad_input(
        fmt::format("a model of code would unpack to {} bytes, which {} are not believed to hold", size, bytes.size()));
  }
  std::vector<std::uint8_t> plain(size);
  if (ZSTD_decompress(plain.data(), plain.size(), bytes.data(), bytes.size()) != size) {
    return bad_input("a model of code is damaged");
  }
  ByteReader in(plain);
  if (const std::uint64_t version = in.varint(); in.ok() && version != kVersion) {
    return bad_input(fmt::format("a model of code has version {}, this racecast reads version {}: compile it again",
                                 version, kVersion));
  }
  const std::size_t program_bytes = in.count(1);
  if (!in.ok()) return bad_input("a model of code is damaged");
  Model model;
  RC_TRY(model.program, program::decode(std::span(plain).subspan(in.position(), program_bytes)));
  ByteReader rest(std::span<const std::uint8_t>(plain).subspan(in.position() + program_bytes));
  model.shapes.resize(rest.count(5));
  for (Shape& shape : model.shapes) {
    if (!get(rest, model.program, shape)) return bad_input("the shapes of a model are malformed");
  }
  if (!rest.ok() || rest.left() != 0) return bad_input("the shapes of a model are malformed");
  return model;
}

std::size_t payload_bytes(const Shape& shape) {
  std::size_t bytes = 0;
  for (const abi::Item& item : shape.items) {
    bytes += item.value_bytes + (item.mode == abi::AddressMode::Explicit ? abi::kAddressBytes : 0);
  }
  return bytes;
}

}  // namespace racecast::abi
