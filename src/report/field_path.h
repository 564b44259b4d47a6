// The fields that lead to bytes of a struct: ".output.level", ".table[3].next".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program/program.h"

namespace racecast::report {

struct FieldPath {
  std::string name;  // empty: all of it, or nothing is known about the fields
  std::string key;   // the same without numbers of elements and bytes, for what must be the same in every run
  // It ends at a part of a library's struct that users do not know by name: what a container is made of.
  bool hidden = false;
};

// Of `size` bytes from `offset` on, both inside of the struct. What is covered in part only is not descended into. Of
// fields that lie over each other (a union, bit fields) all are named: ".low/high".
FieldPath field_path(const program::Program& program, program::StructId type, std::uint64_t offset, std::uint64_t size);

// Adds "[3][1]" for bytes of an array (Field::strides), and makes `offset` that in the element. False: they are several
// elements.
bool add_indices(const std::vector<std::uint32_t>& strides, std::uint64_t& offset, std::uint64_t size, FieldPath& path);

}  // namespace racecast::report
