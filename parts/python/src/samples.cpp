// Generated samples as values.
#include "bindings.hpp"

#include "../../../cli/terminal/generated.hpp"
#include "../../../cli/terminal/illustration.hpp"
#include "../../../cli/terminal/prompt.hpp"

namespace tapehead {
namespace {

using Tokens = std::vector<int>;

/// Returns text; bytes if the tokens end within a character.
py::object text_of(const Task& task, const Tokens& tokens) {
  return py::bytes(task.show(tokens)).attr("decode")("utf-8", "replace");
}

/// Returns (prompt, text, expected text) of each sample.
py::list sample(const Run& run, const std::optional<std::string>& prompt,
                const std::optional<Index>& samples, const std::optional<double>& temperature,
                Index top_k, double top_p, const std::optional<Index>& tokens, Index examples,
                std::uint64_t seed) {
  const Task& task = *run.task;
  const Index count = samples.value_or(generates_lines(task) && !prompt ? 10 : 1);
  if (count < 1 || examples < 1)
    throw ValueError("sample: samples and examples must be at least 1, got {} and {}", count,
                     examples);
  SampleOptions options;
  options.temperature = temperature.value_or(task.has_answers() && !samples ? 0 : 1);
  options.top_k = top_k, options.top_p = top_p, options.seed = seed;
  options.tokens = tokens.value_or(0), options.end = task.end_token();
  check(options);
  std::vector<Prompt> all;
  if (task.has_answers() && !prompt)
    for (const Index number : examples_shown(*run.model, task, examples))
      all.push_back(held_out_prompt(task, number));
  else
    all = {prompt_of(*run.model, task, prompt ? task.parse(*prompt) : Tokens(), "prompt")};
  py::list found;
  for (const Prompt& asked : all) {
    options.tokens = tokens && !asked.wanted ? *tokens : asked.limit;
    const py::object wanted = asked.wanted ? text_of(task, *asked.wanted) : py::none();
    for (options.stream = 0; options.stream < count; options.stream += samples_at_once) {
      const Index together = std::min(samples_at_once, count - options.stream);
      for (const auto& generated : without_gil(
               [&] { return generate_samples(*run.model, asked.begin, together, options); })) {
        const Tokens said = without_end(task, tokens_of(generated));
        found.append(py::make_tuple(text_of(task, asked.tokens), text_of(task, said), wanted));
      }
    }
  }
  return found;
}

}  // namespace

void bind_samples(py::module_& module) {
  module.def("sample", &sample, "run"_a, "prompt"_a, "samples"_a, "temperature"_a, "top_k"_a,
             "top_p"_a, "tokens"_a, "examples"_a, "seed"_a, Computing());
}

}  // namespace tapehead
