// Hostile recordings. The input is a folder: its first byte says how, then
//   'm'  the rest is the file `meta` behind a good Process record; one stream of a few records
//   'u'  as 'm', but what follows are records of one Module whose model is packed here, so that what lies behind zstd
//   is
//        reached: u16 number of shapes, the shapes as bytes of decode_model()
//   else the rest is cut into three streams (u16 length before each of the first two) over a small good module: a
//        thread, another one, and the signal handlers of the first
// Whatever it is, the merged trace is readable and legal.
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "abi/abi.h"
#include "abi/model_blob.h"
#include "base/bytes.h"
#include "base/check.h"
#include "program/binary.h"
#include "recording/merge.h"
#include "trace/reader.h"
#include "trace/validator.h"

namespace {

using namespace racecast;
using Bytes = std::span<const std::uint8_t>;

void append(const std::string& path, const void* data, std::size_t size) {
  std::ofstream(path, std::ios::binary | std::ios::app)
      .write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
}

void append_meta(const std::string& folder, abi::MetaKind kind, const std::vector<std::uint8_t>& payload) {
  const abi::MetaHeader header{static_cast<std::uint32_t>(kind), 0, payload.size()};
  append(folder + "/meta", &header, sizeof header);
  append(folder + "/meta", payload.data(), payload.size());
}

void write_process(const std::string& folder) {
  ByteWriter out;
  out.u32(abi::kVersion);
  out.u32(1);
  out.u32(1);
  out.u64(1);
  append_meta(folder, abi::MetaKind::Process, out.bytes());
}

void write_module(const std::string& folder, std::uint64_t ids_begin, std::uint32_t ids,
                  const std::vector<std::uint8_t>& packed) {
  ByteWriter out;
  out.u64(ids_begin);
  out.u32(ids);
  out.u32(0);
  out.u64(1);
  out.u64(2);
  out.u64(packed.size());
  for (const std::uint64_t address : {0x1000, 0x400, 0x500}) out.u64(address);
  out.raw(packed.data(), packed.size());
  append_meta(folder, abi::MetaKind::Module, out.bytes());
}

void write_stream(const std::string& folder, std::uint32_t number, std::uint32_t thread, std::uint32_t handlers_of,
                  Bytes records) {
  abi::ThreadState state{};
  state.begin = reinterpret_cast<std::uint8_t*>(std::uintptr_t{0x10000});
  const std::size_t logged = records.size() / 2;
  state.cur = state.begin + (records.size() - logged);
  state.logged = logged;
  state.log = number;
  state.stream = number;
  state.thread = thread;
  state.handlers_of = handlers_of;
  std::vector<std::uint8_t> page(abi::kPageBytes);
  std::memcpy(page.data(), &state, sizeof state);
  const std::string path = folder + "/t" + std::to_string(number);
  append(path + ".buf", page.data(), page.size());
  append(path + ".buf", records.data() + logged, records.size() - logged);
  append(path + ".log", records.data(), logged);
}

// main: 0 load g, 1 stackalloc, 2 call f, 3 opaque, 4 branch; two returns. f: a parameter, a store.
abi::Model good_model() {
  using namespace program;
  Program p;
  p.strings = {"", "main", "f", "g"};
  p.globals.emplace_back().name = StringId{3};
  Function& main = p.functions.emplace_back();
  main.name = StringId{1};
  main.registers = {kI64, kPtr, kI1};
  main.blocks.resize(3);
  const auto add = [](Block& block, Op op, std::vector<Operand> operands, Type type = kVoid, RegId result = kNoReg) {
    Instruction& i = block.instructions.emplace_back();
    i.op = op;
    i.operands = std::move(operands);
    i.type = type;
    i.result = result;
    return &i;
  };
  add(main.blocks[0], Op::Load, {Operand::global(GlobalId{0})}, kI64, RegId{0});
  add(main.blocks[0], Op::StackAlloc, {Operand::constant(8)}, kPtr, RegId{1});
  add(main.blocks[0], Op::Call, {Operand::function(FunctionId{1}), Operand::reg(RegId{1})});
  add(main.blocks[0], Op::Opaque, {}, kI1, RegId{2});
  add(main.blocks[0], Op::Branch, {Operand::reg(RegId{2})})->targets = {BlockId{1}, BlockId{2}};
  add(main.blocks[1], Op::Return, {});
  add(main.blocks[2], Op::Return, {});
  Function& f = p.functions.emplace_back();
  f.name = StringId{2};
  f.registers = {kPtr};
  f.params = {RegId{0}};
  f.blocks.resize(1);
  add(f.blocks[0], Op::Store, {Operand::reg(RegId{0}), Operand::constant(1)}, kI64);
  add(f.blocks[0], Op::Return, {});
  number_instructions(p);
  CHECK(broken_rule(p).empty(), "{}", broken_rule(p));
  abi::Model model;
  model.program = std::move(p);
  const auto shape = [&](std::uint32_t function, std::uint8_t flags, std::uint32_t next, std::uint32_t slots,
                         std::vector<abi::Item> items) {
    model.shapes.push_back({{function, next, slots, flags, 0}, std::move(items)});
  };
  using abi::AddressMode;
  using abi::ItemKind;
  shape(0, abi::kEntry | abi::kCallsOut, 2, 1,
        {{ItemKind::Frame, AddressMode::Explicit, 0, 0, 0, 0, 0},
         {ItemKind::Load, AddressMode::Global, 8, 0, 8, 0, 0},
         {ItemKind::Alloca, AddressMode::Explicit, 0, 1, 8, 0, 0}});
  shape(0, abi::kLanding, kNone32, 1, {{ItemKind::Frame, AddressMode::Explicit, 0, 0, 0, 0, 0}});
  shape(0, 0, 4, 2, {});
  shape(0, abi::kReturn, 5, 1, {});
  shape(1, abi::kEntry, kNone32, 1,
        {{ItemKind::Param, AddressMode::None, 8, 0, 0, 0, 0}, {ItemKind::Store, AddressMode::Explicit, 8, 7, 8, 0, 0}});
  shape(1, abi::kReturn, 8, 1, {{ItemKind::BulkWrite, AddressMode::Explicit, 2, 7, 0, 0, 0}});
  return model;
}
constexpr std::uint32_t kIds = 0x10000;

std::vector<std::uint8_t> pack(const std::vector<std::uint8_t>& plain) {
  std::vector<std::uint8_t> packed(ZSTD_compressBound(plain.size()));
  packed.resize(ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 1));
  return packed;
}

void write_folder(const std::string& folder, char mode, Bytes bytes) {
  write_process(folder);
  ByteWriter few;
  for (std::uint32_t id = 0; id < 8; ++id) {
    few.u32(kIds + id);
    for (int i = 0; i < 4; ++i) few.u64(0x1000);
  }
  if (mode == 'm') {
    append(folder + "/meta", bytes.data(), bytes.size());
    write_stream(folder, 0, 0, abi::kNoStream, few.bytes());
    return;
  }
  if (mode == 'u') {
    const std::vector<std::uint8_t> program = program::encode(good_model().program);
    ByteWriter out;
    out.varint(abi::kVersion);
    out.varint(program.size());
    out.raw(program.data(), program.size());
    out.raw(bytes.data(), bytes.size());
    write_module(folder, kIds, 1000, pack(out.bytes()));
    write_stream(folder, 0, 0, abi::kNoStream, few.bytes());
    return;
  }
  write_module(folder, kIds, 7, abi::encode_model(good_model()));
  for (std::uint32_t s = 0; s < 3; ++s) {
    std::size_t size = bytes.size();
    if (s < 2 && size >= 2) {
      size = bytes[0] | bytes[1] << 8;
      bytes = bytes.subspan(2);
      size = std::min(size, bytes.size());
    }
    write_stream(folder, s, s == 1 ? 1 : 0, s == 2 ? 0 : abi::kNoStream, bytes.first(size));
    bytes = bytes.subspan(size);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 16'384) return 0;
  static const std::string folder =
      std::filesystem::temp_directory_path() / ("racecast-fuzz." + std::to_string(::getpid()));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const char mode = static_cast<char>(data[0]);
  write_folder(folder, mode, mode == 'm' || mode == 'u' ? Bytes(data + 1, size - 1) : Bytes(data, size));
  const std::string out = folder + "/out.rct";
  const auto merged = recording::merge_recording(folder, out);
  if (merged) {
    auto reader = trace::Reader::open(out);
    CHECK(reader.has_value(), "{}", reader.error().message);
    const Status legal = trace::validate(*reader);
    CHECK(legal.has_value(), "{}", legal.error().message);
  }
  std::filesystem::remove_all(folder);
  return 0;
}
