#include "recording/output.h"

#include <fmt/format.h>

namespace racecast::recording {
namespace {

using trace::Event;
using trace::EventKind;

constexpr std::size_t kBatch = 8192;
constexpr std::size_t kNamed = 10;

}  // namespace

Output::Output(trace::Writer& writer, Vocabulary& vocabulary, Values& values, Progress* progress)
    : writer_(writer), progress_(progress), validator_(writer.definitions()), missing_(vocabulary, lives_, values) {
  batch_.reserve(kBatch);
}

void Output::flush() {
  if (status_.has_value()) status_ = writer_.add(batch_);
  batch_.clear();
  if (progress_ != nullptr) progress_->update(events_);
}

void Output::append(const Event& e) {
  batch_.push_back(e);
  ++events_;
  if (batch_.size() == kBatch) flush();
}

// What was accepted, with what follows from it for missing code.
void Output::append_all(const Event& e) {
  append(e);
  more_.clear();
  missing_.wrote(e, more_);
  for (const Event& more : more_)
    if (validator_.add(std::span(&more, 1))) append(more);
}

void Output::grow(ThreadId thread, std::uint64_t set) {
  more_.clear();
  missing_.give(thread, set, more_);
  for (const Event& more : more_)
    if (validator_.add(std::span(&more, 1))) append(more);
}

bool Output::add_if_legal(const Event& e) {
  if (!validator_.add(std::span(&e, 1))) return false;
  append_all(e);
  return true;
}

void Output::add_alone(const Event& begin, const Event& end) {
  for (const Event* e : {&begin, &end}) {
    if (!validator_.add(std::span(e, 1))) return;
    append(*e);
  }
}

void Output::write(const Event& e, bool handler) {
  more_.clear();
  missing_.before(e, more_);
  for (const Event& more : more_)
    if (validator_.add(std::span(&more, 1))) append(more);
  const Status accepted = validator_.add(std::span(&e, 1));
  if (accepted) [[likely]]
    return append_all(e);
  if (!handler) {
    roused_.clear();
    fitter_.rouse(e.thread, e.location, roused_);
    for (const Event& before : roused_) add_if_legal(before);
    if (!roused_.empty() && add_if_legal(e)) return;
  }
  if (const auto weaker = Fitter::weaker(e); weaker && add_if_legal(*weaker)) return;
  ++dropped_;
  if (refused_.size() < kNamed) {
    refused_.push_back(fmt::format("left out ({}): {}", name_of_location(writer_.definitions(), e.location),
                                   accepted.error().message));
  }
}

void Output::add(const Event& e, bool handler) {
  switch (trace::row_of(e.kind).group) {
    case trace::Group::Access:
    case trace::Group::Control:
    case trace::Group::Missing:
    case trace::Group::Note: return write(e, handler);
    case trace::Group::Memory:
      if (e.kind == EventKind::Free) {
        Event free = e;
        if (!lives_.free(free)) {
          if (e.address != 0) ++unknown_frees_;  // 0: it never lived in the trace (abi.h)
          return;
        }
        return write(free, handler);
      }
      if (e.size == 0 || e.address + e.size < e.address) {
        ++dropped_;
        return;
      }
      fitted_.clear();
      lives_.alloc(e, fitted_);
      overlapped_ += fitted_.size();
      for (const Event& free : fitted_) write(free, handler);
      return write(e, handler);
    default:
      fitted_.clear();
      if (!handler && e.kind != EventKind::Wake) fitter_.rouse(e.thread, e.location, fitted_);
      fitter_.fit(e, fitted_);
      for (const Event& fitted : fitted_) write(fitted, handler);
  }
}

Status Output::close() {
  flush();
  if (!status_.has_value()) return status_;
  return writer_.close();
}

std::vector<std::string> Output::notes() const {
  std::vector<std::string> notes;
  const auto note = [&](std::uint64_t count, std::string_view what) {
    if (count != 0) notes.push_back(fmt::format("{} {}", count, what));
  };
  note(unknown_frees_, "frees of memory whose allocation was not seen were left out");
  note(overlapped_, "objects were ended because a new one took their place");
  note(fitter_.inserted(), "lock operations that must have happened unseen were put in");
  note(fitter_.dropped(), "lock operations that do not fit were left out");
  note(fitter_.spurious(), "wakes were not those of the longest sleeper");
  notes.insert(notes.end(), refused_.begin(), refused_.end());
  return notes;
}

}  // namespace racecast::recording
