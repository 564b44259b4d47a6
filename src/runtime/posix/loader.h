// Forks and the loader's lock. glibc (2.36) does not make the lock of dl_iterate_phdr free in the child of a fork. A
// child that was forked while another thread had it would wait for ever as soon as a thread of it begins, because the
// runtime asks there for thread-local memory (threads.cpp). So a fork waits until no thread is inside.
#pragma once

namespace racecast::runtime {

// Before a fork, and after it in the parent and in the child.
void keep_out_of_loader();
void let_into_loader();
void forget_loader();

// Whether this thread is inside of dl_iterate_phdr, in a callback or a handler: a child that it forks must not ask.
bool is_in_loader();

}  // namespace racecast::runtime
