#include "recording/kernel_order.h"

#include <algorithm>
#include <cstring>

#include "trace/annotations.h"
#include "trace/state.h"

namespace racecast::recording {

using trace::Event;

void KernelOrder::look_at(const Record& record) {
  if (record.shape != nullptr) return;
  switch (record.tag) {
    case abi::Tag::Acquire: acquired_.insert(numbers_of(record).at[1]); break;
    case abi::Tag::Release: released_.insert(numbers_of(record).at[1]); break;
    case abi::Tag::Company: company_ = true; break;
    case abi::Tag::SharedMap: shared_ = true; break;
    case abi::Tag::Everything: uncertain_ = true; break;
    case abi::Tag::State: {
      const Numbers n = numbers_of(record);
      (n.at[2] != 0 ? changed_ : read_).insert(n.at[1]);
      break;
    }
    case abi::Tag::MissingBegin:
    case abi::Tag::MissingMore: look_at_reach(record); break;
    default: break;
  }
}

void KernelOrder::look_at_reach(const Record& record) {
  std::uint64_t range[2];  // address, size
  for (auto rest = record.payload.subspan(fixed_bytes(record.tag)); rest.size() >= sizeof(range);
       rest = rest.subspan(sizeof(range))) {
    std::memcpy(range, rest.data(), sizeof(range));
    if (!trace::is_state(range[0])) continue;
    for (std::uint64_t i = 0; i < std::min(range[1], abi::kFirstObject); ++i) {
      read_.insert(range[0] + i);
      changed_.insert(range[0] + i);
    }
  }
}

// Locks in shared memory are acquires and releases of it, too (shared_memory.h).
bool KernelOrder::outside_matters() const {
  return (acquired_.contains(abi::kOutside) || shared_) && (released_.contains(abi::kOutside) || company_ || shared_);
}

bool KernelOrder::is_needed(const Event& e) {
  if (trace::is_state(e)) return (trace::writes(e) ? read_ : changed_).contains(e.address);
  if (!trace::is_annotation(e)) return true;
  const std::uint64_t place = e.address - trace::kAnnotations;
  if (place < abi::kFirstPlace) return true;  // the program's own
  const bool is_release = trace::writes(e);
  bool needed = false;
  if (place == abi::kOutside) {
    needed = outside_matters();
  } else if (is_release) {
    needed = acquired_.contains(place);
    if (company_ && outside_matters() && !trace::is_uncertain(e)) {
      open_.insert(place);
      needed = true;
    }
  } else {
    needed = released_.contains(place);
  }
  uncertain_ = uncertain_ || (needed && trace::is_uncertain(e));
  return needed;
}

void KernelOrder::add_company(const Event& at, std::vector<Event>& out) {
  if (!outside_matters()) return;
  std::vector<std::uint64_t> places(open_.begin(), open_.end());
  std::ranges::sort(places);
  open_.clear();
  Event e = at;
  for (const std::uint64_t place : places) {
    e.address = place;
    out.push_back(trace::annotation(e, true));
  }
  e.address = abi::kOutside;
  out.push_back(trace::annotation(e, false));
  uncertain_ = true;
}

}  // namespace racecast::recording
