#include "analysis/window/window_bytes.h"

#include "analysis/window/event_bytes.h"
#include "program/binary.h"
#include "program/program.h"
#include "trace/definitions_codec.h"
#include "trace/validator.h"

namespace racecast::analysis::predict {

namespace {

constexpr std::uint32_t kForm = 0x31574352;  // "RCW1"
constexpr std::size_t kDefinitionsAtOnce = 1u << 20;

void put_bytes(ByteWriter& writer, std::span<const std::uint8_t> bytes) {
  writer.varint(bytes.size());
  writer.raw(bytes.data(), bytes.size());
}

std::vector<std::uint8_t> get_bytes(ByteReader& reader) {
  std::vector<std::uint8_t> bytes(reader.count());
  reader.raw(bytes.data(), bytes.size());
  return bytes;
}

Status put_definitions(ByteWriter& writer, const trace::Definitions& definitions) {
  trace::DefinitionCounts done;
  do {
    RC_TRY(const std::vector<std::uint8_t> part, trace::encode_definitions(definitions, done, kDefinitionsAtOnce));
    writer.u8(1);
    put_bytes(writer, part);
  } while (done != trace::counts_of(definitions));
  writer.u8(0);
  writer.u8(definitions.program != nullptr ? 1 : 0);
  if (definitions.program != nullptr) put_bytes(writer, program::encode(*definitions.program));
  return {};
}

Status get_definitions(ByteReader& reader, trace::Definitions& definitions) {
  while (reader.varint_below(2) != 0)
    if (!trace::decode_definitions(get_bytes(reader), definitions)) return bad_input("its definitions are malformed");
  if (reader.varint_below(2) == 0) return {};
  const std::vector<std::uint8_t> bytes = get_bytes(reader);
  RC_TRY(program::Program program, program::decode(bytes));
  definitions.program = std::make_shared<const program::Program>(std::move(program));
  return {};
}

}  // namespace

Result<std::vector<std::uint8_t>> bytes_of(const WindowOfTrace& window) {
  ByteWriter writer;
  writer.u32(kForm);
  RC_TRY_STATUS(put_definitions(writer, window.trace.definitions));
  put_events(writer, window.trace.events);
  writer.varint(window.fixed);
  writer.varint(window.first);
  writer.u8(window.whole ? 1 : 0);
  return std::move(writer.bytes());
}

Result<WindowOfTrace> window_of(std::span<const std::uint8_t> bytes) {
  ByteReader reader(bytes);
  WindowOfTrace window;
  if (reader.u32() != kForm) return bad_input("this is no window of a trace");
  if (Status status = get_definitions(reader, window.trace.definitions); !status)
    return bad_input("a window of a trace: " + status.error().message);
  window.trace.events = get_events(reader, trace::bounds_of(window.trace.definitions));
  window.fixed = reader.varint_below(window.trace.events.size() + 1);
  window.first = reader.varint_below(std::uint64_t{1} << 62);
  window.whole = reader.varint_below(2) != 0;
  if (window.whole && (window.fixed != 0 || window.first != 0)) reader.fail();
  if (!reader.ok() || reader.left() != 0) return bad_input("a window of a trace is malformed");
  if (Status status = trace::validate(window.trace); !status)
    return bad_input("a window of a trace: " + status.error().message);
  return window;
}

}  // namespace racecast::analysis::predict
