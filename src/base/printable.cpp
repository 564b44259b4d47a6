#include "base/printable.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace racecast {

namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t size = 0;  // in bytes; 0: no UTF-8
};

// The first character of what is not empty. Overlong forms, surrogates and what is beyond U+10FFFF are no UTF-8.
Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (lead < 0xc0 || lead > 0xf7 || text.size() < size) return {};
  std::uint32_t code = lead & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3f);
  }
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < kSmallest[size] || code > 0x10ffff || surrogate ? Character{} : Character{code, size};
}

bool is_harmless(std::uint32_t code) {
  if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return false;  // controls
  if (code == 0x2028 || code == 0x2029) return false;               // line and paragraph separator
  const bool turns = code == 0x061c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
                     (code >= 0x2066 && code <= 0x2069);
  return !turns;
}

std::string escaped(std::string_view text, std::string_view kept) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character c = first_of(text);
    const std::string_view bytes = text.substr(0, c.size == 0 ? 1 : c.size);
    if (c.size != 0 && (is_harmless(c.code) || kept.find(bytes) != kept.npos)) {
      out += bytes;
    } else {
      for (const char b : bytes) fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(b));
    }
    text.remove_prefix(bytes.size());
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) {
  return escaped(text, "");
}

std::string printable_lines(std::string_view text) {
  return escaped(text, "\n\t");
}

}  // namespace racecast
