// Every container, used by two threads, each with its own.
#include <array>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <queue>
#include <set>
#include <stack>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <valarray>
#include <vector>

static long fill(int from) {
  std::vector<int> v;
  std::vector<bool> bits;
  std::deque<int> d;
  std::list<int> l;
  std::forward_list<int> f;
  std::map<int, std::string> m;
  std::multimap<int, int> mm;
  std::set<std::string> s;
  std::multiset<int> ms;
  std::unordered_map<std::string, int> um;
  std::unordered_set<int> us;
  std::unordered_multimap<long, double> umm;
  std::unordered_map<double, int> by_double;
  std::priority_queue<int> pq;
  std::queue<int> q;
  std::stack<int> st;
  std::array<int, 8> a{};
  std::valarray<double> va(8);
  for (int i = from; i < from + 8; ++i) {
    v.push_back(i);
    bits.push_back(i % 2 != 0);
    d.push_front(i);
    l.push_back(i);
    f.push_front(i);
    m[i] = std::to_string(i);
    mm.emplace(i, i);
    s.insert(std::to_string(i * 100000) + " is a number of some length");
    ms.insert(i);
    um["key " + std::to_string(i)] = i;
    us.insert(i);
    umm.emplace(i, i);
    by_double[i * 0.5] = i;
    pq.push(i);
    q.push(i);
    st.push(i);
    a[static_cast<std::size_t>(i - from)] = i;
    va[static_cast<std::size_t>(i - from)] = i;
  }
  l.sort();
  l.reverse();
  l.remove(from);
  f.sort();
  m.erase(from);
  us.erase(from);
  um.rehash(100);
  s.erase(s.begin());
  std::list<int> other{1, 2};
  l.splice(l.begin(), other);
  l.swap(other);
  va = std::sqrt(va) + 1.0;
  return static_cast<long>(v.size() + bits.size() + d.size() + l.size() + m.size() + mm.size() + s.size() + ms.size() +
                           um.size() + us.size() + umm.size() + by_double.size() + pq.size() + q.size() + st.size()) +
         a[2] + static_cast<long>(va.sum());
}

int main() {
  long results[2];
  std::thread other([&] { results[0] = fill(1); });
  results[1] = fill(10);
  other.join();
  return results[0] + results[1] > 0 ? 0 : 1;
}
