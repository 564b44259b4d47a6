// Sections of missing code that are functions which were called and not recorded, while a trace goes by: all others
// (trace/annotations.h: is_unrecorded_code) are order that the recorder knows, or that is told of elsewhere.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/annotations.h"
#include "trace/trace.h"

namespace racecast::analysis::unseen {

class UnrecordedSections {
 public:
  // `definitions` must outlive it; they may grow.
  explicit UnrecordedSections(const trace::Definitions& definitions) : definitions_(definitions) {}

  // The next event of its thread; every begin and end of missing code must be given. Is it one of such a section?
  bool add(const trace::Event& e) {
    if (e.kind != trace::EventKind::MissingBegin && e.kind != trace::EventKind::MissingEnd) return false;
    if (index(e.thread) >= open_.size()) open_.resize(index(e.thread) + 1);
    std::vector<bool>& sections = open_[index(e.thread)];
    if (e.kind == trace::EventKind::MissingBegin) {
      sections.push_back(is_unrecorded(e.aux));
      return sections.back();
    }
    if (sections.empty()) return false;
    const bool unrecorded = sections.back();
    sections.pop_back();
    return unrecorded;
  }
  // Is a section with this name (Event::aux of its begin) one?
  bool is_unrecorded(std::uint64_t name) const {
    return name >= definitions_.strings.size() || trace::is_unrecorded_code(definitions_.strings[name]);
  }

 private:
  const trace::Definitions& definitions_;
  std::vector<std::vector<bool>> open_;  // per thread, of the sections that it is in
};

}  // namespace racecast::analysis::unseen
