// Where merged events go: through lives and fitter, past the validator, into the .rct file. Nothing is written that the
// validator refuses; what is dropped is counted, and the first few are named.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "recording/fitter.h"
#include "recording/lives.h"
#include "recording/missing_code.h"
#include "trace/trace.h"
#include "trace/validator.h"
#include "trace/writer.h"

namespace racecast::recording {

class Output {
 public:
  // All must outlive it; `progress` may be null. `vocabulary` and `values` are for what missing code comes to reach.
  Output(trace::Writer& writer, Vocabulary& vocabulary, Values& values, Progress* progress);

  // `handler`: a signal handler's.
  void add(const trace::Event& e, bool handler);
  // A section of missing code, begin and end, that nobody can hand anything to.
  void add_alone(const trace::Event& begin, const trace::Event& end);
  // The missing code that this thread is in reaches this set, too.
  void grow(ThreadId thread, std::uint64_t set);
  // Is missing code under way in another thread?
  bool is_missing_code_beside(ThreadId thread) const { return missing_.is_beside(thread); }
  // May missing code that runs now write there?
  bool may_be_written(const trace::Event& e) const { return missing_.may_write(e); }
  // Writes it as it is, if the validator lets it pass.
  bool add_if_legal(const trace::Event& e);
  // Ends the file. The first error of the writer, whenever it was.
  Status close();
  // Of the object that lives there and starts there; 0: none.
  std::uint32_t size_of_object(std::uint64_t address) const { return lives_.size_of(address); }
  bool failed() const { return !status_.has_value(); }

  std::uint64_t events() const { return events_; }
  std::uint64_t dropped() const { return dropped_ + fitter_.dropped(); }
  std::uint64_t refused() const { return dropped_; }  // those of them that broke a rule and could not be fitted
  // What was changed and dropped, in words.
  std::vector<std::string> notes() const;

 private:
  void write(const trace::Event& e, bool handler);
  void append(const trace::Event& e);
  void append_all(const trace::Event& e);
  void flush();

  trace::Writer& writer_;
  Progress* progress_;
  trace::Validator validator_;
  Lives lives_;
  Fitter fitter_;
  MissingCode missing_;
  Status status_;
  std::vector<trace::Event> batch_;
  std::vector<trace::Event> fitted_, roused_, more_;
  std::uint64_t events_ = 0;
  std::uint64_t dropped_ = 0;  // refused by the validator
  std::uint64_t unknown_frees_ = 0;
  std::uint64_t overlapped_ = 0;
  std::vector<std::string> refused_;  // the first few
};

}  // namespace racecast::recording
