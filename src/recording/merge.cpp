#include "recording/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <queue>

#include "program/program.h"
#include "recording/code.h"
#include "recording/held_before.h"
#include "recording/kernel_order.h"
#include "recording/lane.h"
#include "recording/output.h"
#include "recording/place.h"
#include "recording/vocabulary.h"
#include "trace/annotations.h"

namespace racecast::recording {
namespace {

using trace::Event;
using trace::EventKind;

// Strings of a trace that begin so say what it has not got.
constexpr std::string_view kStopped = "recording stopped: ";
constexpr std::string_view kIncomplete = "recording incomplete: ";

class Merger {
 public:
  Merger(std::vector<std::unique_ptr<Lane>>& lanes, const HeldBefore& held, KernelOrder& kernel, Vocabulary& vocabulary,
         Values& values, Output& output)
      : lanes_(lanes), held_(held), kernel_(kernel), output_(output), placer_(lanes, vocabulary, values, output) {
    for (const auto& lane : lanes) {
      const auto thread = index(lane->thread());
      if (by_thread_.size() <= thread) by_thread_.resize(thread + 1);
      by_thread_[thread].push_back(lane->number());
    }
  }

  // Everything up to and with stamp `last`; then the plain events that come before a later stamp.
  void run(std::uint64_t last) {
    using Next = std::pair<std::uint64_t, std::uint32_t>;  // stamp, lane
    std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
    for (const auto& lane : lanes_) next.push({lane->stamp(), lane->number()});
    while (!next.empty() && next.top().first <= last && !output_.failed()) {
      Lane& lane = *lanes_[next.top().second];
      next.pop();
      close_handlers(lane);
      placer_.run(lane);
      if (const auto stamped = lane.pop_stamped()) add_stamped(lane, *stamped);
      next.push({lane.stamp(), lane.number()});
    }
    for (const auto& lane : lanes_) {
      if (output_.failed()) return;
      close_handlers(*lane);
      placer_.run(*lane);
    }
  }

  std::uint64_t inconsistent() const { return placer_.inconsistent(); }
  bool has_outside_memory() const { return placer_.has_outside_memory(); }

 private:
  // A lane goes on by itself although a handler of it has not come to its end: it jumped away (siglongjmp).
  void close_handlers(Lane& lane) {
    for (const std::uint32_t number : lane.handlers) {
      Lane& handler = *lanes_[number];
      if (handler.open_handlers == 0) continue;
      handler.open_handlers = 0;
      placer_.run(handler);
      handler.leave_all();
      placer_.run(handler);
    }
    lane.interrupted = 0;
  }

  void add_stamped(Lane& lane, const Lane::Stamped& stamped) {
    if (stamped.tag == abi::Tag::SignalBegin || stamped.tag == abi::Tag::SignalEnd) return signal(lane, stamped.tag);
    if (stamped.tag == abi::Tag::SharedMap) return placer_.shared().map(stamped.mapping);
    if (!stamped.event || !kernel_.is_needed(*stamped.event)) return;
    if (stamped.tag == abi::Tag::Company) return company(lane, *stamped.event);
    const Event& e = *stamped.event;
    if (stamped.tag == abi::Tag::MissingMore) return output_.grow(e.thread, e.address);
    if (e.kind == EventKind::Join && e.aux < by_thread_.size()) {
      // What the thread did last may have no stamp behind it.
      for (const std::uint32_t number : by_thread_[e.aux]) {
        if (number != lane.number()) placer_.run(*lanes_[number]);
      }
    }
    if (stamped.tag == abi::Tag::Everything) catch_up(lane);
    placer_.add(lane, e);
    if (e.kind != EventKind::ThreadBegin || index(e.thread) != 0) return;
    for (const Event& lock : held_.locks(e.location)) placer_.add(lane, lock);
  }

  // A call that may order everything: what others have done without a stamp so far may be before it, and is placed
  // there as far as that makes sense.
  void catch_up(const Lane& lane) {
    for (const auto& other : lanes_)
      if (other->number() != lane.number() && other->interrupted == 0) placer_.run_while_consistent(*other);
  }

  void company(Lane& lane, const Event& at) {
    placer_.shared().add_company();
    std::vector<Event> events;
    kernel_.add_company(at, events);
    for (const Event& e : events) placer_.add(lane, e);
  }

  // Where in its thread's plain events a handler began is not known: after as many of them as make sense.
  void signal(Lane& lane, abi::Tag tag) {
    if (!lane.is_handler) return;
    Lane& thread = *lanes_[lane.handler_of];
    if (tag == abi::Tag::SignalBegin) {
      if (lane.open_handlers++ == 0) {
        if (thread.interrupted == 0) placer_.run_while_consistent(thread);
        ++thread.interrupted;
      }
    } else if (lane.open_handlers != 0) {
      --lane.open_handlers;
      if (lane.open_handlers == 0 && thread.interrupted != 0) --thread.interrupted;
    }
  }

  std::vector<std::unique_ptr<Lane>>& lanes_;
  const HeldBefore& held_;
  KernelOrder& kernel_;
  Output& output_;
  Placer placer_;
  std::vector<std::vector<std::uint32_t>> by_thread_;
};

// Which modules and functions have records, which locks were held before, what the kernel orders, and of each stream
// the first function.
std::vector<const CodeShape*> scan(const RawFolder& folder, Code& code, HeldBefore& held, KernelOrder& kernel) {
  std::vector<const CodeShape*> first(folder.streams.size(), nullptr);
  for (std::size_t s = 0; s < folder.streams.size(); ++s) {
    Cursor cursor(folder.streams[s], code);
    Record record;
    const CodeShape* last = nullptr;
    while (cursor.next(record)) {
      held.look_at(record, folder.streams[s].thread);
      kernel.look_at(record);
      if (record.shape == nullptr || record.shape == last) continue;
      last = record.shape;
      code.mark_used(*last, cursor.hint());
      if (first[s] == nullptr) first[s] = last;
    }
  }
  return first;
}

void connect_handlers(const RawFolder& folder, std::vector<std::unique_ptr<Lane>>& lanes) {
  for (std::size_t s = 0; s < folder.streams.size(); ++s) {
    const std::uint32_t of = folder.streams[s].handlers_of;
    if (of == abi::kNoStream) continue;
    const auto found = std::ranges::find(folder.streams, of, &RawStream::number);
    if (found == folder.streams.end()) continue;
    const auto lane = static_cast<std::uint32_t>(found - folder.streams.begin());
    if (lane == s) continue;
    lanes[s]->is_handler = true;
    lanes[s]->handler_of = lane;
    lanes[lane]->handlers.push_back(static_cast<std::uint32_t>(s));
  }
}

// Recording stopped: a thread that is still there says so.
void add_marker(const std::string& reason, Vocabulary& vocabulary, Output& output) {
  Event e;
  e.kind = EventKind::Marker;
  e.location = vocabulary.nowhere();
  e.aux = vocabulary.text(std::string(kStopped) + reason);
  for (std::size_t t = 0; t < vocabulary.definitions().threads.size(); ++t) {
    e.thread = static_cast<ThreadId>(t);
    if (output.add_if_legal(e)) return;
  }
}

}  // namespace

std::vector<std::string> gaps_of(const trace::Definitions& definitions) {
  std::vector<std::string> gaps;
  for (const std::string& text : definitions.strings) {
    if (text.starts_with(kStopped)) gaps.push_back(text);
    if (text.starts_with(kIncomplete)) gaps.push_back(text.substr(kIncomplete.size()));
  }
  return gaps;
}

Result<MergeResult> merge_recording(const std::string& process_folder, const std::string& rct_path,
                                    Progress* progress) {
  RC_TRY(const RawFolder folder, read_raw_folder(process_folder));
  Code code(folder);
  HeldBefore held;
  KernelOrder kernel;
  const std::vector<const CodeShape*> first = scan(folder, code, held, kernel);
  code.link();

  MergeResult result;
  RC_TRY(trace::Writer writer, trace::Writer::create(rct_path));
  Vocabulary vocabulary(folder, code, writer.definitions());
  vocabulary.define_thread(0);
  if (std::string broken = program::broken_rule(*code.program()); broken.empty()) {
    writer.definitions().program = code.program();
  } else if (code.modules_used() != 0) {
    result.notes.push_back("the trace has no model of the code: " + broken);
  }

  Values values;
  Output output(writer, vocabulary, values, progress);
  Pending pending(folder.streams.size());
  std::vector<std::unique_ptr<Lane>> lanes;
  for (std::size_t s = 0; s < folder.streams.size(); ++s) {
    const RawStream& raw = folder.streams[s];
    const LocationId home =
        first[s] != nullptr && first[s]->function != kNone32 ? first[s]->entry : vocabulary.nowhere();
    lanes.push_back(std::make_unique<Lane>(
        static_cast<std::uint32_t>(s), Stream(raw, code),
        Activations(static_cast<ThreadId>(raw.thread), home, code, vocabulary, raw.handlers_of == abi::kNoStream),
        pending));
  }
  connect_handlers(folder, lanes);

  Merger merger(lanes, held, kernel, vocabulary, values, output);
  merger.run(folder.stopped ? std::min(folder.stopped->stamp, kNoStamp - 1) : kNoStamp - 1);
  if (folder.stopped) {
    result.stopped = true;
    result.gaps.push_back(std::string(kStopped) + folder.stopped->reason);
    add_marker(folder.stopped->reason, vocabulary, output);
  }
  if (kernel.has_uncertain() || merger.has_outside_memory()) vocabulary.text(std::string(trace::kHasUncertainOrder));
  result.inconsistent_reads = merger.inconsistent();
  result.dropped = output.dropped();
  const auto gap = [&](std::string text) {
    vocabulary.text(std::string(kIncomplete) + text);
    result.gaps.push_back(std::move(text));
  };
  for (const std::string& text : folder.notes) gap(text);
  for (const std::string& text : code.notes()) gap(text);
  std::uint64_t cut = 0;
  for (const auto& lane : lanes) {
    cut += lane->activations().cut();
    if (lane->lost() == 0) continue;
    result.lost_bytes += lane->lost();
    gap(fmt::format("{}: the last {} bytes of stream {} cannot be read",
                    name_of_thread(writer.definitions(), lane->thread()), lane->lost(),
                    folder.streams[lane->number()].number));
  }
  if (cut != 0) gap(fmt::format("{} bytes of accesses of more than 1 GiB were left out", cut));
  if (output.refused() != 0) gap(fmt::format("{} events broke a rule and were left out", output.refused()));
  const std::vector<std::string> notes = output.notes();
  result.notes.insert(result.notes.end(), notes.begin(), notes.end());
  RC_TRY_STATUS(output.close());
  result.events = output.events();
  return result;
}

}  // namespace racecast::recording
