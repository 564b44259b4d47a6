// See libraries.h. A table of what is loaded, sorted by address; a new one is made when an address is in none of them
// and the loader has loaded something since, or when something was unloaded. Tables and lists of variables are never
// freed: another thread may be reading them. What recorded modules define is taken out of the lists again when there
// are more such modules.
//
// A library may be unloaded by another thread at any moment. So what the loader tells of its segments is copied; what
// its image has is read in one go with the loader locked (while_loaded), or, of single bytes of code, where no dlclose
// is under way (LIMIT: one that begins and ends within the few instructions between asking and reading would fault).
#include "runtime/missing/libraries.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <atomic>

#include "runtime/core/growing.h"
#include "runtime/core/modules.h"
#include "runtime/missing/globals.h"
#include "runtime/missing/imports.h"
#include "runtime/missing/library_state.h"
#include "runtime/missing/scan.h"
#include "runtime/missing/variables.h"
#include "runtime/posix/interceptor.h"
#include "runtime/posix/loader.h"

namespace racecast::runtime {

namespace {

constexpr std::uint32_t kMaxLibraries = 1024;
constexpr std::uint32_t kMaxNeeded = 64;
constexpr std::uint16_t kMaxHeaders = 32;

// The variables of a library: those of its file, and of these what no recorded module defines.
struct Variables {
  bool complete;
  std::size_t as_of;  // how many globals were known (globals.h)
  std::size_t count;
  Object spans[1];  // `count` of them, sorted
};

// A library and all that it was linked with, directly or not, without those that are known; and those whose functions
// it calls without having been linked with them (a plugin those of its host).
struct Linked {
  bool complete;
  std::uint64_t state;  // a bit for each kind of state outside of memory that they have functions for
  std::size_t imports;  // of others' variables: addresses, behind `libraries`
  std::size_t count;
  std::uintptr_t libraries[1];  // `count` of them
};

struct Functions {
  bool complete;
  std::size_t count;
  std::uintptr_t entries[1];  // `count` of them, sorted
};

enum class Kind : std::uint8_t { Other, Known, Std, Ours };  // Std: libstdc++, which is known, too

struct Library {
  std::uintptr_t begin, end;  // of all its segments
  struct dl_phdr_info info;   // as the loader told it, but for the headers, which are these
  ElfW(Phdr) headers[kMaxHeaders];
  char path[512];  // cut off: then its file is not found
  Kind kind;
  std::uint32_t needed[kMaxNeeded];  // in the table; those that it was linked with
  std::uint32_t needed_count;
  bool all_needed;  // it has no more of them
  std::atomic<Variables*> variables;
  std::atomic<Linked*> linked;
  std::atomic<Functions*> functions;
};
struct Table {
  std::uint32_t count;
  bool all;                          // there are no more
  unsigned long long changes;        // of the loader, so far
  Library libraries[kMaxLibraries];  // by address; untouched pages are no memory
};

constinit std::atomic<Table*> published{nullptr};
constinit std::atomic<bool> unloaded{false};
constinit std::atomic<std::uint32_t> closing{0};  // calls of dlclose that are under way
constinit std::atomic<std::uint32_t> lock{0};

class Locked {
 public:
  Locked() {
    ++self.in_libraries;  // a handler of this thread must not wait for it
    std::atomic_signal_fence(std::memory_order_seq_cst);
    while (lock.exchange(1, std::memory_order_acquire) != 0) sys(SYS_sched_yield);
  }
  ~Locked() {
    lock.store(0, std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    --self.in_libraries;
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
};

// ---- what is loaded

const char* base_name(const char* path) {
  const char* name = path;
  for (; *path != 0; ++path)
    if (*path == '/') name = path + 1;
  return name;
}
bool same(const char* a, const char* b) {
  while (*a != 0 && *a == *b) ++a, ++b;
  return *a == *b;
}

// By the name before ".so".
Kind kind_of(const Library& library) {
  const auto own = reinterpret_cast<std::uintptr_t>(&kind_of);
  if (own - library.begin < library.end - library.begin) return Kind::Ours;
  static constexpr const char* kKnown[] = {"libc",     "libm",      "libpthread",      "librt",     "libdl",
                                           "libgcc_s", "libatomic", "ld-linux-x86-64", "linux-vdso"};
  const auto is_named = [name = base_name(library.path)](const char* known) {
    const char* at = name;
    while (*known != 0 && *at == *known) ++at, ++known;
    return *known == 0 && at[0] == '.' && at[1] == 's' && at[2] == 'o';
  };
  if (is_named("libstdc++")) return Kind::Std;
  return std::any_of(std::begin(kKnown), std::end(kKnown), is_named) ? Kind::Known : Kind::Other;
}

const ElfW(Dyn) * dynamic_of(const Library& library) {
  for (int i = 0; i < library.info.dlpi_phnum; ++i)
    if (library.info.dlpi_phdr[i].p_type == PT_DYNAMIC)
      return reinterpret_cast<const ElfW(Dyn)*>(library.info.dlpi_addr + library.info.dlpi_phdr[i].p_vaddr);
  return nullptr;
}
// The loader has put addresses there instead of offsets; the kernel's own library has offsets.
const char* strings_of(const Library& library) {
  for (const ElfW(Dyn)* at = dynamic_of(library); at != nullptr && at->d_tag != DT_NULL; ++at)
    if (at->d_tag == DT_STRTAB)
      return reinterpret_cast<const char*>(at->d_un.d_ptr >= library.begin ? at->d_un.d_ptr
                                                                           : library.info.dlpi_addr + at->d_un.d_ptr);
  return nullptr;
}
const char* name_of(const Library& library) {
  const char* strings = strings_of(library);
  for (const ElfW(Dyn)* at = dynamic_of(library); strings != nullptr && at->d_tag != DT_NULL; ++at)
    if (at->d_tag == DT_SONAME) return strings + at->d_un.d_val;
  return base_name(library.path);
}

void find_needed(Table& table, Library& library) {
  library.all_needed = true;
  const char* strings = strings_of(library);
  if (strings == nullptr) return;
  for (const ElfW(Dyn)* at = dynamic_of(library); at->d_tag != DT_NULL; ++at) {
    if (at->d_tag != DT_NEEDED) continue;
    const char* name = strings + at->d_un.d_val;
    std::uint32_t found = 0;
    while (found < table.count && !same(name_of(table.libraries[found]), base_name(name))) ++found;
    if (found == table.count || library.needed_count == kMaxNeeded) {
      library.all_needed = false;
      continue;
    }
    library.needed[library.needed_count++] = found;
  }
}

int add_library(struct dl_phdr_info* info, std::size_t, void* to) {
  auto& table = *static_cast<Table*>(to);
  table.changes = info->dlpi_adds + info->dlpi_subs;
  if (table.count == kMaxLibraries) {
    table.all = false;
    return 0;
  }
  Library& library = table.libraries[table.count];
  library.begin = ~std::uintptr_t{0};
  library.end = 0;
  library.info = *info;
  library.info.dlpi_phnum = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (library.info.dlpi_phnum == kMaxHeaders)
      table.all = false;
    else
      library.headers[library.info.dlpi_phnum++] = header;
    if (header.p_type != PT_LOAD) continue;
    library.begin = std::min<std::uintptr_t>(library.begin, info->dlpi_addr + header.p_vaddr);
    library.end = std::max<std::uintptr_t>(library.end, info->dlpi_addr + header.p_vaddr + header.p_memsz);
  }
  if (library.end == 0) return 0;
  const char* path = info->dlpi_name == nullptr || *info->dlpi_name == 0 ? "/proc/self/exe" : info->dlpi_name;
  for (std::size_t i = 0; i + 1 < sizeof(library.path) && path[i] != 0; ++i) library.path[i] = path[i];
  library.kind = kind_of(library);
  ++table.count;
  return 0;
}
int read_changes(struct dl_phdr_info* info, std::size_t, void* to) {
  *static_cast<unsigned long long*>(to) = info->dlpi_adds + info->dlpi_subs;
  return 1;
}

const Library* find_in(const Table* table, std::uintptr_t address) {
  if (table == nullptr) return nullptr;
  const Library* const end = table->libraries + table->count;
  const Library* next = std::upper_bound(table->libraries, end, address,
                                         [](std::uintptr_t a, const Library& library) { return a < library.begin; });
  return next != table->libraries && address < next[-1].end ? next - 1 : nullptr;
}

// Calls work(context) with the loader locked, if what is loaded is what the table has; false: it is not.
bool while_loaded(const Table& table, void (*work)(void*), void* context) {
  if (is_in_loader() || self.nesting != 0) return false;
  struct Call {
    const Table& table;
    void (*work)(void*);
    void* context;
    bool done;
  } call{table, work, context, false};
  const auto visit = [](struct dl_phdr_info* info, std::size_t, void* to) {
    auto& one = *static_cast<Call*>(to);
    one.done = one.table.changes == info->dlpi_adds + info->dlpi_subs;
    if (one.done) one.work(one.context);
    return 1;
  };
  ::dl_iterate_phdr(visit, &call);
  return call.done;
}

// False: something was loaded or unloaded meanwhile.
bool make_table() {
  auto* fresh = static_cast<Table*>(map_pages(sizeof(Table)));
  if (fresh == nullptr) return true;
  fresh->all = true;
  ::dl_iterate_phdr(add_library, fresh);
  // Sorted by hand: an entry is large and has an atomic.
  for (std::uint32_t i = 1; i < fresh->count; ++i)
    for (std::uint32_t k = i; k > 0 && fresh->libraries[k].begin < fresh->libraries[k - 1].begin; --k) {
      alignas(Library) char kept[sizeof(Library)];
      __builtin_memcpy(kept, static_cast<void*>(&fresh->libraries[k]), sizeof(Library));
      __builtin_memcpy(static_cast<void*>(&fresh->libraries[k]), static_cast<void*>(&fresh->libraries[k - 1]),
                       sizeof(Library));
      __builtin_memcpy(static_cast<void*>(&fresh->libraries[k - 1]), kept, sizeof(Library));
    }
  for (std::uint32_t i = 0; i < fresh->count; ++i) fresh->libraries[i].info.dlpi_phdr = fresh->libraries[i].headers;
  const auto find_all_needed = [](void* to) {
    auto& table = *static_cast<Table*>(to);
    for (std::uint32_t i = 0; i < table.count; ++i) find_needed(table, table.libraries[i]);
  };
  const bool current = while_loaded(*fresh, find_all_needed, fresh);
  published.store(fresh, std::memory_order_release);
  return current;
}

// Whether this thread may ask the loader. A handler may not: it may have interrupted the loader, or this file.
bool may_ask() {
  return !is_in_loader() && self.in_libraries == 0 && self.nesting == 0;
}

// The library of an address, and the table that it is in.
const Library* find_library(std::uintptr_t address, const Table*& table) {
  table = published.load(std::memory_order_acquire);
  const bool stale = unloaded.load(std::memory_order_acquire);
  const Library* found = stale ? nullptr : find_in(table, address);
  if (found != nullptr || !may_ask()) return found;
  unsigned long long changes = 0;
  ::dl_iterate_phdr(read_changes, &changes);
  {
    const Locked locked;
    table = published.load(std::memory_order_acquire);
    if (unloaded.exchange(false) || table == nullptr || table->changes != changes)
      for (int tries = 0; tries < 3 && !make_table(); ++tries) {
      }
  }
  table = published.load(std::memory_order_acquire);
  return find_in(table, address);
}

// ---- their variables

// What is left of `variables`, which are sorted, without what recorded modules define; neighbours are put together
// where nothing of theirs is between them.
Variables* without_globals(Growing<Object>& variables, bool complete, std::size_t as_of) {
  constexpr std::uintptr_t kPadding = 64;
  Growing<Object> left;
  bool all = true;
  const auto add = [&](Object part) {
    if (part.size == 0) return;
    if (left.count() != 0) {
      Object& last = left[left.count() - 1];
      const std::uintptr_t end = last.begin + last.size;
      if (part.begin <= end + kPadding && next_global(end).begin >= part.begin) {
        last.size = std::max(end, part.begin + part.size) - last.begin;
        return;
      }
    }
    all = left.push(part) && all;
  };
  for (const Object& variable : variables) {
    std::uintptr_t at = variable.begin;
    const std::uintptr_t end = variable.begin + variable.size;
    while (at < end) {
      const Object global = next_global(at);  // that ends behind it
      const std::uintptr_t stop = std::clamp(global.begin, at, end);
      add({at, stop - at});
      at = std::max(stop, std::min(end, global.begin + global.size));
    }
  }
  auto* made = static_cast<Variables*>(map_pages(sizeof(Variables) + left.count() * sizeof(Object)));
  if (made == nullptr) return nullptr;
  made->complete = complete && all;
  made->as_of = as_of;
  made->count = left.count();
  if (left.count() != 0) __builtin_memcpy(made->spans, left.begin(), left.count() * sizeof(Object));
  return made;
}

// Null: they cannot be told.
const Variables* variables_of(const Library& library) {
  auto& own = const_cast<std::atomic<Variables*>&>(library.variables);
  const std::size_t globals = global_count();
  Variables* known = own.load(std::memory_order_acquire);
  if (known != nullptr && known->as_of == globals) return known;
  const Locked locked;
  known = own.load(std::memory_order_acquire);
  if (known != nullptr && known->as_of == globals) return known;
  Growing<Object> variables;
  const bool complete = append_variables(library.path, library.info, variables);
  std::sort(variables.begin(), variables.end(), [](const Object& a, const Object& b) { return a.begin < b.begin; });
  known = without_globals(variables, complete, globals);
  own.store(known, std::memory_order_release);
  return known;
}

// ---- their code

const ElfW(Phdr) * segment_at(const Library& library, std::uintptr_t address) {
  for (int i = 0; i < library.info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = library.info.dlpi_phdr[i];
    if (header.p_type == PT_LOAD && address - (library.info.dlpi_addr + header.p_vaddr) < header.p_memsz)
      return &header;
  }
  return nullptr;
}
bool is_code(const Library& library, std::uintptr_t address) {
  const ElfW(Phdr)* const segment = segment_at(library, address);
  return segment != nullptr && (segment->p_flags & (PF_X | PF_R)) == (PF_X | PF_R);
}
// Of a library that may be unloaded any moment.
bool read_code(std::uintptr_t from, void* to, std::size_t bytes) {
  if (closing.load(std::memory_order_acquire) != 0) return read_memory(from, to, bytes);
  __builtin_memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return true;
}
// A function with hooks begins here.
bool has_mark(const Library& library, std::uintptr_t entry) {
  std::uint64_t mark = 0;
  if (!is_code(library, entry - sizeof(mark))) return false;
  return read_code(entry - sizeof(mark), &mark, sizeof(mark)) && mark == abi::kFunctionMark;
}

// Of a library that has code with hooks, too: where functions without them begin. Null: there is no memory.
const Functions* functions_of(const Library& library) {
  auto& own = const_cast<std::atomic<Functions*>&>(library.functions);
  Functions* known = own.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  const Locked locked;
  Growing<std::uintptr_t> all, without;
  bool complete = append_functions(library.path, library.info, all);
  for (const std::uintptr_t entry : all)
    if (is_code(library, entry) && !has_mark(library, entry)) complete = without.push(entry) && complete;
  std::sort(without.begin(), without.end());
  known = static_cast<Functions*>(map_pages(sizeof(Functions) + without.count() * sizeof(std::uintptr_t)));
  if (known == nullptr) return nullptr;
  known->complete = complete;
  known->count = without.count();
  if (without.count() != 0) __builtin_memcpy(known->entries, without.begin(), without.count() * sizeof(std::uintptr_t));
  own.store(known, std::memory_order_release);
  return known;
}

// Most of what points into code with hooks is where a call returns to.
bool begins_missing_function(const Library& library, std::uintptr_t address) {
  const auto* const begin = reinterpret_cast<const void*>(library.begin);
  if (!has_module_in(begin, reinterpret_cast<const void*>(library.end))) return true;
  const Functions* const functions = functions_of(library);
  if (functions == nullptr || !functions->complete) return true;
  return std::binary_search(functions->entries, functions->entries + functions->count, address);
}

// What a library has from others: of functions without hooks, the library that they are in.
struct Imports {
  const Table& table;
  void (*see)(std::uint32_t, void*);
  void* context;
  Growing<std::uintptr_t> variables;
  bool complete = true;

  void add(std::uintptr_t address) {
    const Library* const library = find_in(&table, address);
    if (library == nullptr || library->kind != Kind::Other) return;
    if (!is_code(*library, address)) {
      complete = variables.push(address) && complete;
    } else if (!has_mark(*library, address)) {
      see(static_cast<std::uint32_t>(library - table.libraries), context);
    }
  }
  // Several may define it, and which one the loader will take is its own business.
  void find(const char* name) {
    for (std::uint32_t i = 0; i < table.count; ++i) {
      if (table.libraries[i].kind != Kind::Other) continue;
      const std::uintptr_t found = find_export(table.libraries[i].info, name);
      if (found != 0) add(found);
    }
  }
};

// Null: there is no memory, or something was loaded or unloaded meanwhile.
const Linked* linked_with(const Table& table, const Library& library) {
  auto& own = const_cast<std::atomic<Linked*>&>(library.linked);
  Linked* known = own.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  const Locked locked;
  Growing<std::uintptr_t> found;
  bool complete = table.all;
  const auto see = [&](std::uint32_t number) {
    if (table.libraries[number].kind != Kind::Other) return;
    if (std::find(found.begin(), found.end(), number) == found.end()) complete = found.push(number) && complete;
  };
  Imports imports{table,
                  [](std::uint32_t number, void* to) { (*static_cast<decltype(see)*>(to))(number); },
                  const_cast<void*>(static_cast<const void*>(&see)),
                  {}};
  see(static_cast<std::uint32_t>(&library - table.libraries));
  std::uint64_t state = 0;
  auto follow = [&] {
    for (std::size_t i = 0; i < found.count(); ++i) {
      const Library& one = table.libraries[found[i]];
      complete = complete && one.all_needed;
      for (std::uint32_t k = 0; k < one.needed_count; ++k) see(one.needed[k]);
      for_imports(
          one.info, [](std::uintptr_t address, void* to) { static_cast<Imports*>(to)->add(address); },
          [](const char* name, void* to) { static_cast<Imports*>(to)->find(name); }, &imports);
      // What recorded code has from others is not told apart.
      if (!has_module_in(reinterpret_cast<const void*>(one.begin), reinterpret_cast<const void*>(one.end)))
        for_imported_names(
            one.info, [](const char* name, void* to) { *static_cast<std::uint64_t*>(to) |= state_kinds_of(name); },
            &state);
    }
  };
  if (!while_loaded(table, [](void* work) { (*static_cast<decltype(follow)*>(work))(); }, &follow)) return nullptr;
  const std::size_t count = found.count();
  for (const std::uintptr_t variable : imports.variables) complete = found.push(variable) && complete;
  known = static_cast<Linked*>(map_pages(sizeof(Linked) + found.count() * sizeof(std::uintptr_t)));
  if (known == nullptr) return nullptr;
  known->complete = complete && imports.complete;
  known->count = count;
  known->state = state;
  known->imports = found.count() - count;
  if (found.count() != 0) __builtin_memcpy(known->libraries, found.begin(), found.count() * sizeof(std::uintptr_t));
  own.store(known, std::memory_order_release);
  return known;
}

// A stub of the procedure linkage table stands for a function (the address of a function of another library is its
// stub in an executable that is not position-independent): endbr64; [bnd] jmp *slot(%rip). Gives the function, or 0
// where the stub does not know it yet; of any other code, itself.
std::uintptr_t target_of_stub(std::uintptr_t code, const Library& library) {
  std::uint8_t bytes[16];
  if (code % 4096 > 4096 - sizeof(bytes)) return code;  // a stub does not cross a page
  if (!read_code(code, bytes, sizeof(bytes))) return code;
  const std::uint8_t* at = bytes;
  if (at[0] == 0xf3 && at[1] == 0x0f && at[2] == 0x1e && at[3] == 0xfa) at += 4;
  if (at[0] == 0xf2) ++at;
  if (at[0] != 0xff || at[1] != 0x25) return code;
  std::int32_t offset;
  __builtin_memcpy(&offset, at + 2, sizeof(offset));
  const std::uintptr_t slot =
      code + static_cast<std::uintptr_t>(at + 6 - bytes) + static_cast<std::uintptr_t>(std::intptr_t{offset});
  const auto is_inside = [&](std::uintptr_t address) { return address - library.begin < library.end - library.begin; };
  // What only looks like a stub does not jump by a table of its own library.
  std::uintptr_t target = 0;
  if (slot % 8 != 0 || !is_inside(slot) || !read_memory(slot, &target, sizeof(target))) return code;
  return is_inside(target) ? 0 : target;  // bound late: it still leads back to the table of stubs
}

}  // namespace

bool for_hidden_variables(std::uintptr_t code, void (*add)(const Object&, void*),
                          void (*add_library)(std::uintptr_t, void*), void* context) {
  const Table* table = nullptr;
  const Library* library = find_library(code, table);
  if (library != nullptr) {
    code = target_of_stub(code, *library);
    if (code == 0) return false;
    library = find_library(code, table);
  }
  if (library == nullptr) return table != nullptr && may_ask();  // made at run time: it has none
  if (library->kind != Kind::Other) return true;
  const Linked* linked = linked_with(*table, *library);
  if (linked == nullptr) {
    // What is loaded has changed since the table was made.
    unloaded.store(true, std::memory_order_release);
    library = find_library(code, table);
    linked = library == nullptr ? nullptr : linked_with(*table, *library);
  }
  if (linked == nullptr) return false;
  for (std::size_t i = 0; i < linked->count; ++i) {
    const Library& one = table->libraries[linked->libraries[i]];
    const Variables* variables = variables_of(one);
    if (variables == nullptr) return false;
    for (std::size_t k = 0; k < variables->count; ++k) add(variables->spans[k], context);
    add_library(one.info.dlpi_addr, context);
  }
  for (std::uint8_t kind = 0; kind < 64; ++kind)
    if ((linked->state >> kind & 1) != 0) add({abi::state_address(kind, abi::kEach), abi::kFirstObject}, context);
  for (std::size_t i = 0; i < linked->imports; ++i) {
    const std::uintptr_t address = linked->libraries[linked->count + i];
    const Object recorded = next_global(address);  // that recorded code defines, and not libc
    const Object variable = recorded.begin <= address ? recorded : find_hidden_variable(address);
    if (variable.size != 0) add(variable, context);
  }
  return linked->complete;
}

const void* missing_function(const void* function) {
  auto code = reinterpret_cast<std::uintptr_t>(function);
  const Table* table = nullptr;
  const Library* library = find_library(code, table);
  if (library != nullptr && is_code(*library, code)) {
    code = target_of_stub(code, *library);
    if (code == 0) return function;
    library = find_library(code, table);
  }
  if (library == nullptr) return function;  // made at run time
  if (library->kind != Kind::Other || !is_code(*library, code) || has_mark(*library, code)) return nullptr;
  // Found out now: a handler could not.
  if (const Linked* const linked = linked_with(*table, *library); linked != nullptr)
    for (std::size_t i = 0; i < linked->count; ++i) variables_of(table->libraries[linked->libraries[i]]);
  return function;
}

bool can_tell_libraries() {
  return may_ask() || (self.in_libraries == 0 && !is_in_loader() && !unloaded.load(std::memory_order_acquire) &&
                       published.load(std::memory_order_acquire) != nullptr);
}

Leads where_leads(std::uintptr_t word) {
  const bool stale = unloaded.load(std::memory_order_acquire);
  const Library* library = stale ? nullptr : find_in(published.load(std::memory_order_acquire), word);
  if (library == nullptr) {
    // Loaded since, or no library at all, as most words.
    dl_find_object found;
    const Table* table = nullptr;
    if (::_dl_find_object(reinterpret_cast<void*>(word), &found) != 0) return Leads::Nowhere;
    library = find_library(word, table);
    if (library == nullptr) return Leads::ToCode;  // of which nothing can be told now
  }
  if (library->kind != Kind::Other) return Leads::Nowhere;
  const ElfW(Phdr)* const segment = segment_at(*library, word);
  if (segment == nullptr || (segment->p_flags & PF_R) == 0) return Leads::Nowhere;
  if ((segment->p_flags & PF_X) != 0) {
    return !has_mark(*library, word) && begins_missing_function(*library, word) ? Leads::ToCode : Leads::Nowhere;
  }
  return Leads::ToConstants;
}

bool for_all_hidden_variables(void (*add)(const Object&, void*), void* context) {
  const Table* table = nullptr;
  find_library(reinterpret_cast<std::uintptr_t>(&for_all_hidden_variables), table);
  if (table == nullptr) return false;
  bool complete = table->all;
  for (std::uint32_t i = 0; i < table->count; ++i) {
    if (table->libraries[i].kind != Kind::Other) continue;
    const Variables* const variables = variables_of(table->libraries[i]);
    if (variables == nullptr) return false;
    for (std::size_t k = 0; k < variables->count; ++k) add(variables->spans[k], context);
    complete = complete && variables->complete;
  }
  return complete;
}

Object find_hidden_variable(std::uintptr_t address) {
  const Library* library = find_in(published.load(std::memory_order_acquire), address);
  if (library == nullptr || library->kind != Kind::Other) return {};
  const Variables* variables = variables_of(*library);
  if (variables == nullptr) return {};
  const Object* const end = variables->spans + variables->count;
  const Object* next = std::upper_bound(variables->spans, end, address,
                                        [](std::uintptr_t a, const Object& span) { return a < span.begin; });
  return next != variables->spans && address - next[-1].begin < next[-1].size ? next[-1] : Object{};
}

bool begins_std_thread(std::uintptr_t routine) {
  static constinit std::atomic<std::uintptr_t> last_no{0};  // programs begin many threads with one function
  const Table* table = nullptr;
  const Library* library = find_library(routine, table);
  if (library == nullptr) return false;
  if (library->kind == Kind::Std) return true;
  if (library->kind != Kind::Other || last_no.load(std::memory_order_relaxed) == routine) return false;
  if (is_function_named(library->path, library->info, routine, "execute_native_thread_routine")) return true;
  last_no.store(routine, std::memory_order_relaxed);
  return false;
}

bool is_same_library(std::uintptr_t code, std::uintptr_t other) {
  const Table* table = nullptr;
  const Library* const one = find_library(code, table);
  const Library* const two = find_library(other, table);
  return one != nullptr && two != nullptr && one->info.dlpi_addr == two->info.dlpi_addr;
}

Object known_variable(std::uintptr_t address) {
  const Table* table = nullptr;
  const Library* const library = find_library(address, table);
  if (library == nullptr || library->kind == Kind::Other) return {};
  const ElfW(Phdr)* const segment = segment_at(*library, address);
  if (segment == nullptr || (segment->p_flags & PF_W) == 0) return {};
  return {address & ~std::uintptr_t{7}, 8};
}

void begin_unloading() {
  closing.fetch_add(1);
  unloaded.store(true, std::memory_order_release);
}
void end_unloading() {
  unloaded.store(true, std::memory_order_release);
  closing.fetch_sub(1);
}

void release_libraries() {
  lock.store(0);
}

}  // namespace racecast::runtime
