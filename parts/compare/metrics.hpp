#pragma once
// The metrics of two runs, line by line.
#include "../../train/files/json.hpp"

#include <string>
#include <vector>

namespace tapehead {

struct ComparedMetrics {
  /// A number, or the digest, that both lines of a step have.
  struct Different {
    std::string name;  ///< `attention_entropy[0][1]` within another
    Json a, b;
  };
  /// Losses, of steps that both report; NaN for none.
  struct Losses {
    Index step;
    double a, b, held_out_a, held_out_b;
  };

  Index lines_a = 0, lines_b = 0;
  std::vector<Losses> losses;    ///< of all steps that both have
  Index first_step = -1;         ///< the first at which they differ; -1: none
  std::vector<Different> first;  ///< what differs there
};

/// Of lines of metrics.jsonl. What they say of time isn't compared.
ComparedMetrics compare_metrics(const std::vector<std::string>& a,
                                const std::vector<std::string>& b);

std::string to_text(const ComparedMetrics& metrics, int width);
Json to_json(const ComparedMetrics& metrics);

}  // namespace tapehead
