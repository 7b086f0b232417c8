#include <tapehead/cli/answer.hpp>
#include <tapehead/cli/commands.hpp>
#include <tapehead/cli/heatmap.hpp>
#include <tapehead/cli/load_run.hpp>

#include <algorithm>

namespace tapehead {
namespace {

struct Arguments {
  std::string run, input;
  bool has_input = false;
  Index layer = -1, head = -1;
};

/// What the model is to look at. A question alone is followed by the model's answer, whose last
/// symbol it never sees itself.
std::vector<int> tokens_seen(const LoadedRun& run, const Arguments& arguments) {
  const Task& task = *run.task;
  const Index longest = task.context();
  const Example example = task.held_out_example(0);
  std::vector<int> tokens = example.tokens;
  if (arguments.has_input) {
    tokens = task.parse(arguments.input);
  } else {
    constexpr Index glance = 32;  // of a text
    const Index wanted = task.has_answers() ? example.question : std::min(longest, glance);
    tokens.resize(std::min(tokens.size(), static_cast<std::size_t>(wanted)));
  }
  const auto length = static_cast<Index>(tokens.size());
  if (length < 1 || length > longest)
    throw UsageError("--input has {} symbols; the model sees 1 to {}", length, longest);
  if (!task.has_answers()) return tokens;
  SampleOptions options = greedy();
  options.tokens = longest - length;
  return length <= example.question ? generate(*run.model, tokens, options) : tokens;
}

HeadWeights head_of(const Tensor& weights, Index head) {
  const Tensor one = slice(weights, 1, head, head + 1);  // (1, 1, queries, keys)
  return {one.dim(2), one.dim(3), one.values()};
}

void check_range(const char* option, Index value, Index count) {
  if (value < -1 || value >= count)
    throw UsageError("{} {}: the model has 0 to {}", option, value, count - 1);
}

void show(const Arguments& arguments, const Session& session) {
  const LoadedRun run = load_run(arguments.run, session.registry);
  check_range("--layer", arguments.layer, run.config.layers);
  check_range("--head", arguments.head, run.config.heads);
  const std::vector<int> tokens = tokens_seen(run, arguments);
  Tensor ids = Tensor::empty({1, static_cast<Index>(tokens.size())}, DType::i32);
  std::copy(tokens.begin(), tokens.end(), ids.fresh<std::int32_t>());
  Pass pass = Pass::evaluation();
  pass.capture = true;
  (*run.model)(ids, pass);
  if (pass.captured.empty())
    throw Error("attention: this model's attention, '{}', doesn't show its weights",
                run.config.attention);

  std::vector<std::string> labels;
  for (int token : tokens) labels.push_back(run.task->show({token}));
  const char* gap = "";
  for (std::size_t layer = 0; layer < pass.captured.size(); ++layer) {
    if (arguments.layer >= 0 && layer != static_cast<std::size_t>(arguments.layer)) continue;
    const Tensor& weights = pass.captured[layer].weights;
    for (Index head = 0; head < weights.dim(1); ++head) {
      if (arguments.head >= 0 && head != arguments.head) continue;
      const HeadWeights map = head_of(weights, head);
      const Pattern pattern = find_pattern(map);
      std::string title = fmt::format("layer {} head {}", layer, head);
      if (!pattern.name.empty()) title += fmt::format(" · {} {:.2f}", pattern.name, pattern.score);
      fmt::print("{}{}\n{}", gap, paint(session.terminal, Style::bold, title),
                 heatmap(map, labels, session.terminal));
      gap = "\n";
    }
  }
}

}  // namespace

void add_attention_command(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("attention", "show what each head of a run looks at");
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("RUN", arguments->run, "its folder")->required();
  CLI::Option* input = add_value(*command, "--input", "TEXT", arguments->input,
                                 "what it reads; else a held-out example");
  add_value(*command, "--layer", arguments->layer, "this layer alone, counted from 0");
  add_value(*command, "--head", arguments->head, "this head alone, counted from 0");
  command->callback([=, &session] {
    arguments->has_input = input->count() > 0;
    show(*arguments, session);
  });
}

}  // namespace tapehead
