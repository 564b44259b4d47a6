// Functions of libc that racecast has copies of do what those of libc do: the same output natively and recorded.
// NORACE
#define _GNU_SOURCE
#include <wchar.h>

#include "test.h"

static unsigned state = 1;
static unsigned draw(unsigned below) {
  state = state * 1103515245u + 12345u;
  return (state >> 16) % below;
}

static unsigned long hash = 5381;
static void add(const void* bytes, size_t size) {
  for (size_t i = 0; i < size; ++i) hash = hash * 33 + ((const unsigned char*)bytes)[i];
}

static char* text_of(char* to, unsigned most) {
  const unsigned length = draw(most);
  for (unsigned i = 0; i < length; ++i) to[i] = "ab ,:"[draw(5)];
  to[length] = 0;
  return to;
}

static int by_first(const void* a, const void* b) {
  return *(const char*)a - *(const char*)b;
}
static int by_first_of(const void* a, const void* b, void* sign) {
  return by_first(a, b) * *(int*)sign;
}

static void sort(void) {
  char bytes[300];
  const unsigned size = 1 + draw(9), count = draw(30);
  for (unsigned i = 0; i < size * count; ++i) bytes[i] = (char)draw(8);
  int sign = draw(2) ? 1 : -1;
  qsort_r(bytes, count, size, by_first_of, &sign);
  add(bytes, (size_t)size * count);
  qsort(bytes, count, size, by_first);
  add(bytes, (size_t)size * count);
  const char key = (char)draw(9);
  const char* const found = bsearch(&key, bytes, count, size, by_first);
  const long at = found == NULL ? -1 : found - bytes;
  add(&at, sizeof(at));
}

static void strings(void) {
  char to[64], from[32], separators[4], *rest;
  strcat(text_of(to, 20), text_of(from, 20));
  strncat(to, from, draw(20));
  add(to, strlen(to));
  text_of(separators, 3);
  char* cut = strdup(to);
  for (char* word = strtok_r(to, separators, &rest); word != NULL; word = strtok_r(NULL, separators, &rest))
    add(word, strlen(word) + 1);
  rest = cut;
  for (char* word; (word = strsep(&rest, separators)) != NULL;) add(word, strlen(word) + 1);
  free(cut);
  text_of(from, 30);
  const char* const last = memrchr(from, ':', strlen(from));
  const long at = last == NULL ? -1 : last - from;
  add(&at, sizeof(at));
}

static void texts(void) {
  char *made, buffer[40];
  const int length = asprintf(&made, "%u %s", draw(1000), "words");
  add(made, (size_t)length + 1);
  free(made);
  memset(buffer, 0, sizeof(buffer));
  const char* const error = strerror_r((int)draw(200), buffer, 1 + draw(39));
  add(error, strlen(error));
  add(buffer, sizeof(buffer));
  wchar_t wide[20] = L"ab";
  wcscat(wide, draw(2) ? L"cd" : L"");
  add(wide, sizeof(wide));
  const wchar_t* const found = wmemchr(wide, L"abcdx"[draw(5)], 4);
  const long at = found == NULL ? -1 : found - wide;
  add(&at, sizeof(at));
}

int main(void) {
  for (int i = 0; i < 40; ++i) {
    sort();
    strings();
    texts();
  }
  printf("%lx\n", hash);
}
