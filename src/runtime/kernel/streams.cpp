// stdio on pipes, sockets and terminals. libc reads and writes their descriptors from inside, where nothing is
// intercepted; so it is noted here, by stream: whatever is put into one may be read at the other end from then on,
// whoever writes it out; and what comes from one was written before. On files nothing is noted.
//
// The header has bodies of its own for some of these; not here.
#define __NO_INLINE__ 1  // NOLINT(bugprone-reserved-identifier): glibc's
#include <stdio.h>

#include <cstdarg>

#include "runtime/kernel/descriptor.h"
#include "runtime/kernel/descriptor_lives.h"
#include "runtime/posix/interceptor.h"

namespace racecast::runtime {
namespace {

bool on_descriptor(FILE* stream) {
  return stream != nullptr && orders() && ::fileno_unlocked(stream) >= 0;
}
void put(FILE* stream, const void* callee) {
  if (on_descriptor(stream)) release_descriptor(::fileno_unlocked(stream), callee);
}
template <typename Result>
Result got(FILE* stream, Result result, const void* callee) {
  if (on_descriptor(stream)) {
    const KeepErrno keep;
    acquire_descriptor(::fileno_unlocked(stream), callee);
  }
  return result;
}

}  // namespace
}  // namespace racecast::runtime

using namespace racecast::runtime;

// Not noexcept: reading and writing a stream is a point of cancellation. REAL declares the real function.
#define REAL(result, name, ...)                          \
  namespace {                                            \
  RACECAST_REAL<result(__VA_ARGS__)> real_##name{#name}; \
  }

// ---- what puts

REAL(int, fputs, const char*, FILE*)
RACECAST_EXPORT int fputs(const char* text, FILE* stream) {
  put(stream, address_of(fputs));
  return real_fputs(text, stream);
}
REAL(int, fputs_unlocked, const char*, FILE*)
RACECAST_EXPORT int fputs_unlocked(const char* text, FILE* stream) {
  put(stream, address_of(fputs_unlocked));
  return real_fputs_unlocked(text, stream);
}
REAL(int, puts, const char*)
RACECAST_EXPORT int puts(const char* text) {
  put(stdout, address_of(puts));
  return real_puts(text);
}
#define PUTS_CHARACTER(name)                              \
  REAL(int, name, int, FILE*)                             \
  RACECAST_EXPORT int name(int character, FILE* stream) { \
    put(stream, address_of(name));                        \
    return real_##name(character, stream);                \
  }
PUTS_CHARACTER(fputc)
PUTS_CHARACTER(fputc_unlocked)
PUTS_CHARACTER(putc)
PUTS_CHARACTER(putc_unlocked)
PUTS_CHARACTER(putw)
extern "C" int _IO_putc(int, FILE*);
PUTS_CHARACTER(_IO_putc)
REAL(int, putchar, int)
RACECAST_EXPORT int putchar(int character) {
  put(stdout, address_of(putchar));
  return real_putchar(character);
}
REAL(int, putchar_unlocked, int)
RACECAST_EXPORT int putchar_unlocked(int character) {
  put(stdout, address_of(putchar_unlocked));
  return real_putchar_unlocked(character);
}
extern "C" int __overflow(FILE*, int);
REAL(int, __overflow, FILE*, int)
RACECAST_EXPORT int __overflow(FILE* stream, int character) {
  put(stream, address_of(__overflow));
  return real___overflow(stream, character);
}
REAL(size_t, fwrite, const void*, size_t, size_t, FILE*)
RACECAST_EXPORT size_t fwrite(const void* from, size_t size, size_t count, FILE* stream) {
  put(stream, address_of(fwrite));
  return real_fwrite(from, size, count, stream);
}
REAL(size_t, fwrite_unlocked, const void*, size_t, size_t, FILE*)
RACECAST_EXPORT size_t fwrite_unlocked(const void* from, size_t size, size_t count, FILE* stream) {
  put(stream, address_of(fwrite_unlocked));
  return real_fwrite_unlocked(from, size, count, stream);
}
REAL(void, perror, const char*)
RACECAST_EXPORT void perror(const char* text) {
  put(stderr, address_of(perror));
  real_perror(text);
}
REAL(int, fflush, FILE*)
RACECAST_EXPORT int fflush(FILE* stream) {
  put(stream, address_of(fflush));
  return real_fflush(stream);
}
REAL(int, fflush_unlocked, FILE*)
RACECAST_EXPORT int fflush_unlocked(FILE* stream) {
  put(stream, address_of(fflush_unlocked));
  return real_fflush_unlocked(stream);
}
REAL(int, fclose, FILE*)
RACECAST_EXPORT int fclose(FILE* stream) {
  closing(::fileno_unlocked(stream), address_of(fclose));
  return real_fclose(stream);
}
REAL(FILE*, freopen, const char*, const char*, FILE*)
RACECAST_EXPORT FILE* freopen(const char* path, const char* mode, FILE* stream) {
  closing(::fileno_unlocked(stream), address_of(freopen));
  return real_freopen(path, mode, stream);
}
RACECAST_EXPORT FILE* freopen64(const char* path, const char* mode, FILE* stream) {
  closing(::fileno_unlocked(stream), address_of(freopen64));
  return real_freopen(path, mode, stream);
}

// printf and its kin: those with dots do what those with a list do.
REAL(int, vfprintf, FILE*, const char*, va_list)
REAL(int, vdprintf, int, const char*, va_list)
extern "C" int __vfprintf_chk(FILE*, int, const char*, va_list);
extern "C" int __vdprintf_chk(int, int, const char*, va_list);
REAL(int, __vfprintf_chk, FILE*, int, const char*, va_list)
REAL(int, __vdprintf_chk, int, int, const char*, va_list)

namespace {
int print(FILE* stream, const char* format, va_list arguments, const void* callee) {
  put(stream, callee);
  return real_vfprintf(stream, format, arguments);
}
int print_checked(FILE* stream, int flag, const char* format, va_list arguments, const void* callee) {
  put(stream, callee);
  return real___vfprintf_chk(stream, flag, format, arguments);
}
}  // namespace

#define WITH_LIST(last, call) \
  va_list arguments;          \
  va_start(arguments, last);  \
  const int result = call;    \
  va_end(arguments);          \
  return result

RACECAST_EXPORT int printf(const char* format, ...) {
  WITH_LIST(format, print(stdout, format, arguments, address_of(printf)));
}
RACECAST_EXPORT int fprintf(FILE* stream, const char* format, ...) {
  WITH_LIST(format, print(stream, format, arguments, address_of(fprintf)));
}
RACECAST_EXPORT int vprintf(const char* format, va_list arguments) {
  return print(stdout, format, arguments, address_of(vprintf));
}
RACECAST_EXPORT int vfprintf(FILE* stream, const char* format, va_list arguments) {
  return print(stream, format, arguments, address_of(vfprintf));
}
extern "C" int __printf_chk(int, const char*, ...);
RACECAST_EXPORT int __printf_chk(int flag, const char* format, ...) {
  WITH_LIST(format, print_checked(stdout, flag, format, arguments, address_of(printf)));
}
extern "C" int __fprintf_chk(FILE*, int, const char*, ...);
RACECAST_EXPORT int __fprintf_chk(FILE* stream, int flag, const char* format, ...) {
  WITH_LIST(format, print_checked(stream, flag, format, arguments, address_of(fprintf)));
}
extern "C" int __vprintf_chk(int, const char*, va_list);
RACECAST_EXPORT int __vprintf_chk(int flag, const char* format, va_list arguments) {
  return print_checked(stdout, flag, format, arguments, address_of(vprintf));
}
RACECAST_EXPORT int __vfprintf_chk(FILE* stream, int flag, const char* format, va_list arguments) {
  return print_checked(stream, flag, format, arguments, address_of(vfprintf));
}

namespace {
template <typename Call>
int print_to(int descriptor, const void* callee, const Call& call) {
  Sending sending(descriptor, callee);
  return sending.done(call());
}
}  // namespace
RACECAST_EXPORT int dprintf(int descriptor, const char* format, ...) {
  WITH_LIST(format,
            print_to(descriptor, address_of(dprintf), [&] { return real_vdprintf(descriptor, format, arguments); }));
}
RACECAST_EXPORT int vdprintf(int descriptor, const char* format, va_list arguments) {
  return print_to(descriptor, address_of(vdprintf), [&] { return real_vdprintf(descriptor, format, arguments); });
}
extern "C" int __dprintf_chk(int, int, const char*, ...);
RACECAST_EXPORT int __dprintf_chk(int descriptor, int flag, const char* format, ...) {
  WITH_LIST(format, print_to(descriptor, address_of(dprintf),
                             [&] { return real___vdprintf_chk(descriptor, flag, format, arguments); }));
}
RACECAST_EXPORT int __vdprintf_chk(int descriptor, int flag, const char* format, va_list arguments) {
  return print_to(descriptor, address_of(vdprintf),
                  [&] { return real___vdprintf_chk(descriptor, flag, format, arguments); });
}

// ---- what gets

REAL(char*, fgets, char*, int, FILE*)
RACECAST_EXPORT char* fgets(char* to, int size, FILE* stream) {
  return got(stream, real_fgets(to, size, stream), address_of(fgets));
}
REAL(char*, fgets_unlocked, char*, int, FILE*)
RACECAST_EXPORT char* fgets_unlocked(char* to, int size, FILE* stream) {
  return got(stream, real_fgets_unlocked(to, size, stream), address_of(fgets_unlocked));
}
extern "C" char* __fgets_chk(char*, size_t, int, FILE*);
REAL(char*, __fgets_chk, char*, size_t, int, FILE*)
RACECAST_EXPORT char* __fgets_chk(char* to, size_t room, int size, FILE* stream) {
  return got(stream, real___fgets_chk(to, room, size, stream), address_of(fgets));
}
REAL(size_t, fread, void*, size_t, size_t, FILE*)
RACECAST_EXPORT size_t fread(void* to, size_t size, size_t count, FILE* stream) {
  return got(stream, real_fread(to, size, count, stream), address_of(fread));
}
REAL(size_t, fread_unlocked, void*, size_t, size_t, FILE*)
RACECAST_EXPORT size_t fread_unlocked(void* to, size_t size, size_t count, FILE* stream) {
  return got(stream, real_fread_unlocked(to, size, count, stream), address_of(fread_unlocked));
}
extern "C" size_t __fread_chk(void*, size_t, size_t, size_t, FILE*);
REAL(size_t, __fread_chk, void*, size_t, size_t, size_t, FILE*)
RACECAST_EXPORT size_t __fread_chk(void* to, size_t room, size_t size, size_t count, FILE* stream) {
  return got(stream, real___fread_chk(to, room, size, count, stream), address_of(fread));
}
#define GETS_CHARACTER(name)                                   \
  REAL(int, name, FILE*)                                       \
  RACECAST_EXPORT int name(FILE* stream) {                     \
    return got(stream, real_##name(stream), address_of(name)); \
  }
GETS_CHARACTER(fgetc)
GETS_CHARACTER(fgetc_unlocked)
GETS_CHARACTER(getc)
GETS_CHARACTER(getc_unlocked)
GETS_CHARACTER(getw)
extern "C" int _IO_getc(FILE*);
GETS_CHARACTER(_IO_getc)
extern "C" int __uflow(FILE*);
GETS_CHARACTER(__uflow)
REAL(int, getchar, void)
RACECAST_EXPORT int getchar() {
  return got(stdin, real_getchar(), address_of(getchar));
}
REAL(int, getchar_unlocked, void)
RACECAST_EXPORT int getchar_unlocked() {
  return got(stdin, real_getchar_unlocked(), address_of(getchar_unlocked));
}
REAL(ssize_t, getline, char**, size_t*, FILE*)
RACECAST_EXPORT ssize_t getline(char** to, size_t* room, FILE* stream) {
  return got(stream, real_getline(to, room, stream), address_of(getline));
}
REAL(ssize_t, getdelim, char**, size_t*, int, FILE*)
RACECAST_EXPORT ssize_t getdelim(char** to, size_t* room, int end, FILE* stream) {
  return got(stream, real_getdelim(to, room, end, stream), address_of(getdelim));
}
RACECAST_EXPORT ssize_t __getdelim(char** to, size_t* room, int end, FILE* stream) {
  return got(stream, real_getdelim(to, room, end, stream), address_of(getdelim));
}

// scanf and its kin, under the names that each version of the language has for them.
#define SCANS(tag, prefix)                                                                                   \
  namespace {                                                                                                \
  RACECAST_REAL<int(FILE*, const char*, va_list)> real_vfscanf_##tag{prefix "vfscanf"};                      \
  }                                                                                                          \
  extern "C" int fscanf_##tag(FILE*, const char*, ...) __asm__(prefix "fscanf");                             \
  RACECAST_EXPORT int fscanf_##tag(FILE* stream, const char* format, ...) {                                  \
    WITH_LIST(format, got(stream, real_vfscanf_##tag(stream, format, arguments), address_of(fscanf_##tag))); \
  }                                                                                                          \
  extern "C" int scanf_##tag(const char*, ...) __asm__(prefix "scanf");                                      \
  RACECAST_EXPORT int scanf_##tag(const char* format, ...) {                                                 \
    WITH_LIST(format, got(stdin, real_vfscanf_##tag(stdin, format, arguments), address_of(scanf_##tag)));    \
  }                                                                                                          \
  extern "C" int vfscanf_##tag(FILE*, const char*, va_list) __asm__(prefix "vfscanf");                       \
  RACECAST_EXPORT int vfscanf_##tag(FILE* stream, const char* format, va_list arguments) {                   \
    return got(stream, real_vfscanf_##tag(stream, format, arguments), address_of(vfscanf_##tag));            \
  }                                                                                                          \
  extern "C" int vscanf_##tag(const char*, va_list) __asm__(prefix "vscanf");                                \
  RACECAST_EXPORT int vscanf_##tag(const char* format, va_list arguments) {                                  \
    return got(stdin, real_vfscanf_##tag(stdin, format, arguments), address_of(vscanf_##tag));               \
  }
SCANS(old, "")
SCANS(c99, "__isoc99_")
SCANS(c23, "__isoc23_")
