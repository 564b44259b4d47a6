// What the programs share: n threads of one function, started and joined.
#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_THREADS 16

static inline void run_threads(int count, void* (*function)(void*)) {
  pthread_t threads[MAX_THREADS];
  for (intptr_t i = 0; i < count; ++i) pthread_create(&threads[i], NULL, function, (void*)i);
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
}

// Each thread's own random numbers.
static inline unsigned next_random(unsigned* state) {
  return *state = *state * 1103515245u + 12345u, *state >> 16;
}
