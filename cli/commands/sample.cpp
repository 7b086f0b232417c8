#include "../../core/runtime/parallel.hpp"
#include "../../train/files/json.hpp"
#include "../terminal/answer.hpp"
#include "../terminal/generated.hpp"
#include "../terminal/illustration.hpp"
#include "../terminal/output.hpp"
#include "../terminal/prompt.hpp"
#include "commands.hpp"
#include "load_run.hpp"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <optional>

namespace tapehead {
namespace {

using Tokens = std::vector<int>;

constexpr Index alternatives = 5;  // alternatives shown for a token
constexpr Index line_count = 10;

struct SampleArguments {
  std::string run, data, prompt, checkpoint, weights;
  bool has_prompt = false, has_temperature = false, has_samples = false, has_tokens = false;
  bool probabilities = false, json = false;
  Index tokens = 0, examples = 5, seed = 0, samples = 1, threads = 1;
  SampleOptions options;
};

/// One execution of the command.
class Sampling {
 public:
  Sampling(const SampleArguments& arguments, const Session& session)
      : arguments_(arguments),
        terminal_(session.terminal),
        run_(load_run(arguments.run, session.registry, arguments.data, arguments.checkpoint,
                      arguments.weights)),
        task_(*run_.task),
        options_(arguments.options),
        samples_(arguments.samples) {
    require_tokens("sample", run_);
    options_.seed = static_cast<std::uint64_t>(arguments.seed);
    options_.end = task_.end_token();
    options_.tokens = arguments.tokens;
    check(options_);  // throws before any output
    set_threads(static_cast<int>(arguments.threads));
    // Greedy decoding is the default for answers. Several samples need randomness.
    if (task_.has_answers() && !arguments.has_temperature && !arguments.has_samples)
      options_.temperature = 0;
    if (arguments.probabilities || arguments.json) options_.alternatives = alternatives;
    if (generates_lines(task_) && !arguments.has_samples && !arguments.has_prompt)
      samples_ = line_count;
  }

  void run() {
    if (!arguments_.has_prompt && fills_in(*run_.model, task_))
      fill_held_out();
    else if (!arguments_.has_prompt)
      task_.has_answers() ? answer_held_out() : generate_all(prompt_of({}));
    else if (arguments_.prompt == "-")
      read_prompts();
    else
      take(arguments_.prompt);
    if (arguments_.json) return print_document();
    if (const std::string how = task_.answer_format(); !how.empty())
      put("answers are written {}\n", how);
  }

 private:
  Prompt prompt_of(const Tokens& tokens) const {
    return tapehead::prompt_of(*run_.model, task_, tokens, "--prompt");
  }

  /// Reads a prompt from each line of standard input, or the beginning of a text from all of it.
  void read_prompts() {
    const bool lines = task_.has_answers() || generates_lines(task_);
    std::string line;
    if (!lines) {
      line.assign(std::istreambuf_iterator<char>(std::cin), {});
      if (!line.empty()) return take(line);
    }
    for (Index number = 1; std::getline(std::cin, line); ++number) {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (line.empty()) continue;
      try {
        take(line);
      } catch (const UsageError& error) {
        throw UsageError("standard input, line {}: {}", number, error.what());
      } catch (const ValueError& error) {
        throw UsageError("standard input, line {}: {}", number, error.what());
      }
    }
    if (prompts_.items().empty()) throw UsageError("--prompt -: standard input is empty");
  }

  void take(const std::string& text) {
    const Prompt prompt = prompt_of(task_.parse_prompt(text));
    if (task_.has_answers() && shows())
      put("{}{}", gap(),
          task_.illustration() ? show_question(task_, prompt.tokens, terminal_)
                               : fmt::format("  in   {}\n", visible(task_.show(prompt.tokens))));
    generate_all(prompt);
  }

  void answer_held_out() {
    for (const Index number : examples_shown(*run_.model, task_, arguments_.examples)) {
      const Prompt prompt = held_out_prompt(task_, number);
      if (shows()) put("{}{}", gap(), show_question(task_, prompt.tokens, terminal_));
      generate_all(prompt);
    }
  }

  /// Shows validation examples with the predicted tokens filled in.
  void fill_held_out() {
    for (const Index number : examples_shown(*run_.model, task_, arguments_.examples)) {
      const Example example = held_out_example(task_, number);
      const Tokens question = question_of(example);
      const auto [predicted, right] = fill_in(*run_.model, example);
      if (shows())
        put("{}{}{}", gap(), show_question(task_, question, terminal_),
            show_marked(task_, predicted, right, terminal_));
      Json samples = Json::array();
      samples.push_back({{"text", task_.show(predicted)}, {"right", predicted == right}});
      prompts_.push_back(
          {{"prompt", task_.show(question)}, {"wanted", task_.show(right)}, {"samples", samples}});
    }
  }

  void generate_all(const Prompt& prompt) {
    const std::optional<Tokens>& wanted = prompt.wanted;
    options_.tokens = arguments_.has_tokens && !wanted ? arguments_.tokens : prompt.limit;
    Json samples = Json::array();
    for (Index first = 0; first < samples_; first += samples_at_once) {
      options_.stream = first;
      const Index count = std::min(samples_at_once, samples_ - first);
      const bool streams = shows() && samples_ == 1 && !wanted;
      const auto generated =
          streams ? stream(prompt) : generate_samples(*run_.model, prompt.begin, count, options_);
      for (std::size_t i = 0; i < generated.size(); ++i) {
        if (arguments_.json)
          samples.push_back(sample_json(generated[i], wanted));
        else
          print_sample(first + static_cast<Index>(i), prompt, generated[i], streams);
      }
    }
    Json entry = {{"prompt", task_.show(prompt.tokens)}};
    if (wanted) entry["wanted"] = task_.show(*wanted);
    entry["samples"] = samples;
    prompts_.push_back(entry);
  }

  std::vector<std::vector<GeneratedToken>> stream(const Prompt& prompt) {
    Stream stream(task_, terminal_);
    if (task_.has_answers())
      put("  out  ");
    else
      for (int token : prompt.tokens) stream.add(token);
    auto generated = generate_samples(*run_.model, prompt.begin, 1, options_,
                                      [&](Index, const GeneratedToken& next) {
                                        for (int token : without_end(task_, {next.token}))
                                          stream.add(token);
                                      });
    stream.end();
    put("\n");
    return generated;
  }

  void print_sample(Index number, const Prompt& prompt, const std::vector<GeneratedToken>& tokens,
                    bool streamed) {
    if (prompt.wanted) {
      put("{}", show_marked(task_, tokens_of(tokens), *prompt.wanted, terminal_));
    } else if (!streamed && task_.has_answers()) {
      put("  out  {}\n", visible(task_.show(tokens_of(tokens))));
    } else if (!streamed) {
      if (!generates_lines(task_))
        put("{}{}\n", number > 0 ? "\n" : "",
            paint(terminal_, Style::dim, fmt::format("sample {} of {}", number + 1, samples_)));
      Tokens whole = prompt.tokens;
      append(whole, without_end(task_, tokens_of(tokens)));
      put("{}\n", shown(task_, whole, terminal_));
    }
    if (arguments_.probabilities) put("{}", probabilities_text(task_, tokens, terminal_));
  }

  Json sample_json(const std::vector<GeneratedToken>& tokens,
                   const std::optional<Tokens>& wanted) const {
    Json sample = {{"text", task_.show(without_end(task_, tokens_of(tokens)))}};
    if (wanted) sample["right"] = tokens_of(tokens) == *wanted;
    sample["tokens"] = to_json(task_, tokens);
    return sample;
  }

  void print_document() const {
    Json document = {{"run", arguments_.run},
                     {"task", run_.config.task},
                     {"step", run_.steps},
                     {"temperature", options_.temperature},
                     {"top_k", options_.top_k},
                     {"top_p", options_.top_p},
                     {"seed", options_.seed},
                     {"weights", arguments_.weights},
                     {"threads", arguments_.threads},
                     {"prompts", prompts_}};
    if (!arguments_.data.empty()) document["data"] = arguments_.data;
    print_json(document);
  }

  bool shows() const { return !arguments_.json; }
  /// Returns an empty line between prompts.
  const char* gap() const { return prompts_.items().empty() ? "" : "\n"; }

  const SampleArguments& arguments_;
  const Terminal terminal_;
  const LoadedRun run_;
  const Task& task_;
  SampleOptions options_;
  Index samples_;
  Json prompts_ = Json::array();
};

}  // namespace

void add_sample_command(const Command& app, Session& session) {
  const Command command = app.add("sample", "generate text from a run, or answer a prompt");
  const auto a = std::make_shared<SampleArguments>();
  command.positional("RUN", a->run, "run folder");
  const CommandOption prompt = command.option("--prompt", "TEXT", a->prompt,
                                              "prompt to continue or answer (- = standard input: "
                                              "one prompt per line, or all of it for a text)");
  const CommandOption samples =
      command.option("--samples", a->samples,
                     "number of samples [1; without --prompt, 10 for tasks whose data are lines]");
  const CommandOption temperature = command.option(
      "--temperature", a->options.temperature,
      "sampling temperature (0 = greedy decoding) [1; without --samples, 0 for tasks with right "
      "answers]");
  command.option("--top-k", a->options.top_k,
                 "top-k sampling: number of likeliest tokens to draw from (0 = all)");
  command
      .option("--top-p", a->options.top_p,
              "top-p (nucleus) sampling: total probability of the likeliest tokens to draw from")
      .shown_default("1");
  const CommandOption tokens =
      command.option("--tokens", a->tokens,
                     "number of tokens to generate [500, or the length of the answer or line]");
  command
      .option("--examples", a->examples,
              "number of validation (held-out) examples to answer without a prompt")
      .shown_default("5");
  command.option("--seed", a->seed, "seed of sampling").shown_default("0");
  command.flag("--probs", a->probabilities,
               "table of the likeliest tokens at each position, with probabilities");
  command
      .option("--threads", a->threads,
              "number of threads for large matmuls; more than 1 helps only with fast memory")
      .shown_default("1");
  add_data(command, a->data);
  add_checkpoint(command, a->checkpoint);
  add_weights(command, a->weights);
  add_json(command, a->json);
  command.on_run([=, &session] {
    a->has_prompt = prompt.given();
    a->has_samples = samples.given();
    a->has_temperature = temperature.given();
    a->has_tokens = tokens.given();
    for (const auto& [name, value] :
         {std::pair("--samples", a->samples), {"--examples", a->examples}})
      if (value < 1) throw UsageError("{} must be at least 1, not {}", name, value);
    if (a->threads < 1 || a->threads > 1024)
      throw UsageError("--threads must be from 1 to 1024, not {}", a->threads);
    if (a->seed < 0) throw UsageError("--seed must be at least 0, not {}", a->seed);
    Sampling(*a, session).run();
  });
}

}  // namespace tapehead
