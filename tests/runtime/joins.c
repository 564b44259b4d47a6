// Threads that create and join others at the same time: a handle comes again as soon as its thread was joined, perhaps
// in another thread, which may join faster than the new thread begins.
#include <pthread.h>

#include "require.h"

static void* nothing(void* argument) {
  return argument;
}
static void* creates(void* argument) {
  for (int i = 0; i < 400; ++i) {
    pthread_t thread;
    void* result;
    REQUIRE(pthread_create(&thread, NULL, nothing, &thread) == 0);
    REQUIRE(pthread_join(thread, &result) == 0 && result == &thread);
  }
  return argument;
}

int main(void) {
  pthread_t creators[4];
  for (int i = 0; i < 4; ++i) REQUIRE(pthread_create(&creators[i], NULL, creates, NULL) == 0);
  for (int i = 0; i < 4; ++i) REQUIRE(pthread_join(creators[i], NULL) == 0);
  puts("ok");
  return 0;
}
