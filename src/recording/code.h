// The code of a run as its records refer to it: which shape a record of an id has, and, once the models were linked,
// what its parts are called in the linked program.
//
// Ids are the low halves of addresses, so a module has a range of them; a table of ranges finds the module, a table in
// the module the shape. Both are one or two steps, because a record's module is nearly always that of the record
// before. Models are unpacked when the first record of their module is met: a module that never ran costs nothing and
// is not linked. Where two modules claim an id (a library was unloaded and another took its place) the later one has
// it.
//
// Use: find() for every record of all streams, mark what is used; then link(); then find() again, to read them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "abi/abi.h"
#include "base/ids.h"
#include "program/program.h"
#include "recording/raw_folder.h"

namespace racecast::program {
struct LinkedModule;
}

namespace racecast::recording {

// As abi::Item, with the numbers of the linked program.
struct CodeItem {
  abi::ItemKind kind{};
  abi::AddressMode mode{};
  std::uint8_t value_bytes = 0;
  bool has_value = false;  // Load, Store: the value is that of the whole access
  bool computed = false;   // kComputed of its events
  std::uint32_t base = 0;  // Shared: item
  LocationId location{};   // Param: first instruction of the function
  std::uint64_t parameter = 0;
  std::uint64_t size = 0;
  std::uint64_t add = 0;  // to the base; Global: the address
};

// As abi::ShapeHeader.
struct CodeShape {
  std::uint32_t payload = 0;  // bytes of a record behind the id
  std::uint32_t first = 0;    // its first id is this far into the module's ids
  std::uint32_t slots = 1;
  std::uint8_t flags = 0;
  std::uint32_t own_function = 0;  // in the module's program
  // After link():
  std::uint32_t function = kNone32;
  bool has_next = false;
  bool second_return = false;  // a landing that is a call's second return (setjmp), not an unwind
  LocationId next{};
  LocationId entry{};  // first instruction of the function
  std::vector<CodeItem> items;
  std::vector<abi::Item> raw_items;  // before link()
  std::uint32_t raw_next = kNone32;
};

class Code {
 public:
  // `folder` must outlive it.
  explicit Code(const RawFolder& folder);
  Code(Code&&) noexcept;
  ~Code();

  // What one reader remembers from one find() to the next.
  struct Hint {
    std::uint32_t range = 0;
  };
  // The shape of the records with this id; null: no module has it (or its model is damaged).
  const CodeShape* find(std::uint32_t id, std::uint32_t& slot, Hint& hint);
  // The function of the shape that was found last with this hint was executed.
  void mark_used(const CodeShape& shape, const Hint& hint);

  // Links all modules of which find() found something. Call it once.
  void link();
  std::shared_ptr<const program::Program> program() const { return program_; }
  // Is the address that an access or a call takes there (a call: as its first argument) computed from values?
  bool is_computed(LocationId location) const { return (addresses(location) & 1) != 0; }
  // Or that in its second argument? The mutex of a condition is there.
  bool is_second_computed(LocationId location) const { return (addresses(location) & 2) != 0; }
  // Is an argument that a call's role is about (the size of a new object, which object dies) computed from values? That
  // of a call by pointer, and of a function without a role: any argument. An object that the same function made is not.
  bool is_role_computed(LocationId location) const { return (addresses(location) & 4) != 0; }
  // Is any argument of a call?
  bool is_given_values(LocationId location) const { return (addresses(location) & 8) != 0; }
  // The branch that an unwind out of this call takes; kNone32: it has none.
  std::uint32_t unwind_branch(LocationId call) const;
  // The first instruction of the block that a branch goes to.
  LocationId target_of(LocationId branch, std::uint32_t slot) const;
  // The call of `function` by its name that comes next, where control is at `from` and nothing is recorded on the way;
  // nullopt: it was called otherwise (through a pointer, by code without hooks).
  std::optional<LocationId> call_from(LocationId from, std::uint32_t function) const;
  // The function that is called there by its name; nullopt: none is.
  std::optional<std::uint32_t> callee_at(LocationId location) const;
  // First instruction of a linked function.
  LocationId entry_of(std::uint32_t function) const { return entries_[function]; }
  std::size_t modules_used() const;
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct Module;
  struct Range {
    std::uint32_t begin = 0, last = 0;  // ids, both included
    std::uint32_t offset = 0;           // of `begin` in the module's ids
    std::uint32_t module = 0;
  };
  std::uint8_t addresses(LocationId location) const {
    return index(location) < computed_.size() ? computed_[index(location)] : std::uint8_t{15};
  }
  void find_ranges();
  bool unpack(Module& module);
  void bind(Module& module, const program::LinkedModule& linked);
  void find_computed();

  std::vector<std::unique_ptr<Module>> modules_;
  std::vector<Range> ranges_;  // sorted, disjoint
  std::shared_ptr<const program::Program> program_;
  std::vector<LocationId> entries_;
  std::vector<std::uint32_t> owners_;  // by InstrId: its function
  // By InstrId: 1 the (first) address is computed, 2 the second one, 4 any that a call's role is about, 8 any argument.
  std::vector<std::uint8_t> computed_;
  std::vector<const program::Instruction*> instructions_;  // by InstrId
  std::uint64_t unpacked_left_ = 0;                        // bytes that models may still unpack to
  std::uint64_t all_ids_ = 0;                              // of the modules that were unpacked
  std::vector<std::string> notes_;
};

}  // namespace racecast::recording
