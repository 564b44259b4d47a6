// Hostile STD files. What imports must export to lines that import to the same events; the validator sees them too.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "base/check.h"
#include "trace/std_export.h"
#include "trace/std_import.h"
#include "trace/validator.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace racecast;
  using namespace racecast::trace;
  StdSource source = StdSource::from_text({reinterpret_cast<const char*>(data), size}, "input");
  const auto trace = read_all(source);
  if (!trace) return 0;
  (void)validate(*trace);

  const int file = ::memfd_create("fuzz", 0);
  CHECK(file >= 0);
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  MemorySource memory(*trace);
  const auto exported = export_std(memory, path);
  CHECK(exported.has_value() && exported->written == trace->events.size());
  auto again = StdSource::open(path);
  CHECK(again.has_value());
  const auto back = read_all(*again);
  CHECK(back.has_value(), "{}", back.error().message);
  CHECK(back->events.size() == trace->events.size());
  for (std::size_t i = 0; i < back->events.size(); ++i) {
    const Event &a = trace->events[i], &b = back->events[i];
    CHECK(a.kind == b.kind && a.thread == b.thread && a.address == b.address && a.aux == b.aux, "event {}", i);
  }
  ::close(file);
  return 0;
}
