// What is behind a wide string, or behind what is filled, is not touched.
// NORACE
#include <wchar.h>

#include "test.h"

wchar_t text[16] = L"abcdefg", copy[16], filled[8];

NOINLINE static void duplicate(wchar_t* to, const wchar_t* from) {
  wcscpy(to, from);
  wcscat(to, L"hi");
  wmemset(filled, 5, 4);
  if (wmemchr(from, L'c', 7) == NULL || wcscmp(to, from) == 0) abort();
}

THREAD(reader) {
  duplicate(copy, text);
  order_wait();
  return NULL;
}

THREAD(writer) {
  order_wait();
  text[8] = L'x';
  copy[10] = L'x';
  filled[4] = 7;
  return NULL;
}

int main(void) {
  run_two(reader, writer);
  printf("%d %d\n", (int)wcslen(copy), (int)filled[3]);
}
