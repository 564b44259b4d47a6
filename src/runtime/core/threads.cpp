// See threads.h. A thread's thread-local memory is recorded as objects that live as long as it does: its address comes
// again with the stack of a later thread, and the two have nothing to do with each other.
#include "runtime/core/threads.h"

#include <link.h>
#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>

#include "runtime/core/atomics.h"
#include "runtime/core/exit_wait.h"
#include "runtime/core/record.h"
#include "runtime/missing/crossings.h"
#include "runtime/missing/reach.h"
#include "runtime/missing/scan.h"
#include "runtime/posix/interceptor.h"
#include "runtime/posix/loader.h"

extern "C" void* __libc_stack_end;

namespace racecast::runtime {

namespace {

// The program's thread-local memory of one loaded module, as this thread has it.
int begin_tls_block(struct dl_phdr_info* info, std::size_t, void* of) {
  auto* stream = static_cast<Stream*>(of);
  if (info->dlpi_tls_data == nullptr || stream->tls_blocks == kMaxTlsBlocks) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_TLS || header.p_memsz == 0) continue;
    // The runtime's own is no memory of the program.
    const auto ours = reinterpret_cast<std::uintptr_t>(&self);
    if (ours - reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data) < header.p_memsz) continue;
    stream->tls_library[stream->tls_blocks] = info->dlpi_addr;
    stream->tls_block[stream->tls_blocks++] = reinterpret_cast<std::uint64_t>(info->dlpi_tls_data);
    append<abi::Tag::Alloc>(stream->head, Extra{nullptr, 0}, next_stamp(), info->dlpi_tls_data, header.p_memsz);
    add_object(info->dlpi_tls_data, header.p_memsz);
  }
  return 0;
}

// Where the frames of this thread are; `top`: no frame of the program is above that. What pthreads keeps above them
// (the thread's own data, which its handle points to, and its thread-local memory) is no frame. Asks pthreads, which
// may allocate; the caller is in the runtime. Whether it is that of main is told by where we are: the child of a fork
// has one thread, which goes on on the stack of whoever forked. The stack of main grows as far as its limit; the kernel
// keeps that much free below it, and 128 MiB at least.
Object own_stack(std::uintptr_t top) {
  const auto top_of_main = reinterpret_cast<std::uintptr_t>(__libc_stack_end);
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  constexpr std::size_t kMainStack = std::size_t{8} << 20;
  constexpr std::size_t kKeptFree = std::size_t{128} << 20;
  struct rlimit limit;
  std::size_t main_stack = kMainStack;
  if (sys(SYS_prlimit64, 0, RLIMIT_STACK, nullptr, &limit) == 0)
    main_stack = std::clamp<std::size_t>(limit.rlim_cur, kMainStack, kKeptFree);
  if (top_of_main - here < main_stack) return {top_of_main - main_stack, main_stack};
  pthread_attr_t attributes;
  void* begin = nullptr;
  std::size_t size = 0;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return {};
  ::pthread_attr_getstack(&attributes, &begin, &size);
  ::pthread_attr_destroy(&attributes);
  const auto from = reinterpret_cast<std::uintptr_t>(begin);
  return {from, top - from < size ? top - from : size};
}

struct Stack {
  std::atomic<std::uintptr_t> begin{0};  // 0: free
  std::atomic<std::uintptr_t> end{0};
};
constexpr std::uint32_t kMaxStacks = 4096;
constinit Stack stacks[kMaxStacks];
constinit std::atomic<std::uint32_t> stacks_used{0};

void add_stack(const Object& stack) {
  if (stack.size == 0) return;
  for (std::uint32_t i = 0; i < kMaxStacks; ++i) {
    std::uintptr_t none = 0;
    if (stacks[i].begin.load(std::memory_order_relaxed) != 0) continue;
    if (!stacks[i].begin.compare_exchange_strong(none, stack.begin)) continue;
    stacks[i].end.store(stack.begin + stack.size, std::memory_order_release);
    std::uint32_t used = stacks_used.load();
    while (used < i + 1 && !stacks_used.compare_exchange_weak(used, i + 1)) {
    }
    self.stack = i + 1;
    return;
  }
}

void remove_stack() {
  if (self.stack == 0) return;
  stacks[self.stack - 1].end.store(0, std::memory_order_release);
  stacks[self.stack - 1].begin.store(0, std::memory_order_release);
  self.stack = 0;
}

}  // namespace

std::uint32_t fork_thread(const void* handle) {
  if (recording() == nullptr) return kNoThread;
  const std::uint32_t number = process.next_thread.fetch_add(1, std::memory_order_relaxed);
  process.living.fetch_add(1);
  record<abi::Tag::Handle>(handle, number);
  record<abi::Tag::Fork>(number);
  return number;
}

void drop_fork() {
  process.living.fetch_sub(1);
}

void begin_thread(std::uint32_t number) {
  if (number == kNoThread || !process_recorded()) return;
  const KeepErrno keep;
  const InRuntime inside;
  Stream* stream = make_stream(number, abi::kNoStream);
  if (stream == nullptr) return;
  // Written before the thread is given the stream: a signal handler that comes in between goes to the sink.
  append<abi::Tag::ThreadBegin>(stream->head, Extra{nullptr, 0}, next_stamp(), number);
  if (!is_in_loader()) ::dl_iterate_phdr(begin_tls_block, stream);
  self.number = number;
  // The thread's function is called from where this one was.
  const Object stack = own_stack(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) + 16);
  self.stack_begin = stack.begin;
  self.stack_top = stack.begin + stack.size;
  add_stack(stack);
  self.random = 0;
  self.own = stream;
  __racecast_thread = &stream->head;
}

void end_thread() {
  Stream* stream = self.own;
  if (stream == nullptr) return;
  const KeepErrno keep;
  const InRuntime inside;
  const bool alive = !process.stopped.load() && is_recorded();
  __racecast_thread = &sink;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  self.own = nullptr;
  if (alive) end_crossings(*stream);
  for (std::uint32_t i = 0; i < stream->tls_blocks; ++i) {
    remove_object(reinterpret_cast<const void*>(stream->tls_block[i]));
    if (alive) append<abi::Tag::Free>(stream->head, Extra{nullptr, 0}, next_stamp(), stream->tls_block[i]);
  }
  if (alive) append<abi::Tag::ThreadEnd>(stream->head, Extra{nullptr, 0}, next_stamp());
  for (Stream*& handler : self.handlers) {
    if (handler != nullptr) end_stream(handler);
    handler = nullptr;
  }
  end_stream(stream);
  release_stripe();
  remove_stack();
  free_scratch();
  process.living.fetch_sub(1);
  tell_exit_wait();
}

void join_thread(std::uint32_t number) {
  if (number != kNoThread) record<abi::Tag::Join>(number);
}

std::uint32_t current_thread() {
  return self.own != nullptr ? self.number : kNoThread;
}

void forget_thread() {
  for (Stream*& handler : self.handlers) {
    if (handler != nullptr) cut_off(handler);
    handler = nullptr;
  }
  if (self.own != nullptr) cut_off(self.own);
  self.own = nullptr;
  for (Stack& stack : stacks) {
    stack.end.store(0);
    stack.begin.store(0);
  }
  self.stack = 0;
}

Object find_stack(std::uintptr_t address) {
  const std::uint32_t used = stacks_used.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < used; ++i) {
    const std::uintptr_t begin = stacks[i].begin.load(std::memory_order_acquire);
    const std::uintptr_t end = stacks[i].end.load(std::memory_order_acquire);
    if (begin != 0 && begin <= address && address < end) return {begin, end - begin};
  }
  return {};
}

void name_thread(std::uint32_t number, const char* name) {
  if (number == kNoThread || name == nullptr || !process_recorded()) return;
  const Part parts[] = {{&number, sizeof(number)}, {name, __builtin_strlen(name)}};
  write_meta(abi::MetaKind::Thread, parts, 2);
}

}  // namespace racecast::runtime
