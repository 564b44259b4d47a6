#include "recording/lane.h"

#include <algorithm>

namespace racecast::recording {

void Lane::fill(std::size_t events) {
  queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(head_));
  head_ = 0;
  Record record;
  while (queue_.size() < events) {
    const std::size_t known = queue_.size();
    if (!stream_.next(record)) {
      ended_ = true;
      return;
    }
    if (has_stamp(record)) {
      stamped_ = {record.tag, activations_.add_stamped(record, queue_), {}};
      if (record.tag == abi::Tag::SharedMap) {
        const Numbers n = numbers_of(record);
        stamped_.mapping = {n.at[1], n.at[2], n.at[3], n.at[4], n.at[5] != 0};
      }
      at_stamp_ = true;
    } else {
      activations_.add(record, queue_);
    }
    for (std::size_t i = known; i < queue_.size(); ++i) pending_->add(queue_[i], number_);
    if (at_stamp_) return;
  }
}

}  // namespace racecast::recording
