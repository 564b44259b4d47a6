// How fast the order analyses are: order_bench TRACE.rct [ANALYSIS...] prints a table as Markdown. Each row is a
// process of its own (so that its peak memory is its own), the best of three runs, on one core. «checked» is what
// `racecast analyze -j1` does: the trace's rules are checked on the way, and every schedule is judged.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "trace/reader.h"
#include "witness/prefix_judge.h"

namespace {

using namespace racecast;

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

struct Figures {
  double seconds = 0, judging = 0;
  std::uint64_t events = 0, racy = 0, pairs = 0;
  long peak_kib = 0;
};

analysis::Input input_of(const std::string& path, bool check) {
  analysis::Input input;
  input.check = check;
  input.open = [path]() -> Result<std::unique_ptr<trace::EventSource>> {
    RC_TRY(trace::Reader reader, trace::Reader::open(path));
    return std::make_unique<trace::Reader>(std::move(reader));
  };
  return input;
}

// "decode" only reads the events.
Result<Figures> once(const std::string& path, const std::string& name, bool check) {
  const analysis::Input input = input_of(path, check);
  Figures figures;
  std::vector<witness::PrefixClaim> claims;  // to judge them once more: how long that takes by itself
  const double start = cpu_seconds();
  if (name == "decode") {
    RC_TRY(auto source, input.open());
    for (;;) {
      RC_TRY(const auto batch, source->next());
      if (batch.empty()) break;
      figures.events += batch.size();
    }
  } else {
    std::vector<std::string> names;
    for (std::size_t from = 0; from <= name.size();) {
      const std::size_t to = std::min(name.find(',', from), name.size());
      names.push_back(name.substr(from, to - from));
      from = to + 1;
    }
    RC_TRY(const analysis::Outputs outputs, analysis::run(input, names));
    figures.events = outputs.events;
    for (const analysis::Output& output : outputs.by_analysis) {
      if (!output.rejected.empty()) return internal_error(output.rejected.front());
      for (const finding::Finding& finding : output.findings)
        if (finding.schedule)
          claims.push_back({std::get<finding::Prefix>(*finding.schedule), finding.first.event, finding.second.event});
      figures.racy += output.racy.count;
      figures.pairs += output.findings.size() + output.candidates.size();
    }
  }
  figures.seconds = cpu_seconds() - start;
  if (!claims.empty()) {
    const double before = cpu_seconds();
    RC_TRY(const auto judgements, witness::judge_prefixes(input.open, claims));
    figures.judging = cpu_seconds() - before;
  }
  return figures;
}

Figures in_own_process(const std::string& path, const std::string& name, bool check) {
  int ends[2];
  if (pipe(ends) != 0) std::exit(3);
  Figures best;
  if (const pid_t child = fork(); child == 0) {
    for (int i = 0; i < 3; ++i) {
      const Result<Figures> figures = once(path, name, check);
      if (!figures) {
        fmt::print(stderr, "{}\n", figures.error().message);
        _exit(3);
      }
      if (i == 0 || figures->seconds < best.seconds) best = *figures;
      if (i == 0 && figures->seconds > 5) break;
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    best.peak_kib = usage.ru_maxrss;
    _exit(write(ends[1], &best, sizeof best) == sizeof best ? 0 : 3);
  } else {
    close(ends[1]);
    const bool good = read(ends[0], &best, sizeof best) == sizeof best;
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (!good || status != 0) std::exit(3);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: order_bench TRACE.rct [ANALYSIS...]\n");
    return 2;
  }
  std::vector<std::string> names(argv + 2, argv + argc);
  if (names.empty())
    for (const analysis::Analysis& a : analysis::analyses()) names.emplace_back(a.name);
  const Figures decode = in_own_process(argv[1], "decode", false);
  fmt::print(
      "| analysis | CPU s | million events/s | times decoding | of it judging, s | checked, s | million events/s | "
      "peak "
      "MiB | racy events | pairs |\n|---|---|---|---|---|---|---|---|---|---|\n");
  const auto speed = [&](double seconds) { return static_cast<double>(decode.events) / seconds * 1e-6; };
  fmt::print("| decode only | {:.3f} | {:.1f} | 1 | | | | {} | | |\n", decode.seconds, speed(decode.seconds),
             decode.peak_kib / 1024);
  for (const std::string& name : names) {
    const Figures plain = in_own_process(argv[1], name, false), checked = in_own_process(argv[1], name, true);
    fmt::print("| {} | {:.3f} | {:.1f} | {:.1f} | {:.3f} | {:.3f} | {:.1f} | {} | {} | {} |\n", name, plain.seconds,
               speed(plain.seconds), plain.seconds / decode.seconds, plain.judging, checked.seconds,
               speed(checked.seconds), checked.peak_kib / 1024, checked.racy, checked.pairs);
    std::fflush(stdout);
  }
}
