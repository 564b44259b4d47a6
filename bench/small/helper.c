// Compiled without racecast (short_threads.c).
long helper(long* own) {
  return *own + 1;
}
