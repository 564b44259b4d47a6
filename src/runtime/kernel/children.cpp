// Other processes: who starts one is before all that comes from there, and who learns of its end is after all that it
// did. A process that is started has our descriptors (note_company); fork itself is watched by the table.
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdarg>

#include "runtime/kernel/descriptor_lives.h"
#include "runtime/kernel/descriptor_table.h"
#include "runtime/kernel/ordering.h"
#include "runtime/posix/interceptor.h"

namespace racecast::runtime {
namespace {

RACECAST_REAL<int(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*, char* const*,
                  char* const*)>
    real_spawn{"posix_spawn"};
RACECAST_REAL<int(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*, char* const*,
                  char* const*)>
    real_spawnp{"posix_spawnp"};
RACECAST_REAL<int(const char*)> real_system{"system"};
RACECAST_REAL<FILE*(const char*, const char*)> real_popen{"popen"};
RACECAST_REAL<int(FILE*)> real_pclose{"pclose"};
RACECAST_REAL<int(int (*)(void*), void*, int, void*, void*, void*, void*)> real_clone{"clone"};
RACECAST_REAL<pid_t(int*)> real_wait{"wait"};
RACECAST_REAL<pid_t(pid_t, int*, int)> real_waitpid{"waitpid"};
RACECAST_REAL<pid_t(int*, int, rusage*)> real_wait3{"wait3"};
RACECAST_REAL<pid_t(pid_t, int*, int, rusage*)> real_wait4{"wait4"};
RACECAST_REAL<int(idtype_t, id_t, siginfo_t*, int)> real_waitid{"waitid"};
RACECAST_REAL<int(const char*, char* const*, char* const*)> real_execve{"execve"};
RACECAST_REAL<int(const char*, char* const*, char* const*)> real_execvpe{"execvpe"};
RACECAST_REAL<int(int, char* const*, char* const*)> real_fexecve{"fexecve"};

void starts_process() {
  if (tracks()) note_company();
}
pid_t ended(pid_t child) {
  if (child > 0 && orders()) acquire(abi::kOutside);
  return child;
}

// How many arguments an exec with a list of them has, with the zero at the end.
unsigned count_of(va_list arguments) {
  unsigned count = 2;
  while (va_arg(arguments, char*) != nullptr) ++count;
  return count;
}

}  // namespace
}  // namespace racecast::runtime

using namespace racecast::runtime;

// ---- starting one

RACECAST_EXPORT int posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                                const posix_spawnattr_t* attributes, char* const arguments[],
                                char* const environment[]) {
  starts_process();
  return real_spawn(child, path, actions, attributes, arguments, environment);
}
RACECAST_EXPORT int posix_spawnp(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                                 const posix_spawnattr_t* attributes, char* const arguments[],
                                 char* const environment[]) {
  starts_process();
  return real_spawnp(child, path, actions, attributes, arguments, environment);
}
RACECAST_EXPORT int system(const char* command) {
  starts_process();
  const int result = real_system(command);
  if (result != -1 && orders()) acquire(racecast::abi::kOutside);
  return result;
}
RACECAST_EXPORT FILE* popen(const char* command, const char* mode) {
  starts_process();
  FILE* const stream = real_popen(command, mode);
  if (stream != nullptr && tracks()) forget_descriptor(::fileno_unlocked(stream));
  return stream;
}
RACECAST_EXPORT int clone(int (*function)(void*), void* stack, int flags, void* argument, ...) noexcept {
  va_list arguments;
  va_start(arguments, argument);
  void* const parent = va_arg(arguments, void*);
  void* const tls = va_arg(arguments, void*);
  void* const child = va_arg(arguments, void*);
  va_end(arguments);
  if ((flags & CLONE_FILES) == 0 || (flags & CLONE_VM) == 0) starts_process();
  return real_clone(function, stack, flags, argument, parent, tls, child);
}

// A child of vfork has got this far with our memory and copies of our descriptors. In any other process it is the end.
RACECAST_EXPORT int execve(const char* path, char* const arguments[], char* const environment[]) noexcept {
  starts_process();
  return real_execve(path, arguments, environment);
}
RACECAST_EXPORT int execv(const char* path, char* const arguments[]) noexcept {
  return execve(path, arguments, environ);
}
RACECAST_EXPORT int execvpe(const char* file, char* const arguments[], char* const environment[]) noexcept {
  starts_process();
  return real_execvpe(file, arguments, environment);
}
RACECAST_EXPORT int execvp(const char* file, char* const arguments[]) noexcept {
  return execvpe(file, arguments, environ);
}
RACECAST_EXPORT int fexecve(int descriptor, char* const arguments[], char* const environment[]) noexcept {
  starts_process();
  return real_fexecve(descriptor, arguments, environment);
}

#define RACECAST_LIST(first)                                                             \
  va_list list;                                                                          \
  va_start(list, first);                                                                 \
  const unsigned count = count_of(list);                                                 \
  va_end(list);                                                                          \
  auto** const arguments = static_cast<char**>(__builtin_alloca(count * sizeof(char*))); \
  arguments[0] = const_cast<char*>(first);                                               \
  va_start(list, first);                                                                 \
  for (unsigned i = 1; i < count; ++i) arguments[i] = va_arg(list, char*)

RACECAST_EXPORT int execl(const char* path, const char* first, ...) noexcept {
  RACECAST_LIST(first);
  va_end(list);
  return execve(path, arguments, environ);
}
RACECAST_EXPORT int execlp(const char* file, const char* first, ...) noexcept {
  RACECAST_LIST(first);
  va_end(list);
  return execvpe(file, arguments, environ);
}
RACECAST_EXPORT int execle(const char* path, const char* first, ...) noexcept {
  RACECAST_LIST(first);
  char** const environment = va_arg(list, char**);
  va_end(list);
  return execve(path, arguments, environment);
}

// ---- its end

RACECAST_EXPORT pid_t wait(int* status) {
  return ended(real_wait(status));
}
RACECAST_EXPORT pid_t waitpid(pid_t child, int* status, int options) {
  return ended(real_waitpid(child, status, options));
}
RACECAST_EXPORT pid_t wait3(int* status, int options, rusage* usage) noexcept {
  return ended(real_wait3(status, options, usage));
}
RACECAST_EXPORT pid_t wait4(pid_t child, int* status, int options, rusage* usage) noexcept {
  return ended(real_wait4(child, status, options, usage));
}
RACECAST_EXPORT int waitid(idtype_t type, id_t id, siginfo_t* information, int options) {
  const int result = real_waitid(type, id, information, options);
  if (result == 0) ended(information == nullptr ? 1 : information->si_pid);
  return result;
}
RACECAST_EXPORT int pclose(FILE* stream) {
  closing(::fileno_unlocked(stream), address_of(pclose));
  const int result = real_pclose(stream);
  if (orders()) acquire(racecast::abi::kOutside);
  return result;
}
