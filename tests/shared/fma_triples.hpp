#pragma once
// Triples of numbers for which a * b + c is hard to round, and a hash of the results. It is the
// same on every machine, so that browsers, which can't run the suites, can check it too.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace tapehead {

template <class T>
class FmaTriples {
  using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  static constexpr int digits = sizeof(T) == 4 ? 24 : 53;
  static constexpr int least = sizeof(T) == 4 ? -149 : -1074;  // 2^least is the smallest number

 public:
  struct Triple {
    T a, b, c;
  };

  Triple next() {
    switch (count_++ % 4) {
      case 0:  // random bits
        return {number(), number(), number()};
      case 1:  // the product is often halfway between two numbers, so c decides
        return {whole(0), T{3}, power_of_2(-60 - digits, 60 - digits)};
      case 2: {  // the sum cancels most of the product
        const T a = whole(-20), b = whole(-20);
        return {a, b, -a * b};
      }
      default: {  // the result is denormal
        const int half = least / 2 - digits;
        return {whole(between(half - 3, half + 3)), whole(between(half - 3, half + 3)),
                whole(between(least - digits, least))};
      }
    }
  }

 private:
  /// SplitMix64 (Steele, Lea and Flood).
  std::uint64_t random() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  T number() {
    const auto word = static_cast<Word>(random());
    T x;
    std::memcpy(&x, &word, sizeof x);
    return x;
  }
  int between(int low, int high) {
    return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
  }
  /// Returns a power of two with a random sign.
  T power_of_2(int low, int high) {
    const T sign = random() % 2 == 0 ? T{1} : T{-1};
    return std::ldexp(sign, between(low, high));
  }
  /// Returns a signed number with all digits times 2^exponent.
  T whole(int exponent) {
    const T sign = power_of_2(0, 0);
    const std::uint64_t first = std::uint64_t{1} << (digits - 1);
    return std::ldexp(sign * static_cast<T>(first | (random() >> (65 - digits))), exponent);
  }

  std::uint64_t state_ = 0;
  int count_ = 0;
};

/// FNV-1a hash of results, with all NaNs treated as equal.
class ResultHash {
 public:
  template <class T>
  void add(T result) {
    unsigned char bytes[sizeof(T)] = {};
    if (!std::isnan(result)) std::memcpy(bytes, &result, sizeof(T));
    for (const unsigned char byte : bytes) hash_ = (hash_ ^ byte) * 0x100000001b3;
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

constexpr int fma_triples = 1'200'000;  // of each type
constexpr std::uint64_t fma_hash_f32 = 0x6f5660a4e26f440b, fma_hash_f64 = 0xc68bb895a13c3720;

/// Returns the hash for registers with `lanes` lanes. fma(r, a, b, c) sets each element of r; all
/// are arrays.
template <class T, int lanes, class Fma>
std::uint64_t hash_of_fma(const Fma& fma) {
  FmaTriples<T> triples;
  ResultHash hash;
  for (int i = 0; i < fma_triples; i += lanes) {
    alignas(64) T a[lanes], b[lanes], c[lanes], r[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
      const auto triple = triples.next();
      a[lane] = triple.a, b[lane] = triple.b, c[lane] = triple.c;
    }
    fma(r, a, b, c);
    for (const T result : r) hash.add(result);
  }
  return hash.value();
}

}  // namespace tapehead
