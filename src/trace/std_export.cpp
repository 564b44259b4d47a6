#include "trace/std_export.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "trace/text_names.h"

namespace racecast::trace {
namespace {

constexpr std::size_t kPiece = 1u << 20;

// What a line of STD may hold as a name.
bool std_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte > 0x20 && byte != 0x7f && c != '|';
  });
}

// Does the label read as a number that STD can hold, and only in one way ("07" does not)?
bool std_number(const std::string& label) {
  std::int32_t v = 0;
  const auto [end, error] = std::from_chars(label.data(), label.data() + label.size(), v);
  return error == std::errc{} && end == label.data() + label.size() && fmt::format("{}", v) == label;
}

class Exporter {
 public:
  Exporter(EventSource& source, const std::string& path) : source_(source), path_(path) {}
  ~Exporter() {
    if (file_ >= 0) ::close(file_);
  }

  Result<StdExport> run() {
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0) return bad_input(fmt::format("cannot create {}: {}", path_, std::strerror(errno)));
    while (true) {
      RC_TRY(const std::span<const Event> events, source_.next());
      if (events.empty()) break;
      update();
      for (const Event& event : events) {
        put(event);
        if (out_.size() >= kPiece) RC_TRY_STATUS(flush());
      }
    }
    RC_TRY_STATUS(flush());
    const int closed = ::close(file_);
    file_ = -1;
    if (closed != 0) return failed();
    return done_;
  }

 private:
  std::unexpected<Error> failed() const {
    return bad_input(fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
  }

  Status flush() {
    std::size_t at = 0;
    while (at < out_.size()) {
      const ssize_t n = ::write(file_, out_.data() + at, out_.size() - at);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return failed();
      at += static_cast<std::size_t>(n);
    }
    out_.clear();
    return {};
  }

  // Words for what was defined since the last call.
  void update() {
    const Definitions& d = source_.definitions();
    for (std::size_t id = threads_.size(); id < d.threads.size(); ++id) {
      // To a reader of STD, "T1" and "1" are one thread.
      const std::string& name = d.threads[id];
      const bool usable =
          std_name(name) && thread_names_.emplace(name.front() == 'T' ? name.substr(1) : name, id).second;
      done_.renamed += usable ? 0 : 1;
      threads_.push_back(usable ? d.threads[id] : fmt::format("thread{}", id));
    }
    for (std::size_t id = locations_.size(); id < d.locations.size(); ++id) {
      const std::string& label = d.locations[id].label;
      locations_.push_back(std_number(label) ? label : fmt::format("{}", kStdLocationBase + id));
    }
    for (; symbols_ < d.symbols.size(); ++symbols_) {
      ranges_.add(d.symbols[symbols_], symbols_);
    }
    variables_.symbols.resize(symbols_);
    locks_.symbols.resize(symbols_);
  }

  // STD keeps variables and locks apart, so each has names of its own. The first symbol of a name has it.
  struct Namespace {
    enum Use : std::uint8_t { Unknown, ByName, ByAddress };
    std::vector<Use> symbols;
    std::unordered_map<std::string, std::uint64_t> names;
  };

  bool by_name(Namespace& space, std::uint64_t id) {
    Namespace::Use& use = space.symbols[id];
    if (use == Namespace::Unknown) {
      const std::string& name = source_.definitions().symbols[id].name;
      use = std_name(name) && space.names.emplace(name, id).second ? Namespace::ByName : Namespace::ByAddress;
      if (use == Namespace::ByAddress) ++done_.renamed;
    }
    return use == Namespace::ByName;
  }

  void address(Namespace& space, std::uint64_t address) {
    const auto found = ranges_.find(address);
    if (!found || !by_name(space, *found)) {
      fmt::format_to(std::back_inserter(out_), "{:#x}", address);
      return;
    }
    const Symbol& symbol = source_.definitions().symbols[*found];
    const std::uint64_t offset = address - symbol.address;
    out_ += symbol.name;
    if (symbol.element != 0) fmt::format_to(std::back_inserter(out_), "[{}]", offset / symbol.element);
    const std::uint64_t rest = symbol.element != 0 ? offset % symbol.element : offset;
    if (rest != 0) fmt::format_to(std::back_inserter(out_), "+{}", rest);
  }

  void start(const Event& e, std::string_view op) {
    out_ += threads_[index(e.thread)];
    out_ += '|';
    out_ += op;
    out_ += '(';
  }
  void finish(const Event& e) {
    out_ += ")|";
    out_ += locations_[index(e.location)];
    out_ += '\n';
    ++done_.written;
  }

  void put_access(const Event& e, std::string_view op) {
    start(e, op);
    address(variables_, e.address);
    finish(e);
  }
  void put_lock(const Event& e, std::string_view op, std::uint64_t lock) {
    start(e, op);
    address(locks_, lock);
    finish(e);
  }
  // A wait gives a recursive mutex back as often as it was taken, and its wake takes it as often again.
  void put_wait(const Event& e) {
    const auto held = depth_.extract(e.aux);
    const std::uint64_t depth = held.empty() ? 1 : held.mapped();
    for (std::uint64_t i = 0; i < depth; ++i) put_lock(e, "rel", e.aux);
    asleep_[index(e.thread)] = depth;
  }
  void put_wake(const Event& e) {
    const auto slept = asleep_.extract(index(e.thread));
    const std::uint64_t depth = slept.empty() ? 1 : slept.mapped();
    for (std::uint64_t i = 0; i < depth; ++i) put_lock(e, "acq", e.aux);
    depth_[e.aux] = depth;
  }
  void count_unlock(std::uint64_t lock) {
    const auto held = depth_.find(lock);
    if (held != depth_.end() && --held->second == 0) depth_.erase(held);
  }
  void put_thread(const Event& e, std::string_view op) {
    start(e, op);
    out_ += threads_[index(e.child())];
    finish(e);
  }

  void put(const Event& e) {
    if (e.has(kUnchecked)) {  // whoever reads STD would check it
      ++done_.left_out[static_cast<std::size_t>(e.kind)];
      return;
    }
    switch (e.kind) {
      case EventKind::Read: return put_access(e, "r");
      case EventKind::Write: return put_access(e, "w");
      case EventKind::Lock:
        if (e.has(kFailed)) break;
        ++depth_[e.address];
        return put_lock(e, "acq", e.address);
      case EventKind::Unlock: count_unlock(e.address); return put_lock(e, "rel", e.address);
      case EventKind::Wait: return put_wait(e);
      case EventKind::Wake: return put_wake(e);
      case EventKind::Fork: return put_thread(e, "fork");
      case EventKind::Join: return put_thread(e, "join");
      default: break;
    }
    ++done_.left_out[static_cast<std::size_t>(e.kind)];
  }

  EventSource& source_;
  const std::string& path_;
  int file_ = -1;
  std::string out_;
  SymbolRanges ranges_;
  std::size_t symbols_ = 0;
  Namespace variables_, locks_;
  std::unordered_map<std::string, std::uint64_t> thread_names_;
  std::unordered_map<std::uint64_t, std::uint64_t> depth_;   // of held mutexes
  std::unordered_map<std::uint64_t, std::uint64_t> asleep_;  // by thread: depth of the mutex it gave back
  std::vector<std::string> threads_, locations_;
  StdExport done_;
};

}  // namespace

std::uint64_t StdExport::left_out_total() const {
  std::uint64_t total = 0;
  for (const std::uint64_t events : left_out) total += events;
  return total;
}

std::string StdExport::summary() const {
  const std::uint64_t total = left_out_total();
  if (total == 0) return {};
  std::string out = fmt::format("{} event{} left out, for which STD has no word: ", total, total == 1 ? "" : "s");
  bool first = true;
  for (std::size_t kind = 0; kind < kEventKinds; ++kind) {
    if (left_out[kind] == 0) continue;
    out += fmt::format("{}{} {}", first ? "" : ", ", left_out[kind], kKindTable[kind].text);
    first = false;
  }
  return out;
}

Result<StdExport> export_std(EventSource& source, const std::string& path) {
  return Exporter(source, path).run();
}

}  // namespace racecast::trace
