// Sorting and searching with the program's own comparison. As in glibc 2.36 equal elements keep their order.
#include <stdlib.h>
#include <string.h>

// The program may have a function of that name.
#define WEAK __attribute__((weak))

typedef int Compare(const void*, const void*, void*);

// Sorts `count` elements at `base`; `room` is for as many.
static void merge_sort(char* base, size_t count, size_t size, Compare* compare, void* argument, char* room) {
  if (count < 2) return;
  const size_t half = count / 2;
  merge_sort(base, half, size, compare, argument, room);
  merge_sort(base + half * size, count - half, size, compare, argument, room);
  char *left = base, *right = base + half * size, *out = room;
  char *const left_end = right, *const end = base + count * size;
  while (left != left_end && right != end) {
    char** const next = compare(left, right, argument) <= 0 ? &left : &right;
    memcpy(out, *next, size);
    out += size;
    *next += size;
  }
  // What is left on the right is where it belongs.
  memcpy(out, left, (size_t)(left_end - left));
  memcpy(base, room, (size_t)(out - room) + (size_t)(left_end - left));
}

static void swap(char* a, char* b, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    const char was = a[i];
    a[i] = b[i];
    b[i] = was;
  }
}

// Where there is no room.
static void insertion_sort(char* base, size_t count, size_t size, Compare* compare, void* argument) {
  for (size_t i = 1; i < count; ++i)
    for (char* at = base + i * size; at != base && compare(at - size, at, argument) > 0; at -= size)
      swap(at - size, at, size);
}

WEAK void qsort_r(void* base, size_t count, size_t size, Compare* compare, void* argument) {
  if (count < 2 || size == 0) return;
  char* const room = malloc(count * size);
  if (room == NULL) return insertion_sort(base, count, size, compare, argument);
  merge_sort(base, count, size, compare, argument, room);
  free(room);
}

static int compare_two(const void* a, const void* b, void* compare) {
  return ((int (*)(const void*, const void*))compare)(a, b);
}

WEAK void qsort(void* base, size_t count, size_t size, int (*compare)(const void*, const void*)) {
  qsort_r(base, count, size, compare_two, (void*)compare);
}

WEAK void* bsearch(const void* key, const void* base, size_t count, size_t size,
                   int (*compare)(const void*, const void*)) {
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    const char* const element = (const char*)base + middle * size;
    const int difference = compare(key, element);
    if (difference == 0) return (void*)element;
    if (difference < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}
