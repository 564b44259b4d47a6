// A file name of this process and test, removed at the end; and whole files as bytes.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace racecast::test {

class TempFile {
 public:
  explicit TempFile(const std::string& name)
      : path_(::testing::TempDir() + "racecast." + std::to_string(::getpid()) + "." + name) {}
  ~TempFile() { std::remove(path_.c_str()); }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  const std::string& path() const { return path_; }

  void write(const void* data, std::size_t size) const {
    std::ofstream out(path_, std::ios::binary | std::ios::trunc);
    out.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
  }
  void write(const std::vector<std::uint8_t>& bytes) const { write(bytes.data(), bytes.size()); }
  void write(const std::string& text) const { write(text.data(), text.size()); }
  std::vector<std::uint8_t> read() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  std::string read_text() const {
    const auto bytes = read();
    return {bytes.begin(), bytes.end()};
  }

 private:
  std::string path_;
};

}  // namespace racecast::test
