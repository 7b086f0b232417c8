#include "transformer.hpp"

#include <limits>

namespace tapehead {

void ModelOptions::options(Fields& f) {
  constexpr Index any = std::numeric_limits<Index>::max();
  f("layers", layers, 1, 1024, "transformer blocks");
  f("heads", heads, 1, 1024,
    "attention heads of a block; they divide the width, without --head-width");
  f("kv-heads", kv_heads, 0, any, "heads of keys and values; they divide the heads; 0: as many");
  f("head-width", head_width, 0, 1 << 16, "width of a head; 0: --width / --heads");
  f("width", width, 1, 1 << 16, "width of the residual stream");
  f("reach", positions.reach, 0, 1 << 16, "relative positions: longer distances count as this one");
  f("rotary-base", positions.rotary_base, Range::above_one(),
    "rotary positions: the slowest pair turns by about 1 / X a position");
  f("attention-temperature", temperature, temperature_names,
    "factors of the scores that are learned:");
  f("attention-scale", scale, scale_names,
    "constant factor of the scores: 1/sqrt(head width), 1, or divided by the layer");
  f("window", window, 0, any,
    "self-attention: keys this far away or farther are hidden; 0: none is");
  f("hide-self", hide_self, "no query of self-attention sees its own position; lsa implies it");
  f("qk-norm", qk_norm, "RMS norm of queries and keys");
  f("convolution", convolution, 0, 1024,
    "gpt: tokens back that attention and MLP read by a causal convolution; 0: none");
  f("norm-epsilon", epsilon, Range::positive(), "added to the variance that a norm divides by");
  f("mlp-width", mlp_width, 0, 1 << 20,
    "width between the MLP's layers; 0: 4 times --width, 8/3 times for swiglu");
  f("biases", biases, "the blocks' linear layers have biases");
  f("tied-head", tied, "the head shares the embedding's weights");
  f("residual", residual, "add each branch to its input; false: replace the input");
  f("init-std", init_std, Range::positive(), "standard deviation of the first weights");
  f("zero-out", zero_out, "start projections into the residual at 0");
  f("dropout", dropout, Range::fraction(), "fraction of activations that training drops");
}

}  // namespace tapehead
