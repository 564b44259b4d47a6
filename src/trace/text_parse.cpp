// Reads the text form of a trace, line by line. A line is split as it is read: what may follow depends on the kind of
// the event, so there is no separate tokenizer, only a cursor that knows how to complain.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "trace/event_codec.h"
#include "trace/state.h"
#include "trace/text.h"
#include "trace/text_names.h"

namespace racecast::trace {
namespace {

constexpr std::uint64_t kSymbolStep = 64;
constexpr std::uint64_t kSymbolSize = 8;

class TextParser {
 public:
  TextParser(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  Result<Trace> run() {
    bool header = false;
    while (!text_.empty()) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      line_ = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      ++line_number_;
      at_ = 0;
      if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
      if (at_end()) continue;
      if (!header) {
        RC_TRY_STATUS(parse_header());
        header = true;
      } else {
        RC_TRY_STATUS(parse_line());
      }
      if (!at_end()) return wrong("the end of the line");
    }
    if (!header) {
      line_number_ = std::max<std::size_t>(line_number_, 1);
      return wrong(fmt::format("`{}`", kTextHeader));
    }
    return std::move(trace_);
  }

 private:
  // ---- the cursor

  bool at_end() {
    while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t')) ++at_;
    return at_ == line_.size() || line_[at_] == '#';
  }
  // At the end of a word: neither blank nor comment need precede what follows ("a[1]", "a+4").
  bool follows(char c) {
    if (at_ >= line_.size() || line_[at_] != c) return false;
    ++at_;
    return true;
  }

  // What stands at the cursor, for a message.
  std::string found() {
    if (at_end()) return "the end of the line";
    std::size_t end = at_ + 1;
    while (end < line_.size() && line_[end] != ' ' && line_[end] != '\t' && end - at_ < 40) ++end;
    std::string out;
    for (const char c : line_.substr(at_, end - at_)) {
      const auto byte = static_cast<unsigned char>(c);
      out += byte < 0x20 || byte == 0x7f ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
    }
    return fmt::format("`{}`", out);
  }
  std::unexpected<Error> wrong(std::string_view expected) {
    const std::string what = found();
    return bad_input(fmt::format("{}:{}:{}: found {}, expected {}", file_, line_number_, at_ + 1, what, expected));
  }
  std::unexpected<Error> wrong_at(std::size_t at, std::string_view message) const {
    return bad_input(fmt::format("{}:{}:{}: {}", file_, line_number_, at + 1, message));
  }

  // Bare characters at the cursor; empty if there are none.
  std::string_view peek_bare() {
    if (at_end()) return {};
    std::size_t end = at_;
    while (end < line_.size() && plain_character(line_[end])) ++end;
    return line_.substr(at_, end - at_);
  }

  Result<std::string> quoted_word() {
    const std::size_t start = at_++;
    std::string out;
    while (at_ < line_.size() && line_[at_] != '"') {
      char c = line_[at_++];
      if (c == '\\') {
        const std::string_view rest = line_.substr(at_);
        unsigned byte = 0;
        if (rest.size() >= 3 && rest[0] == 'x' &&
            std::from_chars(rest.data() + 1, rest.data() + 3, byte, 16).ptr == rest.data() + 3) {
          c = static_cast<char>(byte);
          at_ += 3;
        } else if (!rest.empty() && (rest[0] == '"' || rest[0] == '\\')) {
          c = rest[0];
          ++at_;
        } else {
          return wrong("\\\", \\\\ or \\x and two hexadecimal digits");
        }
      }
      out += c;
    }
    if (at_ == line_.size()) return wrong_at(start, "this quoted name has no end");
    ++at_;
    return out;
  }

  Result<std::string> word(std::string_view expected) {
    if (!at_end() && line_[at_] == '"') return quoted_word();
    const std::string_view bare = peek_bare();
    if (bare.empty()) return wrong(expected);
    at_ += bare.size();
    return std::string(bare);
  }

  // Decimal or 0x...; `negative` says whether a minus is allowed (two's complement).
  Result<std::uint64_t> number(std::string_view expected, bool negative, std::uint64_t limit = ~std::uint64_t{0}) {
    std::string_view bare = peek_bare();
    const std::size_t size = bare.size();
    const bool minus = negative && !bare.empty() && bare.front() == '-';
    if (minus) bare.remove_prefix(1);
    const bool hex = bare.size() > 2 && bare[0] == '0' && bare[1] == 'x';
    if (hex) bare.remove_prefix(2);
    std::uint64_t v = 0;
    const auto [end, error] = std::from_chars(bare.data(), bare.data() + bare.size(), v, hex ? 16 : 10);
    if (bare.empty() || end != bare.data() + bare.size() || error != std::errc{} || v > limit ||
        (minus && v > (std::uint64_t{1} << 63))) {
      return wrong(limit == ~std::uint64_t{0} ? std::string(expected) : fmt::format("{} up to {}", expected, limit));
    }
    at_ += size;
    return minus ? ~v + 1 : v;
  }
  Result<std::uint32_t> u32(std::string_view expected) {
    RC_TRY(const std::uint64_t v, number(expected, false, 0xffffffffu));
    return static_cast<std::uint32_t>(v);
  }

  // %N, which must be below `bound`; nullopt: the cursor is at something else.
  Result<std::optional<std::uint64_t>> id(std::string_view what, std::uint64_t bound) {
    if (at_end() || line_[at_] != '%') return std::nullopt;
    const std::size_t start = at_++;
    RC_TRY(const std::uint64_t v, number(fmt::format("the number of a {}", what), false));
    if (v >= bound) return wrong_at(start, fmt::format("{} {} is not defined ({} are)", what, v, bound));
    return v;
  }

  // ---- references; names that are new are defined

  Definitions& definitions() { return trace_.definitions; }

  Result<std::uint64_t> thread() {
    RC_TRY(const std::optional<std::uint64_t> by_number, id("thread", definitions().threads.size()));
    if (by_number) return *by_number;
    RC_TRY(const std::string name, word("a thread"));
    if (const auto known = names_.threads.find(name)) return *known;
    implicit_.insert("thread " + name);
    definitions().threads.push_back(name);
    names_.update(definitions());
    return definitions().threads.size() - 1;
  }

  Result<std::uint64_t> string(std::string_view expected) {
    RC_TRY(const std::optional<std::uint64_t> by_number, id("string", definitions().strings.size()));
    if (by_number) return *by_number;
    RC_TRY(const std::string name, word(expected));
    if (const auto known = names_.strings.find(name)) return *known;
    implicit_.insert("string " + name);
    definitions().strings.push_back(name);
    names_.update(definitions());
    return definitions().strings.size() - 1;
  }

  Result<std::uint64_t> location() {
    RC_TRY(const std::optional<std::uint64_t> by_number, id("location", definitions().locations.size()));
    if (by_number) return *by_number;
    RC_TRY(const std::string label, word("a location: its label, or % and its number"));
    if (label.empty()) return wrong("a label");
    if (const auto known = names_.labels.find(label)) return *known;
    implicit_.insert("location " + label);
    definitions().locations.emplace_back().label = label;
    names_.update(definitions());
    return definitions().locations.size() - 1;
  }

  // For an event that names none: a location of which nothing is known.
  std::uint64_t no_location() {
    std::vector<Location>& all = definitions().locations;
    if (!no_location_) {
      const auto found = std::find(all.begin(), all.end(), Location{});
      no_location_ = static_cast<std::uint64_t>(found - all.begin());
      if (found == all.end()) all.emplace_back();
      names_.update(definitions());
    }
    return *no_location_;
  }

  Result<std::uint64_t> define_symbol(const std::string& name) {
    if (next_symbol_ + kSymbolStep < next_symbol_)
      return wrong("a symbol that is defined (the address space is used up)");
    implicit_.insert("symbol " + name);
    add_symbol({next_symbol_, kSymbolSize, 0, name});
    return definitions().symbols.size() - 1;
  }

  void add_symbol(Symbol symbol) {
    const std::uint64_t end = symbol.address + symbol.size;
    if (!is_state(symbol.address) && (end > next_symbol_ || symbol.address == next_symbol_)) {
      next_symbol_ = std::max(end, symbol.address + 1);
      next_symbol_ = next_symbol_ > ~std::uint64_t{0} - kSymbolStep
                         ? ~std::uint64_t{0}
                         : (next_symbol_ + kSymbolStep - 1) & ~(kSymbolStep - 1);
    }
    definitions().symbols.push_back(std::move(symbol));
    names_.update(definitions());
  }

  Result<std::uint64_t> address() {
    const std::size_t start = (at_end(), at_);
    const std::string_view bare = peek_bare();
    if (!bare.empty() && !is_plain(bare, true)) return number("an address or a symbol", false);
    RC_TRY(const std::string name, word("an address or a symbol"));
    const auto known = names_.symbol_names.find(name);
    const bool inside = at_ < line_.size() && (line_[at_] == '[' || line_[at_] == '+');
    if (!known && inside) {
      return wrong_at(start,
                      fmt::format("symbol {} is not defined: only a defined symbol has parts", as_word(name, true)));
    }
    RC_TRY(const std::uint64_t symbol_id, known ? Result<std::uint64_t>(*known) : define_symbol(name));
    const Symbol& symbol = definitions().symbols[symbol_id];
    std::uint64_t offset = 0;
    if (follows('[')) {
      if (symbol.element == 0) return wrong_at(start, fmt::format("symbol {} has no elements", as_word(name, true)));
      RC_TRY(const std::uint64_t i, number("the number of an element", false, symbol.size / symbol.element));
      if (!follows(']')) return wrong("`]`");
      offset = i * symbol.element;
    }
    if (follows('+')) {
      RC_TRY(const std::uint64_t more, number("a number of bytes", false, symbol.size));
      offset += more;
    }
    if (offset != 0 && offset >= symbol.size) {
      return wrong_at(start, fmt::format("symbol {} has only {} bytes", as_word(name, true), symbol.size));
    }
    return symbol.address + offset;
  }

  // nullopt: `?`.
  Result<std::optional<std::uint64_t>> value(bool may_be_unknown) {
    if (may_be_unknown && !at_end() && line_[at_] == '?') {
      ++at_;
      return std::nullopt;
    }
    RC_TRY(const std::uint64_t v, number(may_be_unknown ? "a value or `?`" : "a value", true));
    return v;
  }

  // The count of a semaphore and the parties of a barrier may be left out: they are then unknown (0 parties).
  bool value_follows() {
    if (!at_end() && line_[at_] == '?') return true;
    const std::string_view bare = peek_bare();
    return !bare.empty() && !is_plain(bare, true);
  }

  // ---- definitions

  Status parse_header() {
    if (peek_bare() != "racecast-trace") return wrong(fmt::format("`{}`", kTextHeader));
    at_ += peek_bare().size();
    if (peek_bare() != "1") return wrong("version 1, which is what this racecast reads");
    ++at_;
    return {};
  }

  Status not_used(const char* what, const std::string& name, std::size_t at) const {
    if (!implicit_.contains(fmt::format("{} {}", what, name))) return {};
    return wrong_at(at,
                    fmt::format("{} {} was already used: define it before the first event that names it", what, name));
  }

  Status parse_location() {
    Location l;
    const std::size_t start = at_;
    while (!at_end()) {
      const std::string_view key = peek_bare();
      const auto is = [&](std::string_view text) {
        if (key != text) return false;
        at_ += key.size();
        return true;
      };
      if (is("label")) {
        RC_TRY(l.label, word("a label"));
      } else if (is("file")) {
        RC_TRY(l.file, word("a file's name"));
      } else if (is("line")) {
        RC_TRY(l.line, u32("a line"));
      } else if (is("column")) {
        RC_TRY(l.column, u32("a column"));
      } else if (is("function")) {
        RC_TRY(l.function, word("a function's name"));
      } else {
        return wrong("label, file, line, column or function");
      }
    }
    RC_TRY_STATUS(not_used("location", l.label, start));
    definitions().locations.push_back(std::move(l));
    return {};
  }

  Status parse_reach() {
    ReachSet set;
    if (peek_bare() == "everything") {
      at_ += peek_bare().size();
      set.everything = true;
    }
    std::uint64_t end = 0;
    while (!at_end()) {
      const std::size_t start = at_;
      Range range;
      RC_TRY(range.address, number("a range: address+size", false));
      if (!follows('+')) return wrong("`+` and a size");
      RC_TRY(range.size, number("the size of a range", false));
      if (range.size == 0 || range.address < end || range.address + range.size < range.address) {
        return wrong_at(start, "ranges must be sorted, disjoint and not empty");
      }
      end = range.address + range.size;
      set.ranges.push_back(range);
    }
    definitions().reach.push_back(std::move(set));
    return {};
  }

  Status parse_symbol() {
    Symbol s;
    const std::size_t start = (at_end(), at_);
    RC_TRY(s.name, word("a symbol's name"));
    RC_TRY_STATUS(not_used("symbol", s.name, start));
    RC_TRY(s.address, number("an address", false));
    RC_TRY(s.size, number("a size", false, ~s.address));
    if (!at_end()) {
      RC_TRY(s.element, u32("the size of an element"));
    }
    add_symbol(std::move(s));
    return {};
  }

  // False: the line is no definition.
  Result<bool> parse_definition() {
    const std::string_view key = peek_bare();
    const std::size_t start = at_;
    at_ += key.size();
    if (key == "branches") {
      definitions().branches = true;
    } else if (key == "thread") {
      RC_TRY(std::string name, word("a thread's name"));
      RC_TRY_STATUS(not_used("thread", name, start));
      definitions().threads.push_back(std::move(name));
    } else if (key == "string") {
      RC_TRY(std::string name, word("a string"));
      RC_TRY_STATUS(not_used("string", name, start));
      definitions().strings.push_back(std::move(name));
    } else if (key == "symbol") {
      RC_TRY_STATUS(parse_symbol());
    } else if (key == "location") {
      RC_TRY_STATUS(parse_location());
    } else if (key == "reach") {
      RC_TRY_STATUS(parse_reach());
    } else {
      at_ = start;
      return false;
    }
    names_.update(definitions());
    return true;
  }

  // ---- events

  Result<EventKind> kind() {
    const std::string_view bare = peek_bare();
    for (std::size_t i = 1; i < kEventKinds; ++i) {
      if (kKindTable[i].text == bare) {
        at_ += bare.size();
        return static_cast<EventKind>(i);
      }
    }
    return wrong("a kind of event, such as read, write, lock, unlock, fork or join");
  }

  Status parse_aux(Event& e, bool known) {
    switch (e.kind) {
      case EventKind::Fork:
      case EventKind::Join: {
        RC_TRY(e.aux, thread());
        return {};
      }
      case EventKind::Wait:
      case EventKind::Wake: {
        RC_TRY(e.aux, address());
        return {};
      }
      case EventKind::Call:
      case EventKind::Marker:
      case EventKind::MissingBegin: {
        RC_TRY(e.aux, string("a string"));
        return {};
      }
      default: {
        if (!known) {
          if (at_end() || line_[at_] != '?') return wrong("`?`, as the value read is not known either");
          ++at_;
          return {};
        }
        RC_TRY(const std::optional<std::uint64_t> v, value(false));
        e.aux = *v;
        return {};
      }
    }
  }

  Status parse_operands(Event& e, std::uint8_t fields) {
    if ((fields & A) != 0) {
      if (e.kind == EventKind::MissingBegin) {
        RC_TRY(const std::optional<std::uint64_t> set, id("reach set", definitions().reach.size()));
        if (!set) return wrong("% and the number of a reach set");
        e.address = *set;
      } else {
        RC_TRY(e.address, address());
      }
    }
    bool known = true;
    if ((fields & V) != 0 && (row_of(e.kind).group != Group::Sync || value_follows())) {
      RC_TRY(const std::optional<std::uint64_t> v, value((fields & F) != 0));
      known = v.has_value();
      e.value = v.value_or(0);
      if (known && (fields & F) != 0) e.flags |= kHasValue;
    }
    if ((fields & X) != 0) RC_TRY_STATUS(parse_aux(e, known));
    return {};
  }

  // Size, order, flags: words in any order, each at most once.
  Status parse_words(Event& e, std::uint8_t fields) {
    bool sized = false, ordered = false;
    while (!at_end() && line_[at_] != '@') {
      const std::string_view bare = peek_bare();
      bool taken = false;
      if ((fields & S) != 0 && !sized && bare == "size") {
        at_ += bare.size();
        RC_TRY(e.size, u32("a size"));
        sized = true;
        continue;
      }
      for (int i = 0; i < kMemoryOrders && (fields & O) != 0 && !ordered && !taken; ++i) {
        if (name_of(static_cast<MemoryOrder>(i)) != bare) continue;
        e.order = static_cast<MemoryOrder>(i);
        taken = ordered = true;
      }
      for (const auto& [flag, text] : kFlagWords) {
        if ((fields & F) == 0 || taken || text != bare || e.has(flag)) continue;
        e.flags |= flag;
        taken = true;
      }
      if (!taken) return wrong(expected_words(fields));
      at_ += bare.size();
    }
    return {};
  }

  static std::string expected_words(std::uint8_t fields) {
    std::string out = "@ and a location";
    if ((fields & S) != 0) out += ", size N";
    if ((fields & O) != 0) out += ", a memory order";
    if ((fields & F) != 0) out += ", a flag (try failed cas recursive spurious computed append unchecked)";
    return out + " or the end of the line";
  }

  Status parse_event() {
    Event e;
    RC_TRY(const std::uint64_t thread_id, thread());
    e.thread = static_cast<ThreadId>(thread_id);
    RC_TRY(e.kind, kind());
    const std::uint8_t fields = row_of(e.kind).fields;
    if ((fields & S) != 0) e.size = 8;
    if ((fields & O) != 0) e.order = MemoryOrder::SeqCst;
    RC_TRY_STATUS(parse_operands(e, fields));
    RC_TRY_STATUS(parse_words(e, fields));
    if (at_end()) {
      e.location = static_cast<LocationId>(no_location());
    } else {
      ++at_;  // the @
      RC_TRY(const std::uint64_t location_id, location());
      e.location = static_cast<LocationId>(location_id);
    }
    trace_.events.push_back(e);
    return {};
  }

  Status parse_line() {
    if (line_[at_] != '"') {
      RC_TRY(const bool definition, parse_definition());
      if (definition) return {};
    }
    return parse_event();
  }

  std::string_view text_, file_, line_;
  std::size_t line_number_ = 0;
  std::size_t at_ = 0;
  Trace trace_;
  NameIndex names_;
  std::set<std::string> implicit_;  // "thread T1": defined by their first use
  std::optional<std::uint64_t> no_location_;
  std::uint64_t next_symbol_ = kTextSymbols;
};

}  // namespace

Result<Trace> parse_text(std::string_view text, std::string_view file_name) {
  return TextParser(text, file_name).run();
}

}  // namespace racecast::trace
