#pragma once
// A small run whose attention is shown.
#include "../../cli/attention/map.hpp"
#include "../../cli/commands/load_run.hpp"
#include "../../core/ops.hpp"
#include "../../nn/pass.hpp"
#include "command.hpp"
#include "folders.hpp"

namespace tapehead {

/// A run of two layers with two heads each, in `run`, and what to show of it.
struct AttentionRun {
  AttentionRun() {
    done(
        "train copy --length 4 --symbols 4 --layers 2 --heads 2 --width 8 --batch 8 --steps 12 "
        "--out run");
  }
  /// `attention run` of five tokens.
  Output show(const Words& more) const {
    Words words = {"attention", "run", "--input", "0 1 2 3 0"};
    words.insert(words.end(), more.begin(), more.end());
    return command(words);
  }
  /// What its model looks at, asked of the library.
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
