// A library that is compiled with racecast and loaded with dlopen. It walks an array and calls back.
static int walks;

int loaded_walk(const int* numbers, int count, void (*visit)(int)) {
  for (int i = 0; i < count; i++) visit(numbers[i]);
  return __atomic_add_fetch(&walks, 1, __ATOMIC_RELAXED);
}
