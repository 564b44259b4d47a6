// FLAGS: -D_GNU_SOURCE
// io_uring, by system calls alone: who finds that a read has ended is after who wrote what was read. Where the kernel has no such rings,
// it is read as ever.
// NORACE
#include <linux/io_uring.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "test.h"

int ends[2], ring;
struct io_uring_params parameters;
char *submitted, *completed;
struct io_uring_sqe* entries;
int data;

static unsigned* field(char* of, unsigned offset) {
  return (unsigned*)(of + offset);
}

static void read_by_ring(char* to) {
  *entries = (struct io_uring_sqe){.opcode = IORING_OP_READ, .fd = ends[0], .addr = (uintptr_t)to, .len = 1};
  field(submitted, parameters.sq_off.array)[0] = 0;
  unsigned* tail = field(submitted, parameters.sq_off.tail);
  __atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
  must(syscall(SYS_io_uring_enter, ring, 1, 0, 0, NULL, 0) == 1);
  // Completion is seen in memory; nothing is called.
  unsigned* head = field(completed, parameters.cq_off.head);
  while (__atomic_load_n(field(completed, parameters.cq_off.tail), __ATOMIC_ACQUIRE) == *head) sched_yield();
  __atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
}

static void make_ring(void) {
  ring = (int)syscall(SYS_io_uring_setup, 1, &parameters);
  if (ring < 0) return;
  const size_t size = parameters.sq_off.array + parameters.sq_entries * sizeof(unsigned);
  submitted = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
  completed = mmap(NULL, parameters.cq_off.cqes + parameters.cq_entries * sizeof(struct io_uring_cqe),
                   PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_CQ_RING);
  entries = mmap(NULL, sizeof(struct io_uring_sqe), PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);
  must(submitted != MAP_FAILED && completed != MAP_FAILED && entries != MAP_FAILED);
}

THREAD(writer) {
  data = 1;
  must(write(ends[1], "x", 1) == 1);
  return NULL;
}

THREAD(reader) {
  char byte;
  if (ring >= 0)
    read_by_ring(&byte);
  else
    must(read(ends[0], &byte, 1) == 1);
  data++;
  return NULL;
}

int main(void) {
  must(pipe(ends) == 0);
  make_ring();
  run_two(writer, reader);
  printf("%d\n", data);
}
