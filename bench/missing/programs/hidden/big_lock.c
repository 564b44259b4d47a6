// A lock in a variable of its own. In a file of its own, as a part of a library: what a program does not use of the
// library is not linked, and its variables are no state that others could share.
#include "sync.h"

static struct spin big;
void big_lock(void) {
  spin_lock(&big);
}
void big_unlock(void) {
  spin_unlock(&big);
}
