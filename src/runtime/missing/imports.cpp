// See imports.h. A slot that is bound late leads back into its own library until then.
#include "runtime/missing/imports.h"

#include <elf.h>

#include <cstddef>

namespace racecast::runtime {
namespace {

struct Dynamic {
  const char* strings = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  const ElfW(Rela) * relocations = nullptr;
  const ElfW(Rela) * stubs = nullptr;
  const std::uint32_t* hash = nullptr;
  std::size_t relocation_bytes = 0, stub_bytes = 0;
};

std::uintptr_t end_of(const struct dl_phdr_info& info) {
  std::uintptr_t end = 0;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info.dlpi_phdr[i];
    const std::uintptr_t last = info.dlpi_addr + header.p_vaddr + header.p_memsz;
    if (header.p_type == PT_LOAD && last > end) end = last;
  }
  return end;
}

// False: it is not linked dynamically.
bool read_dynamic(const struct dl_phdr_info& info, Dynamic& dynamic) {
  const ElfW(Dyn)* at = nullptr;
  for (int i = 0; i < info.dlpi_phnum; ++i)
    if (info.dlpi_phdr[i].p_type == PT_DYNAMIC)
      at = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
  if (at == nullptr) return false;
  for (; at->d_tag != DT_NULL; ++at) {
    // The loader has put addresses there instead of offsets, but not into what it must not write to.
    const std::uintptr_t there = at->d_un.d_ptr >= info.dlpi_addr ? at->d_un.d_ptr : info.dlpi_addr + at->d_un.d_ptr;
    switch (at->d_tag) {
      case DT_STRTAB: dynamic.strings = reinterpret_cast<const char*>(there); break;
      case DT_SYMTAB: dynamic.symbols = reinterpret_cast<const ElfW(Sym)*>(there); break;
      case DT_RELA: dynamic.relocations = reinterpret_cast<const ElfW(Rela)*>(there); break;
      case DT_RELASZ: dynamic.relocation_bytes = at->d_un.d_val; break;
      case DT_JMPREL: dynamic.stubs = reinterpret_cast<const ElfW(Rela)*>(there); break;
      case DT_PLTRELSZ: dynamic.stub_bytes = at->d_un.d_val; break;
      case DT_GNU_HASH: dynamic.hash = reinterpret_cast<const std::uint32_t*>(there); break;
      default: break;
    }
  }
  return dynamic.strings != nullptr && dynamic.symbols != nullptr;
}

bool equal(const char* a, const char* b) {
  while (*a != 0 && *a == *b) ++a, ++b;
  return *a == *b;
}

}  // namespace

void for_imports(const struct dl_phdr_info& info, void (*bound)(std::uintptr_t, void*),
                 void (*unbound)(const char*, void*), void* context) {
  Dynamic dynamic;
  if (!read_dynamic(info, dynamic)) return;
  const std::uintptr_t end = end_of(info);
  const auto look_at = [&](const ElfW(Rela) & relocation) {
    const auto type = ELF64_R_TYPE(relocation.r_info);
    if (type != R_X86_64_GLOB_DAT && type != R_X86_64_64 && type != R_X86_64_JUMP_SLOT) return;
    const ElfW(Sym)& symbol = dynamic.symbols[ELF64_R_SYM(relocation.r_info)];
    const std::uintptr_t value = *reinterpret_cast<const std::uintptr_t*>(info.dlpi_addr + relocation.r_offset);
    if (value >= info.dlpi_addr && value < end) {
      if (type == R_X86_64_JUMP_SLOT && symbol.st_shndx == SHN_UNDEF)
        unbound(dynamic.strings + symbol.st_name, context);
    } else if (value != 0) {
      bound(value, context);
    }
  };
  for (std::size_t i = 0; dynamic.relocations != nullptr && i < dynamic.relocation_bytes / sizeof(ElfW(Rela)); ++i)
    look_at(dynamic.relocations[i]);
  for (std::size_t i = 0; dynamic.stubs != nullptr && i < dynamic.stub_bytes / sizeof(ElfW(Rela)); ++i)
    look_at(dynamic.stubs[i]);
}

void for_imported_names(const struct dl_phdr_info& info, void (*imported)(const char*, void*), void* context) {
  Dynamic dynamic;
  if (!read_dynamic(info, dynamic)) return;
  const auto look_at = [&](const ElfW(Rela) & relocation) {
    const ElfW(Sym)& symbol = dynamic.symbols[ELF64_R_SYM(relocation.r_info)];
    if (ELF64_R_SYM(relocation.r_info) != 0 && symbol.st_shndx == SHN_UNDEF)
      imported(dynamic.strings + symbol.st_name, context);
  };
  for (std::size_t i = 0; dynamic.relocations != nullptr && i < dynamic.relocation_bytes / sizeof(ElfW(Rela)); ++i)
    look_at(dynamic.relocations[i]);
  for (std::size_t i = 0; dynamic.stubs != nullptr && i < dynamic.stub_bytes / sizeof(ElfW(Rela)); ++i)
    look_at(dynamic.stubs[i]);
}

// By the table of hashes that every linker writes (DT_GNU_HASH): buckets, and chains of hashes whose last has bit 0.
std::uintptr_t find_export(const struct dl_phdr_info& info, const char* name) {
  Dynamic dynamic;
  if (!read_dynamic(info, dynamic) || dynamic.hash == nullptr) return 0;
  std::uint32_t hash = 5381;
  for (const char* at = name; *at != 0; ++at) hash = hash * 33 + static_cast<unsigned char>(*at);
  const std::uint32_t buckets = dynamic.hash[0], first = dynamic.hash[1], filter = dynamic.hash[2];
  const std::uint32_t* const bucket = dynamic.hash + 4 + 2 * filter;
  const std::uint32_t* const chain = bucket + buckets;
  if (buckets == 0) return 0;
  for (std::uint32_t i = bucket[hash % buckets]; i >= first && i != 0; ++i) {
    const ElfW(Sym)& symbol = dynamic.symbols[i];
    if ((chain[i - first] | 1) == (hash | 1) && symbol.st_shndx != SHN_UNDEF &&
        equal(dynamic.strings + symbol.st_name, name))
      return info.dlpi_addr + symbol.st_value;
    if ((chain[i - first] & 1) != 0) return 0;
  }
  return 0;
}

}  // namespace racecast::runtime
