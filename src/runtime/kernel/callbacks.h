// Functions of the program that libc calls in a thread that it makes itself: SIGEV_THREAD. See callbacks.cpp.
#pragma once

#include <signal.h>

#include <cstdint>

namespace racecast::runtime {

struct Callback;

// The registration of such a function, for the call that makes it: event() is to be given to the real call instead of
// the program's, and done() is told its result (0: it worked). Where the program's wants no thread, it is passed on.
class Notification {
 public:
  // `everything`: what it tells of is not known.
  explicit Notification(const sigevent* event, bool everything = false);
  const sigevent* event() const { return event_; }
  template <typename Result>
  Result done(Result result) {
    if (result != 0 && callback_ != nullptr) give_up();
    return result;
  }
  // It may call more than once, until this.
  Callback* keep();

 private:
  void give_up();

  const sigevent* event_;
  sigevent own_;
  Callback* callback_ = nullptr;
};
// What keep() gave is called no more. Null: nothing.
void drop_callback(Callback* callback);

// The same for a sigevent that libc reads where it is: it is changed, and put back before the function is called.
void wrap_in_place(sigevent* event);
// In that thread, before its function: what this event of an aiocb tells of is done (aio.cpp).
void learn_of(const sigevent* event);

}  // namespace racecast::runtime
