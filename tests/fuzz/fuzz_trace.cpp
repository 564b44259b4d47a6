// Hostile traces. The first byte of an input chooses what the rest is:
//   't'  a text trace; what parses must print to a text that parses to the same events
//   'e'  the payload of an EVNT chunk (a byte: number of events), under a few definitions
//   'd'  the payload of a DEFS chunk
//   'p'  the payload of a PROG chunk
//   'c'  a file whose chunk checksums are set right here, so that what lies behind them is reached
//   else the whole input is a .rct file
// What is decoded must encode again to something that decodes to the same.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/check.h"
#include "program/binary.h"
#include "program/dump.h"
#include "trace/definitions_codec.h"
#include "trace/event_codec.h"
#include "trace/reader.h"
#include "trace/text.h"
#include "trace/validator.h"

namespace {

using namespace racecast;
using namespace racecast::trace;

void fuzz_text(std::span<const std::uint8_t> bytes) {
  const auto trace = parse_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, "input");
  if (!trace) return;
  (void)validate(*trace);
  const std::string text = print_text(*trace);
  const auto again = parse_text(text, "printed");
  CHECK(again.has_value(), "{}", again.error().message);
  CHECK(again->events == trace->events);
  CHECK(print_text(*again) == text);
}

void fuzz_events(std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) return;
  constexpr IdBounds kBounds{3, 100, 2, 2};
  std::vector<Event> events(bytes[0]);
  std::vector<std::uint8_t> padded(bytes.begin() + 1, bytes.end());
  padded.resize(padded.size() + kDecodePadding, 0xff);
  if (!decode_events(padded.data(), bytes.size() - 1, kBounds, events)) return;
  EventEncoder encoder;
  for (const Event& e : events) CHECK(encoder.add(e, kBounds), "{}", broken_event(e, kBounds));
  std::vector<std::uint8_t> encoded(encoder.bytes().begin(), encoder.bytes().end());
  encoded.resize(encoded.size() + kDecodePadding);
  std::vector<Event> again(events.size());
  CHECK(decode_events(encoded.data(), encoder.bytes().size(), kBounds, again));
  CHECK(again == events);
}

void fuzz_definitions(std::span<const std::uint8_t> bytes) {
  Definitions definitions;
  if (!decode_definitions(bytes, definitions)) return;
  DefinitionCounts done;
  while (done != counts_of(definitions)) CHECK(encode_definitions(definitions, done, 1 << 16).has_value());
}

void fuzz_program(std::span<const std::uint8_t> bytes) {
  const auto program = program::decode(bytes);
  if (!program) return;
  CHECK(!program::dump(*program).empty());
  const auto again = program::decode(program::encode(*program));
  CHECK(again.has_value() && *again == *program);
}

void fuzz_file(const std::vector<std::uint8_t>& bytes) {
  // A file in memory: the reader wants a path.
  const int file = ::memfd_create("fuzz", 0);
  CHECK(file >= 0);
  CHECK(::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  auto reader = Reader::open("/proc/self/fd/" + std::to_string(file));
  if (reader) {
    Validator validator(reader->definitions());
    EventPrinter printer(reader->definitions());
    std::uint64_t events = 0;
    while (true) {
      const auto batch = reader->next();
      CHECK(batch.has_value());
      if (batch->empty()) break;
      events += batch->size();
      std::string text;
      for (const Event& e : *batch) {
        (void)validator.add(e);
        if (text.size() < 10'000) printer.print(e, text);
      }
    }
    for (const std::uint64_t n : {events / 2, events, std::uint64_t{0}}) {
      if (reader->seek(n)) (void)reader->next();
    }
  }
  ::close(file);
}

void repair_checksums(std::vector<std::uint8_t>& bytes) {
  std::size_t at = kFileHeaderBytes;
  if (bytes.size() < at) return;
  const auto header = encode_file_header();
  std::memcpy(bytes.data(), header.data(), header.size());
  while (bytes.size() - at >= kChunkHeaderBytes) {
    const std::span<std::uint8_t, kChunkHeaderBytes> head(bytes.data() + at, kChunkHeaderBytes);
    ChunkHeader chunk = decode_chunk_header(head);
    if (chunk.stored_size > bytes.size() - at - kChunkHeaderBytes) return;
    chunk.checksum = chunk_checksum(head, {bytes.data() + at + kChunkHeaderBytes, chunk.stored_size});
    const auto repaired = encode_chunk_header(chunk);
    std::memcpy(head.data(), repaired.data(), repaired.size());
    at += kChunkHeaderBytes + chunk.stored_size;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::uint8_t> all(data, size);
  const char mode = size == 0 ? '\0' : static_cast<char>(data[0]);
  switch (mode) {
    case 't': fuzz_text(all.subspan(1)); break;
    case 'e': fuzz_events(all.subspan(1)); break;
    case 'd': fuzz_definitions(all.subspan(1)); break;
    case 'p': fuzz_program(all.subspan(1)); break;
    case 'c': {
      std::vector<std::uint8_t> bytes(data + 1, data + size);
      repair_checksums(bytes);
      fuzz_file(bytes);
      break;
    }
    default: fuzz_file({data, data + size}); break;
  }
  return 0;
}
