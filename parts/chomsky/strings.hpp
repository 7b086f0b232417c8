#pragma once
#include "../../core/random.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tapehead::chomsky {

/// The smallest class of the Chomsky hierarchy that has the task's language.
enum class Level { regular, context_free, context_sensitive };

/// A task of Delétang et al., "Neural Networks and the Chomsky Hierarchy" (2022): a function of
/// strings, with a distribution of inputs for each length. Follows the authors' program for inputs
/// of length 1 and 2 that the task's rule doesn't cover.
struct StringTask {
  const char *name, *summary;
  Level level;
  const char* alphabet;  ///< characters of inputs and outputs; a `.` ends an output
  const char* input;     ///< description of a valid input, after `7 tokens: `
  /// Returns the greatest length of an output for inputs of this length.
  Index (*outputs)(Index length);
  /// Draws an input of this length, at least 1. Expressions without brackets have an odd length, so
  /// an even one is reduced by 1.
  std::string (*draw)(Random& random, Index length);
  /// Returns the output; nothing for an invalid input.
  std::optional<std::string> (*solve)(const std::string& input);
};

// The tasks, in the order of the paper's Table 2.
std::vector<StringTask> regular_tasks();
std::vector<StringTask> context_free_tasks();
std::vector<StringTask> context_sensitive_tasks();
std::vector<StringTask> binary_tasks();  ///< arithmetic with binary numbers: context-sensitive

// Lengths of outputs.
inline Index one_output(Index) { return 1; }
inline Index as_many_outputs(Index length) { return length; }
inline Index one_more_output(Index length) { return length + 1; }

/// Draws n characters of `alphabet`.
std::string random_string(Random& random, Index n, const std::string& alphabet);
inline std::string draw_bits(Random& random, Index n) { return random_string(random, n, "01"); }
/// Returns whether a string isn't empty and consists of characters of `alphabet`.
bool consists_of(const std::string& text, const char* alphabet);
inline bool are_bits(const std::string& text) { return consists_of(text, "01"); }

}  // namespace tapehead::chomsky
