#include "names.hpp"
#include "../../core/error.hpp"
#include "../files/strings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace tapehead {
namespace {

std::size_t difference(std::size_t a, std::size_t b) { return a < b ? b - a : a - b; }

/// Returns the Damerau-Levenshtein distance, ignoring case.
std::size_t distance(const std::string& a, const std::string& b) {
  const auto letter = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      d[i][j] = std::max(i, j);
      if (i == 0 || j == 0) continue;
      const auto same = [&](std::size_t x, std::size_t y) { return letter(a[x]) == letter(b[y]); };
      d[i][j] = std::min(
          {d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (same(i - 1, j - 1) ? 0 : 1)});
      if (i > 1 && j > 1 && same(i - 1, j - 2) && same(i - 2, j - 1))
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

/// Returns the shortest word that begins with `begin`, if the others that do so continue it; empty
/// if there is none, or `begin` is short.
std::string begun_by(const std::string& begin, const std::vector<std::string>& known) {
  constexpr std::size_t few_letters = 3;
  const std::size_t dashes = std::min(begin.find_first_not_of('-'), begin.size());
  if (begin.size() - dashes < few_letters) return "";
  std::string shortest;
  for (const std::string& word : known)
    if (starts_with(word, begin) && (shortest.empty() || word.size() < shortest.size()))
      shortest = word;
  const bool is_unique = all_of(known, [&](const std::string& word) {
    return !starts_with(word, begin) || starts_with(word, shortest);
  });
  return is_unique ? shortest : "";
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t least = std::max<std::size_t>(word.size() / 3, 1) + 1;
  for (const std::string& candidate : known) {
    // Comparing long words is slow, and their distance is at least their difference in length.
    if (difference(word.size(), candidate.size()) >= least) continue;
    if (const std::size_t d = distance(word, candidate); d < least) {
      least = d;
      best = candidate;
    }
  }
  return best.empty() ? begun_by(word, known) : best;
}

void refuse_unknown(const std::string& what, const std::string& word,
                    const std::vector<std::string>& known) {
  const std::string near = nearest(word, known);
  if (!near.empty()) throw UsageError("unknown {} '{}'; did you mean '{}'?", what, word, near);
  if (known.empty()) throw UsageError("unknown {} '{}'; there are none", what, word);
  throw UsageError("unknown {} '{}'; expected {}", what, word, alternatives(known));
}

void require_known(const std::string& what, const std::string& word,
                   const std::vector<std::string>& known) {
  if (!contains(known, word)) refuse_unknown(what, word, known);
}

std::string alternatives(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 < words.size() ? ", " : " or ") + words[i];
  return text;
}

}  // namespace tapehead
