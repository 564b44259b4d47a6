// See crossings.h. `border` of the stream always says what the innermost crossing is in.
#include "runtime/missing/crossings.h"

#include <atomic>
#include <utility>

#include "runtime/core/hooks.h"
#include "runtime/core/record.h"
#include "runtime/core/sys.h"
#include "runtime/missing/missing.h"

namespace racecast::runtime {

namespace {

constexpr std::uint32_t kMaxCrossings = 16'384;
constexpr std::size_t kFarBytes = (kMaxCrossings - kNearCrossings) * sizeof(Crossing);  // untouched pages are no memory
constexpr std::uintptr_t kNeverOver = ~std::uintptr_t{0};                               // as a base

Crossing& innermost(Stream& stream) {
  const std::uint32_t last = stream.crossings - 1;
  return last < kNearCrossings ? stream.near_crossings[last] : stream.far_crossings[last - kNearCrossings];
}

void set_border(Stream& stream) {
  stream.head.border = stream.crossings == 0 ? abi::kNoBorder : innermost(stream).callback;
}

bool push(Stream& stream, const Crossing& crossing) {
  if (stream.crossings >= kNearCrossings && stream.far_crossings == nullptr)
    stream.far_crossings = static_cast<Crossing*>(map_pages(kFarBytes));
  if (stream.crossings == kMaxCrossings || (stream.crossings >= kNearCrossings && stream.far_crossings == nullptr)) {
    static constinit std::atomic<bool> said{false};
    if (!said.exchange(true)) note_incomplete("calls of code without hooks nest so deeply that not all were followed");
    return false;
  }
  ++stream.crossings;
  innermost(stream) = crossing;
  set_border(stream);
  self.unwound = 0;  // whatever it was has been caught
  return true;
}

void pop(Stream& stream) {
  --stream.crossings;
  set_border(stream);
}

bool is_recorded_stream(const Stream& stream) {
  return stream.head.stream != abi::kNoStream && !process.stopped.load(std::memory_order_relaxed);
}

void end_callback(Stream& stream, std::uint64_t stamp) {
  innermost(stream).callback = 0;
  set_border(stream);
  self.unwound = 0;
  if (is_recorded_stream(stream)) append<abi::Tag::CallbackEnd>(stream.head, Extra{nullptr, 0}, stamp);
}
void end_section(Stream& stream, std::uint64_t stamp) {
  pop(stream);
  if (is_recorded_stream(stream))
    append<abi::Tag::MissingEnd>(stream.head, Extra{nullptr, 0}, stamp, std::uint8_t{0}, std::uint64_t{0});
}

bool is_over(const Crossing& crossing, std::uintptr_t here) {
  return crossing.base <= here;
}
bool left_callback(const Crossing& crossing, std::uintptr_t here) {
  return crossing.callback != 0 && crossing.callback < here;
}

Stream* stream_of_thread() {
  abi::ThreadState* state = __racecast_thread;
  return state->stream == abi::kNoStream ? nullptr : reinterpret_cast<Stream*>(state);
}

}  // namespace

bool enter_missing(Stream& stream, std::uintptr_t here, const void* callee, std::uint32_t count,
                   const void* const* pointers) {
  return push(stream, {here, 0, callee, pointers, count});
}

bool leave_missing(Stream& stream, std::uintptr_t here) {
  drop_crossings(stream, here - 1);
  if (stream.crossings == 0 || innermost(stream).base == kNeverOver || innermost(stream).callback != 0) return false;
  pop(stream);
  return true;
}

void begin_in_missing(Stream& stream, const void* routine, const void* const* pointers) {
  push(stream, {kNeverOver, 0, routine, pointers, pointers == nullptr ? 0U : 1U});
}

void drop_crossings(Stream& stream, std::uintptr_t here) {
  if (stream.crossings == 0 || here < self.stack_begin || here > self.stack_top) return;
  const std::uint64_t unwound = std::exchange(self.unwound, 0);
  const auto stamp = [&] { return unwound != 0 ? unwound : next_stamp(); };
  while (stream.crossings != 0) {
    Crossing& top = innermost(stream);
    const bool over = is_over(top, here);
    if (top.callback != 0 && (over || left_callback(top, here))) end_callback(stream, stamp());
    if (!over) return;
    // What lands in recorded code has run all destructors.
    const bool more = stream.crossings > 1 && [&] {
      --stream.crossings;
      const Crossing& outer = innermost(stream);
      ++stream.crossings;
      return is_over(outer, here) || left_callback(outer, here);
    }();
    end_section(stream, more ? stamp() : next_stamp());
  }
}

void end_crossings(Stream& stream) {
  const std::uint64_t unwound = std::exchange(self.unwound, 0);
  while (stream.crossings != 0) {
    const bool last = stream.crossings == 1;
    if (innermost(stream).callback != 0) end_callback(stream, unwound != 0 ? unwound : next_stamp());
    end_section(stream, unwound != 0 && !last ? unwound : next_stamp());
  }
}

void forget_crossings(Stream& stream) {
  stream.crossings = 0;
  stream.head.border = abi::kNoBorder;
  if (stream.far_crossings != nullptr) unmap_pages(stream.far_crossings, kFarBytes);
  stream.far_crossings = nullptr;
}

void begin_unwinding() {
  const std::uintptr_t border = __racecast_thread->border;
  if (border != abi::kNoBorder) self.unwound = next_stamp();
}

void callback_left(std::uintptr_t frame) {
  Stream* const stream = stream_of_thread();
  // A hook that ends a crossing has the frame of the one that began it.
  if (stream != nullptr) drop_crossings(*stream, frame - 1);
}

}  // namespace racecast::runtime

using namespace racecast::runtime;
namespace abi = racecast::abi;

void __racecast_called(const void* frame, std::uint32_t id) {
  Stream* const stream = stream_of_thread();
  if (stream == nullptr) return;
  const KeepErrno keep;
  const auto here = reinterpret_cast<std::uintptr_t>(frame);
  // A callback that had this frame is over, too.
  if (stream->head.border != 0) drop_crossings(*stream, here + 1);
  if (stream->crossings == 0 || stream->head.border != 0) return;
  innermost(*stream).callback = here;
  set_border(*stream);
  self.unwound = 0;
  if (is_recorded_stream(*stream)) append<abi::Tag::CallbackBegin>(stream->head, Extra{nullptr, 0}, next_stamp(), id);
}

void __racecast_returning(const void* result) {
  Stream* const stream = stream_of_thread();
  if (stream == nullptr || stream->crossings == 0 || innermost(*stream).callback == 0) return;
  const KeepErrno keep;
  end_callback(*stream, next_stamp());
  if (result != nullptr && is_recorded_stream(*stream)) hand_to_missing(*stream, result);
}

void __racecast_caught(const void* frame) {
  Stream* const stream = stream_of_thread();
  if (stream == nullptr) return;
  const KeepErrno keep;
  drop_crossings(*stream, reinterpret_cast<std::uintptr_t>(frame));
  self.unwound = 0;  // if it was caught inside
}

void __racecast_unwinding(const void* frame) {
  const auto here = reinterpret_cast<std::uintptr_t>(frame);
  const KeepErrno keep;
  if (__racecast_thread->border == here)
    __racecast_returning(nullptr);
  else
    begin_unwinding();
}
