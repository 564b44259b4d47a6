// A second source file of a program, compiled with racecast as the first one.
static int calls;

int second_add(int* sum, int amount) {
  *sum += amount;
  return ++calls;
}
