// Names for many addresses of one trace: what trace::name_of_address says, without walking all symbols each time, and
// with the fields that the program model knows: "opts.output.level", "table[3].next".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/hash.h"
#include "program/program.h"
#include "trace/trace.h"

namespace racecast::report {

// What lies at an address.
struct NamedAddress {
  std::string name;         // or the address as a number
  std::string root;         // the variable; empty: none
  std::string key;          // the name without numbers of elements; empty: none
  bool hidden = false;      // it is what a library's struct is made of (FieldPath)
  std::uint64_t start = 0;  // of the variable
};

// Of structs with one name and size, the one that tells most: of a class, one object file may have the fields, another
// the layout only.
class StructNames {
 public:
  explicit StructNames(const program::Program* program);  // may be null
  program::StructId best(program::StructId type) const { return best_[index(type)]; }

 private:
  std::vector<program::StructId> best_;
};

class AddressNames {
 public:
  // `definitions` must outlive it and not grow.
  explicit AddressNames(const trace::Definitions& definitions);

  std::string operator()(std::uint64_t address, std::uint64_t size = 1) const { return at(address, size).name; }
  NamedAddress at(std::uint64_t address, std::uint64_t size) const;
  const StructNames& structs() const { return structs_; }

 private:
  const trace::Symbol* symbol_at(std::uint64_t address) const;

  const trace::Definitions& definitions_;
  StructNames structs_;
  std::vector<const trace::Symbol*> by_address_;
  bool overlap_ = false;
  std::map<std::uint64_t, const program::Global*> globals_;  // of the program, by address
};

}  // namespace racecast::report
