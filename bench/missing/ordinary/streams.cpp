// String streams, files, formatting, locales.
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <locale>
#include <sstream>
#include <string>
#include <thread>

static long work(int from) {
  std::ostringstream out;
  out << "n=" << std::setw(5) << std::setfill('0') << from << ' ' << std::hex << from << std::dec << ' ' << 1.5
      << std::fixed << std::setprecision(2) << 2.5 << ' ' << true << std::boolalpha << false
      << static_cast<const void*>(nullptr) << '\n';
  std::istringstream in("12 3.5 word\nsecond line\n");
  int number = 0;
  double real = 0;
  std::string word, line;
  in >> number >> real >> word;
  std::getline(in, line);
  std::getline(in, line);
  std::stringstream both;
  both << number;
  both >> number;
  both.str("");
  both.clear();
  std::string name =
      "/tmp/ordinary_streams." + std::to_string(std::hash<std::thread::id>()(std::this_thread::get_id()));
  {
    std::ofstream file(name);
    file << "text " << number << std::endl;
    file.write("abc", 3);
  }
  {
    std::ifstream file(name);
    while (std::getline(file, line)) number += static_cast<int>(line.size());
  }
  std::remove(name.c_str());
  std::locale classic = std::locale::classic();
  out.imbue(classic);
  const auto& facet = std::use_facet<std::ctype<char>>(classic);
  number += facet.toupper('a') + std::isalpha('x', classic);
  std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  out << std::put_time(&parts, "%Y");
  char text[64];
  std::strftime(text, sizeof(text), "%H:%M", &parts);
  std::wostringstream wide;
  wide << L"wide" << 5;
  return number + static_cast<long>(out.str().size() + wide.str().size()) + static_cast<long>(real);
}

int main() {
  long results[2];
  std::thread other([&] { results[0] = work(1); });
  results[1] = work(10);
  other.join();
  std::cout << "done " << 2 << std::endl;
  std::cerr << "and" << '\n';
  std::clog << "logged\n";
  return results[0] + results[1] > 0 ? 0 : 1;
}
