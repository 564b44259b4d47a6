// The hooks that the plugin calls (abi.h says what they mean), for those parts of the runtime that call them too.
#pragma once

#include <cstdint>

#include "abi/abi.h"
#include "runtime/core/state.h"

RACECAST_EXPORT void __racecast_module(const racecast::abi::Module* module);
RACECAST_EXPORT void __racecast_atomic_begin(const void* address);
RACECAST_EXPORT void __racecast_atomic_load(const void* address, std::uint32_t what, std::uint64_t value);
RACECAST_EXPORT void __racecast_atomic_store(const void* address, std::uint32_t what, std::uint64_t value);
RACECAST_EXPORT void __racecast_atomic_rmw(const void* address, std::uint32_t what, std::uint64_t read,
                                           std::uint64_t written);
RACECAST_EXPORT void __racecast_fence(std::uint32_t order);
RACECAST_EXPORT void __racecast_missing_begin(const void* callee, std::uint32_t count, const void* const* pointers);
RACECAST_EXPORT void __racecast_everything_begin(const void* callee);
RACECAST_EXPORT void __racecast_missing_end(std::uint32_t has_value, std::uint64_t result);
RACECAST_EXPORT void __racecast_called(const void* frame, std::uint32_t id);
RACECAST_EXPORT void __racecast_returning(const void* result);
RACECAST_EXPORT void __racecast_caught(const void* frame);
RACECAST_EXPORT void __racecast_unwinding(const void* frame);
RACECAST_EXPORT void __racecast_effect(const racecast::abi::Effect* effects, std::uint32_t count, std::uint64_t result,
                                       const std::uint64_t* arguments);
RACECAST_EXPORT void __racecast_state_begin(const racecast::abi::StateEffect* effects, std::uint32_t count,
                                            const std::uint64_t* arguments, racecast::abi::StateCall* call);
RACECAST_EXPORT void __racecast_state_end(const racecast::abi::StateEffect* effects, std::uint32_t count,
                                          std::uint64_t result, racecast::abi::StateCall* call);

RACECAST_EXPORT void __racecast_access(const void* address, std::uint64_t bytes, std::uint32_t what, std::uint32_t id);
RACECAST_EXPORT void __racecast_accessed(std::uint32_t value_bytes, std::uint64_t value);
RACECAST_EXPORT void __racecast_at(std::uint32_t id);
RACECAST_EXPORT void __racecast_enter(const void* frame, std::uint32_t id);
RACECAST_EXPORT void __racecast_leave(std::uint32_t id);
RACECAST_EXPORT void __racecast_landed(const void* frame, std::uint32_t id, std::uint32_t value_bytes,
                                       std::uint64_t value);
RACECAST_EXPORT void __racecast_watch(const racecast::abi::Watcher* watcher);
