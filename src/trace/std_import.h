// Reads RAPID's STD text format: one event a line, `thread|op|loc`, as the race-prediction papers exchange traces.
//
//   op   r(V) w(V) acq(L) rel(L) fork(T) join(T); req(L) and what begins with begin or end is ignored and counted
//   loc  a signed 32-bit number, or path:line
//
// Names are opaque, without blanks or '|'. A thread of digits may be written with or without a T in front. Blank lines
// are skipped. Variables become symbols of 8 bytes from kStdVariables on, locks from kStdLocks on, in order of
// appearance; locks are recursive. No values and no branches are known.
//
// The file is streamed in large pieces through a hand-written tokenizer; the state is the names, so that a trace larger
// than memory can be read. Cost: about 75 ns a line.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "trace/trace.h"

namespace racecast::trace {

inline constexpr std::uint64_t kStdVariables = 0x10000;
inline constexpr std::uint64_t kStdLocks = 0x1000000000;
inline constexpr std::uint32_t kStdMaxThreads = 65'536;
inline constexpr std::uint32_t kStdMaxNames = 1u << 31;  // variables; the same for locks
inline constexpr std::size_t kStdMaxLine = 64u << 10;

struct StdCounts {
  std::uint64_t lines = 0;
  std::uint64_t events = 0;
  std::uint64_t blank = 0;         // skipped
  std::uint64_t requests = 0;      // req(L): ignored
  std::uint64_t transactions = 0;  // begin..., end...: ignored
  bool operator==(const StdCounts&) const = default;
};

class StdSource : public EventSource {
 public:
  // A file or a pipe. A directory or what cannot be opened is bad_input.
  static Result<StdSource> open(const std::string& path);
  // A text in memory, called `name` in errors.
  static StdSource from_text(std::string text, const std::string& name);
  StdSource(StdSource&&) noexcept;
  StdSource& operator=(StdSource&&) noexcept;
  ~StdSource() override;

  // A line that cannot be understood is bad_input "FILE:LINE: found X, expected Y", after the events before it. So is a
  // file without any event.
  Result<std::span<const Event>> next() override;
  std::optional<bool> has_missing_code() const override { return false; }
  const Definitions& definitions() const override;
  const StdCounts& counts() const;
  // The line, from 1, of each event that the last next() gave.
  std::span<const std::uint64_t> lines() const;

 private:
  struct State;
  explicit StdSource(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Converts a STD file to a .rct file, validating on the way: a broken rule is bad_input with the number of the event
// and the line. A file that could not be imported leaves no output. `progress` is called now and then with the events
// so far.
Result<StdCounts> import_std(const std::string& path, const std::string& out,
                             const std::function<void(std::uint64_t)>& progress = {});

}  // namespace racecast::trace
