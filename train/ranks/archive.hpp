#pragma once
// Values as bytes, between processes of one program.
#include <cstring>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tapehead {

/// Writes values to `bytes` or reads them from there, by the same calls in the same order.
class Archive {
 public:
  explicit Archive(std::string* bytes, bool reads) : bytes_(bytes), reads_(reads) {}

  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  void operator()(T& number) {
    raw(&number, sizeof number);
  }
  void operator()(std::string& text) {
    sized(text);
    raw(text.data(), text.size());
  }
  template <class A, class B>
  void operator()(std::pair<A, B>& both) {
    (*this)(both.first);
    (*this)(both.second);
  }
  template <class T>
  void operator()(std::vector<T>& all) {
    sized(all);
    for (T& one : all) (*this)(one);
  }
  template <class K, class V>
  void operator()(std::map<K, V>& map) {
    std::vector<std::pair<K, V>> all(map.begin(), map.end());
    (*this)(all);
    map = {all.begin(), all.end()};
  }
  template <class First, class Second, class... More>
  void operator()(First& first, Second& second, More&... more) {
    (*this)(first);
    (*this)(second, more...);
  }

 private:
  template <class T>
  void sized(T& all) {
    std::size_t count = all.size();
    (*this)(count);
    all.resize(count);
  }
  void raw(void* data, std::size_t count) {
    if (reads_)
      std::memcpy(data, bytes_->data() + at_, count);
    else
      bytes_->append(static_cast<const char*>(data), count);
    at_ += count;
  }

  std::string* bytes_;
  bool reads_;
  std::size_t at_ = 0;
};

}  // namespace tapehead
