// Prints traces as text; text_parse.cpp reads them. What a name means is decided in text_names.h for both, so that what
// is printed is read back as the same id.
#include "trace/text.h"

#include <fmt/format.h>

#include <iterator>
#include <vector>

#include "trace/text_names.h"

namespace racecast::trace {

struct EventPrinter::State {
  const Definitions& definitions;
  NameIndex names;
  bool branches_printed = false;
  std::size_t threads = 0, symbols = 0, locations = 0, reach = 0, strings = 0;  // printed
  std::vector<std::string> thread_words, location_words;                        // what events say, by id

  explicit State(const Definitions& d) : definitions(d) {}

  void update() {
    if (thread_words.size() == definitions.threads.size() && location_words.size() == definitions.locations.size() &&
        names.symbols_done == definitions.symbols.size() && names.strings_done == definitions.strings.size()) {
      return;
    }
    names.update(definitions);
    for (std::size_t id = thread_words.size(); id < definitions.threads.size(); ++id) {
      const std::string& name = definitions.threads[id];
      thread_words.push_back(!names.threads.means(name, id) ? by_number(id) : plain_thread(name) ? name : quoted(name));
    }
    for (std::size_t id = location_words.size(); id < definitions.locations.size(); ++id) {
      const std::string& label = definitions.locations[id].label;
      location_words.push_back(label.empty() || !names.labels.means(label, id) ? by_number(id) : as_word(label, false));
    }
  }

  static std::string by_number(std::uint64_t id) { return fmt::format("%{}", id); }

  void thread(std::uint64_t id, std::string& out) const {
    out += id < thread_words.size() ? thread_words[id] : by_number(id);
  }

  void string(std::uint64_t id, std::string& out) const {
    const bool named = id < definitions.strings.size() && names.strings.means(definitions.strings[id], id);
    out += named ? as_word(definitions.strings[id], false) : by_number(id);
  }

  void address(std::uint64_t address, std::string& out) const {
    const auto found = names.symbols.find(address);
    if (!found) {
      fmt::format_to(std::back_inserter(out), "{:#x}", address);
      return;
    }
    const Symbol& symbol = definitions.symbols[*found];
    out += as_word(symbol.name, true);
    const std::uint64_t offset = address - symbol.address;
    if (symbol.element != 0 && offset % symbol.element == 0) {
      fmt::format_to(std::back_inserter(out), "[{}]", offset / symbol.element);
    } else if (offset != 0) {
      fmt::format_to(std::back_inserter(out), "+{}", offset);
    }
  }

  static void value(std::uint64_t v, std::string& out) {
    // Small negative numbers as such; what looks like an address or a bit pattern in hexadecimal.
    const auto s = static_cast<std::int64_t>(v);
    if (s >= -(std::int64_t{1} << 40) && s <= (std::int64_t{1} << 31))
      fmt::format_to(std::back_inserter(out), "{}", s);
    else
      fmt::format_to(std::back_inserter(out), "{:#x}", v);
  }

  static void unknown(std::string& out) { out += '?'; }

  void location(std::uint64_t id, std::string& out) const {
    out += id < location_words.size() ? location_words[id] : by_number(id);
  }

  void aux(const Event& e, bool known, std::string& out) const {
    switch (e.kind) {
      case EventKind::Fork:
      case EventKind::Join: return thread(e.aux, out);
      case EventKind::Wait:
      case EventKind::Wake: return address(e.aux, out);
      case EventKind::Call:
      case EventKind::Marker:
      case EventKind::MissingBegin: return string(e.aux, out);
      default: return known ? value(e.aux, out) : unknown(out);
    }
  }

  void event(const Event& e, std::string& out) const {
    const KindRow& row = row_of(e.kind);
    thread(index(e.thread), out);
    out += ' ';
    out += row.text;
    const bool known = (row.fields & F) == 0 || e.has(kHasValue);
    if ((row.fields & A) != 0) {
      out += ' ';
      if (e.kind == EventKind::MissingBegin)
        out += by_number(e.address);
      else
        address(e.address, out);
    }
    if ((row.fields & V) != 0) {
      out += ' ';
      known ? value(e.value, out) : unknown(out);
    }
    if ((row.fields & X) != 0) {
      out += ' ';
      aux(e, known, out);
    }
    if ((row.fields & S) != 0 && e.size != 8) fmt::format_to(std::back_inserter(out), " size {}", e.size);
    if ((row.fields & O) != 0) {
      out += ' ';
      out += name_of(e.order);
    }
    for (const auto& [flag, word] : kFlagWords) {
      if (e.has(flag)) {
        out += ' ';
        out += word;
      }
    }
    out += " @";
    location(index(e.location), out);
  }

  void new_definitions(std::string& out) {
    auto to = std::back_inserter(out);
    if (definitions.branches && !branches_printed) {
      out += "branches\n";
      branches_printed = true;
    }
    for (; threads < definitions.threads.size(); ++threads) {
      fmt::format_to(to, "thread {}\n", as_word(definitions.threads[threads], false));
    }
    for (; symbols < definitions.symbols.size(); ++symbols) {
      const Symbol& s = definitions.symbols[symbols];
      fmt::format_to(to, "symbol {} {:#x} {}", as_word(s.name, true), s.address, s.size);
      if (s.element != 0) fmt::format_to(to, " {}", s.element);
      out += '\n';
    }
    for (; locations < definitions.locations.size(); ++locations) {
      const Location& l = definitions.locations[locations];
      out += "location";
      if (!l.label.empty()) fmt::format_to(to, " label {}", as_word(l.label, false));
      if (!l.file.empty()) fmt::format_to(to, " file {}", as_word(l.file, false));
      if (l.line != 0) fmt::format_to(to, " line {}", l.line);
      if (l.column != 0) fmt::format_to(to, " column {}", l.column);
      if (!l.function.empty()) fmt::format_to(to, " function {}", as_word(l.function, false));
      out += '\n';
    }
    for (; reach < definitions.reach.size(); ++reach) {
      out += definitions.reach[reach].everything ? "reach everything" : "reach";
      for (const Range& r : definitions.reach[reach].ranges) fmt::format_to(to, " {:#x}+{}", r.address, r.size);
      out += '\n';
    }
    for (; strings < definitions.strings.size(); ++strings) {
      fmt::format_to(to, "string {}\n", as_word(definitions.strings[strings], false));
    }
    update();
  }
};

EventPrinter::EventPrinter(const Definitions& definitions) : state_(std::make_unique<State>(definitions)) {}
EventPrinter::EventPrinter(EventPrinter&&) noexcept = default;
EventPrinter& EventPrinter::operator=(EventPrinter&&) noexcept = default;
EventPrinter::~EventPrinter() = default;

void EventPrinter::print(const Event& event, std::string& out) {
  state_->update();
  state_->event(event, out);
}

void EventPrinter::print_new_definitions(std::string& out) {
  state_->new_definitions(out);
}

std::string print_text(const Trace& trace) {
  std::string out = std::string(kTextHeader) + "\n";
  EventPrinter printer(trace.definitions);
  printer.print_new_definitions(out);
  for (const Event& event : trace.events) {
    printer.print(event, out);
    out += '\n';
  }
  return out;
}

Status print_text(EventSource& source, const std::function<Status(std::string_view)>& out) {
  constexpr std::size_t kPiece = 1u << 16;
  std::string text = std::string(kTextHeader) + "\n";
  EventPrinter printer(source.definitions());
  while (true) {
    RC_TRY(const std::span<const Event> events, source.next());
    printer.print_new_definitions(text);
    for (const Event& event : events) {
      printer.print(event, text);
      text += '\n';
      if (text.size() >= kPiece) {
        RC_TRY_STATUS(out(text));
        text.clear();
      }
    }
    if (events.empty()) return out(text);
  }
}

}  // namespace racecast::trace
