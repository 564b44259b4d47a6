// The allocator and mappings.
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "require.h"

// The compiler must not know where these come from.
static void* volatile hidden;
static char* keep(void* p) {
  hidden = p;
  return hidden;
}

int main(void) {
  char* p = keep(malloc(100));
  strcpy(p, "hundred");
  p = keep(realloc(p, 100000));
  REQUIRE(strcmp(p, "hundred") == 0);
  p = keep(realloc(p, 10));
  REQUIRE(strcmp(p, "hundred") == 0);
  REQUIRE(malloc_usable_size(p) >= 10);
  errno = 0;
  REQUIRE(keep(realloc(p, SIZE_MAX / 2)) == NULL && errno == ENOMEM);
  REQUIRE(keep(reallocarray(p, SIZE_MAX / 2, 4)) == NULL && errno == ENOMEM);
  p = keep(reallocarray(p, 20, 4));
  REQUIRE(strcmp(p, "hundred") == 0);
  char* copy = keep(strdup(p));
  errno = 7;
  free(copy);
  free(p);
  free(NULL);
  REQUIRE(errno == 7);
  REQUIRE(keep(realloc(keep(malloc(8)), 0)) == NULL);
  p = keep(calloc(10, 10));
  REQUIRE(p[99] == 0);
  free(p);
  REQUIRE(keep(calloc(SIZE_MAX / 2, 4)) == NULL);
  free(keep(malloc(0)));
  void* q;
  REQUIRE(posix_memalign(&q, 3, 8) == EINVAL);
  REQUIRE(posix_memalign(&q, 4096, 8) == 0 && (uintptr_t)q % 4096 == 0);
  free(q);
  free(keep(aligned_alloc(64, 128)));
  free(keep(memalign(256, 1)));
  free(keep(valloc(1)));
  free(keep(pvalloc(1)));

  const size_t page = 4096;
  char* m = mmap(NULL, 8 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(m != MAP_FAILED);
  m[0] = m[8 * page - 1] = 1;
  REQUIRE(munmap(m + 2 * page, page) == 0);      // a hole
  REQUIRE(munmap(m, page) == 0);                 // the head
  REQUIRE(munmap(m + 7 * page, page) == 0);      // the tail
  REQUIRE(mprotect(m + 4 * page, page, PROT_NONE) == 0);
  REQUIRE(mmap(m + 3 * page, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == m + 3 * page);
  REQUIRE(munmap(m, 8 * page) == 0);             // all there is
  m = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  m[5] = 5;
  m = mremap(m, page, 64 * page, MREMAP_MAYMOVE);
  REQUIRE(m != MAP_FAILED && m[5] == 5);
  REQUIRE(munmap(m, 64 * page) == 0);
  REQUIRE(munmap(m + 1, 1) == -1 && errno == EINVAL);
  REQUIRE(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == EINVAL);
  puts("ok");
  return 0;
}
