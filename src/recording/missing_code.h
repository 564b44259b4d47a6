// Missing code on its way into the trace (docs/semantics.md, section 4): which sections are open, what they may have
// written, and how what they reach grows.
//
// What a section reaches was found when it began. While it goes on it can be handed more. Two sections that are open at
// the same time and reach a common byte can hand each other all that they reach; where recorded code stores a pointer
// into memory that a section reaches, it reaches the object, and what that is known to point to; so does the section
// that a callback was called by, where that stores it into memory of which nobody knows (a frame of missing code) or
// returns it; and it reaches what it allocates, of which nobody else knows until it calls back or meets another
// section. What is new is a further section, inside of the one that grew and until that ends, right behind the event
// that made it grow: an own point, so that what the thread did before is ordered before what others do to the new
// memory from then on. Missing code that has called back, or sleeps, does not run; it grows when it goes on.
//
// Several of these further sections are put together again (ended, and begun as one), those of like size, so that
// there are never many and each range is written a few times. An object that was freed is left out then. Above the
// bounds of the runtime's own scans, a section reaches everything.
//
// Cost: for each section that begins, a comparison of what it reaches with every open one, unless that has had the same
// set before; for each store of a pointer, a look at a filter of pages; each object is followed once for a section.
// LIMIT: pointers that recorded code copies without their values being recorded (a structure that is assigned) are
// found where the source was known; what is copied in pieces of more than 8 bytes by vector instructions is not.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/hash.h"
#include "recording/lives.h"
#include "recording/ranges.h"
#include "recording/values.h"
#include "recording/vocabulary.h"
#include "trace/trace.h"

namespace racecast::recording {

class MissingCode {
 public:
  // All must outlive it.
  MissingCode(Vocabulary& vocabulary, const Lives& lives, Values& values);

  // The event was written. Appends what is to be written right behind it, and is not told again.
  void wrote(const trace::Event& e, std::vector<trace::Event>& more);
  // The missing code that the thread is in was given this set. Appends what is to be written now.
  void give(ThreadId thread, std::uint64_t set, std::vector<trace::Event>& more);
  // It is about to be: appends what is to be written before.
  void before(const trace::Event& e, std::vector<trace::Event>& more);
  // Is a section open in another thread?
  bool is_beside(ThreadId id) const {
    return open_ > (index(id) < threads_.size() ? threads_[index(id)].open.size() : 0);
  }
  // May missing code that runs now write there?
  bool may_write(const trace::Event& e) const;

 private:
  struct Section {
    Ranges reach;
    bool everything = false;
    std::uint64_t name = 0;                            // Event::aux of its begin
    std::uint32_t calls = 0;                           // recorded functions that it is in now
    std::vector<Ranges> grown;                         // further sections inside of it, innermost last
    Ranges pending;                                    // that it reaches now, and nobody was told
    bool told_everything = false;                      // the innermost further section reaches everything
    std::map<std::uint64_t, std::uint64_t> allocated;  // objects that nobody else knows: address, size
  };
  struct Thread {
    std::vector<Section> open;  // outermost first
    bool asleep = false;
    std::optional<trace::Event> copied;  // the last read without a value: what a copy reads
  };
  struct Place {
    std::size_t thread = 0, section = 0;
  };

  Thread& thread(ThreadId id) {
    if (index(id) >= threads_.size()) threads_.resize(index(id) + 1);
    return threads_[index(id)];
  }
  Section& at(const Place& place) { return threads_[place.thread].open[place.section]; }
  bool runs(const Place& place) const;
  template <typename Function>
  void for_open(Function&& function);

  void begin(const trace::Event& e);
  void absorb(const Place& place);
  void end(Thread& thread);
  void stored(const trace::Event& e);
  void stored(ThreadId by, std::uint64_t address, std::uint64_t pointer);
  void unite_grown();
  Ranges known_from(std::uint64_t pointer, const Ranges& without) const;
  trace::Range object_at(std::uint64_t address) const;
  void unite(const Place& place);
  void grow(const Place& place, const Ranges& by, bool everything);
  void tell_all(std::vector<trace::Event>& more);
  void tell(const Place& place, std::vector<trace::Event>& more);
  void forget(const Section& section);
  void watch(const Ranges& ranges, int by);
  bool is_watched(std::uint64_t address) const { return watched_[page_of(address)] != 0; }
  static std::size_t page_of(std::uint64_t address) { return MixHash()(address >> 12) % kPages; }

  static constexpr std::size_t kPages = 65'536;
  Vocabulary& vocabulary_;
  const Lives& lives_;
  Values& values_;
  std::vector<trace::Range> globals_;  // by address
  std::vector<Thread> threads_;
  std::size_t open_ = 0;       // sections
  std::vector<Place> grown_;   // by what is new and was not compared with others
  std::vector<Place> untold_;  // that have something pending
  std::vector<std::uint32_t> watched_ = std::vector<std::uint32_t>(kPages);  // ranges of open sections, by page
  std::size_t allocated_ = 0;                                                // objects in Section::allocated
};

}  // namespace racecast::recording
