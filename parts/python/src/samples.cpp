// What `tapehead sample` generates, as values.
#include "bindings.hpp"

#include "../../../cli/terminal/answer.hpp"
#include "../../../cli/terminal/generated.hpp"
#include "../../../cli/terminal/illustration.hpp"

namespace tapehead {
namespace {

using Tokens = std::vector<int>;

struct Asked {
  Tokens prompt, begin;  // what is shown, and what the model reads
  Index limit;           // tokens to generate, at most
  std::optional<Tokens> wanted = {};
};

std::vector<Asked> held_out(const Run& run, Index examples) {
  std::vector<Asked> all;
  for (const Index number : examples_shown(*run.model, *run.task, examples)) {
    const Example example = run.task->held_out_example(number);
    const Tokens question = question_of(example);
    all.push_back({question, question, answer_limit(*run.task, example), answer_of(example)});
  }
  return all;
}

Asked asked_question(const Run& run, const Tokens& tokens) {
  const Task& task = *run.task;
  check_question(task, tokens);
  const auto length = static_cast<Index>(tokens.size());
  if (length == 0 || length > run.model->longest_question())
    throw ValueError("prompt has {} tokens; the model takes 1 to {}", length,
                     run.model->longest_question());
  return {tokens, tokens, std::min(task.context() + 1 - length, task.longest_answer())};
}

/// A line goes on from the end of the one before, a text from anywhere: from a newline if it has
/// some.
Asked beginning(const Task& task, const Tokens& prompt) {
  if (task.end_token() < 0) {
    if (!prompt.empty()) return {prompt, prompt, 500};
    try {
      return {prompt, task.parse("\n"), 500};
    } catch (const ValueError&) {
      return {prompt, {0}, 500};
    }
  }
  if (std::count(prompt.begin(), prompt.end(), task.end_token()) > 0)
    throw ValueError("prompt must be the beginning of one line");
  Tokens begin = {task.end_token()};
  begin.insert(begin.end(), prompt.begin(), prompt.end());
  return {prompt, begin, std::max<Index>(1, task.context() - static_cast<Index>(prompt.size()))};
}

/// Tokens may be parts of a character.
py::object text_of(const Task& task, const Tokens& tokens) {
  return py::bytes(task.show(tokens)).attr("decode")("utf-8", "replace");
}

/// (prompt, text, wanted) of each sample.
py::list sample(const Run& run, const std::optional<std::string>& prompt,
                const std::optional<Index>& samples, const std::optional<double>& temperature,
                Index top_k, double top_p, Index tokens, Index examples, std::uint64_t seed) {
  const Task& task = *run.task;
  const bool lines = !task.has_answers() && task.end_token() >= 0;
  const Index count = samples.value_or(lines && !prompt ? 10 : 1);
  if (count < 1 || examples < 1)
    throw ValueError("sample: samples and examples must be at least 1, not {} and {}", count,
                     examples);
  SampleOptions options;
  options.temperature = temperature.value_or(task.has_answers() && !samples ? 0 : 1);
  options.top_k = top_k, options.top_p = top_p, options.seed = seed;
  options.tokens = tokens, options.end = task.end_token();
  check(options);
  std::vector<Asked> all;
  const Tokens given = prompt ? task.parse(*prompt) : Tokens();
  if (task.has_answers() && !prompt)
    all = held_out(run, examples);
  else
    all = {task.has_answers() ? asked_question(run, given) : beginning(task, given)};
  py::list found;
  for (const Asked& asked : all) {
    options.tokens = tokens > 0 && !asked.wanted ? tokens : asked.limit;
    const py::object wanted = asked.wanted ? text_of(task, *asked.wanted) : py::none();
    for (options.stream = 0; options.stream < count; options.stream += samples_at_once) {
      const Index together = std::min(samples_at_once, count - options.stream);
      for (const auto& generated : without_gil(
               [&] { return generate_samples(*run.model, asked.begin, together, options); })) {
        Tokens said = tokens_of(generated);
        if (lines && !said.empty() && said.back() == task.end_token()) said.pop_back();
        found.append(py::make_tuple(text_of(task, asked.prompt), text_of(task, said), wanted));
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
