// What the plugin would insert, written by hand: a module with one id and the inlined append of a record. The record of
// kPlainId holds one number of 8 bytes; raw.py knows that.
#pragma once

#include <cstdint>
#include <cstring>

#include "abi/abi.h"

extern "C" {
extern __attribute__((tls_model("initial-exec"))) thread_local racecast::abi::ThreadState* __racecast_thread;
std::uint8_t* __racecast_full(std::uint32_t bytes);
void __racecast_module(const racecast::abi::Module*);
void __racecast_atomic_begin(const void* address);
void __racecast_atomic_load(const void* address, std::uint32_t what, std::uint64_t value);
void __racecast_atomic_store(const void* address, std::uint32_t what, std::uint64_t value);
void __racecast_atomic_rmw(const void* address, std::uint32_t what, std::uint64_t read, std::uint64_t written);
void __racecast_fence(std::uint32_t order);
void __racecast_missing_begin(const void* callee, std::uint32_t count, const void* const* pointers);
void __racecast_missing_end(std::uint32_t has_value, std::uint64_t result);
void __racecast_effect(const racecast::abi::Effect* effects, std::uint32_t count, std::uint64_t result,
                       const std::uint64_t* arguments);
}

inline std::uint8_t record_ids[16];

// To be called once, with the addresses and sizes of the program's globals.
inline void register_module(const void* const* globals, const std::uint64_t* sizes, std::uint64_t count) {
  static const std::uint8_t model[] = "no model";
  static racecast::abi::Module module;
  module = {
      racecast::abi::kVersion, sizeof(record_ids), record_ids, model, sizeof(model), globals, sizes, count, nullptr, 0};
  __racecast_module(&module);
}

inline void plain_record(std::uint64_t number) {
  constexpr std::size_t bytes = 12;
  racecast::abi::ThreadState* state = __racecast_thread;
  std::uint8_t* at = state->cur;
  if (at + bytes > state->end) at = __racecast_full(bytes);
  const auto id = static_cast<std::uint32_t>(reinterpret_cast<std::uint64_t>(record_ids));
  std::memcpy(at, &id, 4);
  std::memcpy(at + 4, &number, 8);
  __atomic_store_n(&state->cur, at + bytes, __ATOMIC_RELEASE);
}

// A fetch_add as the plugin would surround it.
inline std::uint64_t recorded_add(std::uint64_t* word) {
  __racecast_atomic_begin(word);
  const std::uint64_t before = __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
  __racecast_atomic_rmw(word, 8 | 5 << 8 | 1 << 16, before, before + 1);
  return before;
}
