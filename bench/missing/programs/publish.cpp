// A configuration is built, then a gate opens, and the workers use it. Its `verbose` is changed while they do.
#include "hidden/sync.h"
#include "threads.h"

namespace {

struct Settings {
  int threads = 0;
  int limit = 0;
  long weights[4] = {};
};

constexpr int kThreads = 4;
Settings* settings;
gate ready;
int verbose;
long results[kThreads], told[kThreads];

void* work(void* number) {
  const auto me = reinterpret_cast<intptr_t>(number);
  if (me == 0) {
    auto* fresh = new Settings;
    fresh->threads = kThreads;
    fresh->limit = 10;
    for (int i = 0; i < 4; ++i) fresh->weights[i] = i + 1;
    settings = fresh;
    gate_open(&ready);
    verbose = 1;  // RACE(verbose)
    return nullptr;
  }
  gate_wait(&ready);
  for (int i = 0; i < settings->limit; ++i) {
    results[me] += settings->weights[i % 4] * settings->threads;
    if (verbose != 0) ++told[me];  // RACE(verbose)
  }
  return nullptr;
}

}  // namespace

int main() {
  run_threads(kThreads, work);
  delete settings;
  printf("%ld\n", results[1] + results[2] + results[3]);
}
