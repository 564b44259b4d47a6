// A library that is compiled without racecast: code without hooks.
void counter_add(int* counter, int amount) {
  *counter += amount;
}

int counter_get(const int* counter) {
  return *counter;
}

void for_each(int* numbers, int count, void (*function)(int, void*), void* context) {
  for (int i = 0; i < count; i++) function(numbers[i], context);
}
