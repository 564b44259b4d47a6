// Strings that are appended to or taken apart: what is written begins where a string ends.
#define _GNU_SOURCE
#include <stddef.h>
#include <string.h>
#include <wchar.h>

// The program may have a function of that name.
#define WEAK __attribute__((weak))

_Noreturn void __chk_fail(void);

WEAK char* strcat(char* to, const char* from) {
  strcpy(to + strlen(to), from);
  return to;
}

WEAK char* strncat(char* to, const char* from, size_t most) {
  const size_t length = strnlen(from, most);
  char* const end = to + strlen(to);
  memcpy(end, from, length);
  end[length] = 0;
  return to;
}

// Of programs that are compiled with _FORTIFY_SOURCE. `room`: the size of the object at `to`.
WEAK char* __strcat_chk(char* to, const char* from, size_t room) {
  if (strlen(to) + strlen(from) >= room) __chk_fail();
  return strcat(to, from);
}

WEAK char* __strncat_chk(char* to, const char* from, size_t most, size_t room) {
  if (strlen(to) + strnlen(from, most) >= room) __chk_fail();
  return strncat(to, from, most);
}

WEAK char* strtok_r(char* text, const char* separators, char** rest) {
  if (text == NULL) text = *rest;
  text += strspn(text, separators);
  char* const end = text + strcspn(text, separators);
  *rest = end;
  if (end == text) return NULL;
  if (*end != 0) {
    *end = 0;
    *rest = end + 1;
  }
  return text;
}

// Its name in libc's own headers.
WEAK char* __strtok_r(char* text, const char* separators, char** rest) {
  return strtok_r(text, separators, rest);
}

WEAK char* strsep(char** rest, const char* separators) {
  char* const text = *rest;
  if (text == NULL) return NULL;
  char* const end = text + strcspn(text, separators);
  if (*end != 0) {
    *end = 0;
    *rest = end + 1;
  } else {
    *rest = NULL;
  }
  return text;
}

WEAK void* memrchr(const void* memory, int byte, size_t size) {
  const unsigned char* const bytes = memory;
  while (size > 0)
    if (bytes[--size] == (unsigned char)byte) return (void*)(bytes + size);
  return NULL;
}

WEAK wchar_t* wmemchr(const wchar_t* memory, wchar_t wanted, size_t count) {
  for (; count > 0; --count, ++memory)
    if (*memory == wanted) return (wchar_t*)memory;
  return NULL;
}

WEAK wchar_t* wcscat(wchar_t* to, const wchar_t* from) {
  wcscpy(to + wcslen(to), from);
  return to;
}
