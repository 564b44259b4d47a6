// See variables.h. Files are read with pread, never mapped: one that is cut off meanwhile must not kill the program.
#include "runtime/missing/variables.h"

#include <elf.h>
#include <fcntl.h>

#include <algorithm>

#include "runtime/core/sys.h"

namespace racecast::runtime {

namespace {

class File {
 public:
  explicit File(const char* path) : fd_(static_cast<int>(sys(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0))) {}
  ~File() {
    if (fd_ >= 0) sys(SYS_close, fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool read(std::uint64_t offset, void* to, std::size_t bytes) const {
    auto* at = static_cast<char*>(to);
    while (bytes != 0) {
      const long got = sys(SYS_pread64, fd_, at, bytes, offset);
      if (got == -EINTR) continue;
      if (got <= 0) return false;
      at += got;
      offset += static_cast<std::uint64_t>(got);
      bytes -= static_cast<std::size_t>(got);
    }
    return true;
  }
  // As much as there is, up to `bytes`; the rest of `to` is zero. For names.
  void read_some(std::uint64_t offset, char* to, std::size_t bytes) const {
    __builtin_memset(to, 0, bytes);
    sys(SYS_pread64, fd_, to, bytes - 1, offset);
  }
  // function(entry) for each entry of a table; false: it cannot be read.
  template <typename Entry, typename Function>
  bool for_each(std::uint64_t offset, std::uint64_t bytes, Function&& function) const {
    Entry entries[64];
    for (std::uint64_t left = bytes / sizeof(Entry); left != 0;) {
      const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(left, 64));
      if (!read(offset, entries, some * sizeof(Entry))) return false;
      for (std::size_t i = 0; i < some; ++i) function(entries[i]);
      offset += some * sizeof(Entry);
      left -= some;
    }
    return true;
  }

 private:
  int fd_;
};

bool starts_with(const char* text, const char* prefix) {
  while (*prefix != 0)
    if (*text++ != *prefix++) return false;
  return true;
}
bool equal(const char* a, const char* b) {
  return starts_with(a, b) && starts_with(b, a);
}

// The headers of a file that is the one that was loaded.
struct Headers {
  Growing<ElfW(Shdr)> sections;
  std::uint64_t names = 0;  // offset of the names of sections
  bool read = false;
};

void read_headers(const File& file, const struct dl_phdr_info& info, Headers& headers) {
  ElfW(Ehdr) elf;
  if (!file.read(0, &elf, sizeof(elf)) || !starts_with(reinterpret_cast<const char*>(elf.e_ident), ELFMAG) ||
      elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_phnum != info.dlpi_phnum || elf.e_shoff == 0 ||
      elf.e_shentsize != sizeof(ElfW(Shdr)) || elf.e_phentsize != sizeof(ElfW(Phdr)))
    return;
  // Another file may be there now.
  for (unsigned i = 0; i < elf.e_phnum; ++i) {
    ElfW(Phdr) header;
    const ElfW(Phdr)& loaded = info.dlpi_phdr[i];
    if (!file.read(elf.e_phoff + i * sizeof(header), &header, sizeof(header)) || header.p_type != loaded.p_type ||
        header.p_vaddr != loaded.p_vaddr || header.p_memsz != loaded.p_memsz)
      return;
  }
  bool all = true;
  const bool there = file.for_each<ElfW(Shdr)>(elf.e_shoff, std::uint64_t{elf.e_shnum} * sizeof(ElfW(Shdr)),
                                               [&](const auto& one) { all = all && headers.sections.push(one); });
  if (!there || !all || elf.e_shstrndx >= headers.sections.count()) return;
  headers.names = headers.sections[elf.e_shstrndx].sh_offset;
  headers.read = true;
}

// What is constant once the file is loaded. At most one such segment.
Object relro_of(const struct dl_phdr_info& info) {
  for (int i = 0; i < info.dlpi_phnum; ++i)
    if (info.dlpi_phdr[i].p_type == PT_GNU_RELRO)
      return {info.dlpi_addr + info.dlpi_phdr[i].p_vaddr, info.dlpi_phdr[i].p_memsz};
  return {};
}

bool holds_variables(const File& file, const Headers& headers, const ElfW(Shdr) & section, const Object& relro,
                     std::uintptr_t base) {
  constexpr std::uint64_t kWritable = SHF_ALLOC | SHF_WRITE;
  if ((section.sh_flags & (kWritable | SHF_TLS)) != kWritable || section.sh_size == 0) return false;
  if (section.sh_type != SHT_PROGBITS && section.sh_type != SHT_NOBITS) return false;
  if (base + section.sh_addr - relro.begin < relro.size) return false;
  char name[16];
  file.read_some(headers.names + section.sh_name, name, sizeof(name));
  return !starts_with(name, ".got") && !starts_with(name, ".tm_clone") && !starts_with(name, ".eh_frame");
}

// Without symbols: the section without what start-up code has there. In .data the handle of the file, which is null or
// points to itself, behind `data_start` of an executable; in .bss one byte (`completed`), and rounding to 8.
Object whole_section(const ElfW(Shdr) & section, std::uintptr_t base) {
  Object all = {base + section.sh_addr, section.sh_size};
  if (section.sh_type == SHT_NOBITS) {
    if (all.size <= 8) return {};
    return {all.begin + 1, all.size - 1};
  }
  for (int words = 0; words < 2 && all.size >= 8 && all.begin % 8 == 0; ++words) {
    const std::uintptr_t word = *reinterpret_cast<const std::uintptr_t*>(all.begin);
    if (word != 0 && word != all.begin) break;
    all = {all.begin + 8, all.size - 8};
  }
  return all;
}

bool append_segments(const struct dl_phdr_info& info, const Object& relro, Growing<Object>& variables) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info.dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0) continue;
    Object part = {info.dlpi_addr + header.p_vaddr, header.p_memsz};
    const std::uintptr_t constant_end = relro.begin + relro.size;
    if (relro.size != 0 && constant_end > part.begin && relro.begin <= part.begin)
      part = {constant_end, part.begin + part.size > constant_end ? part.begin + part.size - constant_end : 0};
    if (part.size != 0 && !variables.push(part)) return false;
  }
  return true;
}

struct Symbols {
  ElfW(Shdr) table {};
  std::uint64_t names = 0;
};
bool find_symbols(Headers& headers, Symbols& symbols) {
  for (const ElfW(Shdr) & section : headers.sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= headers.sections.count()) continue;
    symbols = {section, headers.sections[section.sh_link].sh_offset};
    return true;
  }
  return false;
}

bool is_own(const char* name) {
  return starts_with(name, "__racecast") || starts_with(name, "completed.") || equal(name, "__dso_handle");
}

}  // namespace

bool append_variables(const char* path, const struct dl_phdr_info& info, Growing<Object>& variables) {
  const File file(path);
  const Object relro = relro_of(info);
  Headers headers;
  read_headers(file, info, headers);
  if (!headers.read) {
    append_segments(info, relro, variables);
    return false;
  }
  Growing<std::uintptr_t> copied;  // addresses of variables of other libraries
  bool all = true;
  for (const ElfW(Shdr) & section : headers.sections) {
    if (section.sh_type != SHT_RELA || (section.sh_flags & SHF_ALLOC) == 0) continue;
    all = all && file.for_each<ElfW(Rela)>(section.sh_offset, section.sh_size, [&](const ElfW(Rela) & relocation) {
      if (ELF64_R_TYPE(relocation.r_info) == R_X86_64_COPY)
        all = copied.push(info.dlpi_addr + relocation.r_offset) && all;
    });
  }
  Growing<char> chosen;  // by section: does it hold variables?
  for (const ElfW(Shdr) & section : headers.sections)
    all = all && chosen.push(holds_variables(file, headers, section, relro, info.dlpi_addr) ? 1 : 0);
  Symbols symbols;
  const bool named = find_symbols(headers, symbols);
  const auto add_symbol = [&](const ElfW(Sym) & symbol) {
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    if (symbol.st_size == 0 || symbol.st_shndx >= chosen.count() || chosen[symbol.st_shndx] == 0) return;
    if (type != STT_OBJECT && type != STT_COMMON && type != STT_NOTYPE) return;
    const Object variable = {info.dlpi_addr + symbol.st_value, symbol.st_size};
    if (std::find(copied.begin(), copied.end(), variable.begin) != copied.end()) return;
    char name[24];
    file.read_some(symbols.names + symbol.st_name, name, sizeof(name));
    if (!is_own(name)) all = variables.push(variable) && all;
  };
  if (all && named) all = file.for_each<ElfW(Sym)>(symbols.table.sh_offset, symbols.table.sh_size, add_symbol) && all;
  for (std::size_t i = 0; all && !named && i < headers.sections.count(); ++i) {
    const Object part = chosen[i] != 0 ? whole_section(headers.sections[i], info.dlpi_addr) : Object{};
    if (part.size != 0) all = variables.push(part);
  }
  if (!all) append_segments(info, relro, variables);
  return all;
}

bool is_function_named(const char* path, const struct dl_phdr_info& info, std::uintptr_t address, const char* name) {
  const File file(path);
  Headers headers;
  read_headers(file, info, headers);
  Symbols symbols;
  bool found = false;
  if (!headers.read || !find_symbols(headers, symbols)) return false;
  file.for_each<ElfW(Sym)>(symbols.table.sh_offset, symbols.table.sh_size, [&](const ElfW(Sym) & symbol) {
    if (info.dlpi_addr + symbol.st_value != address || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) return;
    char own[48];
    file.read_some(symbols.names + symbol.st_name, own, sizeof(own));
    found = found || equal(own, name);
  });
  return found;
}

bool append_functions(const char* path, const struct dl_phdr_info& info, Growing<std::uintptr_t>& entries) {
  const File file(path);
  Headers headers;
  read_headers(file, info, headers);
  Symbols symbols;
  bool all = true;
  if (!headers.read || !find_symbols(headers, symbols)) return false;
  return file.for_each<ElfW(Sym)>(symbols.table.sh_offset, symbols.table.sh_size, [&](const ElfW(Sym) & symbol) {
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    const bool code = type == STT_FUNC || type == STT_NOTYPE || type == STT_GNU_IFUNC;  // NOTYPE: assembly
    if (code && symbol.st_shndx != SHN_UNDEF) all = entries.push(info.dlpi_addr + symbol.st_value) && all;
  }) && all;
}

}  // namespace racecast::runtime
