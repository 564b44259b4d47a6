// Reads a .rct file: every event of every whole chunk, in order, and what was lost if the file is damaged.
//
// A chunk counts only if its header is plausible, its checksum matches and every event in it decodes; the first one
// that does not ends the readable prefix. The end of the stream and damage look alike to next() (an empty span): ask
// damage() when it is reached. Only one chunk is in memory at a time. Files are read with pread, not mapped: a file
// that shrinks while it is read must not end the process.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "trace/format.h"
#include "trace/trace.h"

namespace racecast::trace {

struct Damage {
  std::string text;                          // one sentence: what is wrong, where, what was lost, what is good
  std::uint64_t offset = 0;                  // where in the file the readable prefix ends
  std::uint64_t bytes_lost = 0;              // from there to the end of the file
  std::optional<std::uint64_t> events_lost;  // exact; nullopt: unknown
};

class Reader : public EventSource {
 public:
  // A file that is no .rct file, or not a file, is bad_input with what it seems to be. A damaged one opens if its
  // header is whole. Definitions up to the first events are there when open() returns.
  static Result<Reader> open(const std::string& path);
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader() override;

  // The events of the next chunk.
  Result<std::span<const Event>> next() override;
  const Definitions& definitions() const override;
  // What the index says, where it is whole.
  std::optional<bool> has_missing_code() const override;

  // What is wrong with the file, as far as it has been read: complete only when next() has returned an empty span.
  const std::optional<Damage>& damage() const;

  // Known where the file was closed and its trailer is whole.
  std::optional<std::uint64_t> total_events() const;
  // Where the index is whole: how many events of each kind, by EventKind.
  std::optional<std::array<std::uint64_t, kEventKinds>> events_by_kind() const;
  std::uint64_t file_bytes() const;

  // The next event that next() gives will be this one (its first span then starts in the middle of a chunk). A number
  // beyond the readable events is bad_input; the number of events itself is not: next() then gives an empty span.
  Status seek(std::uint64_t event);
  std::uint64_t position() const;  // number of the event that next() starts with

 private:
  struct State;
  explicit Reader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace racecast::trace
