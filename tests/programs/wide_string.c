// A wide string is copied while another thread writes it; another one is filled.
#include <wchar.h>

#include "test.h"

wchar_t text[16] = L"abcdefg", copy[16], filled[4];

NOINLINE static void duplicate(wchar_t* to, const wchar_t* from) {
  wcscpy(to, from);      // RACE(a)
  wmemset(filled, 5, 4);  // RACE(b)
}

THREAD(reader) {
  duplicate(copy, text);
  order_wait();
  return NULL;
}

THREAD(writer) {
  order_wait();
  text[6] = L'x';  // RACE(a)
  filled[3] = 7;   // RACE(b)
  return NULL;
}

int main(void) {
  run_two(reader, writer);
  printf("%d %d\n", (int)wcslen(copy), (int)filled[3]);
}
