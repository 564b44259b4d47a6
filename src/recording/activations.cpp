#include "recording/activations.h"

#include <algorithm>
#include <cstring>

#include "trace/annotations.h"
#include "trace/state.h"
#include "trace/validator.h"

namespace racecast::recording {
namespace {

using trace::Event;
using trace::EventKind;

// An access of more bytes is damage, not a copy.
constexpr std::uint64_t kMaxBulk = std::uint64_t{1} << 30;
// Of a pthread_t.
constexpr std::uint64_t kHandleBytes = 8;

std::uint64_t load(const std::uint8_t*& from, std::size_t bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, bytes);
  from += bytes;
  return value;
}

std::uint32_t clipped(std::uint64_t size) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(size, kNone32));
}

bool is_value_size(std::uint64_t size) {
  return size == 1 || size == 2 || size == 4 || size == 8;
}

}  // namespace

Event Activations::event(EventKind kind, LocationId location) const {
  Event e;
  e.kind = kind;
  e.thread = thread_;
  e.location = location;
  return e;
}

// ---- entering and leaving

Event Activations::enter(const CodeShape& shape) {
  Event e = event(EventKind::Call, shape.entry);
  if (!stack_.empty()) {
    Activation& caller = stack_.back();
    const std::uint64_t key = std::uint64_t{index(caller.at)} << 32 | shape.function;
    auto [site, is_new] = call_sites_.try_emplace(key, shape.entry);
    if (is_new) site.value() = code_->call_from(caller.at, shape.function).value_or(shape.entry);
    e.location = site->second;
    if (e.location != shape.entry) {
      caller.at = static_cast<LocationId>(index(e.location) + 1);
      // What the runtime records when the callee is gone but control is not back (the unwinder's own lock) is here.
      caller.call = e.location;
    }
  }
  // Called by name, or first of its thread; else a value says what is called, or that anything is: a pointer, the
  // number of a signal, what libc calls back.
  if (e.location == shape.entry && !begins_) e.flags = trace::kComputed;
  begins_ = false;
  const bool unchecked = code_->program()->functions[shape.function].unchecked;
  stack_.push_back({shape.function, shape.entry, shape.entry, shape.entry, 0, allocas_.size(), unchecked});
  e.aux = vocabulary_->function_name(shape.function);
  return e;
}

Event Activations::leave(LocationId location, std::vector<Event>& out) {
  while (allocas_.size() > stack_.back().first_alloca) end_last_alloca(location, out);
  stack_.pop_back();
  if (stack_.empty()) outside_ = location;
  return event(EventKind::Return, location);
}

void Activations::leave_to(std::size_t depth, std::vector<Event>& out) {
  while (stack_.size() > depth) {
    const Event left = leave(stack_.back().last, out);
    out.push_back(left);
  }
}

std::optional<Event> Activations::begin_callback(std::uint32_t id) {
  std::uint32_t slot = 0;
  const CodeShape* const shape = code_->find(id, slot, hint_);
  if (shape == nullptr || shape->function == kNone32) return std::nullopt;
  const Event e = enter(*shape);
  stack_.back().is_callback = stack_.back().is_announced = true;
  return e;
}

// What it called has been left, too, if it was left by an unwind.
std::optional<Event> Activations::end_callback(std::vector<Event>& before) {
  const auto callback = std::ranges::find(stack_.rbegin(), stack_.rend(), true, &Activation::is_callback);
  if (callback == stack_.rend()) return std::nullopt;
  leave_to(static_cast<std::size_t>(stack_.rend() - callback), before);
  return leave(stack_.back().last, before);
}

// Makes the activation that wrote this record the innermost one.
void Activations::find_activation(const CodeShape& shape, std::optional<std::uint64_t> frame, std::vector<Event>& out) {
  if (!frame && !stack_.empty() && stack_.back().function == shape.function) [[likely]]
    return;
  for (std::size_t i = stack_.size(); i-- > 0;) {
    const Activation& a = stack_[i];
    if (a.function == shape.function && (!frame || a.frame == 0 || a.frame == *frame)) return leave_to(i + 1, out);
  }
  // Its entry was not recorded: recording began inside of it.
  out.push_back(enter(shape));
  if (frame) stack_.back().frame = *frame;
}

// ---- records of the code

void Activations::add(const Record& record, std::vector<Event>& out) {
  if (record.shape == nullptr) {
    const Numbers n = numbers_of(record);
    if (record.tag == abi::Tag::Bulk) add_known_effect(n, out);
    if (record.tag == abi::Tag::Handle && vocabulary_->has_begun(n.at[1]))
      add_bulk(true, access_site(), true, n.at[0], kHandleBytes, out);
    if (record.tag == abi::Tag::Ignore) ignore(n.at[0]);
    return;
  }
  const CodeShape& shape = *record.shape;
  if (shape.function == kNone32) return;
  if ((shape.flags & abi::kEntry) != 0) {
    const bool is_announced = !stack_.empty() && stack_.back().is_announced && stack_.back().function == shape.function;
    if (!is_announced) out.push_back(enter(shape));
    stack_.back().is_announced = false;
  } else {
    std::optional<std::uint64_t> frame;
    if ((shape.flags & abi::kLanding) != 0 && !shape.items.empty() && shape.items[0].kind == abi::ItemKind::Frame &&
        shape.items[0].mode == abi::AddressMode::Explicit) {
      const std::uint8_t* from = record.payload.data();
      frame = load(from, abi::kAddressBytes);
    }
    find_activation(shape, frame, out);
    if (frame && !shape.second_return) {
      if (const std::uint32_t branch = code_->unwind_branch(stack_.back().call); branch != kNone32) {
        out.push_back(event(EventKind::Branch, static_cast<LocationId>(branch)));  // target 0: it unwound
      }
    }
  }
  add_items(record, out);
  Activation& top = stack_.back();
  if (shape.has_next) top.last = shape.next;
  top.at = shape.slots > 1 ? code_->target_of(shape.next, record.slot) : top.last;
  if ((shape.flags & abi::kCallsOut) != 0) top.call = shape.next;
  if (shape.slots > 1) {
    Event e = event(EventKind::Branch, shape.next);
    e.value = record.slot;
    out.push_back(e);
  }
  if ((shape.flags & abi::kReturn) == 0) return;
  if (top.is_callback) {
    top.last = shape.next;  // it is left when the runtime says so
  } else {
    const Event left = leave(shape.next, out);
    out.push_back(left);
  }
}

void Activations::add_items(const Record& record, std::vector<Event>& out) {
  const CodeShape& shape = *record.shape;
  const std::uint8_t* from = record.payload.data();
  if (addresses_.size() < shape.items.size()) addresses_.resize(shape.items.size());
  for (std::size_t i = 0; i < shape.items.size(); ++i) {
    const CodeItem& item = shape.items[i];
    std::uint64_t address = 0;
    switch (item.mode) {
      case abi::AddressMode::None: break;
      case abi::AddressMode::Explicit: address = load(from, abi::kAddressBytes); break;
      case abi::AddressMode::Shared: address = addresses_[item.base] + item.add; break;
      case abi::AddressMode::Global: address = item.add; break;
    }
    addresses_[i] = address;
    const std::uint64_t value = item.value_bytes == 0 ? 0 : load(from, item.value_bytes);
    switch (item.kind) {
      case abi::ItemKind::Load:
      case abi::ItemKind::Store: {
        const bool store = item.kind == abi::ItemKind::Store;
        if (item.size == 0) break;
        if (item.size > trace::kMaxAccess) {
          add_bulk(store, item.location, item.computed, address, item.size, out);
          break;
        }
        Event e = event(store ? EventKind::Write : EventKind::Read, item.location);
        e.address = address;
        e.size = static_cast<std::uint32_t>(item.size);
        e.flags = flags_of_access(store, item.computed);
        if (item.has_value) {
          e.flags |= trace::kHasValue;
          e.value = value;
        }
        out.push_back(e);
        break;
      }
      case abi::ItemKind::Value:
      case abi::ItemKind::Param: {
        if (item.value_bytes == 0) break;
        Event e = event(EventKind::Value, item.location);
        e.value = value;
        if (item.kind == abi::ItemKind::Param) e.aux = item.parameter + 1;
        out.push_back(e);
        break;
      }
      case abi::ItemKind::Alloca: add_alloca(item.location, {address, item.size, false}, out); break;
      case abi::ItemKind::AllocaOfSize: add_alloca(item.location, {address, value, true}, out); break;
      case abi::ItemKind::Frame: stack_.back().frame = address; break;
      case abi::ItemKind::BulkRead:
      case abi::ItemKind::BulkWrite:
        if (item.value_bytes != 0 && value == 0)
          add_nothing(item.location, out);
        else
          add_bulk(item.kind == abi::ItemKind::BulkWrite, item.location, item.computed, address,
                   item.value_bytes == 0 ? item.size : value, out);
        break;
    }
    stack_.back().last = item.location;
  }
}

void Activations::end_last_alloca(LocationId location, std::vector<Event>& out) {
  Event e = event(EventKind::Free, location);
  e.address = allocas_.back().address;
  allocas_.pop_back();
  out.push_back(e);
}

void Activations::add_alloca(LocationId location, const StackObject& object, std::vector<Event>& out) {
  if (object.size == 0 || object.address == 0) return;
  // A loop that allocates at one place again and again has one object there at a time. Of objects whose size is known
  // at run time only, nobody says when they go; but the stack grows down, so what is not above a new object was cut off
  // before that was made, be it the caller's.
  const auto is_over = [&](const StackObject& last) {
    if (last.address >= object.address + object.size) return false;
    const bool own = allocas_.size() > stack_.back().first_alloca;
    return own ? object.address < last.address + last.size || (last.sized && object.sized) : last.sized;
  };
  while (!allocas_.empty() && is_over(allocas_.back())) end_last_alloca(location, out);
  for (auto frame = stack_.rbegin(); frame != stack_.rend() && frame->first_alloca > allocas_.size(); ++frame)
    frame->first_alloca = allocas_.size();
  Event e = event(EventKind::Alloc, location);
  e.address = object.address;
  e.size = clipped(object.size);
  if (object.sized) e.flags = trace::kComputed;
  out.push_back(e);
  allocas_.push_back(object);
}

void Activations::ignore(std::uint64_t what) {
  const auto change = [&](std::uint64_t& count) {
    if ((what & abi::kIgnoreBegins) != 0) {
      ++count;
    } else if (count != 0) {  // an end that has no begin says nothing
      --count;
    }
  };
  if ((what & abi::kIgnoreReads) != 0) change(ignored_reads_);
  if ((what & abi::kIgnoreWrites) != 0) change(ignored_writes_);
}

trace::Flags Activations::flags_of_access(bool write, bool computed) const {
  const bool unchecked =
      (write ? ignored_writes_ : ignored_reads_) != 0 || (!stack_.empty() && stack_.back().unchecked);
  return static_cast<trace::Flags>((computed ? trace::kComputed : 0) | (unchecked ? trace::kUnchecked : 0));
}

void Activations::add_bulk(bool write, LocationId location, bool computed, std::uint64_t address, std::uint64_t bytes,
                           std::vector<Event>& out) {
  if (bytes > kMaxBulk) {
    cut_ += bytes - kMaxBulk;
    bytes = kMaxBulk;
  }
  Event e = event(write ? EventKind::Write : EventKind::Read, location);
  e.flags = flags_of_access(write, computed);
  while (bytes != 0) {
    e.address = address;
    e.size = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, trace::kMaxAccess));
    out.push_back(e);
    address += e.size;
    bytes -= e.size;
  }
}

// A known effect. How many bytes it has, and where, is for the call to say.
void Activations::add_known_effect(const Numbers& n, std::vector<Event>& out) {
  const std::uint64_t address = n.at[1], bytes = n.at[3];
  switch (static_cast<abi::BulkKind>(n.at[0])) {
    case abi::BulkKind::Read: add_bulk(false, access_site(), true, address, bytes, out); break;
    case abi::BulkKind::Write: add_bulk(true, access_site(), true, address, bytes, out); break;
    case abi::BulkKind::String: add_string(access_site(), address, bytes, out); break;
    case abi::BulkKind::Given:
      if (code_->is_given_values(access_site())) add_nothing(access_site(), out);
      break;
  }
}

// Whether a function that reads a string gets to a byte is said by those before it: each is a read of its own, whose
// place is computed. Beyond kSingleBytes it is known only that the whole string was read: what is there is kept where
// all of it is as recorded.
void Activations::add_string(LocationId location, std::uint64_t address, std::uint64_t bytes, std::vector<Event>& out) {
  constexpr std::uint64_t kSingleBytes = 256;
  bytes = std::min(bytes, kMaxBulk);
  const std::uint64_t singles = std::min(bytes, kSingleBytes);
  Event e = event(EventKind::Read, location);
  e.flags = flags_of_access(false, true);
  e.size = 1;
  for (e.address = address; e.address < address + singles; ++e.address) out.push_back(e);
  if (singles == bytes) return;
  const std::size_t first = out.size();
  add_bulk(false, location, true, address + singles, bytes - singles, out);
  for (std::size_t i = first; i < out.size(); ++i) out[i].flags |= trace::kUnchecked;
  add_bulk(false, location, true, address + singles, bytes - singles, out);
}

// Something is given values that say what it does, and no other event tells of it (a copy of no bytes at all, the count
// of a new semaphore): it is done as recorded only where those are the recorded ones. What it reads, where no program
// has memory, nobody writes.
void Activations::add_nothing(LocationId location, std::vector<Event>& out) {
  constexpr std::uint64_t kNobodys = 8;
  Event e = event(EventKind::Read, location);
  e.flags = trace::kComputed | trace::kUnchecked;
  e.address = kNobodys;
  e.size = 1;
  out.push_back(e);
}

// ---- records of the runtime

std::optional<Event> Activations::sync(const Numbers& n) const {
  const auto kind = static_cast<EventKind>(n.at[1]);
  if (kind < EventKind::Lock || kind > EventKind::OnceSeen) return std::nullopt;
  Event e = event(kind, call_site());
  const auto given = static_cast<std::uint8_t>(n.at[2]);
  e.flags = given & (trace::kTry | trace::kFailed | trace::kRecursive | trace::kSpurious);
  e.address = n.at[3];
  if (kind == EventKind::Wait || kind == EventKind::Wake) {
    e.aux = n.at[4];
  } else if ((trace::row_of(kind).fields & trace::V) != 0 && (given & trace::kHasValue) != 0) {
    e.flags |= trace::kHasValue;
    e.value = n.at[4];
  }
  const bool second = kind == EventKind::Wait || kind == EventKind::Wake;
  if (code_->is_computed(e.location) || (second && code_->is_second_computed(e.location))) e.flags |= trace::kComputed;
  return e;
}

namespace {

MemoryOrder order_of(std::uint64_t value) {
  return value < static_cast<std::uint64_t>(kMemoryOrders) ? static_cast<MemoryOrder>(value) : MemoryOrder::SeqCst;
}

}  // namespace

Event Activations::atomic(abi::Tag tag, const Numbers& n) const {
  const bool rmw = tag == abi::Tag::AtomicRmw;
  Event e = event(rmw                           ? EventKind::AtomicRmw
                  : tag == abi::Tag::AtomicRead ? EventKind::AtomicRead
                                                : EventKind::AtomicWrite,
                  access_site());
  e.address = n.at[1];
  e.size = static_cast<std::uint32_t>(n.at[2]);
  e.order = order_of(n.at[3]);
  if (n.at[4] != 0 && is_value_size(n.at[2])) {
    e.flags |= trace::kHasValue;
    e.value = rmw ? n.at[6] : n.at[5];
    if (rmw) e.aux = n.at[7];
  }
  if (rmw) e.flags |= static_cast<trace::Flags>(n.at[5] & (trace::kCas | trace::kFailed));
  if (code_->is_computed(call_site())) e.flags |= trace::kComputed;
  return e;
}

Event Activations::missing_begin(const Numbers& n, std::span<const std::uint8_t> ranges) {
  ranges_.clear();
  const std::uint8_t* from = ranges.data();
  for (std::size_t i = 0; i < ranges.size() / 16; ++i) {
    const std::uint64_t address = load(from, 8);
    ranges_.push_back({address, load(from, 8)});
  }
  Event e = event(EventKind::MissingBegin, access_site());
  e.address = vocabulary_->reach(ranges_, n.at[2] == abi::kEverywhere);
  // Where no table has the address (code of this program that was compiled without hooks), its call has the name. A
  // thread that begins in missing code was not called here.
  const auto callee = stack_.empty() ? std::nullopt : code_->callee_at(e.location);
  e.aux = vocabulary_->name_of_callee(n.at[1], callee);
  return e;
}

std::optional<Event> Activations::add_stamped(const Record& record, std::vector<Event>& before) {
  const Numbers n = numbers_of(record);
  const auto more = record.payload.subspan(fixed_bytes(record.tag));
  const LocationId site = call_site();
  const auto plain = [&](EventKind kind) { return event(kind, site); };
  switch (record.tag) {
    case abi::Tag::ThreadBegin: return plain(EventKind::ThreadBegin);
    case abi::Tag::ThreadEnd: leave_all(before); return event(EventKind::ThreadEnd, call_site());
    case abi::Tag::Fork:
    case abi::Tag::Join: {
      if (!vocabulary_->define_thread(n.at[1])) return std::nullopt;
      Event e = plain(record.tag == abi::Tag::Fork ? EventKind::Fork : EventKind::Join);
      e.aux = n.at[1];
      if (e.kind == EventKind::Join) e.flags = trace::kComputed;  // a handle is always a value
      return e;
    }
    case abi::Tag::AtomicRead:
    case abi::Tag::AtomicWrite:
    case abi::Tag::AtomicRmw: return atomic(record.tag, n);
    case abi::Tag::Fence: {
      Event e = plain(EventKind::Fence);
      e.order = order_of(n.at[1]);
      return e;
    }
    case abi::Tag::Sync: return sync(n);
    case abi::Tag::Alloc: {
      if (n.at[2] == 0) return std::nullopt;
      Event e = plain(EventKind::Alloc);
      e.address = n.at[1];
      e.size = clipped(n.at[2]);
      if (code_->is_role_computed(site)) e.flags = trace::kComputed;
      return e;
    }
    case abi::Tag::Free: {
      Event e = plain(EventKind::Free);
      e.address = n.at[1];
      // What a thread has from its start goes when it ends, and so does what libc keeps for it.
      if (stack_.empty()) e.flags = trace::kUnchecked;
      if (code_->is_role_computed(site)) e.flags |= trace::kComputed;
      return e;
    }
    case abi::Tag::MissingBegin:
    case abi::Tag::MissingMore: return missing_begin(n, more);
    case abi::Tag::CallbackBegin: return begin_callback(static_cast<std::uint32_t>(n.at[1]));
    case abi::Tag::CallbackEnd: return end_callback(before);
    case abi::Tag::Everything: {
      ranges_.clear();
      Event e = plain(EventKind::MissingBegin);
      e.address = vocabulary_->reach(ranges_, true);
      // The address is that of a function of libc, which no table has; its call has its name.
      const auto callee = code_->callee_at(site);
      const std::uint64_t name = callee ? vocabulary_->function_name(*callee) : vocabulary_->name_of_callee(n.at[1]);
      e.aux = vocabulary_->text(vocabulary_->definitions().strings[name] + std::string(trace::kOrdersEverything));
      return e;
    }
    case abi::Tag::Company: return plain(EventKind::AtomicRmw);  // what it stands for, the merger knows
    case abi::Tag::MissingEnd: {
      Event e = event(EventKind::MissingEnd, access_site());
      if (n.at[1] != 0) {
        e.flags = trace::kHasValue;
        e.value = n.at[2];
      }
      return e;
    }
    case abi::Tag::Marker: {
      Event e = plain(EventKind::Marker);
      e.aux = vocabulary_->text({reinterpret_cast<const char*>(more.data()), more.size()});
      return e;
    }
    case abi::Tag::Acquire:
    case abi::Tag::Release: {
      Event e = plain(EventKind::AtomicRmw);
      e.address = n.at[1];
      if (code_->is_computed(site) || code_->is_role_computed(site)) e.flags |= trace::kComputed;
      return trace::annotation(e, record.tag == abi::Tag::Acquire);
    }
    case abi::Tag::State: {
      if (!trace::is_state(n.at[1])) return std::nullopt;
      Event at = plain(EventKind::AtomicRead);
      if (code_->is_given_values(site)) at.flags = trace::kComputed;
      const std::uint64_t object = n.at[1] - trace::kState;
      return n.at[2] != 0 ? trace::append(at, object) : trace::state_read(at, object);
    }
    case abi::Tag::SignalEnd:  // it may have jumped out of its functions
      leave_all(before);
      return std::nullopt;
    case abi::Tag::SharedMap:
    case abi::Tag::SignalBegin:
    case abi::Tag::Bulk:
    case abi::Tag::Handle:
    case abi::Tag::Ignore:
    case abi::Tag::None: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace racecast::recording
