#include "trace/writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>

#include "base/check.h"
#include "base/packed.h"
#include "program/binary.h"
#include "trace/definitions_codec.h"
#include "trace/event_codec.h"
#include "trace/format.h"

namespace racecast::trace {
namespace {

constexpr int kZstdLevel = 1;
constexpr std::size_t kWorthPacking = 256;                          // bytes; a smaller payload is stored as it is
constexpr std::size_t kDefinitionsBudget = kMaxDefinitionsRaw / 2;  // a definition may exceed it, but not by that much

struct FreeCompressor {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

}  // namespace

struct Writer::State {
  std::string path;
  int file = -1;
  std::uint64_t offset = 0;  // bytes written
  bool closed = false;
  bool failed = false;  // an error was reported: what is in the file now is its readable prefix
  Definitions definitions;
  DefinitionCounts written;
  bool program_written = false;
  IdBounds bounds;
  EventEncoder encoder;
  FileIndex index;
  std::array<std::uint64_t, kEventKinds> by_kind{};  // of the chunk being filled, too
  std::unique_ptr<ZSTD_CCtx, FreeCompressor> zstd{ZSTD_createCCtx()};
  std::vector<std::uint8_t> compressed;

  ~State() {
    if (file < 0) return;
    if (!closed && !failed) (void)flush();
    ::close(file);
  }

  Status write_error() {
    failed = true;
    return bad_input(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  }

  Status write_all(std::span<const std::uint8_t> bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t n = ::write(file, bytes.data() + done, bytes.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return write_error();
      done += static_cast<std::size_t>(n);
    }
    offset += bytes.size();
    return {};
  }

  Status write_chunk(ChunkType type, std::span<const std::uint8_t> raw, std::uint32_t events,
                     std::uint64_t first_event) {
    CHECK(raw.size() <= max_raw_size(type), "{} bytes in a chunk", raw.size());
    // Header and payload lie in one buffer and are written by one call. Compressed data that is not smaller is no use.
    compressed.resize(kChunkHeaderBytes + ZSTD_compressBound(raw.size()));
    std::uint8_t* const payload = compressed.data() + kChunkHeaderBytes;
    std::size_t stored = raw.size();
    if (raw.size() >= kWorthPacking) {
      stored = ZSTD_compressCCtx(zstd.get(), payload, compressed.size() - kChunkHeaderBytes, raw.data(), raw.size(),
                                 kZstdLevel);
    }
    // What is packed too well is not believed by a reader. (Of events it holds one chunk at a time.)
    const bool too_well = type != ChunkType::Events && packed_too_well(stored, raw.size());
    if (ZSTD_isError(stored) || stored >= raw.size() || too_well) {
      if (!raw.empty()) std::memcpy(payload, raw.data(), raw.size());
      stored = raw.size();
    }
    ChunkHeader header{
        type, static_cast<std::uint32_t>(raw.size()), static_cast<std::uint32_t>(stored), events, first_event, 0};
    header.checksum = chunk_checksum(encode_chunk_header(header), {payload, stored});
    const auto bytes = encode_chunk_header(header);
    std::memcpy(compressed.data(), bytes.data(), bytes.size());
    return write_all({compressed.data(), kChunkHeaderBytes + stored});
  }

  Status write_definitions() {
    if (definitions.program != nullptr && !program_written) {
      CHECK(index.total_events == 0, "the program was set after {} events", index.total_events);
      const std::vector<std::uint8_t> bytes = program::encode(*definitions.program);
      if (bytes.size() > kMaxProgramRaw) {
        failed = true;
        return bad_input(fmt::format("cannot write {}: the program model has {} bytes (at most {})", path, bytes.size(),
                                     kMaxProgramRaw));
      }
      RC_TRY_STATUS(write_chunk(ChunkType::Program, bytes, 0, index.total_events));
      program_written = true;
    }
    while (written != counts_of(definitions)) {
      auto bytes = encode_definitions(definitions, written, kDefinitionsBudget);
      if (!bytes) {
        failed = true;
        return std::unexpected(bytes.error());
      }
      index.definitions.push_back({offset, index.total_events});
      RC_TRY_STATUS(write_chunk(ChunkType::Definitions, *bytes, 0, index.total_events));
    }
    return {};
  }

  // Writes the definitions that are new and the events that were encoded.
  Status flush() {
    RC_TRY_STATUS(write_definitions());
    if (encoder.count() == 0) return {};
    const ChunkPlace place{offset, index.total_events};
    RC_TRY_STATUS(write_chunk(ChunkType::Events, encoder.bytes(), encoder.count(), index.total_events));
    index.events.push_back(place);
    index.total_events += encoder.count();
    encoder.clear();
    return {};
  }

  Status refuse(const Event& event) {
    return bad_input(fmt::format("cannot write event {} to {}: {}", index.total_events + encoder.count(), path,
                                 broken_event(event, bounds)));
  }

  Status add(const Event& event) {
    CHECK(!closed, "add() after close()");
    if (!encoder.add(event, bounds)) [[unlikely]] {
      // The chunk is full, or definitions were added since `bounds` was taken, or the event is broken.
      if (encoder.full()) RC_TRY_STATUS(flush());
      bounds = bounds_of(definitions);
      if (!encoder.add(event, bounds)) return refuse(event);
    }
    ++by_kind[static_cast<std::size_t>(event.kind)];
    return {};
  }
};

Writer::Writer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;
Writer::~Writer() = default;

Result<Writer> Writer::create(const std::string& path) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (state->file < 0) {
    state->failed = true;
    return bad_input(fmt::format("cannot create {}: {}", path, std::strerror(errno)));
  }
  RC_TRY_STATUS(state->write_all(encode_file_header()));
  return Writer(std::move(state));
}

Definitions& Writer::definitions() {
  return state_->definitions;
}
std::uint64_t Writer::events() const {
  return state_->index.total_events + state_->encoder.count();
}
std::uint64_t Writer::bytes() const {
  return state_->offset;
}

Status Writer::add(const Event& event) {
  return state_->add(event);
}

Status Writer::add(std::span<const Event> events) {
  for (const Event& event : events) RC_TRY_STATUS(state_->add(event));
  return {};
}

Status Writer::flush() {
  CHECK(!state_->closed, "flush() after close()");
  return state_->flush();
}

Status Writer::close() {
  State& s = *state_;
  CHECK(!s.closed, "close() twice");
  RC_TRY_STATUS(s.flush());
  s.index.by_kind = s.by_kind;
  const Trailer trailer{s.offset, s.index.total_events};
  const std::vector<std::uint8_t> index = encode_index(s.index);
  if (index.size() > kMaxIndexRaw) {
    s.failed = true;
    return bad_input(
        fmt::format("cannot close {}: its index exceeds {} bytes; it is readable without", s.path, kMaxIndexRaw));
  }
  RC_TRY_STATUS(s.write_chunk(ChunkType::Index, index, 0, s.index.total_events));
  RC_TRY_STATUS(s.write_all(encode_trailer(trailer)));
  s.closed = true;
  // Some file systems tell of a full disk only here.
  const int closed = ::close(s.file);
  s.file = -1;
  if (closed != 0) return s.write_error();
  return {};
}

Status write_trace(const Trace& trace, const std::string& path) {
  RC_TRY(Writer writer, Writer::create(path));
  writer.definitions() = trace.definitions;
  RC_TRY_STATUS(writer.add(trace.events));
  return writer.close();
}

}  // namespace racecast::trace
