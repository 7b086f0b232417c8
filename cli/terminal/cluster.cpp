#include "cluster.hpp"
#include "../../train/files/strings.hpp"
#include "width_ranges.hpp"

#include <algorithm>
#include <iterator>

namespace tapehead {
namespace {

constexpr std::uint32_t zero_width_joiner = 0x200d, emoji_selector = 0xfe0f;

template <std::size_t n>
bool within(const CodeRange (&ranges)[n], std::uint32_t code) {
  const auto after = std::upper_bound(std::begin(ranges), std::end(ranges), code,
                                      [](std::uint32_t c, CodeRange r) { return c < r.first; });
  return after != std::begin(ranges) && code <= std::prev(after)->last;
}

bool is_joined(std::uint32_t code) { return code >= 0x80 && within(joined_ranges, code); }

int width_of(std::uint32_t code) {
  return is_joined(code) ? 0 : code >= 0x80 && within(wide_ranges, code) ? 2 : 1;
}

/// Returns whether emoji may contain the character: arrows to miscellaneous symbols, and the
/// pictograph planes.
bool is_symbol(std::uint32_t code) {
  return (code >= 0x2190 && code < 0x2c00) || (code >= 0x1f000 && code < 0x1fb00);
}

bool is_skin_tone(std::uint32_t code) { return code >= 0x1f3fb && code <= 0x1f3ff; }

}  // namespace

Cluster first_cluster(std::string_view text) {
  Cluster cluster{character_bytes(text), 1};
  if (cluster.bytes == 1 && static_cast<unsigned char>(text[0]) >= 0x80) return cluster;
  std::uint32_t last = code_point(text.substr(0, cluster.bytes));
  const bool symbol = is_symbol(last);
  cluster.width = width_of(last);
  while (cluster.bytes < text.size()) {
    const std::string_view rest = text.substr(cluster.bytes);
    const std::size_t bytes = character_bytes(rest);
    if (bytes == 1) break;
    const std::uint32_t next = code_point(rest.substr(0, bytes));
    const bool emoji =
        symbol && (is_skin_tone(next) || (last == zero_width_joiner && is_symbol(next)));
    if (!emoji && !is_joined(next)) break;
    if (next == emoji_selector && cluster.width == 1) cluster.width = 2;
    cluster.bytes += bytes;
    last = next;
  }
  return cluster;
}

}  // namespace tapehead
