// any, variant, optional, function, tuple, bitset, chrono, random, complex, exceptions, algorithms.
#include <algorithm>
#include <any>
#include <bitset>
#include <chrono>
#include <cmath>
#include <complex>
#include <exception>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <ratio>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <tuple>
#include <typeindex>
#include <variant>
#include <vector>

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

static long work(int from) {
  long sum = 0;
  std::any any = from;
  any = std::string("a string in an any, which is long");
  sum += static_cast<long>(std::any_cast<std::string>(any).size());
  try {
    sum += std::any_cast<int>(any);
  } catch (const std::bad_any_cast& e) {
    sum += e.what()[0];
  }
  std::variant<int, std::string> variant = "text";
  sum += std::visit([](auto& x) { return static_cast<long>(sizeof(x)); }, variant);
  std::optional<std::string> optional("text that is longer than fifteen");
  sum += static_cast<long>(optional.value_or("").size());
  std::function<int(int)> function = [from](int x) { return x + from; };
  sum += function(2);
  std::mt19937 engine(5);
  std::uniform_int_distribution<int> dice(1, 6);
  std::normal_distribution<double> bell;
  std::random_device device;
  sum += dice(engine) + static_cast<long>(bell(engine)) + static_cast<long>(device() % 2);
  std::vector<int> numbers(50);
  std::iota(numbers.begin(), numbers.end(), from);
  std::shuffle(numbers.begin(), numbers.end(), engine);
  std::sort(numbers.begin(), numbers.end());
  std::stable_sort(numbers.begin(), numbers.end(), std::greater<>());
  std::nth_element(numbers.begin(), numbers.begin() + 5, numbers.end());
  sum += std::accumulate(numbers.begin(), numbers.end(), 0);
  std::complex<double> c(1, 2);
  sum += static_cast<long>(std::abs(std::sqrt(c) * c + std::exp(c)));
  sum += static_cast<long>(std::pow(2.0, 3.5) + std::lgamma(3.0) + std::fmod(5, 3) + std::hypot(1.0, 2.0));
  std::bitset<64> bits("1011");
  sum += static_cast<long>(bits.to_string().size());
  try {
    throw Failure("what went wrong, at length");
  } catch (const std::exception& e) {
    sum += e.what()[0];
  }
  try {
    std::vector<int>().at(3);
  } catch (const std::out_of_range& e) {
    sum += e.what()[0];
  }
  try {
    throw std::system_error(std::make_error_code(std::errc::invalid_argument), "why");
  } catch (const std::system_error& e) {
    sum += e.what()[0] + e.code().value() + static_cast<long>(e.code().message().size());
  }
  try {
    std::stoi("none");
  } catch (const std::invalid_argument&) {
    ++sum;
  }
  try {
    throw std::logic_error(std::string("made of a string"));
  } catch (...) {
    std::exception_ptr p = std::current_exception();
    try {
      std::rethrow_exception(p);
    } catch (const std::logic_error& e) {
      sum += e.what()[0];
    }
  }
  try {
    try {
      throw std::domain_error("inner");
    } catch (...) {
      std::throw_with_nested(std::runtime_error("outer"));
    }
  } catch (const std::exception& e) {
    try {
      std::rethrow_if_nested(e);
    } catch (const std::exception&) {
      ++sum;
    }
  }
  sum += std::chrono::steady_clock::now().time_since_epoch().count() > 0;
  sum += std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()) > 0;
  sum += static_cast<long>(std::type_index(typeid(sum)).hash_code() % 2);
  return sum;
}

int main() {
  long results[2];
  std::thread other([&] { results[0] = work(1); });
  results[1] = work(10);
  other.join();
  return results[0] + results[1] > 0 ? 0 : 1;
}
