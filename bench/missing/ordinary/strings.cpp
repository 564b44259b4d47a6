// Strings, views, numbers as text.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <cwchar>
#include <string>
#include <string_view>
#include <thread>

static long work(int from) {
  std::string s = "the quick brown fox";
  s += " jumps";
  s.append(3, '!');
  s.insert(0, "So ");
  s.replace(0, 2, "Thus");
  s.erase(1, 2);
  s.resize(40, '.');
  s.reserve(100);
  s.shrink_to_fit();
  long found = static_cast<long>(s.find("fox") + s.rfind('o') + s.find_first_of("xyz") + s.find_last_not_of('.'));
  std::string t = s.substr(2, 10);
  std::swap(s, t);
  found += s.compare(t) < 0;
  std::string_view view(t);
  found += static_cast<long>(view.find("jump")) + view.starts_with("T");
  std::transform(t.begin(), t.end(), t.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  found += std::stoi("12") + static_cast<long>(std::stod("1.5")) + std::stol("7") + static_cast<long>(std::stoull("9"));
  t = std::to_string(from) + std::to_string(1.5) + std::to_string(7UL);
  char text[64];
  auto [end, error] = std::to_chars(text, text + 64, from * 1000);
  auto [end2, error2] = std::to_chars(end, text + 64, 3.25);
  auto [end3, error3] = std::to_chars(end2, text + 64, 3.25, std::chars_format::fixed, 3);
  *end3 = 0;
  int number = 0;
  std::from_chars(text, end, number);
  double real = 0;
  std::from_chars("2.5", "2.5" + 3, real);
  std::wstring wide = L"wide ";
  wide += std::to_wstring(from);
  std::u16string u16 = u"sixteen";
  u16 += u" more text that is long";
  std::u32string u32 = U"thirty-two";
  u32 += U" more text that is long";
  std::u8string u8 = u8"eight";
  u8 += u8" more text that is long";
  const char* c = s.c_str();
  found += std::memchr(c, 'o', s.size()) != nullptr;
  std::strcat(text, "x");
  std::strncat(text, "yz", 1);
  wchar_t w[32];
  std::wcscpy(w, wide.c_str());
  found += static_cast<long>(std::wcslen(w) + std::hash<std::string>()(s) % 2);
  char* rest = nullptr;
  for (char* word = strtok_r(text, "0", &rest); word != nullptr; word = strtok_r(nullptr, "0", &rest)) ++found;
  char why[100];
  found += strerror_r(2, why, sizeof(why))[0];
  return found + number + static_cast<long>(real) + static_cast<long>(u16.size() + u32.size() + u8.size());
}

int main() {
  long results[2];
  std::thread other([&] { results[0] = work(1); });
  results[1] = work(10);
  other.join();
  return results[0] + results[1] > 0 ? 0 : 1;
}
