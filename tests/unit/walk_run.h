// A recorded run made by hand: events that refer to the instructions of a ProgramBuilder's functions, by the order in
// which these were added (1 is a function's first). Functions get the addresses that a recorded program has.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "base/check.h"
#include "model/walk/verify.h"
#include "trace/trace.h"
#include "unit/program_builder.h"

namespace racecast::testing {

class PathRun {
 public:
  using Fn = ProgramBuilder::Fn;

  // `change` is made to the finished program.
  explicit PathRun(ProgramBuilder& builder, const std::function<void(program::Program&)>& change = {}) {
    program_ = std::make_shared<program::Program>(*builder.build());
    for (std::size_t f = 0; f < program_->functions.size(); ++f) program_->functions[f].address = 0x40'0000 + 0x100 * f;
    if (change) change(*program_);
    trace_.definitions.program = program_;
    trace_.definitions.branches = true;
    trace_.definitions.threads = {"main", "T1"};
    trace_.definitions.locations.resize(program_->instruction_count);
    for (const program::Function& f : program_->functions) trace_.definitions.strings.push_back(program_->text(f.name));
  }

  PathRun& begin(Fn& f, std::uint32_t thread) { return add(trace::EventKind::ThreadBegin, entry(f), thread); }
  PathRun& end(Fn& f, int n, std::uint32_t thread) { return add(trace::EventKind::ThreadEnd, at(f, n), thread); }
  PathRun& fork(Fn& f, int n, std::uint32_t child) { return add(trace::EventKind::Fork, at(f, n)).aux(child); }
  PathRun& call(Fn& f) { return add(trace::EventKind::Call, entry(f)).aux(index(f.id())); }
  PathRun& ret(Fn& f, int n) { return add(trace::EventKind::Return, at(f, n)); }
  PathRun& branch(Fn& f, int n, std::uint64_t target) { return with_value(trace::EventKind::Branch, f, n, target); }
  PathRun& value(Fn& f, int n, std::uint64_t value) { return with_value(trace::EventKind::Value, f, n, value); }
  PathRun& param(Fn& f, std::uint64_t number, std::uint64_t value) {
    add(trace::EventKind::Value, entry(f)).aux(number + 1);
    last().value = value;
    return *this;
  }
  PathRun& read(Fn& f, int n, std::uint64_t address, std::uint64_t value, std::uint32_t size = 8) {
    return access(trace::EventKind::Read, f, n, address, value, size, 0);
  }
  PathRun& write(Fn& f, int n, std::uint64_t address, std::uint64_t value, std::uint32_t size = 8,
                 std::uint32_t thread = 0) {
    return access(trace::EventKind::Write, f, n, address, value, size, thread);
  }
  // Of 4 bytes.
  PathRun& rmw(Fn& f, int n, std::uint64_t address, std::uint64_t read, std::uint64_t written, trace::Flags flags) {
    access(trace::EventKind::AtomicRmw, f, n, address, read, 4, 0).aux(written);
    last().flags |= flags;
    return *this;
  }
  PathRun& sync(trace::EventKind kind, Fn& f, int n, std::uint64_t address) {
    add(kind, at(f, n));
    last().address = address;
    return *this;
  }
  PathRun& alloc(Fn& f, int n, std::uint64_t address, std::uint32_t size) {
    sync(trace::EventKind::Alloc, f, n, address);
    last().size = size;
    return *this;
  }
  PathRun& free(Fn& f, int n, std::uint64_t address, std::uint32_t size) {
    sync(trace::EventKind::Free, f, n, address);
    last().size = size;
    return *this;
  }
  PathRun& missing_begin(Fn& f, int n) { return add(trace::EventKind::MissingBegin, at(f, n)); }
  PathRun& missing_end(Fn& f, int n) { return add(trace::EventKind::MissingEnd, at(f, n)); }
  PathRun& missing_end(Fn& f, int n, std::uint64_t value) {
    with_value(trace::EventKind::MissingEnd, f, n, value);
    last().flags = trace::kHasValue;
    return *this;
  }

  // The k-th event from the end.
  trace::Event& last(std::size_t k = 1) { return trace_.events[trace_.events.size() - k]; }
  std::uint64_t address(program::Operand global) const { return program_->globals[global.value].address; }
  InstrId at(Fn& f, int n) const {
    for (const program::Block& block : program_->functions[index(f.id())].blocks)
      for (const program::Instruction& i : block.instructions)
        if (i.position.line == static_cast<std::uint32_t>(n)) return i.id;
    CHECK(false, "no instruction {}", n);
  }
  InstrId entry(Fn& f) const { return program_->functions[index(f.id())].blocks[0].instructions[0].id; }
  const program::Program& program() const { return *program_; }
  const trace::Trace& trace() const { return trace_; }

  model::WalkReport verify() const {
    trace::MemorySource source(trace_);
    auto report = model::verify_paths(source);
    EXPECT_TRUE(report.has_value()) << (report ? "" : report.error().message);
    if (!report) return {};
    EXPECT_EQ(report->counts.events, trace_.events.size());
    return *std::move(report);
  }

 private:
  PathRun& add(trace::EventKind kind, InstrId at, std::uint32_t thread = 0) {
    trace::Event e;
    e.kind = kind;
    e.thread = ThreadId{thread};
    e.location = static_cast<LocationId>(index(at));
    trace_.events.push_back(e);
    return *this;
  }
  PathRun& aux(std::uint64_t aux) {
    last().aux = aux;
    return *this;
  }
  PathRun& with_value(trace::EventKind kind, Fn& f, int n, std::uint64_t value) {
    add(kind, at(f, n));
    last().value = value;
    return *this;
  }
  PathRun& access(trace::EventKind kind, Fn& f, int n, std::uint64_t address, std::uint64_t value, std::uint32_t size,
                  std::uint32_t thread) {
    add(kind, at(f, n), thread);
    last().address = address;
    last().value = value;
    last().size = size;
    last().flags = trace::kHasValue;
    return *this;
  }

  std::shared_ptr<program::Program> program_;
  trace::Trace trace_;
};

}  // namespace racecast::testing
