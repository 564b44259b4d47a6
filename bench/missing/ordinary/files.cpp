// std::filesystem.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace fs = std::filesystem;

static long work(const std::string& name) {
  fs::path p = fs::temp_directory_path() / name;
  fs::remove_all(p);
  fs::create_directories(p / "a" / "b");
  std::ofstream(p / "a" / "file.txt") << "text";
  long sum = static_cast<long>(fs::file_size(p / "a" / "file.txt"));
  for (const auto& entry : fs::recursive_directory_iterator(p))
    sum += static_cast<long>(entry.path().filename().string().size());
  for (const auto& entry : fs::directory_iterator(p)) sum += entry.is_directory();
  fs::rename(p / "a" / "file.txt", p / "moved.dat");
  fs::copy_file(p / "moved.dat", p / "copy");
  sum += (p / "x.cc").extension() == ".cc" && (p / "x.cc").stem() == "x" && p.is_absolute() && p.has_parent_path();
  sum += fs::exists(p) + fs::is_regular_file(p / "copy") + (p.parent_path() / "..").lexically_normal().string().size();
  for (const auto& part : p) sum += part.native().size();
  sum += fs::last_write_time(p).time_since_epoch().count() != 0;
  fs::path q(p);
  q.replace_extension(".z");
  q += "tail";
  sum += q < p;
  std::error_code error;
  fs::status(p / "none", error);
  return sum + static_cast<long>(fs::remove_all(p));
}

int main() {
  long results[2];
  std::thread other([&] { results[0] = work("ordinary_files_1"); });
  results[1] = work("ordinary_files_2");
  other.join();
  return results[0] + results[1] > 0 ? 0 : 1;
}
