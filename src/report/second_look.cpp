#include "report/second_look.h"

#include <algorithm>

#include "base/hash.h"
#include "model/contexts.h"
#include "program/calls.h"
#include "program/library_file.h"

namespace racecast::report {

namespace {

using trace::Event;
using trace::EventKind;

constexpr std::size_t kMaxSeenAs = 8;
constexpr std::uint32_t kNotKept = ~std::uint32_t{0};

// What there is to know about places, by LocationId.
struct PlaceTable {
  enum Trait : std::uint8_t { Library = 1, Stack = 2, Unnamed = 4, Typed = 8 };
  std::vector<std::uint8_t> traits;
  std::vector<const program::Instruction*> instructions;

  const program::Program* const program;

  explicit PlaceTable(const trace::Definitions& definitions) : program(definitions.program.get()) {
    if (program == nullptr) return;
    for (const program::Function& function : program->functions)
      for (const program::Block& block : function.blocks)
        for (const program::Instruction& i : block.instructions) {
          instructions.push_back(&i);
          const bool stack = i.op == program::Op::StackAlloc;
          traits.push_back(
              static_cast<std::uint8_t>((program::is_library_file(program->text(i.position.file)) ? Library : 0) |
                                        (stack ? Stack : 0) | (stack && i.label == program::kNoString ? Unnamed : 0) |
                                        (i.accessed && !program::is_call(i) ? Typed : 0)));
        }
  }
  bool has(LocationId location, int trait) const {
    return index(location) < traits.size() && (traits[index(location)] & trait) != 0;
  }
  const program::Instruction* instruction(LocationId location) const {
    return index(location) < instructions.size() ? instructions[index(location)] : nullptr;
  }
  std::uint64_t size_of(program::StructId type) const { return program->structs[index(type)].size; }
  // Are functions that threads enter in the trace?
  bool calls() const { return program != nullptr && program->origin != program::Origin::Litmus; }
};

// Does the call ask for several of `size` bytes each, by numbers that say so?
bool makes_array(const program::Program& program, const program::Instruction& call, std::uint64_t size) {
  const program::Asked asked = program::asked_for(program, call);
  if (asked.number == 1) return asked.size && *asked.size > size && *asked.size % size == 0;
  return asked.size == size || (asked.number == size && asked.size != 1);
}

// Made at one place, and at one address?
bool alike(const Object& a, const Object& b) {
  return a.address == b.address && a.allocated.location == b.allocated.location;
}

class Looker {
 public:
  Looker(const std::set<Moment>& wanted, const trace::Definitions& definitions) : places_(definitions) {
    for (const Moment& moment : wanted) {
      if (moment.second)
        by_event_.push_back(moment);
      else
        any_time_[moment.first];
    }
    std::ranges::sort(by_event_, {}, [](const Moment& m) { return *m.second; });
  }

  bool done() const { return next_ == by_event_.size() && any_time_.empty(); }

  void look_at(const Event& e) {
    for (; next_ < by_event_.size() && index(*by_event_[next_].second) <= number_; ++next_) {
      const Moment& moment = by_event_[next_];
      if (const auto live = live_at(moment.first); live != live_.end()) made_.at[moment] = keep(live);
    }
    ++number_;
    if (trace::is_access(e.kind)) return access(e);
    if (e.kind == EventKind::Alloc) alloc(e);
    if (e.kind == EventKind::Free)
      if (const auto live = live_.find(e.address); live != live_.end()) end(live);
    if (e.kind == EventKind::Fork)
      made_.created.try_emplace(e.child(), SeenOccasion{e.thread, e.location, stack_of(e.thread)});
    contexts_.on_event(e);
  }

  SecondLook result() {
    for (const auto& [address, live] : live_)
      if (live.kept != kNotKept) finish(live);
    for (const auto& [address, object] : any_time_)
      if (object && !mixed_.contains(address)) made_.at[{address, std::nullopt}] = *object;
    return std::move(made_);
  }

 private:
  struct Live {
    std::uint64_t address = 0, size = 0;
    ThreadId thread{};
    LocationId location{};
    std::uint32_t stack = 0;
    std::uint32_t kept = kNotKept;  // its number among the objects that are told
    std::uint32_t owner_in = kNotKept;
    std::uint64_t owner = 0;  // 0: not known
    std::vector<SeenAs> seen_as;
    Object::Kind kind = Object::Kind::Heap;
  };
  // Of a library's own making: a user's local or what came with a thread is none.
  bool is_library(const Live& live) const {
    return live.kind == Object::Kind::Heap && places_.has(live.location, PlaceTable::Library);
  }
  using LiveMap = std::map<std::uint64_t, Live>;

  LiveMap::iterator live_at(std::uint64_t address) {
    auto next = live_.upper_bound(address);
    if (next == live_.begin()) return live_.end();
    --next;
    return address - next->first < std::max<std::uint64_t>(next->second.size, 1) ? next : live_.end();
  }
  std::vector<LocationId> stack_of(ThreadId thread) { return contexts_.call_sites(contexts_.stack(thread)); }

  std::size_t keep(LiveMap::iterator at) {
    Live& live = at->second;
    if (live.kept == kNotKept) {
      live.kept = static_cast<std::uint32_t>(made_.objects.size());
      made_.objects.emplace_back();
      finish(live);
    }
    return live.kept;
  }
  // Writes down what is known by now.
  void finish(const Live& live) {
    Object& object = made_.objects[live.kept];
    object.address = live.address;
    object.size = live.size;
    object.allocated = {live.thread, live.location, contexts_.call_sites(live.stack)};
    object.kind = live.kind;
    object.library = is_library(live);
    if (const program::Instruction* made = places_.instruction(live.location);
        made != nullptr && live.kind == Object::Kind::Heap && made->accessed) {
      object.made_as = made->accessed->type;
      object.array = makes_array(*places_.program, *made, places_.size_of(made->accessed->type));
    }
    if (live.owner != 0) object.owner = live.owner;
    if (live.owner_in != kNotKept) object.owner_in = live.owner_in;
    object.seen_as = live.seen_as;
  }

  void end(LiveMap::iterator at) {
    if (at->second.kept != kNotKept) finish(at->second);
    live_.erase(at);
  }

  void alloc(const Event& e) {
    auto first = live_.lower_bound(e.address);
    while (first != live_.end() && first->first - e.address < e.size) end(first++);
    Live& live = live_[e.address];
    live = {.address = e.address,
            .size = e.size,
            .thread = e.thread,
            .location = e.location,
            .stack = contexts_.stack(e.thread)};
    // Before a thread has entered a function, its place is that function's beginning.
    if (contexts_.stack(e.thread) == 0 && places_.calls())
      live.kind = Object::Kind::Early;
    else if (places_.has(e.location, PlaceTable::Stack))
      live.kind = Object::Kind::Stack;
    for (auto any = any_time_.lower_bound(e.address); any != any_time_.end() && any->first - e.address < e.size;
         ++any) {
      const std::size_t number = keep(live_.find(e.address));
      if (any->second && !alike(made_.objects[*any->second], made_.objects[number])) mixed_.insert(any->first);
      any->second = number;
    }
  }

  void access(const Event& e) {
    if (e.size == 8 && e.kind != EventKind::Read && trace::writes(e) && e.has(trace::kHasValue)) store(e);
    if (!places_.has(e.location, PlaceTable::Typed)) return;
    const auto at = live_at(e.address);
    if (at == live_.end() || at->second.seen_as.size() >= kMaxSeenAs) return;
    Live& live = at->second;
    const program::StructByte& accessed = *places_.instructions[index(e.location)]->accessed;
    const std::uint64_t offset = e.address - live.address;
    if (accessed.offset > offset) return;
    const SeenAs seen{accessed.type, offset - accessed.offset};
    if (std::ranges::find(live.seen_as, seen) == live.seen_as.end()) live.seen_as.push_back(seen);
  }

  // Is it the address of memory of a library's that nobody owns yet?
  void store(const Event& e) {
    const std::uint64_t value = trace::stored_value(e);
    const auto found = live_.find(value);
    if (found == live_.end() || found->second.owner != 0 || !is_library(found->second)) return;
    const auto holder = live_at(e.address);
    if (holder == live_.end()) {
      found->second.owner = e.address;
      return;
    }
    if (holder == found) return;
    const bool local = holder->second.kind == Object::Kind::Stack;
    // A library's own locals, and temporaries, come and go.
    if (local && places_.has(holder->second.location, PlaceTable::Library | PlaceTable::Unnamed)) return;
    if (is_library(holder->second)) {
      found->second.owner = holder->second.owner;
      found->second.owner_in = holder->second.owner_in;
    } else {
      found->second.owner = e.address;
      found->second.owner_in = static_cast<std::uint32_t>(keep(holder));
    }
  }

  const PlaceTable places_;
  std::vector<Moment> by_event_;  // in order
  std::size_t next_ = 0;
  std::map<std::uint64_t, std::optional<std::size_t>> any_time_;  // address → the last object that was seen there
  std::set<std::uint64_t> mixed_;                                 // of these, where objects of several kinds were
  model::Contexts contexts_;
  LiveMap live_;  // by address; disjoint
  std::uint64_t number_ = 0;
  SecondLook made_;
};

}  // namespace

Moment moment_of(const finding::Finding& finding, const finding::Access& access, std::uint64_t address) {
  // The numbers of events that no trace has say nothing about when.
  if (finding.events != nullptr) return {address, std::nullopt};
  return {address, access.event};
}

Bytes common_bytes(const finding::Finding& finding) {
  const finding::Access &a = finding.first, &b = finding.second;
  const std::uint64_t first = std::max(a.address, b.address);
  const std::uint64_t end = std::min(a.address + a.size, b.address + b.size);
  if (end <= first) return {b.address, b.size};
  return {first, end - first};
}

Result<SecondLook> look_again(const analysis::Input& input, const std::vector<finding::Finding>& findings,
                              const trace::Definitions& definitions) {
  std::set<Moment> wanted;
  for (const finding::Finding& finding : findings) {
    wanted.insert(moment_of(finding, finding.second, common_bytes(finding).address));
    for (const finding::Access* access : {&finding.first, &finding.second}) {
      wanted.insert(moment_of(finding, *access, access->address));
      for (const finding::HeldLock& lock : access->locks) wanted.insert(moment_of(finding, *access, lock.address));
    }
  }
  return look_again(input, wanted, definitions);
}

Result<SecondLook> look_again(const analysis::Input& input, const std::set<Moment>& wanted,
                              const trace::Definitions& definitions) {
  Looker looker(wanted, definitions);
  if (wanted.empty()) return looker.result();
  RC_TRY(auto source, input.open());
  while (!looker.done()) {
    RC_TRY(const auto batch, source->next());
    if (batch.empty()) break;
    for (const Event& event : batch) looker.look_at(event);
  }
  return looker.result();
}

}  // namespace racecast::report
