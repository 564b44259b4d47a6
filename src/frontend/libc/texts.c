// Texts in memory of their own, and texts of errors.
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The program may have a function of that name.
#define WEAK __attribute__((weak))

int __xpg_strerror_r(int error, char* buffer, size_t size);

WEAK int vasprintf(char** result, const char* format, va_list arguments) {
  va_list once_more;
  va_copy(once_more, arguments);
  const int length = vsnprintf(NULL, 0, format, arguments);
  char* const text = length < 0 ? NULL : malloc((size_t)length + 1);
  if (text != NULL) {
    vsnprintf(text, (size_t)length + 1, format, once_more);
    *result = text;
  }
  va_end(once_more);
  return text != NULL ? length : -1;
}

WEAK int asprintf(char** result, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vasprintf(result, format, arguments);
  va_end(arguments);
  return length;
}

// GNU's strerror_r: the buffer is used for unknown errors only.
WEAK char* strerror_r(int error, char* buffer, size_t size) {
  if (strerrordesc_np(error) != NULL) return strerror(error);
  __xpg_strerror_r(error, buffer, size);
  return buffer;
}
