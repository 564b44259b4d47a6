#include "analysis/maximal/result_bytes.h"

#include <algorithm>

#include "analysis/window/event_bytes.h"
#include "program/program.h"
#include "trace/definitions_codec.h"

namespace racecast::analysis::predict {

namespace {

constexpr std::uint32_t kOptionsForm = 0x314f4352;  // "RCO1"
constexpr std::uint32_t kResultForm = 0x32524352;   // "RCR2"
constexpr std::uint64_t kMostAsked = 16;

// ---- writing

void put(ByteWriter& writer, const finding::Places& places) {
  writer.varint(places.first);
  writer.varint(places.second);
}
void put(ByteWriter& writer, const std::string& text) {
  writer.text(text);
}
void put(ByteWriter& writer, std::uint32_t number) {
  writer.varint(number);
}
void put(ByteWriter& writer, const AccessPair& pair) {
  writer.varint(index(pair.first));
  writer.varint(index(pair.second));
}
void put(ByteWriter& writer, const finding::Stretch& stretch) {
  writer.varint(index(stretch.thread));
  writer.varint(stretch.events);
}
void put(ByteWriter& writer, const finding::ScheduleStep& step) {
  writer.varint(index(step.event));
  writer.u8(step.value ? 1 : 0);
  if (step.value) writer.varint(*step.value);
}
void put(ByteWriter& writer, const finding::Ended& ended) {
  writer.varint(index(ended.event));
  writer.varint(index(ended.thread));
  writer.varint(index(ended.location));
  writer.u8(ended.failed ? 1 : 0);
}
void put(ByteWriter& writer, const finding::Turn& turn) {
  writer.varint(index(turn.thread));
  writer.varint(index(turn.location));
  writer.varint(turn.recorded);
  writer.varint(turn.now);
}
void put(ByteWriter& writer, const Figure& figure) {
  writer.text(figure.name);
  writer.varint(figure.value);
}
void put(ByteWriter& writer, const Settled& settled);
void put(ByteWriter& writer, const DetourRace& race);
template <typename T>
void put_all(ByteWriter& writer, const std::vector<T>& all) {
  writer.varint(all.size());
  for (const T& one : all) put(writer, one);
}
void put(ByteWriter& writer, const finding::Interleaving& schedule) {
  writer.varint(schedule.recorded);
  put_all(writer, schedule.stretches);
  writer.varint(schedule.end);
  put_all(writer, schedule.others);
  writer.u8(schedule.computed ? 1 : 0);
  put_all(writer, schedule.stored);
  put_all(writer, schedule.ended);
}
void put(ByteWriter& writer, const Settled& settled) {
  put(writer, settled.places);
  writer.u8(static_cast<std::uint8_t>(settled.verdict));
  put(writer, settled.pair);
  put(writer, settled.schedule);
  writer.u8(settled.in_full ? 1 : 0);
  writer.text(settled.rejected);
  for (const std::uint64_t count : settled.settled_by) writer.varint(count);
  writer.varint(settled.unknown);
  writer.varint(settled.steps);
  put_all(writer, settled.cones);
  put_all(writer, settled.attempts);
}
void put(ByteWriter& writer, const DetourRace& race) {
  put(writer, race.places);
  put(writer, race.pair);
  put(writer, race.schedule);
  put_all(writer, race.turns);
  put_events(writer, *race.events);
}
void put(ByteWriter& writer, const Answer& answer) {
  writer.varint(answer.windows);
  writer.varint(answer.carried);
  put_all(writer, answer.places);
  for (const std::uint64_t count :
       {answer.counts.conflicting, answer.counts.locked, answer.counts.ordered, answer.counts.cut, answer.counts.left})
    writer.varint(count);
  put_all(writer, answer.found_before);
  writer.u8(answer.detours ? 1 : 0);
  if (!answer.detours) return;
  put_all(writer, answer.detours->races);
  put_all(writer, answer.detours->rejected);
  put_all(writer, answer.detours->figures);
  put_all(writer, answer.detours->limits);
}

// ---- reading

class ResultReader {
 public:
  ResultReader(std::span<const std::uint8_t> bytes, const trace::Definitions& definitions)
      : reader_(bytes), bounds_(trace::bounds_of(definitions)) {
    // A variant has places of the program that the run did not come to.
    if (definitions.program != nullptr)
      bounds_.locations = std::max<std::uint64_t>(bounds_.locations, definitions.program->instruction_count);
  }

  Result<WindowResult> run() {
    if (reader_.u32() != kResultForm) reader_.fail();
    WindowResult result;
    result.first = reader_.varint();
    result.whole = flag();
    result.answers.resize(reader_.varint_below(kMostAsked));
    for (Answer& answer : result.answers) get(answer);
    if (!reader_.ok() || reader_.left() != 0) return bad_input("the result of a window is malformed");
    return result;
  }

 private:
  bool flag() { return reader_.varint_below(2) != 0; }
  std::uint32_t small() { return static_cast<std::uint32_t>(reader_.varint_below(std::uint64_t{1} << 32)); }

  void get(finding::Places& places) {
    places.first = reader_.varint();
    places.second = reader_.varint();
  }
  void get(std::string& text) { text = reader_.text(); }
  void get(std::uint32_t& number) { number = small(); }
  void get(std::uint64_t& number) { number = reader_.varint(); }
  void get(EventNo& event) { event = EventNo{reader_.varint()}; }
  void get(ThreadId& thread) { thread = static_cast<ThreadId>(reader_.varint_below(bounds_.threads)); }
  void get(AccessPair& pair) {
    get(pair.first);
    get(pair.second);
  }
  void get(finding::Stretch& stretch) {
    get(stretch.thread);
    get(stretch.events);
  }
  void get(finding::ScheduleStep& step) {
    get(step.event);
    if (flag()) step.value = reader_.varint();
  }
  void get(finding::Ended& ended) {
    get(ended.event);
    get(ended.thread);
    ended.location = static_cast<LocationId>(reader_.varint_below(bounds_.locations));
    ended.failed = flag();
  }
  void get(finding::Turn& turn) {
    get(turn.thread);
    turn.location = static_cast<LocationId>(reader_.varint_below(bounds_.locations));
    get(turn.recorded);
    get(turn.now);
  }
  void get(Figure& figure) {
    get(figure.name);
    get(figure.value);
  }
  // Each element has at least `least` bytes.
  template <typename T>
  void get_all(std::vector<T>& all, std::size_t least) {
    all.clear();
    // Elements of many bytes are not made before it is known that they are there.
    for (std::size_t n = reader_.count(least); n > 0 && reader_.ok(); --n) get(all.emplace_back());
  }
  void get(finding::Interleaving& schedule) {
    get(schedule.recorded);
    get_all(schedule.stretches, 2);
    get(schedule.end);
    get_all(schedule.others, 2);
    schedule.computed = flag();
    get_all(schedule.stored, 2);
    get_all(schedule.ended, 4);
  }
  void get(Settled& settled) {
    get(settled.places);
    settled.verdict = static_cast<Verdict>(reader_.varint_below(3));
    get(settled.pair);
    get(settled.schedule);
    settled.in_full = flag();
    get(settled.rejected);
    for (std::uint64_t& count : settled.settled_by) get(count);
    get(settled.unknown);
    get(settled.steps);
    get_all(settled.cones, 1);
    get_all(settled.attempts, 1);
  }
  void get(DetourRace& race) {
    get(race.places);
    get(race.pair);
    get(race.schedule);
    get_all(race.turns, 4);
    auto events = std::make_shared<const std::vector<trace::Event>>(get_events(reader_, bounds_));
    if (index(race.pair.first) >= events->size() || index(race.pair.second) >= events->size()) reader_.fail();
    race.events = std::move(events);
  }
  void get(Answer& answer) {
    get(answer.windows);
    get(answer.carried);
    get_all(answer.places, 20);
    for (std::uint64_t* count : {&answer.counts.conflicting, &answer.counts.locked, &answer.counts.ordered,
                                 &answer.counts.cut, &answer.counts.left})
      get(*count);
    get_all(answer.found_before, 2);
    if (!flag()) return;
    DetourResult& detours = answer.detours.emplace();
    get_all(detours.races, 12);
    get_all(detours.rejected, 1);
    get_all(detours.figures, 2);
    get_all(detours.limits, 1);
  }

  ByteReader reader_;
  trace::IdBounds bounds_;
};

}  // namespace

std::vector<std::uint8_t> bytes_of(const DecideOptions& options) {
  ByteWriter writer;
  writer.u32(kOptionsForm);
  writer.varint(options.asked.size());
  for (const Relaxation relaxation : options.asked) writer.u8(static_cast<std::uint8_t>(relaxation));
  writer.u8(options.only_new ? 1 : 0);
  put_all(writer, options.known);
  put_all(writer, options.found);
  for (const std::uint64_t bound :
       {options.budget.steps, options.budget.conflicts, options.budget.search, options.budget.least})
    writer.varint(bound);
  return std::move(writer.bytes());
}

std::vector<std::uint8_t> bytes_of(const WindowResult& result) {
  ByteWriter writer;
  writer.u32(kResultForm);
  writer.varint(result.first);
  writer.u8(result.whole ? 1 : 0);
  writer.varint(result.answers.size());
  for (const Answer& answer : result.answers) put(writer, answer);
  return std::move(writer.bytes());
}

Result<DecideOptions> options_of(std::span<const std::uint8_t> bytes) {
  ByteReader reader(bytes);
  if (reader.u32() != kOptionsForm) reader.fail();
  DecideOptions options;
  for (std::uint64_t n = reader.varint_below(kMostAsked); n > 0; --n)
    options.asked.push_back(static_cast<Relaxation>(reader.varint_below(kRelaxations)));
  options.only_new = reader.varint_below(2) != 0;
  for (std::vector<finding::Places>* all : {&options.known, &options.found})
    for (std::size_t n = reader.count(2); n > 0; --n) {
      const std::uint64_t first = reader.varint();
      all->emplace_back(first, reader.varint());
    }
  for (std::uint64_t* bound :
       {&options.budget.steps, &options.budget.conflicts, &options.budget.search, &options.budget.least})
    *bound = reader.varint();
  if (!reader.ok() || reader.left() != 0) return bad_input("the question to a window is malformed");
  return options;
}

Result<WindowResult> result_of(std::span<const std::uint8_t> bytes, const trace::Definitions& definitions) {
  return ResultReader(bytes, definitions).run();
}

}  // namespace racecast::analysis::predict
