#pragma once
// A small run for tests of its attention maps.
#include "../../cli/attention/map.hpp"
#include "../../cli/commands/load_run.hpp"
#include "../../core/ops.hpp"
#include "../../nn/pass.hpp"
#include "command.hpp"
#include "folders.hpp"

namespace tapehead {

/// A run in `run` with two layers of two heads each, and functions that show its attention.
struct AttentionRun {
  AttentionRun() {
    done(
        "train copy --length 4 --symbols 4 --layers 2 --heads 2 --width 8 --batch 8 --steps 12 "
        "--out run");
  }
  /// Returns the output of `attention run` for five tokens.
  Output show(const Words& more) const {
    Words words = {"attention", "run", "--input", "0 1 2 3 0"};
    words.insert(words.end(), more.begin(), more.end());
    return command(words);
  }
  /// Returns the attention weights of its model, computed by the library.
  std::vector<float> weights() const {
    const LoadedRun run = load_run("run", make_registry());
    Pass pass = Pass::evaluation();
    std::vector<AttentionWeights> layers;
    collect_weights(pass, layers);
    (*run.model->module)(tensor({0, 1, 2, 3, 0}, {1, 5}, DType::i32), pass);
    std::vector<float> all;
    for (const AttentionWeights& layer : layers)
      for (double weight : layer.weights.values()) all.push_back(static_cast<float>(weight));
    return all;
  }

  Elsewhere elsewhere;
};

inline Pattern named(const std::string& name) {
  Pattern pattern;
  pattern.name = name, pattern.weight = 0.5;
  return pattern;
}

}  // namespace tapehead
