// Regular expressions.
#include <regex>
#include <string>
#include <thread>

static long work(int from) {
  std::regex words("([a-z]+)=([0-9]+)");
  std::string text = "abc=12, de=" + std::to_string(from);
  long sum = 0;
  for (std::sregex_iterator i(text.begin(), text.end(), words), end; i != end; ++i) sum += i->str(2).size();
  std::smatch match;
  if (std::regex_search(text, match, std::regex("d.*", std::regex::icase))) sum += match.position(0);
  sum += static_cast<long>(std::regex_replace(text, words, "$2").size());
  return sum;
}

int main() {
  long results[2];
  std::thread other([&] { results[0] = work(1); });
  results[1] = work(10);
  other.join();
  return results[0] + results[1] > 0 ? 0 : 1;
}
