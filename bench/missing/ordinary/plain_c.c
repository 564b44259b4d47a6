// What C programs call: text, numbers, time, sorting, options, files.
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static int compare(const void* a, const void* b) {
  return *(const int*)a - *(const int*)b;
}
static void say(char* to, size_t size, const char* format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(to, size, format, list);
  va_end(list);
}
static void* work(void* result) {
  char text[200], copy[200];
  long sum = 0;
  int numbers[10] = {5, 3, 8, 1, 9, 2, 7, 4, 6, 0};
  qsort(numbers, 10, sizeof(int), compare);
  int key = 3;
  sum += bsearch(&key, numbers, 10, sizeof(int), compare) != NULL;
  say(text, sizeof(text), "%d %s", 5, "five");
  strcat(text, " and more");
  strncat(text, " than that", 5);
  sum += memchr(text, 'f', strlen(text)) != NULL;
  sum += memrchr(text, 'f', strlen(text)) != NULL;
  sum += rawmemchr(text, 0) != NULL;
  strcpy(copy, text);
  char* rest = copy;
  while (strsep(&rest, " ") != NULL) ++sum;
  char* saved;
  for (char* word = strtok_r(text, " ", &saved); word; word = strtok_r(NULL, " ", &saved)) ++sum;
  int a, b;
  sum += sscanf("12 13", "%d %d", &a, &b) + a + b;
  char* made;
  if (asprintf(&made, "%d", 7) > 0) free(made);
  time_t now = time(NULL);
  struct tm parts;
  gmtime_r(&now, &parts);
  strftime(text, sizeof(text), "%F", &parts);
  asctime_r(&parts, text);
  ctime_r(&now, text);
  strptime("2020", "%Y", &parts);
  sum += strerror_r(ENOENT, text, sizeof(text))[0];
  sum += strtol("5", NULL, 10) + (long)strtod("1.5", NULL) + strtoumax("5", NULL, 10);
  wchar_t wide[50];
  wcscpy(wide, L"wide");
  wcscat(wide, L" and wider");
  sum += (long)wcslen(wide) + wcscmp(wide, L"x") + (wmemchr(wide, L'd', 4) != NULL);
  swprintf(wide, 50, L"%d", 5);
  FILE* file = tmpfile();
  fprintf(file, "one line\nanother\n");
  rewind(file);
  char* line = NULL;
  size_t room = 0;
  while (getline(&line, &room, file) > 0) ++sum;
  free(line);
  fclose(file);
  FILE* memory = open_memstream(&made, &room);
  fputs("text", memory);
  fclose(memory);
  free(made);
  sum += toupper('a') + isalpha('b') + (long)(sin(1.0) + cbrt(2.0) + ldexp(1.0, 3));
  unsigned short seed[3] = {1, 2, 3};
  sum += (long)(erand48(seed) * 3);
  struct drand48_data state;
  srand48_r(3, &state);
  long drawn;
  lrand48_r(&state, &drawn);
  sum += getenv("HOME") != NULL;
  struct timeval v;
  gettimeofday(&v, NULL);
  char name[100];
  sum += gethostname(name, sizeof(name));
  sum += confstr(_CS_PATH, name, sizeof(name)) > 0;
  *(long*)result = sum + drawn % 2;
  return NULL;
}

int main(int argc, char** argv) {
  int option;
  while ((option = getopt(argc, argv, "ab:")) != -1) continue;
  setlocale(LC_ALL, "C");
  long results[2];
  pthread_t t;
  pthread_create(&t, NULL, work, &results[0]);
  work(&results[1]);
  pthread_join(t, NULL);
  return results[0] + results[1] > 0 ? 0 : 1;
}
