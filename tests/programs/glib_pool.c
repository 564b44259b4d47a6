// LIBS: -lglib-2.0 -lpthread
// FLAGS: -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include
// GLib's thread pool, as the system has it: two of its callbacks write the same variable at the same time.
#include <glib.h>

#include "test.h"

int total;

static void add(gpointer data, UNUSED gpointer user) {
  const int number = GPOINTER_TO_INT(data);
  if (number == 2) order_wait();
  total += number;  // RACE(a)
  if (number == 1) order_wait();
}

int main(void) {
  order_init(2);
  GThreadPool* pool = g_thread_pool_new(add, NULL, 2, TRUE, NULL);
  g_thread_pool_push(pool, GINT_TO_POINTER(1), NULL);
  g_thread_pool_push(pool, GINT_TO_POINTER(2), NULL);
  g_thread_pool_free(pool, FALSE, TRUE);
  printf("%d\n", total);
}
