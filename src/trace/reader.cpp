#include "trace/reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/packed.h"
#include "program/binary.h"
#include "program/program.h"
#include "trace/definitions_codec.h"
#include "trace/event_codec.h"

namespace racecast::trace {
namespace {

struct FreeDecompressor {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// Bytes whose first contents do not matter, kept for the next chunk.
class Buffer {
 public:
  std::uint8_t* reserve(std::size_t size) {
    if (size > capacity_) {
      bytes_.reset(new std::uint8_t[size]);
      capacity_ = size;
    }
    return bytes_.get();
  }

 private:
  std::unique_ptr<std::uint8_t[]> bytes_;
  std::size_t capacity_ = 0;
};

std::string four_letters(ChunkType type) {
  std::string text;
  for (int i = 0; i < 4; ++i) {
    const auto c = static_cast<unsigned char>(static_cast<std::uint32_t>(type) >> (8 * i));
    text += c >= 0x20 && c < 0x7f ? std::string(1, static_cast<char>(c)) : fmt::format("\\x{:02x}", c);
  }
  return text;
}

// "an EVNT chunk"
std::string a_chunk(ChunkType type) {
  const bool vowel = type == ChunkType::Events || type == ChunkType::Index;
  return fmt::format("{} {} chunk", vowel ? "an" : "a", four_letters(type));
}

// What a file that is no .rct file seems to be, and what to do.
std::string guess(std::string_view start) {
  const auto begins = [&](std::string_view with) { return start.substr(0, with.size()) == with; };
  if (begins("racecast-trace")) return "it is a trace in text form, which is read as .txt";
  if (begins("\x1f\x8b")) return "it is compressed with gzip: unpack it first";
  if (begins("\x28\xb5\x2f\xfd")) return "it is compressed with zstd: unpack it first";
  if (begins("\x7f"
             "ELF"))
    return "it is a program or library, not a recording of one";
  const std::string_view line = start.substr(0, start.find('\n'));
  if (std::count(line.begin(), line.end(), '|') == 2) {
    return "it looks like a trace in STD text form: convert it with `racecast import FILE.std -o OUT.rct`";
  }
  const bool text =
      std::all_of(start.begin(), start.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t' || c >= ' '; });
  return text ? "it is a text file" : "its first bytes are not those of one";
}

}  // namespace

struct Reader::State {
  std::string path;
  int file = -1;
  std::uint64_t file_size = 0;
  std::optional<Trailer> trailer;
  std::optional<FileIndex> index;

  std::uint64_t offset = kFileHeaderBytes;  // of the next chunk
  std::uint64_t definitions_end = 0;        // PROG and DEFS chunks before this were taken in
  std::uint64_t definitions_raw = 0;        // their raw bytes
  std::uint64_t event = 0;                  // number of the next chunk's first event
  std::uint64_t skip = 0;                   // events of the next chunk that seek() passed over
  bool at_end = false;
  std::optional<Damage> damage;

  Definitions definitions;
  std::vector<Event> events;
  Buffer stored, raw;
  std::unique_ptr<ZSTD_DCtx, FreeDecompressor> zstd{ZSTD_createDCtx()};

  ~State() {
    if (file >= 0) ::close(file);
  }

  // False: the file is shorter than it was, or cannot be read.
  bool read_at(std::uint64_t at, std::uint8_t* out, std::size_t size) const {
    while (size > 0) {
      const ssize_t n = ::pread(file, out, size, static_cast<off_t>(at));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      out += n;
      at += static_cast<std::uint64_t>(n);
      size -= static_cast<std::size_t>(n);
    }
    return true;
  }

  // The readable prefix ends at `offset`, because of `why`.
  void end_with_damage(std::string_view why) {
    at_end = true;
    Damage d;
    d.offset = offset;
    d.bytes_lost = file_size - offset;
    std::string lost = fmt::format("{} byte{} lost", d.bytes_lost, d.bytes_lost == 1 ? " is" : "s are");
    if (trailer && trailer->events >= event) {
      d.events_lost = trailer->events - event;
      lost += fmt::format(", with {} event{}", *d.events_lost, *d.events_lost == 1 ? "" : "s");
    }
    d.text = fmt::format("{}: {} at byte {}: {}; the {} event{} before that {} good", path, why, offset, lost, event,
                         event == 1 ? "" : "s", event == 1 ? "is" : "are");
    damage = std::move(d);
  }

  std::string too_large(std::string_view what, std::uint64_t bytes) const {
    return fmt::format("{} would unpack to {} bytes, which a file of {} bytes is not believed to hold", what, bytes,
                       file_size);
  }

  struct Chunk {
    ChunkHeader header;
    const std::uint8_t* payload = nullptr;  // raw_size bytes and kDecodePadding
  };

  // The header of the chunk at `at`; its sizes have been checked against their bounds and the file.
  std::optional<ChunkHeader> header_at(std::uint64_t at, std::string& why,
                                       std::array<std::uint8_t, kChunkHeaderBytes>& bytes) const {
    if (file_size - at < kChunkHeaderBytes || !read_at(at, bytes.data(), bytes.size())) {
      why = "the file is cut off inside the header of a chunk";
      return std::nullopt;
    }
    const ChunkHeader header = decode_chunk_header(bytes);
    const std::uint32_t limit = max_raw_size(header.type);
    if (limit == 0) {
      why = fmt::format("there is no chunk of type {}", four_letters(header.type));
    } else if (header.raw_size > limit || header.stored_size > header.raw_size) {
      why = fmt::format("the sizes of {} are impossible", a_chunk(header.type));
    } else if (header.type != ChunkType::Events && header.raw_size > max_unpacked(file_size)) {
      why = too_large(a_chunk(header.type), header.raw_size);
    } else if (header.events > kMaxEventsPerChunk || (header.events == 0) == (header.type == ChunkType::Events)) {
      why = fmt::format("the number of events of {} is impossible", a_chunk(header.type));
    } else if (file_size - at - kChunkHeaderBytes < header.stored_size) {
      why = fmt::format("the file is cut off inside {}", a_chunk(header.type));
      if (header.type == ChunkType::Events) why += fmt::format(" of {} events", header.events);
    } else {
      return header;
    }
    return std::nullopt;
  }

  // The chunk at `at`, checked and unpacked.
  std::optional<Chunk> chunk_at(std::uint64_t at, std::string& why) {
    std::array<std::uint8_t, kChunkHeaderBytes> bytes;
    const std::optional<ChunkHeader> header = header_at(at, why, bytes);
    if (!header) return std::nullopt;
    std::uint8_t* const in = stored.reserve(header->stored_size + kDecodePadding);
    if (!read_at(at + kChunkHeaderBytes, in, header->stored_size)) {
      why = "the file cannot be read";
      return std::nullopt;
    }
    if (chunk_checksum(bytes, {in, header->stored_size}) != header->checksum) {
      why = fmt::format("the checksum of {} does not match", a_chunk(header->type));
      return std::nullopt;
    }
    if (header->stored_size == header->raw_size) {
      std::memset(in + header->stored_size, 0, kDecodePadding);
      return Chunk{*header, in};
    }
    const unsigned long long claimed = ZSTD_getFrameContentSize(in, header->stored_size);
    const bool fits = claimed == header->raw_size || claimed == ZSTD_CONTENTSIZE_UNKNOWN;
    std::uint8_t* const out = fits ? raw.reserve(header->raw_size + kDecodePadding) : nullptr;
    const std::size_t size = fits ? ZSTD_decompressDCtx(zstd.get(), out, header->raw_size, in, header->stored_size) : 0;
    if (!fits || ZSTD_isError(size) || size != header->raw_size) {
      why = fmt::format("{} cannot be unpacked", a_chunk(header->type));
      return std::nullopt;
    }
    std::memset(out + size, 0, kDecodePadding);
    return Chunk{*header, out};
  }

  // Takes in a PROG or DEFS chunk, unless seek() already did.
  bool define(const Chunk& chunk, std::uint64_t at, std::string& why) {
    if (at < definitions_end) return true;
    const std::span<const std::uint8_t> payload{chunk.payload, chunk.header.raw_size};
    if (chunk.header.type == ChunkType::Program) {
      Result<program::Program> decoded = bad_input("it is not the only one, or stands behind events");
      if (definitions.program == nullptr && event == 0) decoded = program::decode(payload);
      if (!decoded) {
        why = fmt::format("the PROG chunk is malformed ({})", decoded.error().message);
        return false;
      }
      definitions.program = std::make_shared<const program::Program>(*std::move(decoded));
      definitions_end = at + 1;
      return true;
    }
    definitions_raw += payload.size();
    if (definitions_raw > max_unpacked(file_size)) {
      why = too_large("what is defined", definitions_raw);
      return false;
    }
    if (definitions_raw > kMaxDefinitionsTotal || !decode_definitions(payload, definitions)) {
      why = "a DEFS chunk is malformed";
      return false;
    }
    definitions_end = at + 1;
    return true;
  }

  // INDX was reached in order: nothing but a whole trailer may follow.
  void finish(const Chunk& chunk) {
    if (!decode_index({chunk.payload, chunk.header.raw_size}, offset)) {
      end_with_damage("the INDX chunk is malformed");
      return;
    }
    const std::uint64_t after = offset + kChunkHeaderBytes + chunk.header.stored_size;
    if (!trailer || trailer->index_offset != offset || after + kTrailerBytes != file_size) {
      offset = after;
      end_with_damage("the trailer is missing or damaged");
    } else if (trailer->events != event) {
      end_with_damage(fmt::format("the trailer speaks of {} events", trailer->events));
    }
    at_end = true;
  }

  // Goes on to the next EVNT chunk and decodes it into `events`. False: there is none; at_end is set.
  bool advance(bool stop_before_events) {
    while (!at_end) {
      if (offset == file_size) {
        end_with_damage("the file was not closed (it has no index), it ends");
        break;
      }
      std::string why;
      std::optional<Chunk> chunk;
      if (stop_before_events) {
        std::array<std::uint8_t, kChunkHeaderBytes> bytes;
        const auto header = header_at(offset, why, bytes);
        if (!header || header->type == ChunkType::Events || header->type == ChunkType::Index) return true;
      }
      chunk = chunk_at(offset, why);
      if (!chunk) {
        end_with_damage(why);
        break;
      }
      if (chunk->header.first_event != event) {
        end_with_damage(fmt::format("{} is out of order (it says event {})", a_chunk(chunk->header.type),
                                    chunk->header.first_event));
        break;
      }
      const std::uint64_t after = offset + kChunkHeaderBytes + chunk->header.stored_size;
      if (chunk->header.type == ChunkType::Index) {
        finish(*chunk);
        break;
      }
      if (chunk->header.type == ChunkType::Events) {
        events.resize(chunk->header.events);
        if (!decode_events(chunk->payload, chunk->header.raw_size, bounds_of(definitions), events)) {
          end_with_damage("an EVNT chunk is malformed");
          break;
        }
        offset = after;
        event += chunk->header.events;
        return true;
      }
      if (!define(*chunk, offset, why)) {
        end_with_damage(why);
        break;
      }
      offset = after;
    }
    return false;
  }

  void load_index() {
    std::array<std::uint8_t, kTrailerBytes> bytes;
    if (file_size < kFileHeaderBytes + kChunkHeaderBytes + kTrailerBytes ||
        !read_at(file_size - kTrailerBytes, bytes.data(), bytes.size())) {
      return;
    }
    trailer = decode_trailer(bytes);
    if (!trailer) return;
    const std::uint64_t at = trailer->index_offset;
    if (at < kFileHeaderBytes || at > file_size - kTrailerBytes - kChunkHeaderBytes) {
      trailer.reset();
      return;
    }
    std::string why;
    const std::optional<Chunk> chunk = chunk_at(at, why);
    if (!chunk || chunk->header.type != ChunkType::Index) return;
    index = decode_index({chunk->payload, chunk->header.raw_size}, at);
    if (index && index->total_events != trailer->events) index.reset();
  }

  Status check_file_header() {
    std::array<std::uint8_t, 256> bytes{};
    const std::size_t size = std::min<std::uint64_t>(bytes.size(), file_size);
    if (size == 0)
      return bad_input(fmt::format("{} is empty, not a trace: a recording that was stopped before it began?", path));
    if (!read_at(0, bytes.data(), size))
      return bad_input(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
    const std::size_t compared = std::min(size, kFileMagic.size());
    if (!std::equal(bytes.begin(), bytes.begin() + compared, kFileMagic.begin())) {
      const std::string_view start(reinterpret_cast<const char*>(bytes.data()), size);
      return bad_input(fmt::format("{} is not a racecast trace (.rct): {}", path, guess(start)));
    }
    if (size < kFileHeaderBytes) {
      return bad_input(fmt::format("{} is cut off inside its header ({} bytes): no event is left", path, size));
    }
    std::uint32_t version = 0, flags = 0;
    std::memcpy(&version, bytes.data() + 8, sizeof version);
    std::memcpy(&flags, bytes.data() + 12, sizeof flags);
    if (version != kFormatVersion || flags != 0) {
      return bad_input(fmt::format("{} has trace format version {} (flags {:#x}); this racecast reads version {}", path,
                                   version, flags, kFormatVersion));
    }
    return {};
  }
};

Reader::Reader(std::unique_ptr<State> state) : state_(std::move(state)) {}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

Result<Reader> Reader::open(const std::string& path) {
  auto state = std::make_unique<State>();
  state->path = path;
  // O_NONBLOCK: opening a pipe that nobody writes to must not hang.
  state->file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat about{};
  if (state->file < 0 || ::fstat(state->file, &about) != 0) {
    return bad_input(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  }
  if (S_ISDIR(about.st_mode))
    return bad_input(fmt::format("{} is a directory, not a trace: name a .rct file in it", path));
  if (!S_ISREG(about.st_mode)) {
    return bad_input(fmt::format("{} is not a regular file: write the trace to a file first", path));
  }
  state->file_size = static_cast<std::uint64_t>(about.st_size);
  RC_TRY_STATUS(state->check_file_header());
  state->load_index();
  state->advance(true);
  return Reader(std::move(state));
}

Result<std::span<const Event>> Reader::next() {
  State& s = *state_;
  if (s.at_end || !s.advance(false)) return std::span<const Event>{};
  const std::size_t skip = std::exchange(s.skip, 0);
  return std::span<const Event>(s.events).subspan(std::min(skip, s.events.size()));
}

const Definitions& Reader::definitions() const {
  return state_->definitions;
}
const std::optional<Damage>& Reader::damage() const {
  return state_->damage;
}
std::uint64_t Reader::file_bytes() const {
  return state_->file_size;
}
std::uint64_t Reader::position() const {
  return state_->event + state_->skip;
}

std::optional<std::uint64_t> Reader::total_events() const {
  return state_->trailer ? std::optional(state_->trailer->events) : std::nullopt;
}

std::optional<bool> Reader::has_missing_code() const {
  const auto counts = events_by_kind();
  if (!counts) return std::nullopt;
  return (*counts)[static_cast<std::size_t>(EventKind::MissingBegin)] != 0;
}

std::optional<std::array<std::uint64_t, kEventKinds>> Reader::events_by_kind() const {
  return state_->index ? std::optional(state_->index->by_kind) : std::nullopt;
}

Status Reader::seek(std::uint64_t target) {
  State& s = *state_;
  const auto beyond = [&] {
    return bad_input(fmt::format("{} has no event {}: {} can be read", s.path, target, s.event));
  };
  s.at_end = false;
  s.damage.reset();
  s.skip = 0;
  s.offset = kFileHeaderBytes;
  s.event = 0;
  if (s.index) {
    // Definitions before the target's chunk first, then straight to it.
    const auto& chunks = s.index->events;
    auto chunk = std::upper_bound(chunks.begin(), chunks.end(), target,
                                  [](std::uint64_t n, const ChunkPlace& place) { return n < place.first_event; });
    if (chunk != chunks.begin()) {
      --chunk;
      bool whole = true;
      for (const ChunkPlace& place : s.index->definitions) {
        if (place.offset < s.definitions_end || place.offset > chunk->offset) continue;
        std::string why;
        const auto definitions = s.chunk_at(place.offset, why);
        whole = whole && definitions && definitions->header.type == ChunkType::Definitions &&
                s.define(*definitions, place.offset, why);
      }
      if (whole) {
        s.offset = chunk->offset;
        s.event = chunk->first_event;
      }
    }
  }
  // From there over whole chunks by their headers alone (at most one, where there is an index).
  while (!s.at_end) {
    std::string why;
    std::array<std::uint8_t, kChunkHeaderBytes> bytes;
    if (s.offset == s.file_size) break;
    const auto header = s.header_at(s.offset, why, bytes);
    if (!header || header->first_event != s.event || header->type == ChunkType::Index) break;
    if (header->type == ChunkType::Events) {
      if (target < s.event + header->events) {
        s.skip = target - s.event;
        return {};
      }
    } else if (s.offset >= s.definitions_end) {
      const auto chunk = s.chunk_at(s.offset, why);
      if (!chunk || !s.define(*chunk, s.offset, why)) break;
    }
    s.offset += kChunkHeaderBytes + header->stored_size;
    s.event += header->events;
  }
  if (target != s.event) return beyond();
  return {};
}

}  // namespace racecast::trace
