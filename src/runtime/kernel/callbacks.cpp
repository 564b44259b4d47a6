// See callbacks.h. A thread that libc makes has not come by pthread_create, so it would not be recorded: and what it
// does to synchronise would be missing. So the function is wrapped: the thread is recorded from its beginning to its
// end, as one that nobody forked. It is after whoever registered the function, after who set a timer, and after who
// sent something out of the process (to a queue, a file).
#include "runtime/kernel/callbacks.h"

#include <atomic>

#include "runtime/core/threads.h"
#include "runtime/kernel/ordering.h"

namespace racecast::runtime {

struct Callback {
  enum State : std::uint32_t { kFree, kOnce, kMany };
  std::atomic<std::uint32_t> state{kFree};
  void (*function)(sigval) = nullptr;
  sigval value{};
  sigevent* in_place = nullptr;  // where the program's are to be put back
  std::uint64_t place = 0;
  bool everything = false;
};

namespace {

constexpr std::size_t kCallbacks = 1024;
constinit Callback callbacks[kCallbacks];

// Ends the recorded thread, also where the function leaves by pthread_exit.
class Adopted {
 public:
  Adopted() : adopted_(!is_recorded() && process_recorded()) {
    if (adopted_) begin_thread(process.next_thread.fetch_add(1, std::memory_order_relaxed));
  }
  ~Adopted() {
    if (adopted_) end_thread();
  }
  Adopted(const Adopted&) = delete;
  Adopted& operator=(const Adopted&) = delete;

 private:
  bool adopted_;
};

void run(sigval value) {
  auto* const callback = static_cast<Callback*>(value.sival_ptr);
  void (*const function)(sigval) = callback->function;
  const sigval given = callback->value;
  const std::uint64_t place = callback->place;
  const bool everything = callback->everything;
  const sigevent* const in_place = callback->in_place;
  if (callback->in_place != nullptr) {
    callback->in_place->sigev_notify_function = function;
    callback->in_place->sigev_value = given;
  }
  std::uint32_t once = Callback::kOnce;
  callback->state.compare_exchange_strong(once, Callback::kFree);
  const Adopted thread;
  if (orders()) {
    acquire(place);
    acquire(abi::place(abi::PlaceKind::Timer, 0));
    acquire(abi::kOutside);
    if (in_place != nullptr) learn_of(in_place);
    if (everything) order_everything(address_of(function));
  }
  function(given);
}

Callback* new_callback(const sigevent& event, sigevent* in_place, bool everything) {
  for (Callback& callback : callbacks) {
    std::uint32_t free = Callback::kFree;
    if (callback.state.load(std::memory_order_relaxed) != Callback::kFree ||
        !callback.state.compare_exchange_strong(free, Callback::kOnce))
      continue;
    callback.function = event.sigev_notify_function;
    callback.value = event.sigev_value;
    callback.in_place = in_place;
    callback.everything = everything;
    callback.place = abi::place(abi::PlaceKind::Callback, static_cast<std::uint64_t>(&callback - callbacks));
    if (orders()) release(callback.place);
    return &callback;
  }
  note_incomplete("there are too many functions that libc calls in threads of its own; not all of them are recorded");
  return nullptr;
}

bool wants_thread(const sigevent* event) {
  return event != nullptr && event->sigev_notify == SIGEV_THREAD && event->sigev_notify_function != nullptr &&
         event->sigev_notify_function != run && !in_runtime() && process_recorded();
}

}  // namespace

Notification::Notification(const sigevent* event, bool everything) : event_(event), own_{} {
  if (!wants_thread(event)) return;
  callback_ = new_callback(*event, nullptr, everything);
  if (callback_ == nullptr) return;
  own_ = *event;
  own_.sigev_notify_function = run;
  own_.sigev_value.sival_ptr = callback_;
  event_ = &own_;
}

Callback* Notification::keep() {
  if (callback_ != nullptr) callback_->state.store(Callback::kMany);
  return callback_;
}

void Notification::give_up() {
  callback_->state.store(Callback::kFree);
}

void drop_callback(Callback* callback) {
  if (callback != nullptr) callback->state.store(Callback::kFree);
}

void wrap_in_place(sigevent* event) {
  if (!wants_thread(event)) return;
  Callback* const callback = new_callback(*event, event, false);
  if (callback == nullptr) return;
  event->sigev_notify_function = run;
  event->sigev_value.sival_ptr = callback;
}

}  // namespace racecast::runtime
