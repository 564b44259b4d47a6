// What all copies of a Machine share and never change: the program with its tables, and the addresses of objects.
#include <numeric>

#include <fmt/format.h>

#include "base/check.h"
#include "base/state_addresses.h"
#include "program/machine/state.h"

namespace racecast::program {
namespace {

// An object's address: kHeapBase + thread, site, count and offset, in bit fields. Everything stays below 2^54, so that
// differences of addresses stay short in files.
constexpr unsigned kOffsetBits = 16, kCountBits = 14, kSiteBits = 14, kThreadBits = 9;
constexpr std::uint64_t kGap = 64;  // after an object, so that a step over its end is seen
constexpr std::uint64_t kLargeBase = std::uint64_t{1} << (kOffsetBits + kCountBits + kSiteBits + kThreadBits + 1);

constexpr bool fits(std::uint64_t value, unsigned bits) {
  return value >> bits == 0;
}

}  // namespace

Result<std::shared_ptr<MachineContext>> MachineContext::make(std::shared_ptr<const Program> program) {
  CHECK(program != nullptr);
  auto context = std::make_shared<MachineContext>();
  MachineContext& c = *context;
  c.program_ = program;
  if (index(program->main) >= program->functions.size() || program->function(program->main).blocks.empty()) {
    return bad_input("the program has no main function with a body");
  }

  c.computed_.resize(program->instruction_count);
  c.label_numbers_.assign(program->strings.size(), kNone32);
  std::uint32_t labels = 0;
  c.thread_names_.emplace_back(program->text(program->function(program->main).name));
  for (const Function& function : program->functions) {
    if (function.thread) {
      const std::size_t id = index(*function.thread);
      if (id >= kMaxThreads)
        return bad_input(fmt::format("thread {} has an id above {}", program->text(function.name), kMaxThreads - 1));
      if (c.thread_names_.size() <= id) c.thread_names_.resize(id + 1);
      c.thread_names_[id] = program->text(function.name);
      c.litmus_threads_ = std::max(c.litmus_threads_, id + 1);
    }
    const Definitions definitions = definitions_of(function);
    for (const Block& block : function.blocks) {
      for (const Instruction& i : block.instructions) {
        if (index(i.id) >= program->instruction_count)
          return bad_input("the instructions of the program are not numbered");
        if (is_step(i.op)) c.computed_[index(i.id)] = address_is_computed(definitions, i);
        if (i.op == Op::Mark && i.label != kNoString && c.label_numbers_[index(i.label)] == kNone32) {
          c.label_numbers_[index(i.label)] = labels++;
        }
      }
    }
  }

  c.by_address_.resize(program->globals.size());
  std::iota(c.by_address_.begin(), c.by_address_.end(), 0u);
  std::sort(c.by_address_.begin(), c.by_address_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return program->globals[a].address < program->globals[b].address;
  });
  std::uint64_t total = 0;
  std::uint64_t end = 1;  // nothing lies at null
  for (const std::uint32_t id : c.by_address_) {
    const Global& g = program->globals[id];
    total += g.size();
    if (total > kMaxMemory) return bad_input(fmt::format("the shared variables need more than {} bytes", kMaxMemory));
    const bool in_memory = g.address <= kHeapBase - kMaxMemory;
    if (g.address < end || (g.kind == GlobalKind::State ? !is_state(g.address) : !in_memory)) {
      return bad_input(fmt::format("{} has no address of its own", program->text(g.name)));
    }
    end = g.address + g.size();
  }
  c.initial_bytes_.resize(total);
  std::uint64_t at = 0;
  for (const Global& g : program->globals) {
    c.offsets_.push_back(at);
    for (std::uint64_t b = 0; b < g.size(); ++b) {
      const std::uint64_t in_element = b % g.element_size;
      std::uint8_t byte = in_element < 8 ? static_cast<std::uint8_t>(g.initial >> (8 * in_element)) : std::uint8_t{0};
      if (!g.bytes.empty()) byte = b < g.bytes.size() ? g.bytes[b] : std::uint8_t{0};
      c.initial_bytes_[at + b] = byte;
    }
    at += g.size();
  }
  return context;
}

std::optional<std::uint32_t> MachineContext::label_number(StringId label) const {
  if (index(label) >= label_numbers_.size() || label_numbers_[index(label)] == kNone32) return std::nullopt;
  return label_numbers_[index(label)];
}

const Global* MachineContext::global_at(std::uint64_t address) const {
  const auto it = std::upper_bound(
      by_address_.begin(), by_address_.end(), address,
      [this](std::uint64_t wanted, std::uint32_t id) { return wanted < program_->globals[id].address; });
  if (it == by_address_.begin()) return nullptr;
  const Global& g = program_->globals[*(it - 1)];
  return address == g.address || address - g.address < g.size() ? &g : nullptr;
}

std::uint64_t MachineContext::initial_of(std::uint64_t address) const {
  // An object of the heap has no initial count: a front end that needs one posts it.
  const Global* g = global_at(address);
  return g == nullptr ? 0 : g->initial;
}

std::optional<std::uint64_t> object_address(ThreadId thread, InstrId site, std::uint64_t count, std::uint64_t size) {
  if (!fits(index(thread), kThreadBits) || !fits(index(site), kSiteBits) || !fits(count, kCountBits) ||
      !fits(size + kGap, kOffsetBits))
    return std::nullopt;
  const std::uint64_t number = (index(thread) << kSiteBits | index(site)) << kCountBits | count;
  return kHeapBase + (number << kOffsetBits);
}

std::uint64_t MachineContext::object_address(ThreadId thread, InstrId site, std::uint64_t count, std::uint64_t size) {
  if (const auto address = program::object_address(thread, site, count, size)) return *address;
  const std::lock_guard lock(large_mutex_);
  const auto [it, fresh] = large_.try_emplace({thread, site, count, size}, kLargeBase + next_large_);
  if (fresh) next_large_ += (size + 2 * kGap - 1) / kGap * kGap;
  return it->second;
}

const Liveness& MachineContext::liveness() {
  std::call_once(liveness_once_, [this] { liveness_ = std::make_unique<Liveness>(*program_); });
  return *liveness_;
}

std::string MachineContext::name_of_address(std::uint64_t address) const {
  const Global* g = global_at(address);
  if (g == nullptr) return fmt::format("object {:#x}", address);
  if (g->count <= 1) return program_->text(g->name);
  return fmt::format("{}[{}]", program_->text(g->name), (address - g->address) / g->element_size);
}

std::string MachineContext::name_of_thread(ThreadId thread) const {
  if (index(thread) < thread_names_.size() && !thread_names_[index(thread)].empty())
    return thread_names_[index(thread)];
  return fmt::format("thread {}", index(thread));
}

std::string MachineContext::place(const Instruction* instruction) const {
  if (instruction == nullptr || instruction->position.line == 0) return "an unknown place";
  const Position& p = instruction->position;
  return fmt::format("{}:{}:{}", program_->text(p.file), p.line, p.column);
}

}  // namespace racecast::program
