// Which clock: clock_bench TRACE.rct... runs the lock, fork and join events of each trace through three representations
// of hb's clocks and prints nanoseconds per event as Markdown. Flat vectors, joined and copied; the same with stamps,
// as model/order/sync_clocks.h does it (a join is skipped if the released event is known, a release shares the frozen
// clock); and tree clocks (Mathur, Tunç, Pavlogiannis, Viswanathan, ASPLOS 2022), which visit only what is new to them.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "base/hash.h"
#include "model/order/vector_clock.h"
#include "trace/reader.h"

namespace {

using namespace racecast;
using model::Time;
using model::VectorClock;

struct Operation {
  enum Kind : std::uint8_t { Acquire, Release, Fork, Join } kind;
  std::uint32_t thread, other;  // a lock's number, or a thread
};
struct Workload {
  std::vector<Operation> operations;
  std::uint32_t threads = 0, locks = 0;
};

struct Flat {
  std::vector<VectorClock> threads, locks;
  explicit Flat(const Workload& w) : threads(w.threads), locks(w.locks) {}
  void tick(std::uint32_t t) { threads[t].set(ThreadId{t}, threads[t][ThreadId{t}] + 1); }
  void acquire(std::uint32_t t, std::uint32_t l) { threads[t].join(locks[l]); }
  void release(std::uint32_t t, std::uint32_t l) { locks[l] = threads[t]; }
  void join(std::uint32_t t, std::uint32_t from) { threads[t].join(threads[from]); }
  Time get(std::uint32_t t, std::uint32_t of) const { return threads[t][ThreadId{of}]; }
};

struct Stamped {
  struct Thread {
    VectorClock clock;
    Time time = 0;
    model::FrozenClock frozen;
  };
  std::vector<Thread> threads;
  std::vector<model::Stamp> locks;
  explicit Stamped(const Workload& w) : threads(w.threads), locks(w.locks) {}
  void tick(std::uint32_t t) { ++threads[t].time; }
  model::Stamp stamp(std::uint32_t t) {
    Thread& self = threads[t];
    if (!self.frozen) self.frozen = model::FrozenClock(self.clock);
    return {ThreadId{t}, self.time, self.frozen};
  }
  void take(std::uint32_t t, const model::Stamp& stamp) {
    Thread& self = threads[t];
    if (stamp.time == 0 || stamp.thread == ThreadId{t} || stamp.time <= self.clock[stamp.thread]) return;
    self.clock.join(stamp.past.times());
    self.clock.raise(stamp.thread, stamp.time);
    self.frozen = {};
  }
  void acquire(std::uint32_t t, std::uint32_t l) { take(t, locks[l]); }
  void release(std::uint32_t t, std::uint32_t l) { locks[l] = stamp(t); }
  void join(std::uint32_t t, std::uint32_t from) { take(t, stamp(from)); }
  Time get(std::uint32_t t, std::uint32_t of) const {
    return t == of ? threads[t].time : threads[t].clock[ThreadId{of}];
  }
};

class TreeClock {
 public:
  static constexpr std::uint32_t kNone = ~0u;
  void make(std::uint32_t threads) { nodes_.assign(threads, {}); }
  void make_root(std::uint32_t t) {
    root_ = t;
    nodes_[t].in = true;
  }
  void tick() { ++nodes_[root_].time; }
  Time get(std::uint32_t t) const { return nodes_[t].time; }

  void join(const TreeClock& other) {
    if (other.root_ == kNone || other.get(other.root_) <= get(other.root_)) return;
    gathered_.clear();
    gather(other, other.root_, kNone);
    for (const std::uint32_t t : gathered_) detach(t);
    attach(other);
    nodes_[other.root_].attached = nodes_[root_].time;
    push_child(root_, other.root_);
  }
  // This is before or equal to other.
  void copy(const TreeClock& other) {
    gathered_.clear();
    gather(other, other.root_, root_);
    for (const std::uint32_t t : gathered_) detach(t);
    attach(other);
    root_ = other.root_;
    nodes_[root_].parent = kNone;
  }

 private:
  struct Node {
    Time time = 0, attached = 0;
    std::uint32_t parent = kNone, child = kNone, next = kNone, previous = kNone;
    bool in = false;
  };
  // What is newer in other, children before parents; `keep`: also this one, wherever it hangs.
  void gather(const TreeClock& other, std::uint32_t t, std::uint32_t keep) {
    for (std::uint32_t c = other.nodes_[t].child; c != kNone; c = other.nodes_[c].next) {
      const Node& child = other.nodes_[c];
      if (get(c) < child.time) {
        gather(other, c, keep);
      } else {
        if (c == keep) gathered_.push_back(c);
        if (child.attached <= get(t)) break;
      }
    }
    gathered_.push_back(t);
  }
  void detach(std::uint32_t t) {
    Node& node = nodes_[t];
    if (node.parent == kNone) return;
    if (node.previous != kNone)
      nodes_[node.previous].next = node.next;
    else
      nodes_[node.parent].child = node.next;
    if (node.next != kNone) nodes_[node.next].previous = node.previous;
    node.parent = node.next = node.previous = kNone;
  }
  void push_child(std::uint32_t parent, std::uint32_t t) {
    Node& node = nodes_[t];
    node.parent = parent;
    node.previous = kNone;
    node.next = nodes_[parent].child;
    if (node.next != kNone) nodes_[node.next].previous = t;
    nodes_[parent].child = t;
  }
  void attach(const TreeClock& other) {
    for (auto it = gathered_.rbegin(); it != gathered_.rend(); ++it) {
      const Node& theirs = other.nodes_[*it];
      nodes_[*it].time = theirs.time;
      nodes_[*it].in = true;
      if (*it == other.root_) continue;
      nodes_[*it].attached = theirs.attached;
      push_child(theirs.parent, *it);
    }
  }

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> gathered_;
  std::uint32_t root_ = kNone;
};

struct Trees {
  std::vector<TreeClock> threads, locks;
  explicit Trees(const Workload& w) : threads(w.threads), locks(w.locks) {
    for (std::uint32_t t = 0; t < w.threads; ++t) {
      threads[t].make(w.threads);
      threads[t].make_root(t);
    }
    for (TreeClock& lock : locks) lock.make(w.threads);
  }
  void tick(std::uint32_t t) { threads[t].tick(); }
  void acquire(std::uint32_t t, std::uint32_t l) { threads[t].join(locks[l]); }
  void release(std::uint32_t t, std::uint32_t l) { locks[l].copy(threads[t]); }
  void join(std::uint32_t t, std::uint32_t from) { threads[t].join(threads[from]); }
  Time get(std::uint32_t t, std::uint32_t of) const { return threads[t].get(of); }
};

template <typename Clocks>
double run(const Workload& workload, std::vector<Time>& result) {
  double best = 1e9;
  for (int round = 0; round < 3; ++round) {
    const std::clock_t start = std::clock();
    Clocks clocks(workload);
    for (const Operation& o : workload.operations) {
      clocks.tick(o.thread);
      switch (o.kind) {
        case Operation::Acquire: clocks.acquire(o.thread, o.other); break;
        case Operation::Release: clocks.release(o.thread, o.other); break;
        case Operation::Fork: clocks.join(o.other, o.thread); break;
        case Operation::Join: clocks.join(o.thread, o.other); break;
      }
    }
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    result.clear();
    for (std::uint32_t t = 0; t < workload.threads; ++t)
      for (std::uint32_t u = 0; u < workload.threads; ++u) result.push_back(clocks.get(t, u));
  }
  return best * 1e9 / static_cast<double>(workload.operations.size());
}

Result<Workload> load(const char* path) {
  Workload workload;
  RC_TRY(trace::Reader reader, trace::Reader::open(path));
  HashMap<std::uint64_t, std::uint32_t> locks;
  HashMap<std::uint64_t, unsigned> depth;  // recursive holds
  for (;;) {
    RC_TRY(const auto batch, reader.next());
    if (batch.empty()) break;
    for (const trace::Event& e : batch) {
      const auto thread = static_cast<std::uint32_t>(index(e.thread));
      const auto lock = [&] {
        return locks.try_emplace(e.address, static_cast<std::uint32_t>(locks.size())).first->second;
      };
      switch (e.kind) {
        case trace::EventKind::Lock:
          if (depth[e.address]++ == 0) workload.operations.push_back({Operation::Acquire, thread, lock()});
          break;
        case trace::EventKind::Unlock:
          if (--depth[e.address] == 0) workload.operations.push_back({Operation::Release, thread, lock()});
          break;
        case trace::EventKind::Fork:
          workload.operations.push_back({Operation::Fork, thread, static_cast<std::uint32_t>(e.aux)});
          break;
        case trace::EventKind::Join:
          workload.operations.push_back({Operation::Join, thread, static_cast<std::uint32_t>(e.aux)});
          break;
        default: break;
      }
    }
  }
  workload.threads = static_cast<std::uint32_t>(reader.definitions().threads.size());
  workload.locks = static_cast<std::uint32_t>(locks.size());
  return workload;
}

}  // namespace

int main(int argc, char** argv) {
  fmt::print(
      "| trace | threads | locks | operations | flat, ns each | stamps | trees |\n|---|---|---|---|---|---|---|\n");
  for (int i = 1; i < argc; ++i) {
    const Result<Workload> workload = load(argv[i]);
    if (!workload) {
      fmt::print(stderr, "{}\n", workload.error().message);
      return 2;
    }
    std::vector<Time> flat, stamped, trees;
    const double a = run<Flat>(*workload, flat), b = run<Stamped>(*workload, stamped), c = run<Trees>(*workload, trees);
    if (flat != stamped || flat != trees) {
      fmt::print(stderr, "the three do not agree\n");
      return 3;
    }
    fmt::print("| {} | {} | {} | {} | {:.1f} | {:.1f} | {:.1f} |\n", argv[i], workload->threads, workload->locks,
               workload->operations.size(), a, b, c);
  }
}
