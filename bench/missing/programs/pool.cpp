// A pool of workers with a queue of tasks on the heap; results are collected after a count of what is open went to
// zero. NORACE
#include <vector>

#include "hidden/sync.h"
#include "threads.h"

namespace {

struct Task {
  int input = 0;
  long result = 0;
  Task* next = nullptr;
};

struct Pool {
  spin lock{};
  units ready{};
  gate finished{};
  count open{};
  Task* first = nullptr;
};

constexpr int kTasks = 40, kWorkers = 3;
Pool pool;
std::vector<Task*> tasks;

void submit(Task* task) {
  spin_lock(&pool.lock);
  task->next = pool.first;
  pool.first = task;
  spin_unlock(&pool.lock);
  units_up(&pool.ready);
}

Task* take() {
  units_down(&pool.ready);
  spin_lock(&pool.lock);
  Task* const task = pool.first;
  if (task != nullptr) pool.first = task->next;
  spin_unlock(&pool.lock);
  return task;
}

void* worker(void*) {
  while (Task* const task = take()) {
    for (int i = 1; i <= task->input; ++i) task->result += i;
    if (count_down(&pool.open) == 0) gate_open(&pool.finished);
  }
  return nullptr;
}

}  // namespace

int main() {
  pool.open.value = kTasks;
  pthread_t threads[kWorkers];
  for (pthread_t& thread : threads) pthread_create(&thread, nullptr, worker, nullptr);
  for (int i = 0; i < kTasks; ++i) {
    tasks.push_back(new Task{i});
    submit(tasks.back());
  }
  gate_wait(&pool.finished);
  long sum = 0;
  for (const Task* task : tasks) sum += task->result;
  for (int i = 0; i < kWorkers; ++i) units_up(&pool.ready);  // nothing is left: each worker ends
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  for (const Task* task : tasks) delete task;
  printf("%ld\n", sum);
}
