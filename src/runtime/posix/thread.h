// Creating threads, for all forms of it.
#pragma once

#include <pthread.h>

namespace racecast::runtime {

// As pthread_create. `root` and `root_argument`: what the program wants it to begin with, where `routine` is ours.
int create_thread(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*), void* argument,
                  const void* root, const void* root_argument);

}  // namespace racecast::runtime
