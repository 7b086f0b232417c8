// Tasks that need a tape as long as the input: context-sensitive languages.
#include "strings.hpp"

#include <algorithm>

namespace tapehead::chomsky {
namespace {

Index twice_as_many_outputs(Index length) { return 2 * length; }

std::optional<std::string> duplicate(const std::string& input) {
  if (!are_bits(input)) return {};
  return input + input;
}

/// Draws a string and its copy, with ? for one of the bits. A - makes the length odd.
std::string draw_missing(Random& random, Index length) {
  if (length == 1) return "1";
  const std::string half = draw_bits(random, length / 2);
  std::string text = half + half;
  text[static_cast<std::size_t>(random.below(length / 2 * 2))] = '?';
  return length % 2 == 0 ? text : text + '-';
}

std::optional<std::string> find_missing(const std::string& input) {
  if (input == "1") return "1";
  const std::size_t half = input.size() / 2, place = input.find('?');
  if (place >= 2 * half || (input.size() % 2 == 1 && input.back() != '-')) return {};
  const char missing = input[(place + half) % (2 * half)];
  std::string text = input.substr(0, 2 * half);
  text[place] = missing;
  if (!are_bits(text) || text.substr(0, half) != text.substr(half)) return {};
  return std::string(1, missing);
}

/// Returns s1 s3 s5 ..., then s2 s4 s6 .... The authors' program begins with s2.
std::optional<std::string> odds_first(const std::string& input) {
  if (!are_bits(input)) return {};
  std::string odd, even;
  for (std::size_t i = 0; i < input.size(); ++i) (i % 2 == 0 ? odd : even) += input[i];
  return odd + even;
}

std::string draw_unsorted(Random& random, Index length) {
  return random_string(random, length, "01234");
}

std::optional<std::string> sort(const std::string& input) {
  if (!consists_of(input, "01234")) return {};
  std::string sorted = input;
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace

std::vector<StringTask> context_sensitive_tasks() {
  std::vector<StringTask> tasks = {
      {"duplicate-string", "repeat zeros and ones twice", Level::context_sensitive, "01",
       "zeros and ones", twice_as_many_outputs, draw_bits, duplicate},
      {"missing-duplicate", "find the missing bit of a string that occurs twice",
       Level::context_sensitive, "01?-", "bits twice, one of them ?, with - for an odd length",
       one_output, draw_missing, find_missing},
      {"odds-first", "repeat the bits at odd places, then those at even places",
       Level::context_sensitive, "01", "zeros and ones", as_many_outputs, draw_bits, odds_first}};
  append(tasks, binary_tasks());
  tasks.push_back({"bucket-sort", "sort digits from 0 to 4", Level::context_sensitive, "01234",
                   "digits from 0 to 4", as_many_outputs, draw_unsorted, sort});
  return tasks;
}

}  // namespace tapehead::chomsky
