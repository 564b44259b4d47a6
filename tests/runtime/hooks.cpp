// A program that calls the hooks by hand, for tests/cli/runtime.sh: hooks MODE [NUMBER]...
#include "hooks.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "racecast/annotations.h"

namespace {

struct Node {
  Node* next;
  std::uint64_t value;
};

std::uint64_t counter = 0;
Node* global_list = nullptr;
const void* const globals[] = {&counter, &global_list, nullptr};
const std::uint64_t global_sizes[] = {sizeof(counter), sizeof(global_list), 0};
thread_local std::uint64_t in_tls = 1;
std::uint64_t records_of_each = 0;
racecast_barrier barrier;

void* worker(void*) {
  in_tls = 2;
  for (std::uint64_t i = 0; i < records_of_each; ++i) {
    plain_record(i);
    if (i % 64 == 0) recorded_add(&counter);
  }
  return nullptr;
}

int run_threads(int threads, std::uint64_t records) {
  records_of_each = records;
  std::vector<pthread_t> all(static_cast<std::size_t>(threads));
  for (pthread_t& t : all)
    if (pthread_create(&t, nullptr, worker, nullptr) != 0) return 1;
  for (pthread_t t : all) pthread_join(t, nullptr);
  return 0;
}

// One after the other, so that their resources come again.
int run_many(int threads) {
  for (int i = 0; i < threads; ++i)
    if (run_threads(1, 3) != 0) return 1;
  char line[256];
  long maps = 0;
  FILE* file = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, file) != nullptr) ++maps;
  fclose(file);
  printf("maps %ld\n", maps);
  return maps < 200 ? 0 : 1;
}

std::uint64_t in_handler = 0;
volatile sig_atomic_t signals_seen = 0;
void handler(int) {
  errno = EBADF;
  plain_record(in_handler++);
  recorded_add(&counter);
  signals_seen = signals_seen + 1;
}

int run_signals(std::uint64_t records) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigaction(SIGALRM, &action, nullptr);
  struct sigaction now = {};
  sigaction(SIGALRM, nullptr, &now);
  if (now.sa_handler != handler || (now.sa_flags & SA_SIGINFO) != 0) return 1;
  struct itimerval timer = {{0, 100}, {0, 100}};
  setitimer(ITIMER_REAL, &timer, nullptr);
  for (std::uint64_t i = 0; i < records || signals_seen < 100; ++i) {
    plain_record(i);
    recorded_add(&counter);
  }
  timer = {};
  setitimer(ITIMER_REAL, &timer, nullptr);
  if (signal(SIGALRM, SIG_IGN) != handler) return 2;
  if (signal(SIGALRM, SIG_DFL) != SIG_IGN) return 3;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGUSR1, &action, nullptr);
  raise(SIGUSR1);
  sigaction(SIGUSR1, nullptr, &now);
  return now.sa_handler == SIG_DFL ? 0 : 4;
}

// A handler that interrupts another one, on a small alternate stack.
void outer_handler(int, siginfo_t* info, void* context) {
  if (info == nullptr || context == nullptr) _exit(9);
  plain_record(in_handler++);
  raise(SIGUSR2);
  plain_record(in_handler++);
}
void inner_handler(int) {
  recorded_add(&counter);
}
sigjmp_buf back;
void jumping_handler(int) {
  plain_record(in_handler++);
  siglongjmp(back, 1);
}

int run_nested() {
  static char memory[16384];
  stack_t stack = {memory, 0, sizeof memory};
  sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = outer_handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGUSR1, &action, nullptr);
  signal(SIGUSR2, inner_handler);
  plain_record(0);
  raise(SIGUSR1);
  plain_record(1);
  action.sa_handler = jumping_handler;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
  for (int i = 0; i < 20; ++i) {
    if (sigsetjmp(back, 1) == 0) {
      // As when an atomic instruction faults.
      __racecast_atomic_begin(&counter);
      raise(SIGSEGV);
    }
  }
  plain_record(2);
  recorded_add(&counter);
  // A jump that stays inside the handler, and one without any.
  if (setjmp(back) == 0) longjmp(back, 1);
  plain_record(3);
  return 0;
}

int run_fork(std::uint64_t records) {
  for (std::uint64_t i = 0; i < records; ++i) plain_record(i);
  const pid_t child = fork();
  for (std::uint64_t i = 0; i < records; ++i) plain_record(child == 0 ? i : records + i);
  recorded_add(&counter);
  if (child == 0) {
    run_threads(2, 100);
    _exit(7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 7 ? 0 : 1;
}

int run_missing() {
  Node* list = nullptr;
  for (std::uint64_t i = 0; i < 300; ++i) list = new Node{list, i};
  auto* lonely = new Node{nullptr, 0};
  global_list = new Node{nullptr, 1};
  const void* const one[] = {list};
  __racecast_missing_begin(reinterpret_cast<void*>(0x1000), 1, one);
  __racecast_missing_end(1, 42);
  // An interior pointer, a global that points on, and things that lead nowhere.
  const void* const several[] = {
      &lonely->value, &global_list, nullptr, reinterpret_cast<void*>(&printf), "text", reinterpret_cast<void*>(-1L)};
  __racecast_missing_begin(nullptr, 6, several);
  __racecast_missing_end(0, 0);
  Node on_stack = {lonely, 0};
  const void* const stack[] = {&on_stack};
  __racecast_missing_begin(nullptr, 1, stack);
  __racecast_missing_end(0, 0);
  const void* const tls[] = {&in_tls};
  __racecast_missing_begin(nullptr, 1, tls);
  __racecast_missing_end(0, 0);
  for (std::uint64_t i = 0; i < 5000; ++i) list = new Node{list, i};
  const void* const too_many[] = {list};
  __racecast_missing_begin(nullptr, 1, too_many);
  __racecast_missing_end(0, 0);
  void* large = malloc(8 << 20);
  const void* const too_large[] = {static_cast<char*>(large) + 4096};
  __racecast_missing_begin(nullptr, 1, too_large);
  __racecast_missing_end(0, 0);
  __racecast_missing_begin(nullptr, racecast::abi::kEverywhere, nullptr);
  __racecast_missing_end(0, 0);
  // Memory that cannot be read has no pointers; what was freed is not reached.
  void* closed = mmap(nullptr, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void* freed = malloc(64);
  free(freed);
  const void* const dead[] = {closed, freed};
  __racecast_missing_begin(nullptr, 2, dead);
  __racecast_missing_end(0, 0);
  printf("list %p lonely %p global_list %p global %p stack %p tls %p closed %p\n", static_cast<const void*>(one[0]),
         static_cast<void*>(lonely), static_cast<void*>(&global_list), static_cast<void*>(global_list),
         static_cast<void*>(&on_stack), static_cast<void*>(&in_tls), closed);
  return 0;
}

int run_effects() {
  using namespace racecast::abi;
  char text[16] = "hello";
  const std::uint64_t arguments[] = {reinterpret_cast<std::uint64_t>(text), 3, 5};
  const Effect effects[] = {
      {0, 0, Length::String, kNoArgument, kNoArgument, {}, 0},
      {0, 0, Length::String, 1, kNoArgument, {}, 0},
      {1, 0, Length::Argument, 1, kNoArgument, {}, 0},
      {1, 0, Length::Argument, 1, 2, {}, 0},
      {1, 0, Length::Constant, 0, 0, {}, 16},
      {1, 0, Length::Result, kNoArgument, 0, {}, 0},
      {1, 0, Length::Result, 1, 0, {}, 0},
  };
  errno = ERANGE;
  __racecast_effect(effects, 7, 4, arguments);
  __racecast_effect(effects + 5, 2, static_cast<std::uint64_t>(-1), arguments);
  __racecast_effect(effects + 5, 2, 0xffffffff, arguments);
  const Effect of_result[] = {{0, kResultPointer, Length::String, kNoArgument, kNoArgument, {}, 0}};
  __racecast_effect(of_result, 1, 0, arguments);
  __racecast_effect(of_result, 1, arguments[0], arguments);
  return errno == ERANGE ? 0 : 1;
}

void* party(void* number) {
  for (std::uint64_t round = 0; round < 1000; ++round) {
    if (reinterpret_cast<std::uint64_t>(number) == round % 3) counter = round;
    __racecast_barrier_wait(&barrier);
    if (counter != round) _exit(1);
    __racecast_barrier_wait(&barrier);
  }
  return nullptr;
}

int run_barrier() {
  __racecast_barrier_init(&barrier, 3);
  pthread_t threads[3];
  for (std::uint64_t i = 0; i < 3; ++i) pthread_create(&threads[i], nullptr, party, reinterpret_cast<void*>(i));
  for (pthread_t t : threads) pthread_join(t, nullptr);
  __racecast_marker("a note");
  __racecast_release(&counter);
  __racecast_acquire(&counter);
  return 0;
}

int run_forever() {
  records_of_each = ~std::uint64_t{0};
  pthread_t thread;
  for (int i = 0; i < 3; ++i) pthread_create(&thread, nullptr, worker, nullptr);
  printf("running\n");
  fflush(stdout);
  worker(nullptr);
  return 0;
}

int run_clash() {
  static const std::uint8_t model[] = "other";
  static const racecast::abi::Module module = {
      racecast::abi::kVersion, 4, record_ids + 3, model, sizeof(model), nullptr, nullptr, 0, nullptr, 0};
  __racecast_module(&module);
  plain_record(0);
  recorded_add(&counter);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  register_module(globals, global_sizes, 3);
  const char* mode = argc > 1 ? argv[1] : "";
  const auto number = [&](int i) { return argc > i ? strtoull(argv[i], nullptr, 10) : 0; };
  if (strcmp(mode, "threads") == 0) return run_threads(static_cast<int>(number(2)), number(3));
  if (strcmp(mode, "many") == 0) return run_many(static_cast<int>(number(2)));
  if (strcmp(mode, "signals") == 0) return run_signals(number(2));
  if (strcmp(mode, "nested") == 0) return run_nested();
  if (strcmp(mode, "fork") == 0) return run_fork(number(2));
  if (strcmp(mode, "exec") == 0) return execl(argv[0], argv[0], "threads", "1", "10", nullptr);
  if (strcmp(mode, "missing") == 0) return run_missing();
  if (strcmp(mode, "effects") == 0) return run_effects();
  if (strcmp(mode, "barrier") == 0) return run_barrier();
  if (strcmp(mode, "forever") == 0) return run_forever();
  if (strcmp(mode, "clash") == 0) return run_clash();
  return 64;
}
