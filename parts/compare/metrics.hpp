#pragma once
// Compares the metrics of two runs line by line.
#include "../../train/files/json.hpp"

#include <string>
#include <vector>

namespace tapehead {

/// The differences between the metrics of two runs.
struct ComparedMetrics {
  /// A number or digest that differs between the runs' lines of one step.
  struct Different {
    std::string name;  ///< with its path if nested, as in `attention_entropy[0][1]`
    Json a, b;
  };
  /// The losses of both runs at one step; NaN if missing.
  struct Losses {
    Index step;
    double a, b, held_out_a, held_out_b;
  };

  Index lines_a = 0, lines_b = 0;
  std::vector<Losses> losses;    ///< losses at all common steps
  Index first_step = -1;         ///< first step whose lines differ; -1: none
  std::vector<Different> first;  ///< the differences at that step
};

/// Compares lines of metrics.jsonl by step, without their times.
ComparedMetrics compare_metrics(const std::vector<std::string>& a,
                                const std::vector<std::string>& b);

std::string to_text(const ComparedMetrics& metrics, int width);
Json to_json(const ComparedMetrics& metrics);

}  // namespace tapehead
