// Speed and memory of the trace files: trace_bench FILE.std [SCRATCH-FOLDER]
//
// Imports the STD file, writes it as .rct, reads it back, validates it and prints it as text, each step by itself and
// streaming, and prints a markdown table: events a second, bytes an event, peak memory of the process so far. Files are
// read from the page cache. Seconds are CPU seconds of the process (it has one thread), so that a busy machine disturbs
// them less; the best of five runs counts.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "trace/definitions_codec.h"
#include "trace/reader.h"
#include "trace/std_export.h"
#include "trace/std_import.h"
#include "trace/text.h"
#include "trace/validator.h"
#include "trace/writer.h"

namespace {

using namespace racecast;
using namespace racecast::trace;

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::uint64_t peak_kib() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6));
  }
  return 0;
}

template <typename T>
T must(Result<T> result) {
  if (!result) {
    fmt::print(stderr, "trace_bench: {}\n", result.error().message);
    std::exit(2);
  }
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

struct Measured {
  std::uint64_t events = 0;
  std::uint64_t bytes = 0;
};

void measure(const char* what, const std::function<Measured()>& run) {
  double best = 1e300;
  Measured measured;
  for (int i = 0; i < 5; ++i) {
    const double start = cpu_seconds();
    measured = run();
    best = std::min(best, cpu_seconds() - start);
  }
  fmt::print("| {} | {:.3f} | {:.1f} | {:.2f} | {} |\n", what, best, static_cast<double>(measured.events) / best / 1e6,
             static_cast<double>(measured.bytes) / static_cast<double>(measured.events), peak_kib() / 1024);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: trace_bench FILE.std [SCRATCH-FOLDER]\n");
    return 2;
  }
  const std::string std_path = argv[1];
  const std::string folder = argc > 2 ? argv[2] : std::filesystem::temp_directory_path().string();
  const std::string rct_path = fmt::format("{}/trace_bench.{}.rct", folder, ::getpid());
  const std::string text_path = fmt::format("{}/trace_bench.{}.txt", folder, ::getpid());
  const std::uint64_t std_bytes = std::filesystem::file_size(std_path);

  fmt::print("| step | CPU seconds | million events/s | bytes/event | peak MiB |\n|---|---|---|---|---|\n");
  measure("STD parse", [&] {
    StdSource source = must(StdSource::open(std_path));
    while (!must(source.next()).empty()) {
    }
    return Measured{source.counts().events, std_bytes};
  });
  measure("STD import (parse, validate, write)", [&] {
    const StdCounts counts = must(import_std(std_path, rct_path));
    return Measured{counts.events, std::filesystem::file_size(rct_path)};
  });
  measure("binary read + decode", [&] {
    Reader reader = must(Reader::open(rct_path));
    std::uint64_t events = 0;
    while (true) {
      const auto batch = must(reader.next());
      if (batch.empty()) break;
      events += batch.size();
    }
    return Measured{events, reader.file_bytes()};
  });
  measure("binary read + write", [&] {
    Reader reader = must(Reader::open(rct_path));
    Writer writer = must(Writer::create(text_path));
    while (true) {
      const auto batch = must(reader.next());
      if (batch.empty()) break;
      append_new(reader.definitions(), writer.definitions());
      must(writer.add(batch));
    }
    must(writer.close());
    return Measured{writer.events(), writer.bytes()};
  });
  measure("binary read + validate", [&] {
    Reader reader = must(Reader::open(rct_path));
    must(validate(reader));
    return Measured{reader.position(), reader.file_bytes()};
  });
  measure("text print", [&] {
    Reader reader = must(Reader::open(rct_path));
    std::FILE* const out = std::fopen(text_path.c_str(), "w");
    std::uint64_t bytes = 0;
    must(print_text(reader, [&](std::string_view text) -> Status {
      bytes += std::fwrite(text.data(), 1, text.size(), out);
      return {};
    }));
    std::fclose(out);
    return Measured{reader.position(), bytes};
  });
  measure("STD export", [&] {
    Reader reader = must(Reader::open(rct_path));
    const StdExport done = must(export_std(reader, text_path));
    return Measured{done.written, std::filesystem::file_size(text_path)};
  });
  std::filesystem::remove(rct_path);
  std::filesystem::remove(text_path);
  return 0;
}
