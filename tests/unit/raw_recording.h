// Writes raw recordings (abi/abi.h) by hand, as the runtime would, and merges them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abi/abi.h"
#include "abi/model_blob.h"
#include "base/bytes.h"
#include "recording/merge.h"
#include "trace/reader.h"
#include "trace/text.h"
#include "trace/validator.h"

namespace racecast::test {

// The bytes of one stream.
class RawBytes {
 public:
  // A record of the runtime: the numbers of its payload, in order.
  RawBytes& tag(abi::Tag tag, std::initializer_list<std::uint64_t> numbers) {
    out_.u32(static_cast<std::uint32_t>(tag));
    const char* letter = abi::kTagPayload[static_cast<std::size_t>(tag)];
    for (const std::uint64_t number : numbers) {
      EXPECT_NE(*letter, '\0');
      out_.raw(&number, *letter == 'b' ? 1 : *letter == 'w' ? 4 : 8);
      ++letter;
    }
    EXPECT_EQ(*letter, '\0');
    return *this;
  }
  RawBytes& sync(std::uint64_t stamp, trace::EventKind kind, std::uint64_t address, std::uint8_t flags = 0,
                 std::uint64_t aux = 0) {
    return tag(abi::Tag::Sync, {stamp, static_cast<std::uint64_t>(kind), flags, address, aux});
  }
  RawBytes& text(std::string_view text) {
    out_.raw(text.data(), text.size());
    return *this;
  }
  RawBytes& number(std::uint64_t value, std::size_t bytes = 8) {
    out_.raw(&value, bytes);
    return *this;
  }
  // A record of the code starts with its id; then address() and number() as its shape has them.
  RawBytes& id(std::uint32_t id) {
    out_.u32(id);
    return *this;
  }
  RawBytes& address(std::uint64_t value) { return number(value, abi::kAddressBytes); }
  const std::vector<std::uint8_t>& bytes() const { return out_.bytes(); }

 private:
  ByteWriter out_;
};

class RawRecording {
 public:
  explicit RawRecording(const std::string& name)
      : dir_(::testing::TempDir() + "racecast-raw." + std::to_string(::getpid()) + "." + name) {
    std::filesystem::remove_all(dir_);
    std::filesystem::create_directories(folder());
    process(7);
  }
  ~RawRecording() { std::filesystem::remove_all(dir_); }
  RawRecording(const RawRecording&) = delete;
  RawRecording& operator=(const RawRecording&) = delete;

  const std::string& dir() const { return dir_; }
  std::string folder() const { return dir_ + "/77.0"; }
  std::string trace() const { return dir_ + "/out.rct"; }

  void meta(abi::MetaKind kind, const std::vector<std::uint8_t>& payload) {
    const abi::MetaHeader header{static_cast<std::uint32_t>(kind), 0, payload.size()};
    append("meta", &header, sizeof header);
    append("meta", payload.data(), payload.size());
  }
  void process(std::uint64_t start, std::uint32_t version = abi::kVersion) {
    ByteWriter out;
    out.u32(version);
    out.u32(77);
    out.u32(1);
    out.u64(start);
    out.raw("prog", 4);
    meta(abi::MetaKind::Process, out.bytes());
  }
  void module(std::uint64_t ids_begin, std::uint32_t ids, const abi::Model& model,
              const std::vector<std::uint64_t>& globals, const std::vector<std::uint64_t>& functions) {
    module(ids_begin, ids, abi::encode_model(model), globals, functions);
  }
  void module(std::uint64_t ids_begin, std::uint32_t ids, const std::vector<std::uint8_t>& packed,
              const std::vector<std::uint64_t>& globals, const std::vector<std::uint64_t>& functions) {
    ByteWriter out;
    out.u64(ids_begin);
    out.u32(ids);
    out.u32(0);
    out.u64(globals.size());
    out.u64(functions.size());
    out.u64(packed.size());
    for (const std::uint64_t address : globals) out.u64(address);
    for (const std::uint64_t address : functions) out.u64(address);
    out.raw(packed.data(), packed.size());
    meta(abi::MetaKind::Module, out.bytes());
  }
  void thread_name(std::uint32_t thread, const std::string& name) {
    ByteWriter out;
    out.u32(thread);
    out.raw(name.data(), name.size());
    meta(abi::MetaKind::Thread, out.bytes());
  }
  void stopped(std::uint64_t stamp, const std::string& reason) {
    ByteWriter out;
    out.u64(stamp);
    out.raw(reason.data(), reason.size());
    meta(abi::MetaKind::Stopped, out.bytes());
  }
  // `logged`: how many of the bytes are in the log; the others are in the buffer.
  void stream(std::uint32_t number, std::uint32_t thread, const RawBytes& records, std::size_t logged = 0,
              std::uint32_t handlers_of = abi::kNoStream) {
    const std::vector<std::uint8_t>& bytes = records.bytes();
    logged = std::min(logged, bytes.size());
    abi::ThreadState state{};
    auto* const begin = reinterpret_cast<std::uint8_t*>(std::uintptr_t{0x7f0000001000});
    state.begin = begin;
    state.cur = begin + (bytes.size() - logged);
    state.end = begin + abi::kBufferBytes;
    state.logged = logged;
    state.log = number;
    state.stream = number;
    state.thread = thread;
    state.handlers_of = handlers_of;
    std::vector<std::uint8_t> page(abi::kPageBytes);
    std::memcpy(page.data(), &state, sizeof state);
    const std::string name = "t" + std::to_string(number);
    append(name + ".buf", page.data(), page.size());
    append(name + ".buf", bytes.data() + logged, bytes.size() - logged);
    if (logged != 0) append(name + ".log", bytes.data(), logged);
  }

  // A thread that ended, whose buffer another one may have now: all of it is in t`log`.log from `log_begin` on.
  void ended_stream(std::uint32_t number, std::uint32_t thread, const RawBytes& records, std::uint32_t log,
                    std::uint64_t log_begin) {
    note_stream(number, thread, log, log_begin);
    append("t" + std::to_string(log) + ".log", records.bytes().data(), records.bytes().size());
  }
  void note_stream(std::uint32_t number, std::uint32_t thread, std::uint32_t log, std::uint64_t log_begin) {
    ByteWriter out;
    out.u32(number);
    out.u32(thread);
    out.u32(abi::kNoStream);
    out.u32(log);
    out.u64(log_begin);
    meta(abi::MetaKind::Stream, out.bytes());
  }

  // The trace in text form, and how the merge went. Every trace must be legal.
  trace::Trace merge() {
    auto result = recording::merge_recording(folder(), trace());
    EXPECT_TRUE(result.has_value()) << result.error().message;
    if (!result) return {};
    result_ = *result;
    auto reader = trace::Reader::open(trace());
    EXPECT_TRUE(reader.has_value());
    if (!reader) return {};
    auto all = trace::read_all(*reader);
    EXPECT_TRUE(all.has_value());
    const Status legal = trace::validate(*all);
    EXPECT_TRUE(legal.has_value()) << legal.error().message;
    EXPECT_EQ(all->events.size(), result_.events);
    return *std::move(all);
  }
  const recording::MergeResult& result() const { return result_; }

  void append(const std::string& file, const void* data, std::size_t size) const {
    std::ofstream out(folder() + "/" + file, std::ios::binary | std::ios::app);
    out.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
  }

 private:
  std::string dir_;
  recording::MergeResult result_;
};

// "T1 write 0x1000 5", one line an event: thread, kind, address, value (? unknown), aux where there is one.
inline std::string lines(const trace::Trace& trace, bool locations = false) {
  std::string text;
  for (const trace::Event& e : trace.events) {
    const trace::KindRow& row = trace::row_of(e.kind);
    text += trace::name_of_thread(trace.definitions, e.thread) + " " + std::string(row.text);
    if ((row.fields & trace::A) != 0) text += fmt::format(" {:#x}", e.address);
    if ((row.fields & trace::S) != 0) text += fmt::format("+{}", e.size);
    if ((row.fields & trace::V) != 0 && ((row.fields & trace::F) == 0 || e.has(trace::kHasValue))) {
      text += fmt::format(" {}", e.value);
    }
    if ((row.fields & trace::X) != 0) {
      const bool name = e.kind == trace::EventKind::Call || e.kind == trace::EventKind::Marker ||
                        e.kind == trace::EventKind::MissingBegin;
      text += name ? " " + trace.definitions.strings[e.aux] : fmt::format(" {:#x}", e.aux);
    }
    if (e.has(trace::kFailed)) text += " failed";
    if (e.has(trace::kSpurious)) text += " spurious";
    if (locations) text += fmt::format(" @{}", index(e.location));
    text += "\n";
  }
  return text;
}

}  // namespace racecast::test
