#include "../../core/plural.hpp"
#include "attention.hpp"

#include <limits>

namespace tapehead {
namespace {

void check(bool right, const std::string& what) {
  if (!right) throw ValueError("attention: {}", what);
}

}  // namespace

void HeadOptions::options(Fields& f) {
  constexpr Index any = std::numeric_limits<Index>::max();
  f("heads", heads, 1, 1024,
    "attention heads per block; a divisor of --width, unless --head-width is given");
  f("kv-heads", kv_heads, 0, any, "key and value heads, a divisor of --heads (0 = --heads)");
  f("head-width", head_width, 0, 1 << 16, "head width (0 = --width / --heads)");
  f("attention-temperature", temperature, temperature_names,
    "learned factors of the attention scores:");
  f("window", window, 0, any,
    "sliding-window attention; keys at this distance or farther are masked (0 = off)");
  f("hide-self", hide_self,
    "mask that hides each position from itself (--attention-temperature lsa implies it)");
  f("tied-kv", tied_kv, "values are the projected keys; without a value projection (K = V)");
  f("qk-norm", qk_norm, "RMS norm of queries and keys");
}

AttentionLayerOptions with_defaults(AttentionLayerOptions o) {
  check(o.width >= 1 && o.heads >= 1,
        fmt::format("width is {} and heads is {}, expected at least 1", o.width, o.heads));
  if (o.kv_heads == 0) o.kv_heads = o.heads;
  check(o.kv_heads >= 1 && o.heads % o.kv_heads == 0,
        fmt::format("kv_heads is {}, expected a divisor of heads, {}", o.kv_heads, o.heads));
  check(o.head_width > 0 || o.width % o.heads == 0,
        fmt::format("{} heads don't divide width {}", o.heads, o.width));
  if (o.head_width == 0) o.head_width = o.width / o.heads;
  if (o.key_input == 0) o.key_input = o.width;
  if (o.value_input == 0) o.value_input = o.width;
  if (o.value_width == 0) o.value_width = o.head_width;
  if (o.out_width == 0) o.out_width = o.width;
  for (Index size : {o.head_width, o.key_input, o.value_input, o.value_width, o.out_width})
    check(size >= 1, fmt::format("width is {}, expected at least 1", size));
  check(!o.fused || (o.key_input == o.width && o.value_input == o.width),
        fmt::format("a fused projection needs inputs of the same width, got {}, {} and {}", o.width,
                    o.key_input, o.value_input));
  check(!o.tied_kv || (o.value_width == o.head_width && o.value_input == o.key_input),
        fmt::format("tied_kv needs keys and values of the same widths, got inputs of {} and {}, and"
                    " heads of {} and {}",
                    o.key_input, o.value_input, o.head_width, o.value_width));
  check(!o.tied_kv || !o.bias_kv, "tied_kv and bias_kv can't be combined");
  check(
      o.project_out || o.heads * o.value_width == o.out_width,
      fmt::format("without an output projection the output width must be {} heads times {}, got {}",
                  o.heads, o.value_width, o.out_width));
  for (double p : {o.dropout, o.out_dropout})
    check(p >= 0 && p < 1, fmt::format("dropout is {}, expected a number in [0, 1)", p));
  check(o.window >= 0,
        fmt::format("window is {}, expected at least 1, or 0 for no window", o.window));
  check(o.scale >= 0,
        fmt::format("scale is {}, expected a number above 0, or 0 for 1 / sqrt(d_k)", o.scale));
  check(!o.position.has_input_scheme(),
        "learned and sinusoidal positions belong to the model's input, not to attention");
  check(!o.position.as<RotaryPositions>() || o.head_width % 2 == 0,
        fmt::format("rotary positions need an even head width, got {}", o.head_width));
  return o;
}

}  // namespace tapehead
