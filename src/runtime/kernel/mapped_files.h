// Memory that is a part of a file, or shared with other processes: mappings with MAP_SHARED and what shmat gives.
//
// The merger is told of each (abi.h: SharedMap), so that two mappings of one file count as one memory, and what is
// synchronised there as shared with other processes (recording/shared_memory.h). Here they are known for calls that
// read or write the file: they read or write the memory, too, which is missing code that reaches it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace racecast::runtime {

struct SharedMapping {
  std::uintptr_t begin;
  std::size_t bytes;
  std::uint64_t file;    // which, as Descriptor::number says it; 0: none
  std::uint64_t offset;  // in it
  bool outside;          // other processes may have it, or the kernel writes there
};
// After it was mapped.
void add_mapping(const SharedMapping& mapping);
// Before a range is unmapped; mappings that lie in it as a whole are forgotten.
void remove_mappings(std::uintptr_t begin, std::size_t bytes);
// The one that holds this byte; false: there is none.
bool find_shared(std::uintptr_t address, SharedMapping& mapping);
// In the child of a fork, whose recording begins: it has all of them.
void record_mappings();

// A call of `callee` on this descriptor, from beginning to end: if it is on a file that is mapped here.
class MappedFile {
 public:
  MappedFile(int descriptor, const void* callee);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

 private:
  bool recorded_ = false;
};

}  // namespace racecast::runtime
