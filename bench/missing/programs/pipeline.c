// Three stages, connected by channels: each item is on the heap, and handed from stage to stage.
// NORACE
#include "hidden/sync.h"
#include "threads.h"

enum { kItems = 40, kStages = 3 };

struct item {
  int number;
  long square, cube;
  char text[32];
};
static struct channel first, second;
static long total;

static void* stage(void* number) {
  for (int i = 0; i < kItems; ++i) {
    switch ((intptr_t)number) {
      case 0: {
        struct item* item = calloc(1, sizeof *item);
        item->number = i;
        channel_send(&first, item);
        break;
      }
      case 1: {
        struct item* item = channel_receive(&first);
        item->square = (long)item->number * item->number;
        item->cube = item->square * item->number;
        channel_send(&second, item);
        break;
      }
      default: {
        struct item* item = channel_receive(&second);
        item->text[0] = (char)('a' + item->number % 26);
        total += item->square + item->cube + item->text[0];
        free(item);
      }
    }
  }
  return NULL;
}

int main(void) {
  run_threads(kStages, stage);
  printf("%ld\n", total);
}
