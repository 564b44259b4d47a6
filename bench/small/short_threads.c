// Many short threads: COUNT of them (default 10,000), no more than eight at a time. Each takes a lock, works on memory
// of its own and of all, and ends; one counter is unprotected, and two of eight count it. With -DHELPER each calls code
// that was not compiled with racecast.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long total, unprotected;

#ifdef HELPER
long helper(long* own);
#else
static long helper(long* own) {
  return *own + 1;
}
#endif

static void* work(void* own) {
  long* result = own;
  pthread_mutex_lock(&mutex);
  total += 1;
  pthread_mutex_unlock(&mutex);
  if (*result % 4 == 3) ++unprotected;
  *result = helper(result);
  return 0;
}

int main(int argc, char** argv) {
  const long count = argc > 1 ? atol(argv[1]) : 10000;
  long* results = calloc((size_t)count, sizeof(long));
  for (long begun = 0; begun < count;) {
    pthread_t threads[8];
    long some = 0;
    for (; some < 8 && begun < count; ++some, ++begun) {
      results[begun] = begun;
      pthread_create(&threads[some], 0, work, &results[begun]);
    }
    for (long i = 0; i < some; ++i) pthread_join(threads[i], 0);
  }
  free(results);
  return total == count ? 0 : 1;
}
