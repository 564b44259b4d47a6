#include "cli/open_trace.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "base/file.h"
#include "cli/command.h"
#include "trace/reader.h"
#include "trace/std_import.h"
#include "trace/text.h"

namespace racecast::cli {

namespace {

constexpr std::uint64_t kMaxTextTrace = std::uint64_t{1} << 30;

// A text trace is parsed as a whole: it is for people and tests, not for long runs.
class OwningSource : public trace::EventSource {
 public:
  explicit OwningSource(trace::Trace trace) : trace_(std::move(trace)), source_(trace_) {}
  Result<std::span<const trace::Event>> next() override { return source_.next(); }
  const trace::Definitions& definitions() const override { return trace_.definitions; }

 private:
  trace::Trace trace_;
  trace::MemorySource source_;
};

std::string first_bytes(const std::string& path) {
  std::string bytes(32, '\0');
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return {};
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file));
  std::fclose(file);
  return bytes;
}

}  // namespace

bool is_binary_trace(std::string_view start) {
  return start.starts_with("\x89RCT");
}

bool starts_as_binary_trace(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && is_binary_trace(first_bytes(path));
}

Result<OpenedTrace> open_trace(const std::string& path) {
  OpenedTrace opened;
  opened.damage = [] { return std::optional<std::string>(); };
  std::error_code ignored;
  const std::string start = std::filesystem::is_regular_file(path, ignored) ? first_bytes(path) : "";
  if (start.starts_with("racecast-trace ")) {
    RC_TRY(const std::string text, read_file(path, kMaxTextTrace));
    RC_TRY(trace::Trace trace, trace::parse_text(text, path));
    opened.source = std::make_unique<OwningSource>(std::move(trace));
    return opened;
  }
  if (path.ends_with(".std") && !is_binary_trace(start)) {
    RC_TRY(trace::StdSource source, trace::StdSource::open(path));
    opened.source = std::make_unique<trace::StdSource>(std::move(source));
    return opened;
  }
  if (path.ends_with(".litmus"))
    return bad_input(fmt::format("{}: is a litmus program, not a trace; use `racecast run {}`", path, path));
  RC_TRY(trace::Reader reader, trace::Reader::open(path));
  auto owned = std::make_unique<trace::Reader>(std::move(reader));
  opened.damage = [raw = owned.get()] {
    return raw->damage() ? std::optional(raw->damage()->text) : std::optional<std::string>();
  };
  opened.source = std::move(owned);
  return opened;
}

Status report_damage(const std::string& path, const OpenedTrace& opened, std::uint64_t events) {
  const auto damage = opened.damage();
  if (damage && events == 0) return bad_input(fmt::format("{}: no event can be read: {}", path, *damage));
  if (damage) note(fmt::format("{}; only the {} events before that are looked at", *damage, events));
  return {};
}

Result<trace::Trace> load_trace(const std::string& path) {
  RC_TRY(OpenedTrace opened, open_trace(path));
  RC_TRY(trace::Trace trace, trace::read_all(*opened.source));
  RC_TRY_STATUS(report_damage(path, opened, trace.events.size()));
  return trace;
}

}  // namespace racecast::cli
