// The inside of a Machine: what changes (MachineState) and what never does (MachineContext). Private to machine*.cpp
// and stepper.h.
//
// Exploration copies states all the time and changes little between two copies, so threads, heap objects and the bytes
// of the globals are shared between copies and cloned when one of them is about to be written (own_*). Tables of
// synchronisation objects hold only objects that are in use: a free mutex has no entry, so that equal states look
// equal whatever their past.
//
// The address of a heap object is a pure function of (thread, site, how often): the same object has the same address
// in every schedule, and in every Machine of the same program. Objects too large or too many for the bit fields get
// their address from a table in the context, in order of appearance.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "program/evaluate.h"
#include "program/graph/liveness.h"
#include "program/machine/machine.h"

namespace racecast::program {

inline constexpr std::uint64_t kMaxLocalInstructions = 1'000'000;  // of one step
inline constexpr std::size_t kMaxCallDepth = 10'000;
inline constexpr std::size_t kMaxStackRegisters = 1u << 24;  // of one thread
inline constexpr std::size_t kMaxThreads = 65'536;
inline constexpr std::uint64_t kMaxMemory = 1u << 30;  // bytes of all live objects

inline constexpr ThreadId kNoThread{kNone32};

constexpr std::uint8_t kOpTraits[] = {
#define OP(name, text, traits, meaning) traits,
#include "program/op.def"
#undef OP
};
constexpr bool has_trait(Op op, std::uint8_t trait) {
  return (kOpTraits[static_cast<std::size_t>(op)] & trait) != 0;
}

class MachineContext {
 public:
  // Checks what the interpreter relies on and broken_rule() does not promise; bad_input says what is wrong.
  static Result<std::shared_ptr<MachineContext>> make(std::shared_ptr<const Program> program);

  const Program& program() const { return *program_; }
  const std::shared_ptr<const Program>& shared_program() const { return program_; }
  bool computed(InstrId id) const { return computed_[index(id)]; }
  // Labels that some Mark carries are numbered densely, in the order in which the program names them.
  std::optional<std::uint32_t> label_number(StringId label) const;
  std::size_t litmus_threads() const { return litmus_threads_; }  // 1 + the largest thread id that a function has

  // The global that contains an address, and where its bytes are in MachineState::globals.
  const Global* global_at(std::uint64_t address) const;
  std::uint64_t bytes_offset(const Global& global) const {
    return offsets_[static_cast<std::size_t>(&global - program_->globals.data())];
  }
  std::uint64_t initial_of(std::uint64_t address) const;  // of a semaphore, a barrier: count, number of parties
  const std::vector<std::uint8_t>& initial_bytes() const { return initial_bytes_; }

  std::uint64_t object_address(ThreadId thread, InstrId site, std::uint64_t count, std::uint64_t size);
  const Liveness& liveness();

  std::string name_of_address(std::uint64_t address) const;  // "m", "locks[2]", "object 0x..."
  std::string name_of_thread(ThreadId thread) const;
  std::string place(const Instruction* instruction) const;  // "f.litmus:3:2"

 private:
  std::shared_ptr<const Program> program_;
  std::vector<bool> computed_;                // by InstrId
  std::vector<std::uint32_t> label_numbers_;  // by StringId; kNone32: no Mark carries it
  std::vector<std::uint64_t> offsets_;        // by GlobalId
  std::vector<std::uint32_t> by_address_;     // GlobalIds
  std::vector<std::uint8_t> initial_bytes_;
  std::vector<std::string> thread_names_;  // by ThreadId, of threads that functions name
  std::size_t litmus_threads_ = 1;
  std::once_flag liveness_once_;
  std::unique_ptr<Liveness> liveness_;
  std::mutex large_mutex_;
  std::map<std::tuple<ThreadId, InstrId, std::uint64_t, std::uint64_t>, std::uint64_t> large_;
  std::uint64_t next_large_ = 0;
};

struct Frame {
  FunctionId function{};
  BlockId block{};
  const Instruction* here = nullptr;  // the next one; of a caller: the call
  std::uint32_t first_register = 0;   // in Thread::registers
  bool recorded = true;               // the function is not missing
  bool leaving_is_step = false;       // a missing function that recorded code called
};

enum class Life : std::uint8_t { NotStarted, Running, Ended };

struct Thread {
  Life life = Life::NotStarted;
  bool second_half = false;      // asleep on a condition or at a barrier
  bool released = false;         // and notified, or its round is complete
  std::uint32_t wait_depth = 0;  // how often it held the mutex that it waits with
  FunctionId function{};         // that it was started with
  FaultKind fault = FaultKind::None;
  const Instruction* fault_at = nullptr;
  std::vector<Frame> frames;
  std::vector<std::uint64_t> registers;  // of all frames
  std::vector<std::uint8_t> tainted;     // by register: depends on a memory read
  struct Count {
    InstrId site{};
    std::uint64_t count = 0;
  };
  std::vector<Count> allocations;  // by site, in order of first use
  struct StackObject {
    std::uint32_t frame = 0;
    std::uint64_t address = 0;
  };
  std::vector<StackObject> stack_objects;
  std::vector<std::uint64_t> completed;  // by label number; may be short
  std::vector<StringId> marks;           // labels completed by the last step (or the start), in order
};

struct HeapObject {
  std::uint64_t struct_plus_1 = 0;
  bool on_stack = false;
  std::vector<std::uint8_t> bytes;
};
struct HeapEntry {
  std::uint64_t address = 0;
  std::shared_ptr<HeapObject> object;
};

struct MutexState {
  std::uint64_t address = 0;
  ThreadId owner{};
  std::uint32_t depth = 0;
};
struct RwLockState {
  std::uint64_t address = 0;
  ThreadId writer = kNoThread;
  std::vector<ThreadId> readers;  // sorted; as often as the thread reads
};
struct ConditionState {
  std::uint64_t address = 0;
  std::vector<ThreadId> sleepers;  // in order of arrival
};
struct SemaphoreState {  // no entry: the count is the initial one
  std::uint64_t address = 0;
  std::uint64_t count = 0;
};
struct BarrierState {
  std::uint64_t address = 0;
  std::vector<ThreadId> arrived;  // in this round; sorted
};
struct OnceState {
  std::uint64_t address = 0;
  ThreadId runner = kNoThread;  // kNoThread: done
};

// One kind of synchronisation objects, sorted by address.
template <typename T>
class SyncTable {
 public:
  const T* find(std::uint64_t address) const {
    const auto it = place(address);
    return it != entries_.end() && it->address == address ? &*it : nullptr;
  }
  T* find(std::uint64_t address) { return const_cast<T*>(std::as_const(*this).find(address)); }
  T& obtain(std::uint64_t address) {
    const auto it = place(address);
    if (it != entries_.end() && it->address == address)
      return entries_[static_cast<std::size_t>(it - entries_.begin())];
    T fresh;
    fresh.address = address;
    return *entries_.insert(it, std::move(fresh));
  }
  void erase(std::uint64_t address) {
    const auto it = place(address);
    if (it != entries_.end() && it->address == address) entries_.erase(it);
  }
  const std::vector<T>& entries() const { return entries_; }

 private:
  auto place(std::uint64_t address) const {
    return std::lower_bound(entries_.begin(), entries_.end(), address,
                            [](const T& entry, std::uint64_t wanted) { return entry.address < wanted; });
  }
  std::vector<T> entries_;
};

// A live object: a global or one of the heap.
struct ObjectView {
  std::uint64_t address = 0, size = 0;
  std::uint64_t struct_plus_1 = 0;
  const std::uint8_t* bytes = nullptr;
  std::size_t heap_index = 0;  // meaningless for a global
  bool global = false;
};

struct MachineState {
  std::shared_ptr<MachineContext> context;
  std::vector<std::shared_ptr<Thread>> threads;
  std::shared_ptr<std::vector<std::uint8_t>> globals;
  std::vector<HeapEntry> heap;  // sorted by address
  std::uint64_t heap_bytes = 0;
  SyncTable<MutexState> mutexes;
  SyncTable<RwLockState> rwlocks;
  SyncTable<ConditionState> conditions;
  SyncTable<SemaphoreState> semaphores;
  SyncTable<BarrierState> barriers;
  SyncTable<OnceState> guards;

  const Program& program() const { return context->program(); }
  const Thread& thread(ThreadId id) const { return *threads[index(id)]; }
  Thread& own_thread(ThreadId id) {
    auto& shared = threads[index(id)];
    if (shared.use_count() > 1) shared = std::make_shared<Thread>(*shared);
    return *shared;
  }

  // --- memory (memory.cpp)
  std::optional<ObjectView> object_at(std::uint64_t address) const;  // an empty object contains its own address
  const std::uint8_t* bytes_at(std::uint64_t address, std::uint64_t size) const;  // null: not inside one live object
  std::uint8_t* own_bytes_at(std::uint64_t address, std::uint64_t size);
  std::optional<std::uint64_t> load(std::uint64_t address, Type type) const;
  bool store(std::uint64_t address, Type type, std::uint64_t value);
  // The new object's address; nullopt where memory is exhausted.
  std::optional<std::uint64_t> allocate(ThreadId thread, const Instruction& site, std::uint64_t size);
  void release(std::uint64_t address);
  std::vector<Reach> reachable_from(const std::vector<std::uint64_t>& addresses) const;

  // --- reading a thread's place
  std::uint64_t value_of(const Thread& thread, const Operand& operand) const {
    switch (operand.kind) {
      case OperandKind::Reg: return thread.registers[thread.frames.back().first_register + operand.value];
      case OperandKind::Const: return operand.value;
      case OperandKind::Global: return program().globals[operand.value].address;
      case OperandKind::Function: break;
    }
    return function_address(static_cast<FunctionId>(operand.value));
  }
  bool tainted(const Thread& thread, const Operand& operand) const {
    return operand.kind == OperandKind::Reg && thread.tainted[thread.frames.back().first_register + operand.value] != 0;
  }
  // The function that a Call, VirtualCall or Fork means now, or why there is none.
  struct Callee {
    std::optional<FunctionId> function;
    FaultKind fault = FaultKind::None;
  };
  Callee callee_of(const Thread& thread, const Instruction& call) const;
  // Does the thread, standing at its next instruction, stand before a step?
  bool stands_before_step(const Thread& thread) const;

  // --- synchronisation (sync.cpp)
  bool sync_enabled(ThreadId id, const Instruction& instruction) const;
  // The thread that a Join waits for; nullopt where the handle names none.
  std::optional<ThreadId> joined_thread(const Thread& thread, const Instruction& join) const;
  std::uint64_t semaphore_count(std::uint64_t address) const;
  std::string describe_wait(ThreadId id) const;

  NextStep next(ThreadId id) const;
  bool enabled(ThreadId id) const {  // next(id).enabled, without the rest
    const Thread& t = thread(id);
    if (t.life != Life::Running) return false;
    const Instruction& i = *t.frames.back().here;
    return !has_trait(i.op, Sync) || sync_enabled(id, i);
  }
  Machine::Fingerprint fingerprint() const;  // fingerprint.cpp
};

struct Machine::State : MachineState {};

}  // namespace racecast::program
