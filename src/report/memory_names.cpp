#include "report/memory_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "program/calls.h"
#include "report/field_path.h"
#include "report/short_names.h"

namespace racecast::report {

namespace {

// An allocator gives more than was asked for, by less than this.
constexpr std::uint64_t kSlack = 24;

bool holds(const SeenAs& seen, std::uint64_t struct_size, std::uint64_t offset, std::uint64_t size) {
  return seen.start <= offset && offset + size <= seen.start + struct_size;
}

}  // namespace

// ---- what the source calls it

std::uint64_t MemoryNames::size_of(program::StructId type) const {
  return names_.program()->structs[index(type)].size;
}

// The struct that the accesses themselves say. The larger of two tells more: a class and its base.
std::optional<SeenAs> MemoryNames::own_type(const At& at) const {
  std::optional<SeenAs> own;
  const std::uint64_t offset = at.address - at.object->address;
  for (const LocationId location : at.accesses) {
    const program::Instruction* access = names_.instruction(location);
    if (access == nullptr || !access->accessed || access->accessed->offset > offset) continue;
    const SeenAs seen{access->accessed->type, offset - access->accessed->offset};
    if (!holds(seen, size_of(seen.type), offset, at.size)) continue;
    if (!own || size_of(seen.type) > size_of(own->type)) own = seen;
  }
  return own;
}

// What the allocation says of these bytes; of an array, the element that they are in, and its number.
std::optional<MemoryNames::Element> MemoryNames::made_as(const At& at) const {
  const Object& object = *at.object;
  if (!object.made_as) return std::nullopt;
  const std::uint64_t size = size_of(*object.made_as), offset = at.address - object.address;
  const std::uint64_t number = object.array ? offset / size : 0;
  const SeenAs seen{*object.made_as, number * size};
  if (!holds(seen, size, offset, at.size)) return std::nullopt;
  return Element{seen, object.array ? std::optional(number) : std::nullopt};
}

MemoryNames::Named MemoryNames::as(const Element& element, const At& at) const {
  const program::Program& program = *names_.program();
  const program::StructId type = names_.addresses().structs().best(element.seen.type);
  const program::Struct& decl = program.structs[index(type)];
  const std::string name = decl.name == program::kNoString ? "(unnamed)" : program.text(decl.name);
  const FieldPath path = field_path(program, type, at.address - at.object->address - element.seen.start, at.size);
  Named made;
  made.hidden = path.hidden;
  if (element.seen.start == 0 && at.object->size < decl.size + kSlack) {
    made.bytes = decl.size;
    made.type = name;
  }
  const auto joined = [&](const std::string& fields) {
    return name + (fields.starts_with('.') ? "::" + fields.substr(1) : fields);
  };
  made.name = element.number ? fmt::format("{}[{}]{}", name, *element.number, path.name) : joined(path.name);
  made.key = joined(path.key);
  return made;
}

// By what the object was seen to be: the largest struct that holds the bytes, so that a part of a larger one is named
// as such. It must hold all of what the accesses themselves say.
std::optional<MemoryNames::Named> MemoryNames::typed(const At& at) const {
  if (names_.program() == nullptr) return std::nullopt;
  const std::uint64_t offset = at.address - at.object->address;
  const std::optional<SeenAs> own = own_type(at);
  std::optional<Element> best;
  if (own) best = Element{*own, std::nullopt};
  const auto consider = [&](const Element& element) {
    const std::uint64_t size = size_of(element.seen.type);
    if (!holds(element.seen, size, offset, at.size)) return;
    if (own && !holds(element.seen, size, own->start, size_of(own->type))) return;
    const bool same = best && best->seen == element.seen;
    if (!best || same || size > size_of(best->seen.type)) best = element;
  };
  for (const SeenAs& seen : at.object->seen_as) consider({seen, std::nullopt});
  if (const auto made = made_as(at)) consider(*made);
  if (!best) return std::nullopt;
  return as(*best, at);
}

// ---- variables and objects

MemoryNames::Named MemoryNames::local(const At& at) const {
  const Object& object = *at.object;
  const program::Instruction* slot = names_.instruction(object.allocated.location);
  const std::string function = bare_function(names_.place(object.allocated.location).function);
  Named made;
  const bool known = slot != nullptr && slot->label != program::kNoString;
  const std::string name = known ? names_.program()->text(slot->label) : "temporary";
  made.name = made.key = name;
  const std::uint64_t offset = at.address - object.address;
  if (slot != nullptr && slot->imm != 0 && size_of(static_cast<program::StructId>(slot->imm - 1)) != 0) {
    const program::StructId type = names_.addresses().structs().best(static_cast<program::StructId>(slot->imm - 1));
    const std::uint64_t size = size_of(type);
    if (object.size > size && object.size % size == 0) {
      made.name += fmt::format("[{}]", offset / size);
      made.key += "[]";
    }
    bool path_is_offset = false;
    if (offset % size + at.size <= size) {
      const FieldPath path = field_path(*names_.program(), type, offset % size, at.size);
      path_is_offset = path.key.starts_with('+');
      made.name += path.name;
      made.key += path.key;
      made.hidden = path.hidden;
    }
    // Without names the offset tells fields apart, but not what a container is made of.
    if (at.inside_library && path_is_offset) made.name = made.key = name;
    made.type = names_.program()->text(names_.program()->structs[index(type)].name);
  } else if (offset != 0) {
    made.name += fmt::format("+{}", offset);
  }
  made.name += fmt::format(" (local of {})", function.empty() ? "a function" : function);
  made.key += "@" + function;
  return made.hidden ? in_container(made, inside(at), at) : made;
}

// What the user knows of memory that a library allocated.
std::optional<MemoryNames::Named> MemoryNames::container(const Object& object) const {
  if (!object.library || !object.owner) return std::nullopt;
  At owner;
  owner.address = *object.owner;
  owner.size = 8;  // a pointer
  owner.inside_library = true;
  if (object.owner_in) owner.object = &look_.objects[*object.owner_in];
  if (owner.object != nullptr && owner.object->library) return std::nullopt;
  return named(owner);
}

// What users put into a container has a name of its own; what the library does with it concerns all of the container.
// (A container inside of what users put there is theirs to name.)
MemoryNames::Named MemoryNames::in_container(Named container, const std::optional<Named>& what, const At& at) {
  container.hidden = true;
  container.type.clear();
  container.bytes = 0;
  if (!what || (at.inside_library && !what->hidden)) return container;
  container.name = fmt::format("{} in {}", what->name, container.name);
  container.key = fmt::format("{} in {}", what->key, container.key);
  return container;
}

// What users put into a library's struct, as the accesses say; not what the struct is a part of.
std::optional<MemoryNames::Named> MemoryNames::inside(const At& at) const {
  std::optional<Named> what = typed_by_accesses(at);
  if (what && what->hidden) what.reset();
  return what;
}

// Of memory that nobody saw being allocated: what the accesses say.
std::optional<MemoryNames::Named> MemoryNames::typed_by_accesses(At at) const {
  const Object nowhere;
  at.object = &nowhere;
  return typed(at);
}

MemoryNames::Named MemoryNames::on_heap(const At& at) const {
  const Object& object = *at.object;
  const std::optional<Named> type = typed(at);
  if (const std::optional<Named> owner = container(object)) return in_container(*owner, type, at);
  const std::string site = place_key(object.allocated.location, object.allocated.call_sites, 0);
  if (type) {
    Named made = *type;
    made.key += "@" + site;
    return made;
  }
  if (object.kind == Object::Kind::Early) {
    Named made;
    made.name = fmt::format("byte {} of {} that {} had from its start", at.address - object.address, object.size,
                            names_.thread(object.allocated.thread));
    made.key = "early";
    return made;
  }
  const UserPlace place = names_.user_place(object.allocated.location, object.allocated.call_sites);
  Named made;
  made.name =
      fmt::format("byte {} of {} allocated at {}", at.address - object.address, asked_for(object), place.frame.name);
  made.key = site;
  made.told = true;
  return made;
}

MemoryNames::Named MemoryNames::named(const At& at) const {
  if (at.object != nullptr) return at.object->kind == Object::Kind::Stack ? local(at) : on_heap(at);
  const NamedAddress symbol = names_.addresses().at(at.address, at.size);
  if (!symbol.root.empty()) {
    Named made;
    made.name = symbol.name;
    made.key = symbol.key;
    made.hidden = symbol.hidden;
    // Without types the offset tells fields apart, but not what a container is made of.
    if (at.inside_library && symbol.key.find('+') != std::string::npos) made.name = made.key = symbol.root;
    return made.hidden ? in_container(made, inside(at), at) : made;
  }
  if (const std::optional<Named> type = typed_by_accesses(at)) return *type;
  Named unknown;
  unknown.name = symbol.name;
  return unknown;
}

MemoryNames::At MemoryNames::at(const finding::Finding& finding) const {
  const Bytes bytes = common_bytes(finding);
  At made;
  made.address = bytes.address;
  made.size = bytes.size;
  made.object = look_.object_at(moment_of(finding, finding.second, bytes.address));
  for (const finding::Access* access : {&finding.first, &finding.second}) {
    // An access of several fields (a copy of a struct) says nothing about the common part.
    if (access->address == bytes.address) made.accesses.push_back(access->location);
    const UserPlace user = names_.user_place(access->location, access->call_sites);
    made.inside_library |= !user.inside.empty() || user.frame.library;
  }
  return made;
}

// Allocators give more than was asked for; where the source has a number, that is it.
std::uint64_t MemoryNames::asked_for(const Object& object) const {
  const program::Instruction* made = names_.instruction(object.allocated.location);
  if (made == nullptr) return object.size;
  const auto [number, size] = program::asked_for(*names_.program(), *made);
  if (!number || !size || *number == 0 || *size == 0 || *number > object.size / *size) return object.size;
  return *number * *size;
}

Memory MemoryNames::memory(const finding::Finding& finding) const {
  const At here = at(finding);
  const Named name = named(here);
  Memory made;
  made.name = name.name;
  made.type = name.type;
  if (here.object == nullptr) return made;
  made.offset = here.address - here.object->address;
  made.bytes = name.bytes != 0 ? name.bytes : asked_for(*here.object);
  if (here.object->kind == Object::Kind::Heap) made.allocated = names_.occasion(here.object->allocated);
  return made;
}

std::string MemoryNames::variable(const finding::Finding& finding, const finding::Access& access) const {
  At here;
  here.address = access.address;
  here.size = access.size;
  here.object = look_.object_at(moment_of(finding, access, access.address));
  here.accesses.push_back(access.location);
  return named(here).name;
}

bool MemoryNames::is_local(const finding::Finding& finding, const finding::Access& access) const {
  const Object* const object = look_.object_at(moment_of(finding, access, access.address));
  return object != nullptr && object->kind == Object::Kind::Stack;
}

std::string MemoryNames::at_place(std::uint64_t address, std::uint64_t size, LocationId location) const {
  At here;
  here.address = address;
  here.size = size;
  here.accesses.push_back(location);
  return named(here).name;
}

std::string MemoryNames::lock(std::uint64_t address, const Moment& moment) const {
  At here;
  here.address = address;
  here.size = 1;
  here.object = look_.object_at(moment);
  const Named name = named(here);
  const bool heap = here.object != nullptr && here.object->kind == Object::Kind::Heap && !here.object->library;
  if (!heap || name.told) return name.name;
  const UserPlace place = names_.user_place(here.object->allocated.location, here.object->allocated.call_sites);
  return fmt::format("{} of the object allocated at {}", name.name, place.frame.name);
}

// ---- causes

// A line of user code. In a litmus file and in a foreign trace a label says more; where nothing is known, the address.
std::string MemoryNames::place_key(LocationId location, const std::vector<LocationId>& call_sites,
                                   std::uint64_t address) const {
  const UserPlace user = names_.user_place(location, call_sites);
  const Place place = names_.place(location);
  if (user.frame.file.empty() && user.frame.function.empty() && place.label.empty()) return names_.address(address);
  return fmt::format("{}\n{}\n{}\n{}", file_name(user.frame.file), bare_function(user.frame.function), user.frame.line,
                     place.label);
}

finding::Cause MemoryNames::cause(const finding::Finding& finding) const {
  if (finding.kind == finding::Kind::UseAfterFree) return cause_of_free(finding);
  return {named(at(finding)).key, place_key(finding.first.location, finding.first.call_sites, finding.first.address),
          place_key(finding.second.location, finding.second.call_sites, finding.second.address)};
}

// Who frees an object while others use it has one thing to repair, whatever they use of it and wherever.
finding::Cause MemoryNames::cause_of_free(const finding::Finding& finding) const {
  const finding::Access& free = finding.first.frees ? finding.first : finding.second;
  const Object* const object = look_.object_at(moment_of(finding, free, free.address));
  finding::Cause made;
  made.first = place_key(free.location, free.call_sites, free.address);
  if (object == nullptr) return made;
  made.object = place_key(object->allocated.location, object->allocated.call_sites, 0);
  if (object->kind != Object::Kind::Stack) return made;
  At whole;
  whole.address = object->address;
  whole.size = object->size;
  whole.object = object;
  made.object += named(whole).key;
  return made;
}

}  // namespace racecast::report
