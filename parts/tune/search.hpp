#pragma once
// What `tune lr` found, as text, JSON, a picture and a page.
#include "../../cli/terminal/terminal.hpp"
#include "../../train/runs/json.hpp"
#include "range_test.hpp"

namespace tapehead {

struct RateSearch {
  std::string task;
  RangeOptions range;
  RangeTest test;
  Index trial_steps = 0;
  std::vector<Trial> trials;  ///< in ascending order of their rates
  bool has_answers = false;

  int best() const;  ///< of the trials, by the held-out loss; -1: all diverged
  /// What was chosen and why, in sentences.
  std::vector<std::string> reasons() const;
};

std::string to_text(const RateSearch& search, const Terminal& terminal);
Json to_json(const RateSearch& search);
std::string to_svg(const RateSearch& search);
std::string to_page(const RateSearch& search);

}  // namespace tapehead
