#include "trace/event_codec.h"

#include <fmt/format.h>

#include <bit>
#include <cstddef>
#include <cstring>

#include "base/bytes.h"
#include "base/check.h"

namespace racecast::trace {
namespace {

static_assert(std::endian::native == std::endian::little, "the codec reads and writes numbers with plain loads");
static_assert(kEventKinds <= 128, "a kind has seven bits");

constexpr Flags kKnownFlags = 0x7f | kAppend | kUnchecked;
constexpr std::uint8_t kExtended = 0x80;  // top bit of the kind byte
enum Extension : std::uint8_t { kNewFlags = 1, kNewOrder = 2, kNewSize = 4 };

constexpr std::uint32_t kFirstSize = 8;  // what a kind with a size starts a chunk with

// ---- varints

constexpr std::uint64_t kTops = 0x8080808080808080u;

// The seven-bit groups of a number below 2^56, one a byte, and back.
constexpr std::uint64_t spread(std::uint64_t v) {
  v = (v & 0x000000000fffffffu) | ((v & 0x00fffffff0000000u) << 4);
  v = (v & 0x00003fff00003fffu) | ((v & 0x0fffc0000fffc000u) << 2);
  v = (v & 0x007f007f007f007fu) | ((v & 0x3f803f803f803f80u) << 1);
  return v;
}
constexpr std::uint64_t gather(std::uint64_t v) {
  v = (v & 0x007f007f007f007fu) | ((v & 0x7f007f007f007f00u) >> 1);
  v = (v & 0x00003fff00003fffu) | ((v & 0x3fff00003fff0000u) >> 2);
  v = (v & 0x000000000fffffffu) | ((v & 0x0fffffff00000000u) >> 4);
  return v;
}
static_assert(gather(spread(0xfedcba98765432u)) == 0xfedcba98765432u);

// Writes up to 10 bytes, and may overwrite the 8 at `p` for a shorter number.
inline std::uint8_t* put(std::uint8_t* p, std::uint64_t v) {
  if (v < (std::uint64_t{1} << 56)) [[likely]] {
    const unsigned bytes = (static_cast<unsigned>(std::bit_width(v | 1)) + 6) / 7;
    const std::uint64_t more = kTops & ((std::uint64_t{1} << (8 * (bytes - 1))) - 1);
    const std::uint64_t word = spread(v) | more;
    std::memcpy(p, &word, sizeof word);
    return p + bytes;
  }
  while (v >= 0x80) {
    *p++ = static_cast<std::uint8_t>(v | 0x80);
    v >>= 7;
  }
  *p++ = static_cast<std::uint8_t>(v);
  return p;
}

// A varint of 9 or 10 bytes; null if it is longer or exceeds 64 bits.
[[gnu::noinline]] const std::uint8_t* get_long(const std::uint8_t* p, std::uint64_t& v) {
  v = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint8_t byte = *p++;
    if (shift == 63 && byte > 1) return nullptr;
    v |= std::uint64_t{byte & 0x7fu} << shift;
    if ((byte & 0x80) == 0) return p;
  }
  return nullptr;
}

// Reads a varint that may have any length up to 10. Null: malformed.
inline const std::uint8_t* get(const std::uint8_t* p, std::uint64_t& v) {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  const std::uint64_t stops = ~word & kTops;
  if (stops == 0) [[unlikely]]
    return get_long(p, v);
  v = gather(word & (stops ^ (stops - 1)) & ~kTops);
  return p + (std::countr_zero(stops) >> 3) + 1;
}

// ---- what a kind has

constexpr bool carries_ids(EventKind kind) {
  switch (kind) {
    case EventKind::Fork:
    case EventKind::Join:
    case EventKind::Call:
    case EventKind::Marker:
    case EventKind::MissingBegin: return true;
    default: return false;
  }
}

// Is the value written? Kinds without flags always have theirs.
constexpr bool has_value(std::uint8_t fields, Flags flags) {
  return (fields & V) != 0 && ((fields & F) == 0 || (flags & kHasValue) != 0);
}
// A rmw's aux is known when its value is; for any other kind it is always there.
constexpr bool has_aux(std::uint8_t fields, Flags flags) {
  return (fields & X) != 0 && ((fields & V) == 0 || has_value(fields, flags));
}

bool ids_defined(const Event& e, const IdBounds& bounds) {
  switch (e.kind) {
    case EventKind::Fork:
    case EventKind::Join: return e.aux < bounds.threads;
    case EventKind::Call:
    case EventKind::Marker: return e.aux < bounds.strings;
    case EventKind::MissingBegin: return e.aux < bounds.strings && e.address < bounds.reach;
    default: return true;
  }
}

bool flags_allowed(std::uint8_t fields, Flags flags) {
  if ((fields & F) == 0) return flags == 0;
  return (flags & ~kKnownFlags) == 0 && ((fields & V) != 0 || (flags & kHasValue) == 0);
}

// Members that the kind does not use are zero, and flags and order are legal.
bool shaped(const Event& e) {
  if (e.kind == EventKind::None || static_cast<std::size_t>(e.kind) >= kEventKinds) return false;
  const std::uint8_t fields = row_of(e.kind).fields;
  if (!flags_allowed(fields, e.flags)) return false;
  if ((fields & A) == 0 && e.address != 0) return false;
  if ((fields & S) == 0 && e.size != 0) return false;
  if (!has_value(fields, e.flags) && e.value != 0) return false;
  if (!has_aux(fields, e.flags) && e.aux != 0) return false;
  if ((fields & O) == 0 && e.order != MemoryOrder::None) return false;
  return static_cast<int>(e.order) < kMemoryOrders;
}

}  // namespace

std::string broken_event(const Event& e, const IdBounds& bounds) {
  if (e.kind == EventKind::None || static_cast<std::size_t>(e.kind) >= kEventKinds) {
    return fmt::format("kind {} does not exist", static_cast<int>(e.kind));
  }
  const KindRow& row = row_of(e.kind);
  const auto unused = [&](const char* what) {
    return fmt::format("a {} event has no {}, but it is set", row.text, what);
  };
  if (!flags_allowed(row.fields, e.flags)) return fmt::format("flags {:#x} are not for a {} event", e.flags, row.text);
  if ((row.fields & A) == 0 && e.address != 0) return unused("address");
  if ((row.fields & S) == 0 && e.size != 0) return unused("size");
  if (!has_value(row.fields, e.flags) && e.value != 0) return unused("value");
  if (!has_aux(row.fields, e.flags) && e.aux != 0) return unused("aux");
  if ((row.fields & O) == 0 && e.order != MemoryOrder::None) return unused("order");
  if (static_cast<int>(e.order) >= kMemoryOrders)
    return fmt::format("order {} does not exist", static_cast<int>(e.order));
  if (index(e.thread) >= bounds.threads) {
    return fmt::format("thread {} is not defined ({} are)", index(e.thread), bounds.threads);
  }
  if (index(e.location) >= bounds.locations) {
    return fmt::format("location {} is not defined ({} are)", index(e.location), bounds.locations);
  }
  if (!ids_defined(e, bounds)) {
    return fmt::format("a {} event refers to {}{}, which is not defined", row.text, e.aux,
                       e.kind == EventKind::MissingBegin ? fmt::format(" or reach set {}", e.address) : std::string{});
  }
  return {};
}

// ---- encoding

EventEncoder::EventEncoder() : buffer_(new std::uint8_t[std::size_t{kMaxEventsPerChunk} * kMaxEventBytes]) {
  clear();
}

void EventEncoder::clear() {
  size_ = 0;
  count_ = 0;
  thread_ = ThreadId{0};
  location_ = 0;
  addresses_.fill(0);
  for (std::size_t kind = 0; kind < kEventKinds; ++kind) {
    KindState& state = kinds_[kind];
    const std::uint8_t fields = kKindTable[kind].fields;
    state = {};
    state.size = (fields & S) != 0 ? kFirstSize : 0;
    state.group = static_cast<std::uint8_t>(kKindTable[kind].group);
    state.address = (fields & A) != 0;
    state.ids = carries_ids(static_cast<EventKind>(kind));
    state.value = has_value(fields, 0);
    state.aux = has_aux(fields, 0);
  }
}

bool EventEncoder::add(const Event& e, const IdBounds& bounds) {
  if (count_ == kMaxEventsPerChunk || static_cast<std::size_t>(e.kind) - 1 >= kEventKinds - 1) [[unlikely]]
    return false;
  KindState& state = kinds_[static_cast<std::size_t>(e.kind)];
  const bool same = e.flags == state.flags && e.order == state.order && e.size == state.size;
  // Flags, order and size that the kind had before are legal; then only members that must be zero are left to check.
  if (same) [[likely]] {
    if ((!state.address && e.address != 0) || (!state.value && e.value != 0) || (!state.aux && e.aux != 0))
      return false;
  } else if (!shaped(e)) {
    return false;
  }
  if (index(e.thread) >= bounds.threads || index(e.location) >= bounds.locations) [[unlikely]]
    return false;
  if (state.ids && !ids_defined(e, bounds)) [[unlikely]]
    return false;

  std::uint8_t* const begin = buffer_.get() + size_;
  std::uint8_t* p = begin;
  if (e.thread != thread_) {
    *p++ = 0;
    p = put(p, index(e.thread));
    thread_ = e.thread;
  }
  const auto kind = static_cast<std::uint8_t>(e.kind);
  if (same) [[likely]] {
    *p++ = kind;
  } else {
    p = put_extension(p, e, state);
  }
  p = put(p, zigzag(static_cast<std::int64_t>(index(e.location) - location_)));
  location_ = index(e.location);
  if (state.address) {
    std::uint64_t& last = addresses_[state.group];
    p = put(p, zigzag(static_cast<std::int64_t>(e.address - last)));
    last = e.address;
  }
  if (state.value) p = put(p, zigzag(static_cast<std::int64_t>(e.value)));
  if (state.aux) p = put(p, zigzag(static_cast<std::int64_t>(e.aux - e.value)));
  size_ += static_cast<std::size_t>(p - begin);
  ++count_;
  return true;
}

std::uint8_t* EventEncoder::put_extension(std::uint8_t* p, const Event& e, KindState& state) {
  *p++ = static_cast<std::uint8_t>(e.kind) | kExtended;
  *p++ = static_cast<std::uint8_t>((e.flags != state.flags ? kNewFlags : 0) | (e.order != state.order ? kNewOrder : 0) |
                                   (e.size != state.size ? kNewSize : 0));
  if (e.flags != state.flags) p = put(p, e.flags);
  if (e.order != state.order) *p++ = static_cast<std::uint8_t>(e.order);
  if (e.size != state.size) p = put(p, e.size);
  const std::uint8_t fields = row_of(e.kind).fields;
  state.size = e.size;
  state.flags = e.flags;
  state.order = e.order;
  state.value = has_value(fields, e.flags);
  state.aux = has_aux(fields, e.flags);
  return p;
}

// ---- decoding

namespace {

// The first members of Event, as one number.
static_assert(offsetof(Event, kind) == 0 && offsetof(Event, order) == 1 && offsetof(Event, flags) == 2 &&
              offsetof(Event, thread) == 4);
constexpr std::uint32_t head_of(EventKind kind, Flags flags, MemoryOrder order) {
  return static_cast<std::uint32_t>(kind) | static_cast<std::uint32_t>(order) << 8 |
         static_cast<std::uint32_t>(flags) << 16;
}

// What decoding knows of a kind; an extension changes it.
struct DecodeRow {
  std::uint64_t address_mask = 0;  // all ones: the field is there
  std::uint64_t value_mask = 0;
  std::uint32_t size = 0;
  std::uint32_t head = 0;  // head_of()
  Flags flags = 0;
  MemoryOrder order = MemoryOrder::None;
  std::uint8_t group = 0;
  bool fast = false;  // kind, location, address and value is all there is: no aux, no ids
  bool has_aux = false;
  bool exists = false;
};
static_assert(sizeof(DecodeRow) == 32);

constexpr std::uint64_t mask_if(bool condition) {
  return condition ? ~std::uint64_t{0} : 0;
}

void set_flags(DecodeRow& row, EventKind kind, Flags flags) {
  const std::uint8_t fields = row_of(kind).fields;
  row.flags = flags;
  row.value_mask = mask_if(has_value(fields, flags));
  row.has_aux = has_aux(fields, flags);
  row.fast = !carries_ids(kind) && !row.has_aux;
  row.head = head_of(kind, row.flags, row.order);
}

// Without its lowest bit, where the mask is all ones.
constexpr std::uint64_t next_if(std::uint64_t stops, std::uint64_t mask) {
  return stops & ((stops - 1) | ~mask);
}
// All bits up to and including the lowest one that is set.
constexpr std::uint64_t up_to(std::uint64_t stops) {
  return stops ^ (stops - 1);
}
constexpr std::uint64_t signed_of(std::uint64_t zigzagged) {
  return static_cast<std::uint64_t>(unzigzag(zigzagged));
}

// The varint whose bytes are those of `word` under `bits`, which are contiguous (or none: 0).
struct PortableFields {
  static std::uint64_t get(std::uint64_t word, std::uint64_t bits) {
    return gather((word & bits & ~kTops) >> (std::countr_zero(bits) & 63));
  }
};

#if defined(__x86_64__)
// The same as one instruction. Written as assembly so that the loop needs no other target than the rest of the program.
struct PextFields {
  static std::uint64_t get(std::uint64_t word, std::uint64_t bits) {
    std::uint64_t out;
    asm("pext %2, %1, %0" : "=r"(out) : "r"(word), "r"(bits & ~kTops));
    return out;
  }
  // AMD's processors before Zen 3 have the instruction, but take up to 250 cycles for it.
  static bool fast() {
    return __builtin_cpu_supports("bmi2") && !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2");
  }
};
#endif

class Decoder {
 public:
  Decoder(const std::uint8_t* bytes, std::size_t size, const IdBounds& bounds)
      : p_(bytes), end_(bytes + size), bounds_(bounds) {
    for (std::size_t i = 1; i < kEventKinds; ++i) {
      DecodeRow& row = rows_[i];
      const std::uint8_t fields = kKindTable[i].fields;
      row.exists = true;
      row.address_mask = mask_if((fields & A) != 0);
      row.size = (fields & S) != 0 ? kFirstSize : 0;
      row.group = static_cast<std::uint8_t>(kKindTable[i].group);
      set_flags(row, static_cast<EventKind>(i), 0);
    }
  }

  // Fields: how the bits of a varint are taken out of a word.
  template <typename Fields>
  bool decode(std::span<Event> out) {
    if (bounds_.threads == 0) return out.empty() && p_ == end_;
    // In locals, because the stores to `out` could otherwise change them, for all the compiler knows.
    const std::uint8_t* p = p_;
    const std::uint8_t* const end = end_;
    std::uint64_t location = 0;
    const std::uint64_t locations = bounds_.locations;
    auto thread = ThreadId{0};
    for (Event& e : out) {
      if (p >= end) [[unlikely]]
        return false;
      // An event that fits into eight bytes is taken out of one load. A stop is a bit where a varint ends; the lowest
      // one of `stops` ends the location, of address_stop the address (or, without one, still the location), of
      // last_stop the event.
      std::uint64_t word;
      std::memcpy(&word, p, sizeof word);
      const DecodeRow& row = rows_[word & 0xff];
      const std::uint64_t stops = ~word & kTops & ~std::uint64_t{0xff};
      const std::uint64_t address_stop = next_if(stops, row.address_mask);
      const std::uint64_t last_stop = next_if(address_stop, row.value_mask);
      if (!row.fast || last_stop == 0) [[unlikely]] {
        location_ = location;
        p = slow(p, e);
        if (p == nullptr) return false;
        location = location_;
        thread = thread_;
        continue;
      }
      p += (std::countr_zero(last_stop) + 1) >> 3;
      const std::uint64_t location_bits = up_to(stops);
      location += signed_of(Fields::get(word, location_bits & ~std::uint64_t{0xff}));
      if (location >= locations) [[unlikely]]
        return false;
      const std::uint64_t address_bits = up_to(address_stop);
      std::uint64_t& last = addresses_[row.group];
      const std::uint64_t address = last + signed_of(Fields::get(word, address_bits ^ location_bits));
      last = address;  // without an address the difference is 0
      std::uint64_t value = 0;
      if (row.value_mask != 0) value = signed_of(Fields::get(word, up_to(last_stop) ^ address_bits));
      std::memcpy(static_cast<void*>(&e), &row.head, sizeof row.head);
      e.thread = thread;
      e.location = static_cast<LocationId>(location);
      e.size = row.size;
      e.address = address & row.address_mask;
      e.value = value;
      e.aux = 0;
    }
    return p == end;
  }

 private:
  // One event of any shape at `p` < end_, with the change of thread before it. Null: malformed.
  [[gnu::noinline]] const std::uint8_t* slow(const std::uint8_t* p, Event& e) {
    std::uint64_t number = 0;
    std::uint8_t byte = *p++;
    if (byte == 0) {
      p = get(p, number);
      if (p == nullptr || p >= end_ || number >= bounds_.threads) return nullptr;
      thread_ = static_cast<ThreadId>(number);
      byte = *p++;
    }
    const auto kind = static_cast<EventKind>(byte & ~kExtended);
    DecodeRow& row = rows_[byte & ~kExtended];
    if (!row.exists) return nullptr;
    if ((byte & kExtended) != 0 && (p = get_extension(p, kind, row)) == nullptr) return nullptr;
    if ((p = get(p, number)) == nullptr) return nullptr;
    location_ += static_cast<std::uint64_t>(unzigzag(number));
    if (location_ >= bounds_.locations) return nullptr;
    e = Event{kind, row.order, row.flags, thread_, static_cast<LocationId>(location_), row.size, 0, 0, 0};
    if (row.address_mask != 0) {
      if ((p = get(p, number)) == nullptr) return nullptr;
      e.address = addresses_[row.group] += static_cast<std::uint64_t>(unzigzag(number));
    }
    if (row.value_mask != 0) {
      if ((p = get(p, number)) == nullptr) return nullptr;
      e.value = static_cast<std::uint64_t>(unzigzag(number));
    }
    if (row.has_aux) {
      if ((p = get(p, number)) == nullptr) return nullptr;
      e.aux = e.value + static_cast<std::uint64_t>(unzigzag(number));
    }
    return ids_defined(e, bounds_) ? p : nullptr;
  }

  // The extension of a kind byte: changes the kind's row. Null: malformed.
  static const std::uint8_t* get_extension(const std::uint8_t* p, EventKind kind, DecodeRow& row) {
    const std::uint8_t what = *p++;
    const std::uint8_t fields = row_of(kind).fields;
    if (what == 0 || (what & ~(kNewFlags | kNewOrder | kNewSize)) != 0) return nullptr;
    if ((what & kNewFlags) != 0) {
      std::uint64_t flags = 0;
      p = get(p, flags);
      if (p == nullptr || flags > 0xffff || !flags_allowed(fields, static_cast<Flags>(flags))) return nullptr;
      set_flags(row, kind, static_cast<Flags>(flags));
    }
    if ((what & kNewOrder) != 0) {
      if ((fields & O) == 0 || *p >= kMemoryOrders) return nullptr;
      row.order = static_cast<MemoryOrder>(*p++);
      row.head = head_of(kind, row.flags, row.order);
    }
    if ((what & kNewSize) != 0) {
      std::uint64_t size = 0;
      p = get(p, size);
      if (p == nullptr || (fields & S) == 0 || size > 0xffffffffu) return nullptr;
      row.size = static_cast<std::uint32_t>(size);
    }
    return p;
  }

  const std::uint8_t* p_;
  const std::uint8_t* end_;
  IdBounds bounds_;
  ThreadId thread_{};
  std::uint64_t location_ = 0;                 // of the last event, while slow() runs
  std::array<std::uint64_t, 16> addresses_{};  // by Group
  std::array<DecodeRow, 256> rows_{};          // by kind byte; those beyond the kinds stay empty and are never fast
};

}  // namespace

bool decode_events(const std::uint8_t* bytes, std::size_t size, const IdBounds& bounds, std::span<Event> out) {
#if defined(__x86_64__)
  static const bool pext = PextFields::fast();
  if (pext) return Decoder(bytes, size, bounds).decode<PextFields>(out);
#endif
  return decode_events_portable(bytes, size, bounds, out);
}

bool decode_events_portable(const std::uint8_t* bytes, std::size_t size, const IdBounds& bounds, std::span<Event> out) {
  return Decoder(bytes, size, bounds).decode<PortableFields>(out);
}

}  // namespace racecast::trace
