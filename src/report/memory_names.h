// Names for the memory and the locks of findings: variables with their fields, and what no symbol covers, by what a
// second look at the trace tells of it. And the cause of a pair (finding/group.h), which is made of such names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "finding/finding.h"
#include "finding/group.h"
#include "report/names.h"
#include "report/report.h"
#include "report/second_look.h"

namespace racecast::report {

class MemoryNames {
 public:
  // Both must outlive it.
  MemoryNames(const Names& names, const SecondLook& look) : names_(names), look_(look) {}

  // What a finding is about: the bytes that both sides access.
  Memory memory(const finding::Finding& finding) const;
  // Of one access: short, without who allocated it.
  std::string variable(const finding::Finding& finding, const finding::Access& access) const;
  // Is it to a local variable of a frame?
  bool is_local(const finding::Finding& finding, const finding::Access& access) const;
  // What is accessed at a place of the source.
  std::string at_place(std::uint64_t address, std::uint64_t size, LocationId location) const;
  // Of a lock, at some moment.
  std::string lock(std::uint64_t address, const Moment& moment) const;
  finding::Cause cause(const finding::Finding& finding) const;

 private:
  // A name, and what of it is the same in every run.
  struct Named {
    std::string name, key;
    bool hidden = false;      // it is what a container is made of
    std::string type;         // of the object as a whole, where it is known,
    std::uint64_t bytes = 0;  // and its size
    bool told = false;        // the name says where it was allocated
  };
  // Bytes of an object, or of none (null).
  struct At {
    std::uint64_t address = 0, size = 0;
    const Object* object = nullptr;
    std::vector<LocationId> accesses;  // that touch them: what they say of types counts most
    bool inside_library = false;
  };

  // A struct in an object, and its number if the object is an array of them.
  struct Element {
    SeenAs seen;
    std::optional<std::uint64_t> number;
  };

  finding::Cause cause_of_free(const finding::Finding& finding) const;
  At at(const finding::Finding& finding) const;
  Named named(const At& at) const;
  Named local(const At& at) const;
  Named on_heap(const At& at) const;
  std::optional<Named> container(const Object& object) const;
  static Named in_container(Named container, const std::optional<Named>& what, const At& at);
  std::optional<Named> typed_by_accesses(At at) const;
  std::optional<Named> inside(const At& at) const;
  std::uint64_t asked_for(const Object& object) const;
  std::optional<Named> typed(const At& at) const;
  std::optional<SeenAs> own_type(const At& at) const;
  std::optional<Element> made_as(const At& at) const;
  Named as(const Element& element, const At& at) const;
  std::uint64_t size_of(program::StructId type) const;
  std::string place_key(LocationId location, const std::vector<LocationId>& call_sites, std::uint64_t address) const;

  const Names& names_;
  const SecondLook& look_;
};

}  // namespace racecast::report
