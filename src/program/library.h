// What library functions mean (docs/library.md): library.txt, one row a function, as data. It is the only place that
// knows functions of libc, libpthread and libstdc++ by name. The front end reads it to lower calls to operations of the
// model and to record what a call without hooks does to memory; the walker and the judge read it for calls that have no
// operation; scripts/check-library compares it with what the recorder intercepts.
//
// It is text, not C++, because users add rows of the same syntax in files of their own (RACECAST_EFFECTS).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace racecast::program {

enum class Role : std::uint8_t {
  None,
#define ROLE(name, word, least, most, traits, meaning) name,
#define STATE(name, word, which, meaning)
#include "program/library.def"
#undef ROLE
#undef STATE
};
std::string_view text_of(Role role);
// Can a call with this role wait for another thread, for another process or for time?
bool blocks(Role role);

enum class StateKind : std::uint8_t {
#define ROLE(name, word, least, most, traits, meaning)
#define STATE(name, word, which, meaning) name,
#include "program/library.def"
#undef ROLE
#undef STATE
};
std::string_view text_of(StateKind kind);

inline constexpr std::uint8_t kNoArgument = 255;
inline constexpr std::uint8_t kResultArgument = 254;  // the result, where an argument could be

// How many bytes a function reads or writes.
enum class EffectLength : std::uint8_t {
  Constant,  // `constant`
  Argument,  // argument a; times argument b where b is not kNoArgument; times `constant` where that is not 0
  String,    // up to and with its terminating zero; at most argument a where a is not kNoArgument
  Result,    // as many as the call returned, none if that is not positive; times argument a where that is not
             // kNoArgument; times `constant` where that is not 0
  Until,     // up to and with the byte that the result points to; where that is null: argument a, none where a is
             // kNoArgument
  Wide,      // a string of wchar_t, with its terminating zero
  Stream,    // what a C++ stream has of its own: flags, pointers into its buffer
};
struct MemoryEffect {
  bool writes = false;
  std::uint8_t argument = 0;  // which argument points there, or kResultArgument
  EffectLength length = EffectLength::Constant;
  std::uint8_t a = kNoArgument, b = kNoArgument;
  std::uint64_t constant = 0;
  bool operator==(const MemoryEffect&) const = default;
};

// State outside of memory that a function reads or writes: one object, or all that there is of its kind.
struct StateEffect {
  bool writes = false;
  StateKind kind = StateKind::Any;
  std::uint8_t argument = kNoArgument;  // which argument (or kResultArgument) names the object
  std::string name;                     // or the name that the object has; both absent: all of that kind
  bool operator==(const StateEffect&) const = default;
};

// Whether what it reads must count as read before others can get what it sends: they may then write there.
constexpr bool gives(Role role) {
  return role == Role::Send || role == Role::Put || role == Role::Exchange;
}

// How the recorder comes to know of a call that has a role.
enum class Seen : std::uint8_t { Intercepted, Inside, Runtime, No };

struct LibraryFunction {
  Role role = Role::None;
  std::vector<std::uint8_t> arguments;  // that the role is about, in the order of library.def
  std::vector<MemoryEffect> memory;
  std::vector<StateEffect> state;
  std::vector<std::uint8_t> calls_back;  // the arguments that point to what it calls
  std::optional<std::uint64_t> fails;    // of one that takes a lock or fails: what it gives back then; else 0
  bool may_block = false;
  bool missing = false;     // a call of it is missing code all the same
  bool everything = false;  // which may order everything, since nobody can tell what it orders
  Seen seen = Seen::Intercepted;
};

class Library {
 public:
  // The rows of library.txt. Parsed at the first call; safe from any thread.
  static const Library& builtin();

  // Adds the rows of `text`, in which a user tells what functions do to memory and to other state; a row replaces an
  // earlier one of the same name, but for its role, which only a recorder that knows the function can give. Errors
  // are bad_input "FILE:LINE: ..."; the rows before it are in the table then.
  Status add(std::string_view text, std::string_view file_name);

  // The row of a linkage name, or null. An exact name wins over prefixes, a longer prefix over a shorter one.
  const LibraryFunction* find(std::string_view name) const;

  // The row, where it tells all that a call does to memory; else null, and a call is missing code.
  const LibraryFunction* find_known(std::string_view name) const;

  Role role_of(std::string_view name) const;

  // Every row, in the order of names; prefixes come last, with their *.
  std::vector<std::pair<std::string, const LibraryFunction*>> rows() const;

 private:
  enum class Whose : std::uint8_t { Ours, Users };
  Status add(std::string_view text, std::string_view file_name, Whose whose);

  using Rows = std::map<std::string, LibraryFunction, std::less<>>;
  Rows rows_;
  Rows prefixes_;  // without the *
};

}  // namespace racecast::program
