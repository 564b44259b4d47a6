#include "abi/object_models.h"

#include <elf.h>
#include <zstd.h>

#include <cstring>
#include <optional>
#include <string_view>

#include "base/packed.h"

namespace racecast::abi {
namespace {

using Bytes = std::span<const std::uint8_t>;

// `size` bytes from `offset`; nullopt: not all of them are there.
std::optional<Bytes> part(Bytes file, std::uint64_t offset, std::uint64_t size) {
  if (offset > file.size() || size > file.size() - offset) return std::nullopt;
  return file.subspan(offset, size);
}

template <typename T>
std::optional<T> read(Bytes file, std::uint64_t offset) {
  const auto bytes = part(file, offset, sizeof(T));
  if (!bytes) return std::nullopt;
  T value;
  std::memcpy(&value, bytes->data(), sizeof value);
  return value;
}

class Sections {
 public:
  static std::optional<Sections> of(Bytes file) {
    const auto header = read<Elf64_Ehdr>(file, 0);
    if (!header || header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_shentsize != sizeof(Elf64_Shdr))
      return std::nullopt;
    Sections sections(file, header->e_shoff);
    // Numbers that do not fit the header are in the first section.
    const auto first = sections.header(0);
    if (!first) return std::nullopt;
    sections.count_ = header->e_shnum != 0 ? header->e_shnum : first->sh_size;
    if (sections.count_ > file.size() / sizeof(Elf64_Shdr)) return std::nullopt;
    const std::uint64_t names = header->e_shstrndx != SHN_XINDEX ? header->e_shstrndx : first->sh_link;
    const auto strings = names < sections.count_ ? sections.header(names) : std::nullopt;
    const auto text = strings ? part(file, strings->sh_offset, strings->sh_size) : std::nullopt;
    if (!text) return std::nullopt;
    sections.names_ = {reinterpret_cast<const char*>(text->data()), text->size()};
    return sections;
  }

  std::uint64_t count() const { return count_; }
  std::optional<Elf64_Shdr> header(std::uint64_t number) const {
    const std::uint64_t offset = number * sizeof(Elf64_Shdr);
    return table_ <= file_.size() && offset <= file_.size() ? read<Elf64_Shdr>(file_, table_ + offset) : std::nullopt;
  }
  std::string_view name(const Elf64_Shdr& header) const {
    if (header.sh_name >= names_.size()) return {};
    const std::string_view rest = names_.substr(header.sh_name);
    return rest.substr(0, rest.find('\0'));
  }

 private:
  Sections(Bytes file, std::uint64_t table) : file_(file), table_(table) {}

  Bytes file_;
  std::uint64_t table_;  // offset of the section headers
  std::uint64_t count_ = 0;
  std::string_view names_;
};

bool begins_skipped_frame(Bytes bytes) {
  const auto magic = read<std::uint32_t>(bytes, 0);
  return magic && (*magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

// The first model in `bytes`: a frame and, where that was packed too well, one that is skipped (encode_model). Nullopt:
// it is damaged.
std::optional<Bytes> first_model(Bytes bytes) {
  std::size_t size = 0;
  do {
    const std::size_t frame = ZSTD_findFrameCompressedSize(bytes.data() + size, bytes.size() - size);
    if (ZSTD_isError(frame) != 0) return std::nullopt;
    size += frame;
  } while (begins_skipped_frame(bytes.subspan(size)));
  return bytes.first(size);
}

}  // namespace

bool is_elf(Bytes file) {
  return file.size() >= SELFMAG && std::memcmp(file.data(), ELFMAG, SELFMAG) == 0;
}

Result<std::vector<Model>> read_models(Bytes file) {
  const auto sections = is_elf(file) ? Sections::of(file) : std::nullopt;
  if (!sections) return bad_input("no ELF file that this racecast can read");
  std::vector<Model> models;
  // Sections that overlap, or many models that are each small enough, must not hold more than the file could.
  std::uint64_t bytes_left = file.size();
  std::uint64_t unpacked_left = max_unpacked(file.size());
  for (std::uint64_t s = 0; s < sections->count(); ++s) {
    const auto header = sections->header(s);
    if (!header) return bad_input("the section headers are damaged");
    if (sections->name(*header) != kModelSection || header->sh_type != SHT_PROGBITS) continue;
    const auto content = part(file, header->sh_offset, header->sh_size);
    if (!content || content->size() > bytes_left || (header->sh_flags & SHF_COMPRESSED) != 0)
      return bad_input("a model of code is damaged");
    bytes_left -= content->size();
    for (Bytes rest = *content; !rest.empty();) {
      const auto model = first_model(rest);
      if (!model) return bad_input("a model of code is damaged");
      const std::uint64_t unpacked = unpacked_bytes(*model);
      if (unpacked > unpacked_left) return bad_input("a model of code is damaged");
      unpacked_left -= unpacked;
      RC_TRY(models.emplace_back(), decode_model(*model));
      rest = rest.subspan(model->size());
    }
  }
  if (models.empty()) return bad_input("it carries no model: it was not compiled with racecast");
  return models;
}

}  // namespace racecast::abi
