#include <tapehead/cli/answer.hpp>
#include <tapehead/cli/commands.hpp>
#include <tapehead/cli/load_run.hpp>
#include <tapehead/cli/options.hpp>
#include <tapehead/core/parallel.hpp>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

namespace tapehead {
namespace {

void use_all_processors() {
  set_threads(std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
}

void eval(const std::string& path, const std::string& data, bool json, const Session& session) {
  const LoadedRun run =
      load_run(path, session.registry, data.empty() ? TaskOptions{} : TaskOptions{{"data", data}});
  use_all_processors();
  const Evaluation result = evaluate(*run.model, *run.task, run.task->held_out_size());
  if (json) {
    nlohmann::ordered_json document = {{"run", path},
                                       {"task", run.config.task},
                                       {"step", run.steps},
                                       {"examples", result.examples},
                                       {"loss", result.loss}};
    if (run.task->has_answers()) document["exact_match"] = result.exact_match;
    return print_json(document);
  }
  if (run.task->has_answers())
    fmt::print("exact match {} of {} held-out · loss {:.4f}", percent(result.exact_match),
               grouped(result.examples), result.loss);
  else
    fmt::print("held-out loss {:.4f} nats a symbol", result.loss);
  fmt::print(" · step {} of {}\n", run.steps, path);
}

struct SampleArguments {
  std::string run, prompt;
  bool has_prompt = false, has_temperature = false;
  Index tokens = 0, examples = 5, seed = 0;
  SampleOptions options;
};

/// Shows each symbol as soon as it is there.
class Stream {
 public:
  Stream(const Task& task, const Terminal& terminal) : task_(task), terminal_(terminal) {}

  void add(int token) {
    tokens_.push_back(token);
    // As part of the whole, for symbols may have something between them.
    const std::string text = task_.show(tokens_);
    const std::string more = text.substr(std::min(shown_, text.size()));
    std::fputs((terminal_.live ? harmless(more) : more).c_str(), stdout);
    std::fflush(stdout);
    shown_ = text.size();
  }

 private:
  /// A text may hold what would command the terminal; lines and tabs are meant.
  static std::string harmless(const std::string& text) {
    std::string result;
    for (const std::string& character : characters(text))
      result += character == "\n" || character == "\t" ? character : visible(character);
    return result;
  }

  const Task& task_;
  const Terminal& terminal_;
  std::vector<int> tokens_;
  std::size_t shown_ = 0;
};

/// What to begin a text with: a new line where there is one, for that is what stands before texts.
std::vector<int> empty_prompt(const Task& task) {
  try {
    return task.parse("\n");
  } catch (const ValueError&) {
    return {0};
  }
}

void sample_text(const LoadedRun& run, const SampleArguments& arguments, SampleOptions options,
                 const Session& session) {
  const bool given = !arguments.prompt.empty();
  const std::vector<int> prompt =
      given ? run.task->parse(arguments.prompt) : empty_prompt(*run.task);
  options.tokens = arguments.tokens > 0 ? arguments.tokens : 500;
  Stream stream(*run.task, session.terminal);
  if (given)
    for (int token : prompt) stream.add(token);
  generate(*run.model, prompt, options, [&](int token) { stream.add(token); });
  fmt::print("\n");
}

void answer_prompt(const LoadedRun& run, const SampleArguments& arguments, SampleOptions options,
                   const Session& session) {
  const std::vector<int> prompt = run.task->parse(arguments.prompt);
  const Index longest = run.model->longest_question();
  const auto length = static_cast<Index>(prompt.size());
  if (length == 0 || length > longest)
    throw UsageError("--prompt has {} symbols; the model takes 1 to {}", length, longest);
  options.tokens = arguments.tokens > 0 ? arguments.tokens : run.task->context() + 1 - length;
  fmt::print("  in   {}\n  out  ", visible(run.task->show(prompt)));
  Stream stream(*run.task, session.terminal);
  generate(*run.model, prompt, options, [&](int token) { stream.add(token); });
  fmt::print("\n");
}

void sample(const SampleArguments& arguments, const Session& session) {
  const LoadedRun run = load_run(arguments.run, session.registry);
  SampleOptions options = arguments.options;
  if (run.task->has_answers() && !arguments.has_temperature) options.temperature = 0;
  if (arguments.seed < 0) throw UsageError("--seed must be at least 0, not {}", arguments.seed);
  options.seed = static_cast<std::uint64_t>(arguments.seed);
  options.end = run.task->end_symbol();
  if (!run.task->has_answers()) return sample_text(run, arguments, options, session);
  if (arguments.has_prompt) return answer_prompt(run, arguments, options, session);
  if (arguments.examples < 1)
    throw UsageError("--examples must be at least 1, not {}", arguments.examples);
  const Index examples = std::min(arguments.examples, run.task->held_out_size());
  for (Index number = 0; number < examples; ++number)
    fmt::print("{}{}", number > 0 ? "\n" : "",
               show_answer(*run.model, *run.task, run.task->held_out_example(number), options,
                           session.terminal));
}

void add_eval(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("eval", "measure a run on held-out examples");
  struct Arguments {
    std::string run, data;
    bool json = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("RUN", arguments->run, "its folder")->required();
  add_value(*command, "--data", "FILE", arguments->data, "another text than the run's own");
  command->add_flag("--json", arguments->json, "print one JSON document, and nothing else");
  command->callback(
      [=, &session] { eval(arguments->run, arguments->data, arguments->json, session); });
}

void add_sample(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("sample", "let a run speak");
  const auto a = std::make_shared<SampleArguments>();
  command->add_option("RUN", a->run, "its folder")->required();
  CLI::Option* prompt =
      add_value(*command, "--prompt", "TEXT", a->prompt, "what to go on from, or to answer");
  CLI::Option* temperature =
      add_value(*command, "--temperature", a->options.temperature,
                "divides the logits; 0: the likeliest symbol [1, for answers 0]");
  add_value(*command, "--top-k", a->options.top_k, "choose among so many; 0: among all");
  add_value(*command, "--top-p", a->options.top_p, "choose among those that make up this share")
      ->default_str("1");
  add_value(*command, "--tokens", a->tokens, "symbols to say [500, or as the answer needs]");
  add_value(*command, "--examples", a->examples, "held-out examples to answer without a prompt")
      ->default_str("5");
  add_value(*command, "--seed", a->seed, "of the draws")->default_str("0");
  command->callback([=, &session] {
    a->has_prompt = prompt->count() > 0;
    a->has_temperature = temperature->count() > 0;
    sample(*a, session);
  });
}

}  // namespace

void add_run_commands(CLI::App& app, Session& session) {
  add_eval(app, session);
  add_sample(app, session);
}

}  // namespace tapehead
