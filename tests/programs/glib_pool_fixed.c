// LIBS: -lglib-2.0 -lpthread
// FLAGS: -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include
// GLib's thread pool, as the system has it: callbacks write what is theirs, and main reads that when it has waited.
// NORACE
#include <glib.h>

#include "test.h"

struct part {
  int input, result;
};

static void compute(gpointer data, gpointer user) {
  struct part* part = data;
  part->result = part->input * *(int*)user;
}

int main(void) {
  struct part* parts[8];
  int factor = 3, sum = 0;
  for (int round = 0; round < 2; round++) {
    GThreadPool* pool = g_thread_pool_new(compute, &factor, 2, FALSE, NULL);
    for (int i = 0; i < 8; i++) {
      parts[i] = calloc(1, sizeof(struct part));
      parts[i]->input = i;
      g_thread_pool_push(pool, parts[i], NULL);
    }
    g_thread_pool_free(pool, FALSE, TRUE);
    for (int i = 0; i < 8; i++) {
      sum += parts[i]->result;
      free(parts[i]);
    }
    factor++;
  }
  printf("%d\n", sum);
}
