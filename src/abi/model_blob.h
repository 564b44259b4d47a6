// What the compiler plugin embeds in an object file: the model of its code, and the shapes of its records (abi.h).
// One zstd frame; the recorder copies it into the recording as it is, the merger reads it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abi/abi.h"
#include "base/result.h"
#include "program/program.h"

namespace racecast::abi {

struct Shape {
  ShapeHeader header{};  // `items` is set by encode_model
  std::vector<Item> items;
};

struct Model {
  program::Program program;
  std::vector<Shape> shapes;
};

std::vector<std::uint8_t> encode_model(const Model& model);

// Bytes that are damaged or refer to what does not exist are bad_input.
Result<Model> decode_model(std::span<const std::uint8_t> bytes);

// How many bytes decode_model() would unpack; a huge number where that is not said. Who reads several bounds their sum:
// each may be small enough (base/packed.h).
std::uint64_t unpacked_bytes(std::span<const std::uint8_t> bytes);

// How many bytes of a record follow its id, for this shape.
std::size_t payload_bytes(const Shape& shape);

}  // namespace racecast::abi
