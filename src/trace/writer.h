// Writes a .rct file, chunk by chunk, straight to its final place: a process that is stopped leaves a file that is
// readable up to its last whole chunk.
//
// Cost: about 30 ns an event, half of it zstd at level 1; buffers of a few MiB.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "trace/trace.h"

namespace racecast::trace {

class Writer : public EventSink {
 public:
  // Creates or truncates the file. Errors (here and below) are bad_input with the path and what the system said.
  static Result<Writer> create(const std::string& path);
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  // Without close() the file has no index; the events of the last, unfinished chunk are written if possible.
  ~Writer() override;

  // What events may refer to. Append to its tables, never change or remove what is there; set `program` before the
  // first event. What is new is written before the next chunk of events.
  Definitions& definitions();

  // An event that refers to something that is not defined, or sets members that its kind does not use, is refused with
  // its number and the reason; nothing of it is written.
  Status add(const Event& event) override;
  Status add(std::span<const Event> events);
  std::uint64_t events() const;  // added so far
  std::uint64_t bytes() const;   // written to the file so far

  // Ends the chunk at hand: what was added is in the file then, whatever happens to the process. Chunks should be
  // large.
  Status flush();

  // Writes what is left, the index and the trailer. No event may be added after it.
  Status close();

 private:
  struct State;
  explicit Writer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// A whole trace into a file, closed.
Status write_trace(const Trace& trace, const std::string& path);

}  // namespace racecast::trace
