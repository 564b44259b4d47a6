// The models that a file of compiled code carries: one of an object file, those of all its object files of an
// executable or a shared library, where the linker has laid their sections end to end. ELF, 64 bits, little-endian.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abi/model_blob.h"
#include "base/result.h"

namespace racecast::abi {

// Where the compiler plugin puts encode_model().
inline constexpr const char* kModelSection = "racecast_model";

bool is_elf(std::span<const std::uint8_t> file);

// In the order of the file, at least one. Anything that is not such a file, has no model, or is damaged is bad_input;
// no byte of it is believed.
Result<std::vector<Model>> read_models(std::span<const std::uint8_t> file);

}  // namespace racecast::abi
