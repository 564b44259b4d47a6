#include "trace/std_import.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <tsl/robin_map.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "trace/definitions_codec.h"
#include "trace/validator.h"
#include "trace/writer.h"

namespace racecast::trace {
namespace {

constexpr std::size_t kPiece = 1u << 20;              // bytes read at a time
constexpr std::size_t kBatch = 4096;                  // events handed out at a time
constexpr std::uint32_t kDirectLocations = 1u << 16;  // location numbers below this have a table

// Names that never move, so that maps can be keyed by views of them.
class Arena {
 public:
  std::string_view keep(std::string_view text) {
    if (text.size() > left_) {
      left_ = std::max<std::size_t>(text.size(), 64u << 10);
      blocks_.push_back(std::make_unique<char[]>(left_));
      at_ = blocks_.back().get();
    }
    std::memcpy(at_, text.data(), text.size());
    const std::string_view kept(at_, text.size());
    at_ += text.size();
    left_ -= text.size();
    return kept;
  }

 private:
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* at_ = nullptr;
  std::size_t left_ = 0;
};

struct NameHash {
  std::size_t operator()(std::string_view text) const { return XXH3_64bits(text.data(), text.size()); }
};
using Names = tsl::robin_map<std::string_view, std::uint32_t, NameHash>;

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}
bool is_blank(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c == ' ' || c == '\t'; });
}

// A piece of the input for an error message.
std::string shown(std::string_view text) {
  if (text.empty()) return "nothing";
  constexpr std::size_t kLongest = 60;
  std::string out = "`";
  for (const char c : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  return out + (text.size() > kLongest ? "...`" : "`");
}

// nullopt: no number, or one outside [-limit - 1, limit].
std::optional<std::int64_t> number(std::string_view text, std::int64_t limit) {
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  if (text.empty() || text.size() > 12) return std::nullopt;
  std::int64_t v = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    v = v * 10 + (c - '0');
  }
  if (v > limit + (negative ? 1 : 0)) return std::nullopt;
  return negative ? -v : v;
}

}  // namespace

struct StdSource::State {
  std::string name;
  int file = -1;  // -1: the text is all in `buffer`
  std::string buffer;
  std::size_t at = 0;  // in `buffer`
  std::size_t filled = 0;
  bool file_ended = true;

  StdCounts counts;
  Definitions definitions;
  Arena arena;
  Names threads, variables, locks, places;  // places: path:line
  tsl::robin_map<std::int32_t, std::uint32_t> far_locations;
  std::vector<std::uint32_t> near_locations;  // by number, as far as needed, at most kDirectLocations
  std::string last_thread_name;               // as written
  std::uint32_t last_thread = kNone32;

  std::vector<Event> events;
  std::vector<std::uint64_t> lines;
  std::optional<Error> error;

  ~State() {
    if (file >= 0) ::close(file);
  }

  std::unexpected<Error> wrong(std::string_view found, std::string_view expected) const {
    return bad_input(fmt::format("{}:{}: found {}, expected {}", name, counts.lines, shown(found), expected));
  }

  // ---- names

  Status check_name(std::string_view text, std::string_view what) const {
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte <= 0x20 || byte == 0x7f)
        return wrong(text, fmt::format("{} without blanks or control characters", what));
    }
    if (text.empty()) return wrong(text, what);
    return {};
  }

  [[gnu::noinline]] Result<std::uint32_t> new_thread(std::string_view key) {
    RC_TRY_STATUS(check_name(key, "a thread's name"));
    if (threads.size() >= kStdMaxThreads) {
      return bad_input(
          fmt::format("{}:{}: more than {} threads: is this a STD file?", name, counts.lines, kStdMaxThreads));
    }
    const auto id = static_cast<std::uint32_t>(threads.size());
    threads.emplace(arena.keep(key), id);
    definitions.threads.push_back(all_digits(key) ? "T" + std::string(key) : std::string(key));
    return id;
  }

  // "T1" and "1" are one thread.
  Result<std::uint32_t> thread(std::string_view text) {
    std::string_view key = text;
    if (key.size() > 1 && key.front() == 'T' && all_digits(key.substr(1))) key.remove_prefix(1);
    const auto found = threads.find(key);
    if (found != threads.end()) return found->second;
    return new_thread(key);
  }

  [[gnu::noinline]] Result<std::uint32_t> new_name(Names& names, std::string_view text, std::uint64_t base,
                                                   std::string_view what) {
    RC_TRY_STATUS(check_name(text, what));
    if (names.size() >= kStdMaxNames) {
      return bad_input(fmt::format("{}:{}: more than {} names", name, counts.lines, kStdMaxNames));
    }
    const auto id = static_cast<std::uint32_t>(names.size());
    names.emplace(arena.keep(text), id);
    definitions.symbols.push_back({base + 8 * std::uint64_t{id}, 8, 0, std::string(text)});
    return id;
  }

  std::uint32_t new_location(Location location) {
    definitions.locations.push_back(std::move(location));
    return static_cast<std::uint32_t>(definitions.locations.size() - 1);
  }

  [[gnu::noinline]] Result<std::uint32_t> rare_location(std::string_view text) {
    const auto wrong_location = [&] { return wrong(text, "a location: a signed 32-bit number or path:line"); };
    if (definitions.locations.size() >= kNone32) return bad_input(fmt::format("{}: too many locations", name));
    if (const auto n = number(text, 0x7fffffff)) {
      const auto key = static_cast<std::int32_t>(*n);
      if (key >= 0 && static_cast<std::uint32_t>(key) < kDirectLocations) {
        if (static_cast<std::size_t>(key) >= near_locations.size())
          near_locations.resize(static_cast<std::size_t>(key) + 1, kNone32);
        std::uint32_t& id = near_locations[static_cast<std::size_t>(key)];
        if (id == kNone32) id = new_location({.label = fmt::format("{}", key)});
        return id;
      }
      if (const auto found = far_locations.find(key); found != far_locations.end()) return found->second;
      const std::uint32_t id = new_location({.label = fmt::format("{}", key)});
      far_locations.emplace(key, id);
      return id;
    }
    if (const auto found = places.find(text); found != places.end()) return found->second;
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0) return wrong_location();
    const auto line = number(text.substr(colon + 1), 0xffffffff);
    if (!line || *line < 0) return wrong_location();
    RC_TRY_STATUS(check_name(text, "a location"));
    const std::uint32_t id =
        new_location({.file = std::string(text.substr(0, colon)), .line = static_cast<std::uint32_t>(*line)});
    places.emplace(arena.keep(text), id);
    return id;
  }

  Result<std::uint32_t> location(std::string_view text) {
    // Short numbers, which is nearly all, without the general parser.
    std::uint32_t n = 0;
    if (text.size() - 1 < 5) {
      bool digits = true;
      for (const char c : text) {
        const auto digit = static_cast<std::uint32_t>(c - '0');
        digits = digits && digit < 10;
        n = n * 10 + digit;
      }
      if (digits && n < near_locations.size() && near_locations[n] != kNone32) return near_locations[n];
    }
    return rare_location(text);
  }

  // ---- lines

  // Appends the event of a line, if it has one.
  Status take(std::string_view line) {
    ++counts.lines;
    if (is_blank(line)) {
      ++counts.blank;
      return {};
    }
    if (line.back() == '\r')
      return wrong("\r", "a line that ends with \\n alone (convert the file, e.g. with `tr -d '\\r'`)");
    const std::size_t bar1 = line.find('|');
    const std::size_t bar2 = bar1 == std::string_view::npos ? bar1 : line.find('|', bar1 + 1);
    if (bar2 == std::string_view::npos) return wrong(line, "thread|operation|location");
    const std::string_view thread_text = line.substr(0, bar1);
    const std::string_view op = line.substr(bar1 + 1, bar2 - bar1 - 1);
    const std::string_view loc = line.substr(bar2 + 1);
    if (op.substr(0, 5) == "begin" || op.substr(0, 3) == "end") {
      if (thread_text.empty()) return wrong(thread_text, "a thread's name");
      ++counts.transactions;
      return {};
    }
    const std::size_t open = op.find('(');
    if (open == std::string_view::npos || op.back() != ')') return wrong(op, kExpectedOperation);
    const std::string_view verb = op.substr(0, open);
    const std::string_view operand = op.substr(open + 1, op.size() - open - 2);

    Event e;
    if (verb == "r" || verb == "w") {
      e.kind = verb == "r" ? EventKind::Read : EventKind::Write;
      e.size = 8;
      RC_TRY(const std::uint32_t id, name_of(variables, operand, kStdVariables, "a variable's name"));
      e.address = kStdVariables + 8 * std::uint64_t{id};
    } else if (verb == "acq" || verb == "rel") {
      e.kind = verb == "acq" ? EventKind::Lock : EventKind::Unlock;
      e.flags = kRecursive;
      RC_TRY(const std::uint32_t id, name_of(locks, operand, kStdLocks, "a lock's name"));
      e.address = kStdLocks + 8 * std::uint64_t{id};
    } else if (verb == "fork" || verb == "join") {
      e.kind = verb == "fork" ? EventKind::Fork : EventKind::Join;
      // The actor first, so that threads are numbered in order of appearance.
      RC_TRY_STATUS(actor(thread_text));
      RC_TRY(e.aux, thread(operand));
    } else if (verb == "req") {
      ++counts.requests;
      return {};
    } else {
      return wrong(op, kExpectedOperation);
    }
    RC_TRY_STATUS(actor(thread_text));
    e.thread = static_cast<ThreadId>(last_thread);
    RC_TRY(const std::uint32_t place, location(loc));
    e.location = static_cast<LocationId>(place);
    events.push_back(e);
    lines.push_back(counts.lines);
    ++counts.events;
    return {};
  }

  Result<std::uint32_t> name_of(Names& names, std::string_view text, std::uint64_t base, std::string_view what) {
    const auto found = names.find(text);
    if (found != names.end()) return found->second;
    return new_name(names, text, base, what);
  }

  // Sets last_thread to the line's thread.
  Status actor(std::string_view text) {
    if (text == last_thread_name && last_thread != kNone32) return {};
    RC_TRY(last_thread, thread(text));
    last_thread_name = text;
    return {};
  }

  static constexpr std::string_view kExpectedOperation =
      "r(V), w(V), acq(L), rel(L), fork(T), join(T), req(L), begin... or end...";

  // ---- input

  // The next line without its end; nullopt: there is none.
  Result<std::optional<std::string_view>> line() {
    while (true) {
      const char* const start = buffer.data() + at;
      if (const void* end = std::memchr(start, '\n', filled - at)) {
        const auto size = static_cast<std::size_t>(static_cast<const char*>(end) - start);
        at += size + 1;
        if (size > kStdMaxLine) return too_long();
        return std::string_view(start, size);
      }
      if (filled - at > kStdMaxLine) return too_long();
      if (file_ended) {
        if (at == filled) return std::nullopt;
        at = filled;
        return std::string_view(start, static_cast<std::size_t>(buffer.data() + filled - start));
      }
      RC_TRY_STATUS(fill());
    }
  }

  std::unexpected<Error> too_long() const {
    return bad_input(fmt::format("{}:{}: found a line of more than {} bytes, expected thread|operation|location", name,
                                 counts.lines + 1, kStdMaxLine));
  }

  Status fill() {
    buffer.resize(kPiece + kStdMaxLine + 1);
    std::memmove(buffer.data(), buffer.data() + at, filled - at);
    filled -= at;
    at = 0;
    ssize_t n = 0;
    do {
      n = ::read(file, buffer.data() + filled, buffer.size() - filled);
    } while (n < 0 && errno == EINTR);
    if (n < 0) return bad_input(fmt::format("cannot read {}: {}", name, std::strerror(errno)));
    if (n == 0) file_ended = true;
    filled += static_cast<std::size_t>(n);
    return {};
  }

  Status parse_batch() {
    while (events.size() < kBatch) {
      RC_TRY(const std::optional<std::string_view> text, line());
      if (!text) {
        if (counts.events == 0) {
          return bad_input(fmt::format("{} holds no event: expected lines such as `T1|w(x)|12`", name));
        }
        return {};
      }
      RC_TRY_STATUS(take(*text));
    }
    return {};
  }
};

StdSource::StdSource(std::unique_ptr<State> state) : state_(std::move(state)) {
  state_->events.reserve(kBatch);
  state_->lines.reserve(kBatch);
}
StdSource::StdSource(StdSource&&) noexcept = default;
StdSource& StdSource::operator=(StdSource&&) noexcept = default;
StdSource::~StdSource() = default;

Result<StdSource> StdSource::open(const std::string& path) {
  auto state = std::make_unique<State>();
  state->name = path;
  state->file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat about{};
  if (state->file < 0 || ::fstat(state->file, &about) != 0) {
    return bad_input(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  }
  if (S_ISDIR(about.st_mode)) return bad_input(fmt::format("{} is a directory, not a STD file", path));
  state->file_ended = false;
  return StdSource(std::move(state));
}

StdSource StdSource::from_text(std::string text, const std::string& name) {
  auto state = std::make_unique<State>();
  state->name = name;
  state->buffer = std::move(text);
  state->filled = state->buffer.size();
  return StdSource(std::move(state));
}

Result<std::span<const Event>> StdSource::next() {
  State& s = *state_;
  s.events.clear();
  s.lines.clear();
  if (!s.error) {
    if (Status parsed = s.parse_batch(); !parsed) s.error = parsed.error();
  }
  if (s.error && s.events.empty()) return std::unexpected(*s.error);
  return std::span<const Event>(s.events);
}

const Definitions& StdSource::definitions() const {
  return state_->definitions;
}
const StdCounts& StdSource::counts() const {
  return state_->counts;
}
std::span<const std::uint64_t> StdSource::lines() const {
  return state_->lines;
}

namespace {

Result<StdCounts> convert(const std::string& path, const std::string& out,
                          const std::function<void(std::uint64_t)>& progress) {
  RC_TRY(StdSource source, StdSource::open(path));
  RC_TRY(std::span<const Event> events, source.next());
  RC_TRY(Writer writer, Writer::create(out));
  Validator validator(source.definitions());
  while (!events.empty()) {
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (const Status valid = validator.add(events[i]); !valid) {
        return bad_input(fmt::format("{}:{}: {}", path, source.lines()[i], valid.error().message));
      }
    }
    append_new(source.definitions(), writer.definitions());
    RC_TRY_STATUS(writer.add(events));
    if (progress) progress(writer.events());
    RC_TRY(events, source.next());
  }
  RC_TRY_STATUS(writer.close());
  return source.counts();
}

}  // namespace

Result<StdCounts> import_std(const std::string& path, const std::string& out,
                             const std::function<void(std::uint64_t)>& progress) {
  RC_TRY_STATUS(refuse_same_file(path, out));
  struct stat about{};
  if (::stat(out.c_str(), &about) == 0 && !S_ISREG(about.st_mode)) return convert(path, out, progress);  // a device
  // A file that was there before stays as it is unless all goes well.
  const std::string part = out + ".part";
  Result<StdCounts> counts = convert(path, part, progress);
  if (counts && ::rename(part.c_str(), out.c_str()) != 0)
    counts = bad_input(fmt::format("{}: cannot be written: {}", out, std::strerror(errno)));
  if (!counts) ::unlink(part.c_str());
  return counts;
}

}  // namespace racecast::trace
