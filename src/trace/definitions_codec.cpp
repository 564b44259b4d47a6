#include "trace/definitions_codec.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.h"

namespace racecast::trace {
namespace {

// So small that one definition never exceeds half of what a DEFS chunk may hold.
constexpr std::size_t kMaxText = 1u << 20;
constexpr std::size_t kMaxRanges = 1u << 16;

bool wraps(std::uint64_t address, std::uint64_t size) {
  return address + size < address;
}

// Sorted, disjoint, not empty, inside the address space.
bool well_formed(const ReachSet& reach) {
  std::uint64_t end = 0;
  for (const Range& range : reach.ranges) {
    if (range.size == 0 || range.address < end || wraps(range.address, range.size)) return false;
    end = range.address + range.size;
  }
  return true;
}

// Writes the elements from `done` on while `out` is below the budget: index of the first, how many, the elements.
template <typename T, typename Put>
void put_new(ByteWriter& out, const std::vector<T>& all, std::size_t& done, std::size_t budget, const Put& put) {
  ByteWriter elements;
  const std::size_t first = done;
  while (done < all.size() && out.bytes().size() + elements.bytes().size() < budget) put(elements, all[done++]);
  out.varint(first);
  out.varint(done - first);
  out.raw(elements.bytes().data(), elements.bytes().size());
}

template <typename T, typename Get>
bool get_new(ByteReader& in, std::vector<T>& all, std::size_t min_bytes, const Get& get) {
  if (in.varint() != all.size()) return false;
  const std::size_t n = in.count(min_bytes);
  all.reserve(all.size() + n);
  for (std::size_t i = 0; i < n && in.ok(); ++i) {
    if (!get(all.emplace_back())) return false;
  }
  return in.ok();
}

Status too_long(const char* what, std::size_t size) {
  return bad_input(fmt::format("a {} of {} bytes cannot be written to a trace (at most {})", what, size, kMaxText));
}

Status writable(const Definitions& d, const DefinitionCounts& done) {
  for (std::size_t i = done.threads; i < d.threads.size(); ++i) {
    if (d.threads[i].size() > kMaxText) return too_long("thread name", d.threads[i].size());
  }
  for (std::size_t i = done.strings; i < d.strings.size(); ++i) {
    if (d.strings[i].size() > kMaxText) return too_long("string", d.strings[i].size());
  }
  for (std::size_t i = done.symbols; i < d.symbols.size(); ++i) {
    const Symbol& s = d.symbols[i];
    if (s.name.size() > kMaxText) return too_long("symbol name", s.name.size());
    if (wraps(s.address, s.size)) return bad_input(fmt::format("symbol {} exceeds the address space", s.name));
  }
  for (std::size_t i = done.locations; i < d.locations.size(); ++i) {
    const Location& l = d.locations[i];
    if (const std::size_t longest = std::max({l.file.size(), l.function.size(), l.label.size()}); longest > kMaxText) {
      return too_long("text of a location", longest);
    }
  }
  for (std::size_t i = done.reach; i < d.reach.size(); ++i) {
    if (!well_formed(d.reach[i]) || d.reach[i].ranges.size() > kMaxRanges) {
      return bad_input(fmt::format("reach set {} is not a sorted list of at most {} disjoint ranges", i, kMaxRanges));
    }
  }
  return {};
}

}  // namespace

DefinitionCounts counts_of(const Definitions& d) {
  return {d.threads.size(), d.symbols.size(), d.locations.size(), d.reach.size(), d.strings.size(), d.branches};
}

IdBounds bounds_of(const Definitions& d) {
  return {d.threads.size(), d.locations.size(), d.reach.size(), d.strings.size()};
}

void append_new(const Definitions& from, Definitions& to) {
  const auto append = [](const auto& source, auto& target) {
    if (source.size() > target.size()) target.insert(target.end(), source.begin() + target.size(), source.end());
  };
  append(from.threads, to.threads);
  append(from.symbols, to.symbols);
  append(from.locations, to.locations);
  append(from.reach, to.reach);
  append(from.strings, to.strings);
  to.branches = from.branches;
  if (to.program == nullptr) to.program = from.program;
}

Result<std::vector<std::uint8_t>> encode_definitions(const Definitions& d, DefinitionCounts& done, std::size_t budget) {
  RC_TRY_STATUS(writable(d, done));
  ByteWriter out;
  out.u8(d.branches ? 1 : 0);
  done.branches = d.branches;
  const auto put_text = [](ByteWriter& to, const std::string& text) { to.text(text); };
  put_new(out, d.threads, done.threads, budget, put_text);
  put_new(out, d.symbols, done.symbols, budget, [](ByteWriter& to, const Symbol& s) {
    to.varint(s.address);
    to.varint(s.size);
    to.varint(s.element);
    to.text(s.name);
  });
  put_new(out, d.locations, done.locations, budget, [](ByteWriter& to, const Location& l) {
    to.text(l.file);
    to.varint(l.line);
    to.varint(l.column);
    to.text(l.function);
    to.text(l.label);
  });
  put_new(out, d.reach, done.reach, budget, [](ByteWriter& to, const ReachSet& r) {
    to.u8(r.everything ? 1 : 0);
    to.varint(r.ranges.size());
    std::uint64_t end = 0;
    for (const Range& range : r.ranges) {
      to.varint(range.address - end);
      to.varint(range.size);
      end = range.address + range.size;
    }
  });
  put_new(out, d.strings, done.strings, budget, put_text);
  return std::move(out.bytes());
}

bool decode_definitions(std::span<const std::uint8_t> payload, Definitions& d) {
  ByteReader in(payload);
  const std::uint8_t branches = in.u8();
  if (branches > 1) return false;
  d.branches = branches == 1;
  const auto get_text = [&](std::string& text) {
    text = in.text();
    return text.size() <= kMaxText;
  };
  const auto get_u32 = [&](std::uint32_t& v) {
    v = static_cast<std::uint32_t>(in.varint_below(std::uint64_t{1} << 32));
  };
  if (!get_new(in, d.threads, 1, get_text)) return false;
  if (!get_new(in, d.symbols, 4, [&](Symbol& s) {
        s.address = in.varint();
        s.size = in.varint();
        get_u32(s.element);
        return get_text(s.name) && !wraps(s.address, s.size);
      })) {
    return false;
  }
  if (!get_new(in, d.locations, 5, [&](Location& l) {
        if (!get_text(l.file)) return false;
        get_u32(l.line);
        get_u32(l.column);
        return get_text(l.function) && get_text(l.label);
      })) {
    return false;
  }
  if (!get_new(in, d.reach, 2, [&](ReachSet& r) {
        const std::uint8_t everything = in.u8();
        r.everything = everything == 1;
        r.ranges.resize(in.count(2));
        std::uint64_t end = 0;
        for (Range& range : r.ranges) {
          const std::uint64_t gap = in.varint();
          if (wraps(end, gap)) return false;
          range = {end + gap, in.varint()};
          end = range.address + range.size;
        }
        return everything <= 1 && r.ranges.size() <= kMaxRanges && well_formed(r);
      })) {
    return false;
  }
  if (!get_new(in, d.strings, 1, get_text)) return false;
  return in.ok() && in.left() == 0;
}

}  // namespace racecast::trace
