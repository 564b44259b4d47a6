// From the number of a descriptor to what it is. The kernel says it (fstat, fstatfs, /proc), which costs up to 20 us,
// so it is kept by number; a look at the table costs no system call.
//
// When is what is kept true? A number gets another meaning in two steps, closing and making, and both go through libc,
// whose calls are intercepted (descriptor_lives.cpp): what is closed or made is forgotten here. One of the two steps is
// enough to notice. So only code that does both with system calls of its own (no libc at all) could fool us, with a
// number that the program uses, too; io_uring can, so from then on nothing is kept (no_table), and so after
// unshare(CLONE_FILES). A child of vfork shares our memory but not our descriptors: it forgets at most.
//
// Identity is what the kernel keeps for all duplicates: of pipes, FIFOs, queues and files the inode, of eventfds their
// id, of sockets the inode (see sockets.h). timerfd and epoll have none; theirs is given here when they are made, and
// goes on with duplicates that were seen. One that came in another way has number 0: nobody knows which it is.
//
// Private is what no other process can have: made here, and no process was forked or started since, no descriptor sent
// away (note_company). Everything else may lead outside.
#pragma once

#include <cstddef>
#include <cstdint>

namespace racecast::runtime {

enum class DescriptorKind : std::uint8_t {
  Unknown,  // in the table: not looked at yet. Outside of it never
  None,     // there is no such descriptor
  File,     // regular files, folders, disks, /dev/null: reading one waits for nobody
  Pipe,
  Socket,
  Event,
  Timer,
  Signals,  // signalfd
  Epoll,
  Queue,    // POSIX message queue
  Outside,  // terminals and other devices, processes (pidfd)
  Strange,  // anything else, inotify and io_uring among it: what orders it cannot be told
};

struct Descriptor {
  DescriptorKind kind = DescriptorKind::None;
  std::uint8_t made = 0;     // the epoch in which this process made it; 0: not known to be ours
  std::uint64_t number = 0;  // which one of its kind, 48 bits
};

// What it is. Keeps errno.
Descriptor describe(int descriptor);
// Whether no other process has it. (Of sockets: this end.)
bool is_private(const Descriptor& descriptor);

// After a call that made it.
void note_made(int descriptor);
void note_made(int descriptor, DescriptorKind kind);  // Timer, Epoll: which have no identity yet
void note_duplicate(int from, int to);
// Before it is closed, and where it may have become another one.
void forget_descriptor(int descriptor);
void forget_descriptors(unsigned first, unsigned last);
// From now on nothing is kept.
void no_table();

// From now on other processes may have what we have now; `forever`: and whatever we will have.
void note_company(bool forever = false);
// The current epoch; 0: nothing is private any more.
std::uint8_t epoch();

// A number of its own for each caller, as timers and epoll instances have.
std::uint64_t next_number();

// The lines of /proc/self/fdinfo/N, one after the other; longer ones than a few hundred characters are cut.
class FdinfoLines {
 public:
  explicit FdinfoLines(int descriptor);
  ~FdinfoLines();
  FdinfoLines(const FdinfoLines&) = delete;
  FdinfoLines& operator=(const FdinfoLines&) = delete;
  // Without its end; null: there is no more, or it cannot be read. Valid until the next call.
  const char* next();

 private:
  long file_;
  char text_[1024];
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace racecast::runtime
