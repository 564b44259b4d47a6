// Memory that is mapped more than once, or that other processes have, too (runtime/kernel/mapped_files.h).
//
// Two mappings of one part of a file are one memory at two addresses. Events of a trace have addresses, so what is done
// at one of them is not seen at the other; instead the two keep their recorded order: before each access or
// synchronisation in such memory stands missing code that reaches it at both addresses, in lines of 64 bytes. That
// hides races inside of it and invents none. (Tried: one address for both. But the model of the code knows the other.)
//
// A lock, semaphore or condition in memory that other processes have may be given back there: it is a release and an
// acquire of the outside, and its count and parties are not known.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "recording/vocabulary.h"
#include "trace/event.h"

namespace racecast::recording {

class SharedMemory {
 public:
  struct Mapping {
    std::uint64_t address = 0, size = 0;
    std::uint64_t file = 0;  // 0: none
    std::uint64_t offset = 0;
    bool outside = false;
  };

  explicit SharedMemory(Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  bool empty() const { return mappings_.empty(); }
  // A mapping replaces what was there before.
  void map(const Mapping& mapping);
  // The object at this address dies.
  void unmap(std::uint64_t address);
  // From now on children have what is mapped.
  void add_company();

  // Whether order through other processes was written.
  bool has_uncertain() const { return uncertain_; }

  // May other processes write there?
  bool is_outside(std::uint64_t address) const;
  // What stands before and after an event; the event itself may have to say less.
  void surround(trace::Event& e, std::vector<trace::Event>& before, std::vector<trace::Event>& after);

 private:
  const Mapping* find(std::uint64_t address) const;
  void add_other_lines(std::uint64_t address, std::uint64_t size, std::vector<trace::Range>& lines) const;
  void add_section(const trace::Event& e, std::vector<trace::Event>& out);

  Vocabulary& vocabulary_;
  std::map<std::uint64_t, Mapping> mappings_;  // by address
  bool uncertain_ = false;
};

}  // namespace racecast::recording
