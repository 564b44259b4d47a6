// For the programs of this folder: they check what they can see of themselves, and end with "ok".
#ifndef RACECAST_TESTS_RUNTIME_REQUIRE_H
#define RACECAST_TESTS_RUNTIME_REQUIRE_H

#include <stdio.h>
#include <stdlib.h>

#define REQUIRE(condition)                                            \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                        \
    }                                                                 \
  } while (0)

#endif
