// The records of one stream, in order: first those of its log, then those that were still in the buffer.
//
// A Cursor goes over them once. It sees the bytes through a window that it fills with one read at a time (no file stays
// open, so the number of threads is not bounded by that of open files), and hands out each record as a view into the
// window: nothing is copied.
//
// A Stream has two cursors. One reads; the other, the scout, runs ahead to the next record with a stamp, so that the
// merger knows until when the records before it may be delayed. The scout reads every byte a second time, from the page
// cache; tried instead: a list of all stamps, which takes memory.
//
// A record that makes no sense ends its stream there: without its length nothing after it can be found.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "recording/code.h"
#include "recording/raw_folder.h"

namespace racecast::recording {

struct Record {
  const CodeShape* shape = nullptr;  // null: the runtime's
  std::uint32_t slot = 0;
  abi::Tag tag = abi::Tag::None;
  std::span<const std::uint8_t> payload;  // lives until the next call of the cursor
};

inline bool has_stamp(const Record& record) {
  return record.shape == nullptr && abi::kTagPayload[static_cast<std::uint32_t>(record.tag)][0] == 's';
}
// Only of a record that has one. It is the first number of its payload.
std::uint64_t stamp_of(const Record& record);

// The numbers of a runtime record's payload, in the order of its letters (abi.h); at most 8. What follows them (ranges,
// text) is payload.subspan(fixed_bytes(tag)).
struct Numbers {
  std::uint64_t at[8] = {};
};
Numbers numbers_of(const Record& record);
std::size_t fixed_bytes(abi::Tag tag);

class Cursor {
 public:
  // All must outlive it.
  Cursor(const RawStream& raw, Code& code) : raw_(&raw), log_(raw.log.get()), code_(&code) {}
  // False at the end, for good.
  bool next(Record& record);
  // Bytes behind a record that makes no sense (or that is cut off); 0: the stream was read to its end.
  std::uint64_t lost() const { return lost_; }
  const Code::Hint& hint() const { return hint_; }  // of the last record

 private:
  // The next `size` bytes, from the one after the last record on; null: there are not as many.
  const std::uint8_t* peek(std::size_t size) {
    if (size <= end_ - at_) [[likely]]
      return window_.data() + at_;
    return fill(size) ? window_.data() + at_ : nullptr;
  }
  bool fill(std::size_t size);
  bool end_here();
  std::size_t runtime_bytes(abi::Tag tag);

  const RawStream* raw_;
  LogReader log_;
  Code* code_;
  Code::Hint hint_;
  std::vector<std::uint8_t> window_;
  std::size_t at_ = 0, end_ = 0;  // in the window
  std::uint64_t offset_ = 0;      // of the window's end in the stream
  std::uint64_t lost_ = 0;
  bool done_ = false;
};

inline constexpr std::uint64_t kNoStamp = std::numeric_limits<std::uint64_t>::max();

class Stream {
 public:
  Stream(const RawStream& raw, Code& code) : raw_(&raw), reader_(raw, code), scout_(raw, code) { advance_scout(); }

  // The next record; false at the end. After a record with a stamp the next stamp is looked for.
  bool next(Record& record) {
    if (!reader_.next(record)) return false;
    if (has_stamp(record)) advance_scout();
    return true;
  }
  // The stamp of the next record that has one; kNoStamp: no more of them.
  std::uint64_t next_stamp() const { return next_stamp_; }
  std::uint64_t lost() const { return reader_.lost(); }
  const RawStream& raw() const { return *raw_; }

 private:
  void advance_scout() {
    Record record;
    next_stamp_ = kNoStamp;
    while (scout_.next(record)) {
      if (!has_stamp(record)) continue;
      // A stamp that large is damage; it must not be taken for the end.
      next_stamp_ = std::min(stamp_of(record), kNoStamp - 1);
      return;
    }
  }

  const RawStream* raw_;
  Cursor reader_, scout_;
  std::uint64_t next_stamp_ = kNoStamp;
};

}  // namespace racecast::recording
