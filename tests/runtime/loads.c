// Loads a library in C++ into a program in C; see loaded.cpp. Argument: the library.
#include <dlfcn.h>

#include "require.h"

int main(int argc, char** argv) {
  REQUIRE(argc == 2);
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library != NULL);
  int (*loaded)(int) = (int (*)(int))dlsym(library, "loaded");
  REQUIRE(loaded != NULL);
  REQUIRE(loaded(1) == 10);
  REQUIRE(loaded(0) == 2);
  REQUIRE(loaded(0) == 2);
  REQUIRE(dlclose(library) == 0);
  puts("ok");
  return 0;
}
