// A small program as people write them: words of a text found with std::regex, counted in std containers by two
// threads, most of it under a lock. Without optimisation nearly every event is one of the library's. The vector has no
// lock.
#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {

std::mutex mutex;
std::vector<std::string> text;
std::map<std::string, int> counts;
std::unordered_map<std::size_t, std::string> names;
std::set<std::size_t> seen;
std::deque<std::size_t> latest;
std::vector<std::size_t> lengths;
int words;

void work(std::size_t first) {
  for (std::size_t i = first; i < text.size(); i += 2) {
    {
      const std::lock_guard hold(mutex);
      ++counts[text[i]];
      seen.insert(i);
      names[i] = text[i];
      latest.push_back(i);
      if (latest.size() > 3) latest.pop_front();
    }
    lengths.push_back(text[i].size());
    const std::lock_guard hold(mutex);
    ++words;
    if (words > 100) lengths.clear();
  }
  std::sort(lengths.begin(), lengths.end());
}

}  // namespace

int main() {
  const std::regex word("[a-z]+");
  const std::string line = "one two three four";
  for (std::sregex_iterator it(line.begin(), line.end(), word), end; it != end; ++it) text.push_back(it->str());
  std::thread one(work, 0), other(work, 1);
  one.join();
  other.join();
  return words == 4 ? 0 : 1;
}
