#include "report/field_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace racecast::report {

namespace {

using program::Field;
using program::Program;
using program::Struct;

constexpr int kMaxDepth = 24;            // no source nests structs like that
constexpr std::size_t kMaxTogether = 3;  // names of fields that lie over each other

bool covers(const Field& field, std::uint64_t offset, std::uint64_t size) {
  return field.offset <= offset && offset + size <= std::uint64_t{field.offset} + field.size;
}

// A base class without fields lies over the first field.
bool is_empty_base(const Program& program, const Field& field) {
  return field.base && (!field.type || program.structs[index(*field.type)].fields.empty());
}

// Those that cover all of it; of several, those that are no larger than it, if there are such.
std::vector<const Field*> fields_at(const Program& program, const Struct& type, std::uint64_t offset,
                                    std::uint64_t size) {
  std::vector<const Field*> found;
  for (const Field& field : type.fields)
    if (covers(field, offset, size) && !is_empty_base(program, field)) found.push_back(&field);
  const auto exact = [&](const Field* field) { return field->offset == offset && field->size == size; };
  if (found.size() > 1 && std::ranges::any_of(found, exact))
    std::erase_if(found, [&](const Field* field) { return !exact(field); });
  return found;
}

std::string joined_names(const Program& program, const std::vector<const Field*>& fields) {
  std::string names;
  for (std::size_t i = 0; i < fields.size() && i <= kMaxTogether; ++i)
    names += (i == 0 ? "" : "/") + (i == kMaxTogether ? "..." : program.text(fields[i]->name));
  return names;
}

}  // namespace

bool add_indices(const std::vector<std::uint32_t>& strides, std::uint64_t& offset, std::uint64_t size,
                 FieldPath& path) {
  for (const std::uint32_t stride : strides) {
    if (offset % stride + size > stride) return false;
    path.name += fmt::format("[{}]", offset / stride);
    path.key += "[]";
    offset %= stride;
  }
  return true;
}

FieldPath field_path(const Program& program, program::StructId id, std::uint64_t offset, std::uint64_t size) {
  FieldPath path;
  const auto add = [&](std::string_view text) {
    path.name += text;
    path.key += text;
  };
  std::uint64_t skipped = 0;  // bytes since the last name
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    const Struct& type = program.structs[index(id)];
    const std::vector<const Field*> fields = fields_at(program, type, offset, size);
    if (fields.empty()) {
      // Several fields, or what lies between them.
      const bool between = std::ranges::none_of(type.fields, [&](const Field& field) {
        return field.offset < offset + size && offset < std::uint64_t{field.offset} + field.size;
      });
      path.hidden = type.library;
      if (between && skipped + offset != 0 && !type.library) path.name += fmt::format("+{}", skipped + offset);
      return path;
    }
    const Field& field = *fields.front();
    const std::string& name = program.text(field.name);
    if (type.library && (field.base || name.empty() || name.starts_with('_'))) {
      path.hidden = true;
      return path;
    }
    if (fields.size() > 1) {
      add("." + joined_names(program, fields));
      return path;
    }
    if (name.empty() && !field.type) {  // of this struct only the layout is known
      if (skipped + offset != 0) add(fmt::format("+{}", skipped + offset));
      return path;
    }
    const bool named = !field.base && !name.empty();
    if (named) add("." + name);
    skipped = named ? 0 : skipped + field.offset;
    offset -= field.offset;
    if (!add_indices(field.strides, offset, size, path) || !field.type) return path;
    id = *field.type;
    if (offset >= program.structs[index(id)].size) {  // a later element of a table of which only the layout is known
      if (field.strides.empty()) add(fmt::format("+{}", skipped + offset));
      return path;
    }
  }
  return path;
}

}  // namespace racecast::report
