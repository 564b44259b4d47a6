// A state as 128 bits: everything that can influence what happens from here on, in one canonical order of bytes,
// hashed. What cannot does not enter: dead registers, taints, counts of completed labels, ended threads' insides.
//
// 128 bits of a good hash: with ten million states the chance of a collision is below 10^-24.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "program/machine/state.h"

namespace racecast::program {
namespace {

class Bytes {
 public:
  explicit Bytes(std::vector<std::uint8_t>& bytes) : bytes_(bytes) { bytes_.clear(); }
  void number(std::uint64_t v) { raw(&v, sizeof v); }
  void pair(std::uint64_t low, std::uint64_t high) { number(low | high << 32); }
  void raw(const void* data, std::size_t size) {
    const auto* p = static_cast<const std::uint8_t*>(data);
    bytes_.insert(bytes_.end(), p, p + size);
  }

 private:
  std::vector<std::uint8_t>& bytes_;
};

void add_thread(Bytes& out, const Thread& thread, const Liveness& liveness) {
  out.number(static_cast<std::uint64_t>(thread.life) | std::uint64_t{thread.second_half} << 8 |
             std::uint64_t{thread.released} << 9 | std::uint64_t{thread.wait_depth} << 16);
  if (thread.life != Life::Running) return;
  out.number(thread.frames.size());
  for (std::size_t f = 0; f < thread.frames.size(); ++f) {
    const Frame& frame = thread.frames[f];
    const InstrId id = frame.here->id;  // which also says the function and the block
    out.pair(index(id), frame.leaving_is_step ? 1 : 0);
    const bool top = f + 1 == thread.frames.size();
    for (const RegId r : top ? liveness.before(id) : liveness.after_call(id)) {
      out.number(thread.registers[frame.first_register + index(r)]);
    }
  }
  // In order of site, not of first use.
  std::vector<Thread::Count> allocations = thread.allocations;
  std::sort(allocations.begin(), allocations.end(),
            [](const Thread::Count& a, const Thread::Count& b) { return a.site < b.site; });
  out.pair(allocations.size(), thread.stack_objects.size());
  for (const Thread::Count& c : allocations) {
    out.number(index(c.site));
    out.number(c.count);
  }
  for (const Thread::StackObject& o : thread.stack_objects) {
    out.number(o.frame);
    out.number(o.address);
  }
}

void add_threads(Bytes& out, const std::vector<ThreadId>& threads) {
  out.number(threads.size());
  for (const ThreadId id : threads) out.number(index(id));
}

}  // namespace

Machine::Fingerprint MachineState::fingerprint() const {
  static thread_local std::vector<std::uint8_t> buffer;
  Bytes out(buffer);
  const Liveness& liveness = context->liveness();
  out.number(threads.size());
  for (const auto& t : threads) add_thread(out, *t, liveness);
  out.raw(globals->data(), globals->size());
  out.number(heap.size());
  for (const HeapEntry& entry : heap) {
    out.number(entry.address);
    out.number(entry.object->struct_plus_1 << 1 | (entry.object->on_stack ? 1 : 0));
    out.number(entry.object->bytes.size());
    out.raw(entry.object->bytes.data(), entry.object->bytes.size());
  }
  out.number(mutexes.entries().size());
  for (const MutexState& m : mutexes.entries()) {
    out.number(m.address);
    out.pair(index(m.owner), m.depth);
  }
  out.number(rwlocks.entries().size());
  for (const RwLockState& l : rwlocks.entries()) {
    out.number(l.address);
    out.number(index(l.writer));
    add_threads(out, l.readers);
  }
  out.number(conditions.entries().size());
  for (const ConditionState& c : conditions.entries()) {
    out.number(c.address);
    add_threads(out, c.sleepers);
  }
  out.number(semaphores.entries().size());
  for (const SemaphoreState& s : semaphores.entries()) {
    out.number(s.address);
    out.number(s.count);
  }
  out.number(barriers.entries().size());
  for (const BarrierState& b : barriers.entries()) {
    out.number(b.address);
    add_threads(out, b.arrived);
  }
  out.number(guards.entries().size());
  for (const OnceState& o : guards.entries()) {
    out.number(o.address);
    out.number(index(o.runner));
  }
  const XXH128_hash_t hash = XXH3_128bits(buffer.data(), buffer.size());
  return {hash.low64, hash.high64};
}

}  // namespace racecast::program
